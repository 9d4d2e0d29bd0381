// fractile columns: lists the columns of a file.
#include "fractile/reports.hpp"
#include "requests/tables.hpp"
#include "requests/values.hpp"
#include "shown.hpp"
#include "terminal.hpp"
#include "verbs.hpp"
#include "watcher.hpp"

namespace fractile::cli {

int run_columns(const requests::Typed& typed) {
  using requests::Format;
  const Format format = requests::format_of(typed, usual_format());
  Watcher watcher;
  const std::vector<TableColumn> columns = requests::columns_of(typed, watcher);
  print(text_in(format, columns), "nothing was published or charged");
  return 0;
}

}  // namespace fractile::cli
