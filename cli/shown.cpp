#include "shown.hpp"

#include "requests/query.hpp"
#include "terminal.hpp"

namespace fractile::cli {

Shown shown_as(const Typed& typed, const QuantileQuery& query, const std::vector<std::string>& keys) {
  Shown shown{format_of(typed, stdout_is_terminal() ? Format::table : Format::csv, Pages::yes), comparison_of(typed)};
  shown.page = PageOutput::of(typed, shown.format);
  if (!shown.compared) return shown;
  const Field field("compare");
  if (!query.intervals) {
    usage({field, " goes with ", Field("intervals")}, {"write for example ", Field("intervals").number("0.95")});
  }
  in_field("compare", [&] { shown.compared->require_among(keys, query.quantiles); });
  if (shown.format == Format::json) {
    usage({field, " shows its comparisons as a table or as CSV"},
          "leave it out: the JSON is a receipt, and fractile explain RECEIPT --compare tells them from it");
  }
  return shown;
}

}  // namespace fractile::cli
