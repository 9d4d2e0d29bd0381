// A plan as a page: what a release will cost, and how far off its values may be under this budget and under others.
#include <algorithm>
#include <cmath>

#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "fractile/privacy.hpp"
#include "fractile/reports.hpp"
#include "libraries/fmt.hpp"
#include "report/release/analyst_words.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/guess_words.hpp"
#include "report/release/interval_text.hpp"
#include "report/release/plan_words.hpp"
#include "report/text/page.hpp"

namespace fractile {

using namespace report_detail;

namespace {

constexpr int dots = 50;
constexpr int most_bins = 24;
constexpr double least_error = 0.5;  // records: an error of 0 is drawn here, on a logarithmic axis
const Rational ten_in_a_hundred(1, 10);

/// The lines that explain the table: a word before the 14th column, and its meaning, which continues on indented lines.
std::vector<std::string> meanings_of(const PlanReport& report) {
  constexpr std::size_t column = 13;
  const std::string text = plan_meaning(report);
  std::vector<std::string> items;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with(std::string(column, ' '))) {
      items.back() += " " + line.substr(column);
    } else if (line.substr(0, column).find("  ") != std::string::npos) {
      std::string word = line.substr(0, line.find("  "));
      items.push_back(word + ": " + line.substr(column));
    } else {
      items.push_back(line);
    }
  }
  return items;
}

double budget_of(const ReleasePlan& plan) {
  const Budget& budget = plan.query.budget;
  return budget.measure() == Measure::zcdp ? budget.rho().to_double() : budget.epsilon().to_double();
}

std::vector<Row> ladder_of(const std::vector<ReleasePlan>& plans) {
  std::vector<Row> rows = budget_rows(plans);
  rows.front().push_back("10 in 100 becomes at most");
  for (std::size_t i = 0; i < plans.size(); ++i) {
    rows[i + 1].push_back(becomes_at_most(plans[i].query.budget, ten_in_a_hundred));
  }
  return rows;
}

figures::Figure ladder_figure(const std::vector<ReleasePlan>& plans, const std::string& noun) {
  figures::Line worst{"worst case, proved", "", 1, 2, 1};
  figures::Line nine{"nine in ten, simulated", "", 2, 2, 2};
  double least = 1e300;
  double most = least_error;
  for (const ReleasePlan& plan : plans) {
    const double x = budget_of(plan);
    const auto add = [&](figures::Line& line, double error) {
      const double y = std::max(error, least_error);
      line.points.push_back({x, y, y, y});
      least = std::min(least, y);
      most = std::max(most, y);
    };
    if (const auto ranks = plan.worst.largest()) add(worst, static_cast<double>(*ranks));
    add(nine, report_detail::largest(plan.typical.nine_in_ten));
  }
  const std::string half = "half a " + noun.substr(0, noun.size() - 1);  // of records, or units
  figures::Figure figure{"budgets",
                         fmt::format("The worst quantile's error against {}", budget_name(plans.front().query.budget)),
                         least <= least_error ? fmt::format("errors below {0} are drawn at {0}", half) : "",
                         budget_name(plans.front().query.budget),
                         noun + " off (logarithmic)",
                         {}};
  const std::vector<double> tics = mapped(plans, budget_of);
  figure.panels.push_back({"",
                           figures::Axis{true, tics.front() / 1.1, tics.back() * 1.1, tics},
                           figures::Axis{true, least / 1.5, most * 1.5},
                           {worst, nine}});
  if (worst.points.empty()) figure.panels.front().lines.erase(figure.panels.front().lines.begin());
  figure.description = fmt::format("{} budgets; the table has their errors.", plans.size());
  return figure;
}

/// A range of the largest errors of simulated releases, and the number of dots in it.
struct Bin {
  double from;
  double to;
  int dots;
};

/// Fifty quantiles of the simulated errors (Fernandes et al. 2018): each dot stands for one release in fifty.
std::vector<Bin> bins_of(const TypicalError& typical) {
  std::vector<double> values;
  for (int i = 0; i < dots; ++i) {
    const double share = (i + 0.5) / dots;
    values.push_back(typical.largest[static_cast<std::size_t>(share * static_cast<double>(typical.largest.size()))]);
  }
  const double most = std::max(1.0, values.back());
  const double width = std::max(1.0, std::ceil(most / most_bins));
  std::vector<Bin> bins;
  for (const double value : values) {
    const double from = std::floor(value / width) * width;
    if (bins.empty() || bins.back().from != from) bins.push_back({from, from + width, 0});
    ++bins.back().dots;
  }
  return bins;
}

figures::Figure dots_figure(const std::vector<Bin>& bins, std::uint64_t releases, const std::string& noun) {
  figures::Line line;
  line.mark = 1;
  line.joined = false;
  int highest = 0;
  for (const Bin& bin : bins) {
    const double x = (bin.from + bin.to) / 2;
    for (int i = 1; i <= bin.dots; ++i) line.points.push_back({x, static_cast<double>(i), 0, 0});
    highest = std::max(highest, bin.dots);
  }
  const double width = bins.front().to - bins.front().from;
  return {"typical",
          fmt::format("How far the worst quantile of a release is off, in {} simulated releases", releases),
          "each dot stands for one release in fifty",
          noun + " off",
          "releases",
          {{"",
            figures::Axis{false, 0, bins.back().to + width},
            figures::Axis{false, 0, std::max(10.0, highest + 1.0)},
            {line}}},
          "The table counts the dots."};
}

