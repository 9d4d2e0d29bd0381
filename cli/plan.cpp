// fractile plan: says what a release will cost, and how wrong it may be.
#include "requests/plan.hpp"

#include "fractile/publication.hpp"
#include "fractile/reports.hpp"
#include "page_output.hpp"
#include "report/text/command_page.hpp"
#include "requests/publications/publication_file.hpp"
#include "requests/text_file.hpp"
#include "requests/values.hpp"
#include "shown.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace fractile::cli {
namespace {

constexpr bool shown_in_pipes = true;  // a plan is made of public numbers alone

/// On standard error.
void tell(const std::vector<NoiseInWords>& beside_csv) {
  for (const NoiseInWords& each : beside_csv) print_error(each.what, each.hint);
}

/// Throws `usage` for options other than those that may go with a publication's file.
void require_nothing_else(const Typed& typed) {
  for (const auto& [field, values] : typed.values) {
    if (field == "format" || field == "duckdb") continue;
    const bool is_of_page = field == "about" || field == "figures";
    usage({Field(field), " does not go with FILE, which says what is asked"},
          is_of_page ? "leave it out: the plan of a publication has no page; fractile publish makes one"
                     : "write it there, or leave it out");
  }
}

int plan_file(const Typed& typed) {
  require_nothing_else(typed);
  if (typed.one("format") == "html") {
    usage({Field("format"), ": the plan of a publication has no page"},
          "choose one of csv, json, table; fractile publish makes the publication's page");
  }
  const Format format = format_of(typed, usual_format());
  const requests::PublicationFile file = requests::read_publication(typed.file, typed.one("duckdb"));
  const PublicationPlan plan = [&] {
    const Progress progress("simulating releases", shown_in_pipes);
    return requests::plan_publication(file);
  }();
  print(text_in(format, plan));
  if (format == Format::csv) tell(beside_csv(plan));
  return 0;
}

}  // namespace

int run_plan(const Typed& words) {
  if (!words.file.empty()) return plan_file(words);
  const Typed typed = requests::with_texts_of_files(words);
  const PlanRequest request = PlanRequest::of(typed);
  const Format format = format_of(typed, usual_format(), Pages::yes);
  PageOutput page = PageOutput::of(typed, format);
  page.command = command_of(plan_verb(), typed);
  const bool with_chart = format == Format::table || format == Format::html;
  const PlanReport report = [&] {
    const Progress progress("simulating releases", shown_in_pipes);
    return planned(request, with_chart);
  }();
  const WebPage shown = format == Format::html ? with_command(to_html(report, page.options), page.command)
                                               : WebPage{text_in(format, report)};
  page.print_page(shown, "nothing was released");
  if (format == Format::csv) tell(beside_csv(report));
  return 0;
}

}  // namespace fractile::cli
