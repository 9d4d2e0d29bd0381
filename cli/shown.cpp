#include "shown.hpp"

#include "report/release/explained_guess.hpp"
#include "requests/flow.hpp"
#include "requests/query.hpp"
#include "terminal.hpp"

namespace fractile::cli {

namespace {

/// Checks --guess before anything is read or paid for.
void require_explained(const Shown& shown, const ReleaseRequest& request) {
  const std::string& limit = shown.page.options.guess_above;
  if (limit.empty()) return;
  if (shown.format != Format::html) {
    usage({Field("guess"), " goes with ", Field("format").text("html")}, "write it, or leave the option out");
  }
  report_detail::require_guess(limit, request.column.lattice.kind(), request.query,
                               !request.column.selection.keys.empty());
}

}  // namespace

Format usual_format() { return stdout_is_terminal() ? Format::table : Format::csv; }

Shown shown_as(const Typed& typed, const ReleaseRequest& request) {
  const QuantileQuery& query = request.query;
  Shown shown{format_of(typed, usual_format(), Pages::yes), comparison_of(typed)};
  shown.page = PageOutput::of(typed, shown.format);
  shown.page.options.guess_above = guessed_limit(typed);
  require_explained(shown, request);
  if (!shown.compared) return shown;
  const Field field("compare");
  if (!query.intervals) {
    usage({field, " goes with ", Field("intervals")}, {"write for example ", Field("intervals").number("0.95")});
  }
  in_field("compare", [&] { shown.compared->require_among(request.column.selection.keys.all(), query.quantiles); });
  if (shown.format == Format::json) {
    usage({field, " shows its comparisons as a table or as CSV"},
          "leave it out: the JSON is a receipt, and fractile explain RECEIPT --compare shows them");
  }
  return shown;
}

}  // namespace fractile::cli
