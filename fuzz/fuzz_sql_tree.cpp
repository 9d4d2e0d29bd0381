// Any bytes that claim to be the engine's tree of a query are judged or refused: row-wise or not, by person or not, which
// tables, which columns.
#include <set>
#include <string>
#include <string_view>

#include "fractile/error.hpp"
#include "source/files/person_query.hpp"
#include "source/files/row_wise.hpp"
#include "source/files/row_work.hpp"
#include "source/files/sql_inputs.hpp"

using namespace fractile::source_detail;

namespace {

/// Whether it was not refused.
bool passes(auto judge) {
  try {
    judge();
    return true;
  } catch (const fractile::Error&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const RowWiseNames names{{"input"},
                           [](const std::string&, const std::string&) { return false; },
                           [](const std::string&) { return std::set<std::string>{"scalar CONSISTENT"}; }};
  passes([&] {
    const SqlTree tree = SqlTree::of_json({reinterpret_cast<const char*>(data), size});
    passes([&] { named_columns(tree, "input"); });
    passes([&] { require_named_tables(tree, names.tables); });
    passes([&] { static_cast<void>(PersonQuery::of(tree)); });
    passes([&] {
      require_row_wise(tree, names);
      require_bounded_work(tree, names);
    });
  });
  return 0;
}
