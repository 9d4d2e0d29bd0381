#include "plan.hpp"

#include "fractile/plan_report.hpp"
#include "page_output.hpp"
#include "requests/plan.hpp"
#include "requests/values.hpp"
#include "terminal.hpp"

namespace fractile::cli {
namespace {

WebPage rendered(Format format, const PlanReport& report, const PageOutput& page) {
  switch (format) {
    case Format::json:
      return {to_json(report)};
    case Format::csv:
      return {to_csv(report)};
    case Format::table:
      return {to_table(report)};
    case Format::html:
      return to_html(report, page.options);
  }
  return {};
}

}  // namespace

int run_plan(const Typed& typed) {
  const PlanRequest request = PlanRequest::of(typed);
  const Format format = format_of(typed, stdout_is_terminal() ? Format::table : Format::csv, Pages::yes);
  PageOutput page = PageOutput::of(typed, format);
  page.options.command = command_of(plan_verb(), typed);
  const bool with_chart = format == Format::table || format == Format::html;
  const PlanReport report = [&] {
    const Progress progress("simulating releases");
    return planned(request, with_chart);
  }();
  page.print_page(rendered(format, report, page), "nothing was released");
  return 0;
}

}  // namespace fractile::cli