std::vector<Row> dots_rows(const std::vector<Bin>& bins, const std::string& noun) {
  std::vector<Row> rows{{noun + " off, from", "to less than", "of 50 releases"}};
  for (const Bin& bin : bins) {
    rows.push_back({fmt::format("{:.10g}", bin.from), fmt::format("{:.10g}", bin.to), fmt::format("{}", bin.dots)});
  }
  return rows;
}

void say_in_short(HtmlPage& page, const PlanReport& report) {
  const ReleasePlan& plan = report.plan;
  page.section("In short");
  std::vector<std::string> items{"The table was not read, and nothing is spent."};
  if (const auto worst = plan.worst.largest()) items.push_back("To " + price_in_words(report, *worst) + ".");
  items.push_back(plan_cost(report));
  std::erase(items.back(), '\n');
  if (const std::size_t at = items.back().find("chosen by auto"); at != std::string::npos)
    items.back().insert(at, "; ");
  items.back() += '.';
  const auto worst = plan.worst.largest();
  SourceDescription counted;
  counted.weights = report.weights;
  items.push_back(typical_in_words(plan.typical, counted, counts_at(plan.lattice), "a value will be"));
  items.push_back(
      worst ? fmt::format(
                  "With a probability of at least {} each, the values will miss the quantiles of the records that "
                  "count{}, by at most {}, whatever the table of up to {}.",
                  share_of(plan.worst.confidence), and_where_they_count(plan.lattice), planned_amount(report, *worst),
                  planned_amount(report, plan.worst.rows))
            : "How far the values may be off at worst is not known for all of them.");
  items.push_back(
      fmt::format("What would happen with a probability of 10 in 100 {} happens with a probability of at most {}.",
                  plan.query.neighbors == Neighbors::add_remove ? "without a person's records"
                                                                : "with other records in place of a person's",
                  becomes_at_most(plan.query.budget, ten_in_a_hundred)));
  page.list(items);
  const auto warn = [&](const NoiseInWords& words) {
    page.paragraph(fmt::format("Warning: {}: {}.", words.what, words.hint));
  };
  if (const auto words = noise_in_words(report)) warn(*words);
  if (const auto words = coarse_step(plan.lattice)) warn(*words);
  if (const auto words = weak_budget(plan.query.budget)) warn(*words);
}

}  // namespace

WebPage to_html(const PlanReport& whole, const PageOptions& options) {
  const OwnEnvironment own;
  const PlanReport report = with_told_bounds(whole);
  const ReleasePlan& plan = report.plan;
  HtmlPage page;
  page.title(!options.about.title.empty() ? options.about.title
                                          : "Plan: " + counted(plan.query.quantiles.size(), "quantile"));
  say_in_short(page, report);
  if (report.analyst) {
    page.section("What the analyst needs");
    page.paragraph(in_one_line(analyst_meaning(*report.analyst)) + ".");
    page.table({"analyst", "Epsilons that serve"}, analyst_rows(*report.analyst));
    if (has_trial_figure(*report.analyst)) page.figure(trial_figure(*report.analyst));
    page.table({"tried", "Epsilons that were tried, and what the analyst loses on average"},
               trial_rows(*report.analyst));
  }
  const std::string noun = planned_noun(report);
  page.section("Errors by quantile");
  page.table({"plan", "Errors in " + noun}, plan_rows(plan));
  page.list(meanings_of(report));
  if (report.weights) {
    page.section("Weights");
    page.table({"weights", "Errors as weights"}, planned_weights_rows(report));
    page.list(planned_weights_meaning(report));
  }
  if (plan.statistics) {
    page.section("Beside the quantiles");
    page.table({"statistics", "How far off counts, shares and means will be"}, planned_statistics_rows(report));
    page.paragraph(planned_statistics_meaning(report));
  }
  if (report.guess) {
    page.section("What an attacker gains");
    page.paragraph(in_one_line(guess_meaning(*report.guess)) + ".");
    page.table({"guess", "Right guesses"}, guess_rows(*report.guess));
  }
  if (!plan.typical.largest.empty()) {
    const std::vector<Bin> bins = bins_of(plan.typical);
    page.section("Typical releases");
    page.figure(dots_figure(bins, plan.typical.releases, noun));
    page.table({"typical", "The dots, counted"}, dots_rows(bins, noun));
  }
  if (!report.others.empty()) {
    page.section("Other budgets");
    page.paragraph(
        fmt::format("At each other budget, {} releases were simulated.", report.others.front().typical.releases));
    page.figure(ladder_figure(report.others, noun));
    page.table({"budgets", fmt::format("Errors of the worst quantile, in {}, and the promise", noun)},
               ladder_of(report.others));
  }
  return std::move(page).finished();
}

}  // namespace fractile
