#include <algorithm>
#include <cmath>

#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "fractile/reports.hpp"
#include "libraries/fmt.hpp"
#include "report/release/analyst_words.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/guess_words.hpp"
#include "report/release/interval_text.hpp"
#include "report/release/plan_words.hpp"
#include "report/release/statistics_rows.hpp"
#include "report/text/decimals.hpp"
#include "report/text/json_writer.hpp"
#include "report/text/page.hpp"
#include "report/text/release_members.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {
namespace {

/// A weight with three digits, rounded up.
std::string three_digits(const Rational& number) { return plain(number.to_double() * 1.005, 3); }

std::string in_percent(const Rational& share) { return three_digits(share * Rational(100)) + " %"; }

/// Throws `usage` unless the weights' mean and the expected units are known, which is what errors are compared with.
std::uint64_t expected_units(const PlanReport& report) {
  if (report.weights->declared.mean && report.plan.query.expected_rows) return *report.plan.query.expected_rows;
  throw Error(ErrorCode::usage,
              "errors of weighted records are shares of a total, which is not known: the plan's expected rows or the "
              "weights' mean are missing",
              {"set QuantileQuery::expected_rows and RecordWeights::mean"}, "expected_rows");
}

Rational units_of(double units) { return Rational(static_cast<std::int64_t>(std::ceil(units * 10)), 10); }

}  // namespace

Rational share_of_total(const PlanReport& report, double units) {
  return units_of(units) / Rational(expected_units(report));
}

std::optional<Trimming> trimming_of(const PlanReport& report) {
  if (!report.weights) return {};
  const RecordWeights& declared = report.weights->declared;
  const Rational share = share_of_total(report, std::ranges::max(report.plan.typical.nine_in_ten));
  const Rational usual = *declared.mean * Rational(4);  // surveys trim at three to five times the mean
  const Rational upper = (usual / declared.step).ceil() * declared.step;
  if (upper * Rational(3) > declared.upper * Rational(2)) return {};
  const Rational trimmed = share * upper / declared.upper;
  return Trimming{upper, trimmed, share - trimmed};
}

std::vector<Row> planned_weights_rows(const PlanReport& report) {
  if (!report.weights) return {};
  const ReleasePlan& plan = report.plan;
  const Rational& step = report.weights->declared.step;
  std::vector<Row> rows{{"quantile", "nine in ten, as a weight", "of the total", "worst case, of the total"}};
  for (std::size_t i = 0; i < plan.query.quantiles.size(); ++i) {
    const std::optional<std::uint64_t>& worst = plan.worst.ranks[i];
    rows.push_back({plan.query.name(i), three_digits(units_of(plan.typical.nine_in_ten[i]) * step),
                    in_percent(share_of_total(report, plan.typical.nine_in_ten[i])),
                    worst ? in_percent(share_of_total(report, static_cast<double>(*worst))) : "-"});
  }
  return rows;
}

std::vector<std::string> planned_weights_meaning(const PlanReport& report) {
  if (!report.weights) return {};
  const RecordWeights& declared = report.weights->declared;
  std::vector<std::string> sentences{
      fmt::format("These errors are in units of weight, each {}: {}. About {} units are expected.",
                  declared.step.to_decimal(), weights_in_words(*report.weights), expected_units(report)),
      fmt::format("Compared with records of one unit each, {}.", weighted_noise_in_words(*report.weights))};
  if (const std::optional<Trimming> trimming = trimming_of(report)) {
    sentences.push_back(fmt::format(
        "With a largest weight of {}, these errors would be about {} of the total in place of {}. This is worth it if "
        "the parts of weights above {} are together less than {} of the total, since no share moves by more than that.",
        trimming->upper.to_decimal(), in_percent(trimming->share), in_percent(trimming->share + trimming->saved),
        trimming->upper.to_decimal(), in_percent(trimming->saved)));
  }
  return sentences;
}

}  // namespace fractile::report_detail

namespace fractile {

using namespace report_detail;

namespace {

std::string ranks_or(const std::optional<std::uint64_t>& ranks, const char* otherwise) {
  return ranks ? fmt::format("{}", *ranks) : otherwise;
}

/// Whether a bound that holds for any number of rows is a share of the largest number, and so says nothing about the table.
bool is_share_of_any(const std::optional<std::uint64_t>& ranks) {
  return ranks && *ranks > largest_bound_of_any_number;
}

void tell_bounds(ReleasePlan& plan) {
  if (plan.query.expected_rows) return;
  WorstCase& worst = plan.worst;
  bool grows = false;
  const auto tell = [&](std::optional<std::uint64_t>& ranks) {
    grows = grows || is_share_of_any(ranks);
    if (is_share_of_any(ranks)) ranks.reset();
  };
  for (std::optional<std::uint64_t>& ranks : worst.ranks) tell(ranks);
  tell(worst.simultaneous_rank);
  if (is_share_of_any(worst.rounding)) worst.rounding.reset();
  if (grows && worst.unbounded_reason.empty())
    worst.unbounded_reason = "it grows with the number of records: say about how many are expected";
}

/// An error of a simulated release. Whole numbers have no decimals.
std::string typical_number(double error) { return report_detail::plain(error, 4); }

void write_quantiles(Writer& json, const ReleasePlan& plan) {
  objects(json, "quantiles", plan.query.quantiles.size(), [&](std::size_t i) {
    member(json, "quantile", plan.query.quantiles[i].to_string());
    number(json, "worst_case", ranks_or(plan.worst.ranks[i], "null"));
    number(json, "median", typical_number(plan.typical.median[i]));
    number(json, "nine_in_ten", typical_number(plan.typical.nine_in_ten[i]));
    if (plan.intervals) number(json, "interval_width", typical_number(plan.intervals->widths[i]));
  });
}

/// From how many records on ends are settled, and which budget settles them for fewer records.
void write_intervals(Writer& json, const ReleasePlan& plan) {
  if (!plan.intervals) return;
  object(json, "interval_ends", [&] {
    member(json, "rows", plan.intervals->rows);
    number(json, "settled_from", ranks_or(plan.intervals->settled_from, "null"));
    const std::optional<UnsettledEnds>& unsettled = plan.intervals->unsettled;
    if (!unsettled) return;
    object(json, "unsettled", [&] {
      member(json, "rows", unsettled->rows);
      if (unsettled->sufficient_budget) {
        member(json, unsettled->sufficient_budget->measure() == Measure::zcdp ? "rho" : "epsilon",
               report_detail::budget_number(*unsettled->sufficient_budget));
      }
    });
  });
}

/// What counts and means will cost, and how far off they will be.
void write_statistics(Writer& json, const ReleasePlan& plan) {
  if (!plan.statistics) return;
  const StatisticsTerms& terms = plan.statistics->terms;
  const StatisticsErrors& errors = plan.statistics->errors;
  const auto size = [&](const char* name, const Rational& value) {
    number(json, name, report_detail::plain(value.to_double(), 4));
  };
  object(json, "statistics", [&] {
    member(json, "share", terms.request.share.to_string());
    write_cost(json, plan.query.budget.scaled(terms.request.share));
    member(json, "level", terms.level.to_string());
    member(json, "rows", errors.rows);
    member(json, "count", errors.count);
    if (!errors.below.empty()) {
      objects(json, "below", errors.below.size(), [&](std::size_t i) {
        json.Key("value");
        report_detail::value(json, plan.lattice.kind(), terms.request.below[i]);
        member(json, "count", errors.below[i]);
        size("share", errors.shares[i]);
      });
    }
    if (errors.mean) size("mean", *errors.mean);
    if (errors.mean_at_ends) size("mean_at_ends", *errors.mean_at_ends);
  });
}

/// A warning that few values are possible, so that rounding may move values far.
void write_coarse_step(Writer& json, const Lattice& lattice) {
  if (!coarse_step(lattice)) return;
  object(json, "coarse_step", [&] { member(json, "possible_values", lattice.size()); });
}

void write_typical(Writer& json, const TypicalError& typical) {
  object(json, "typical", [&] {
    member(json, "shape", to_string(typical.shape));
    member(json, "rows", typical.rows);
    member(json, "releases", typical.releases);
  });
}

const char* name_of(PersonGuess::About about) {
  switch (about) {
    case PersonGuess::About::presence:
      return "presence";
    case PersonGuess::About::above:
      return "above";
    case PersonGuess::About::value:
      break;
  }
  return "value";
}

/// A decimal with eight places, rounded up.
std::string digits_above(const Rational& probability) { return rounded_up(probability, 8).to_decimal(); }

void write_guess(Writer& json, const PlannedGuess& guess) {
  const PersonLeakage& leakage = guess.leakage;
  object(json, "guess", [&] {
    member(json, "about", name_of(guess.guess.about));
    if (!guess.limit.empty()) member(json, "limit", guess.limit);
    member(json, "reference", guess.reference);
    member(json, "rows", guess.rows);
    member(json, "before", leakage.before.to_string());
    number(json, "knowing_the_distribution", digits_above(leakage.knowing_the_distribution));
    number(json, "knowing_these_others",
           leakage.knowing_these_others ? digits_above(*leakage.knowing_these_others) : "null");
    number(json, "knowing_any_others", digits_above(leakage.knowing_any_others));
    number(json, "allowed", digits_above(leakage.allowed));
  });
}

void write_analyst(Writer& json, const PlannedAnalyst& planned) {
  const bool is_mean = planned.analyst.loss == ReleaseAnalyst::Loss::missed_records;
  const auto or_null = [&](const char* name, const std::string& end) {
    number(json, name, end.empty() ? "null" : end);
  };
  object(json, "analyst", [&] {
    member(json, "file", planned.name);
    member(json, "loss", is_mean ? "missed-records" : "missed-by-more");
    if (!is_mean) member(json, "than", planned.analyst.tolerance);
    member(json, "most", planned.analyst.accepted_loss.to_string());
    member(json, "reference", planned.reference);
    member(json, "rows", planned.rows);
    number(json, "epsilon_low", planned.served.low.to_decimal());
    number(json, "epsilon_high", planned.served.high.to_decimal());
    or_null("not_served_to", not_served_to(planned.served));
    or_null("served_from", served_from(planned.served));
    truth(json, "never_rises", planned.served.never_rises);
    objects(json, "tried", planned.served.tried, [&](const AnalystTrial& trial) {
      number(json, "epsilon", trial.epsilon.to_decimal());
      or_null("loss_lower", trial.loss ? lower_loss(*trial.loss) : "");
      or_null("loss_upper", trial.loss ? upper_loss(*trial.loss) : "");
      member(json, "answer", report_detail::to_string(trial.answer));
    });
  });
}

void write_weights(Writer& json, const PlanReport& report) {
  const RecordWeights& how = report.weights->declared;
  const ReleasePlan& plan = report.plan;
  object(json, "weights", [&] {
    number(json, "lower", how.lower.to_decimal());
    number(json, "upper", how.upper.to_decimal());
    number(json, "step", how.step.to_decimal());
    member(json, "expected_mean", how.mean->to_string());
    member(json, "expected_units", plan.query.expected_rows.value());
    member(json, "records_per_person", std::uint64_t{report.weights->records_per_person});
    if (how.stability) member(json, "stability", std::uint64_t{*how.stability});
    member(json, "noise_factor", report.weights->noise_factor().to_string());
    member(json, "relative_noise_factor", report.weights->relative_noise_factor()->to_string());
    list(json, "nine_in_ten_of_the_total", plan.typical.nine_in_ten, [&](double each) {
      const std::string share = report_detail::plain(report_detail::share_of_total(report, each).to_double(), 4);
      json.RawValue(share.data(), share.size(), rapidjson::kNumberType);
    });
    if (const auto trimming = report_detail::trimming_of(report)) {
      object(json, "trimmed", [&] {
        number(json, "upper", trimming->upper.to_decimal());
        number(json, "nine_in_ten_of_the_total", report_detail::plain(trimming->share.to_double(), 4));
        number(json, "saves", report_detail::plain(trimming->saved.to_double(), 4));
      });
    }
  });
}

/// The text about weights, after an empty line; empty without weights.
std::string weights_text(const PlanReport& report) {
  if (!report.weights) return {};
  std::string text = "\n" + aligned(report_detail::planned_weights_rows(report)) + "\n";
  for (const std::string& sentence : report_detail::planned_weights_meaning(report)) text += wrapped(sentence);
  return text;
}

/// The text that precedes all other lines; empty if no analyst was named.
std::string analyst_text(const PlanReport& report) {
  if (!report.analyst) return {};
  const ReleasePlan& plan = report.plan;
  return analyst_meaning(*report.analyst) + ".\n\n" + aligned(analyst_rows(*report.analyst)) +
         fmt::format("\nAt epsilon = {}:\n\n", plan.query.budget.epsilon().coefficient().to_decimal());
}

/// The text after an empty line; empty if no guess was asked for.
std::string guess_text(const PlanReport& report) {
  if (!report.guess) return {};
  return "\n" + guess_meaning(*report.guess) + ":\n\n" + aligned(guess_rows(*report.guess));
}

}  // namespace

PlanReport report_detail::with_told_bounds(PlanReport report) {
  tell_bounds(report.plan);
  for (ReleasePlan& other : report.others) tell_bounds(other);
  return report;
}

Release report_detail::with_told_bounds(Release release) {
  if (!release.errors || release.errors->rows != any_number_of_rows) return release;
  bool grows = false;
  for (Release::Group& group : release.groups) {
    for (std::optional<std::uint64_t>& error : group.rank_errors) {
      if (!is_share_of_any(error)) continue;
      error.reset();
      grows = true;
    }
  }
  ErrorTerms& errors = *release.errors;
  if (is_share_of_any(errors.simultaneous_rank)) errors.simultaneous_rank.reset();
  if (is_share_of_any(errors.rounding)) errors.rounding.reset();
  if (grows && errors.unbounded_reason.empty()) {
    errors.unbounded_reason = "it grows with the number of records, about which nothing was said";
  }
  return release;
}

std::string to_json(const PlanReport& whole) {
  const OwnEnvironment own;
  const PlanReport report = with_told_bounds(whole);
  const ReleasePlan& plan = report.plan;
  Document document(release_schema);
  Writer& json = document.json();
  member(json, "mechanism", to_string(plan.used.mechanism));
  write_options(json, plan.query, plan.lattice, plan.used);
  write_quantiles(json, plan);
  write_worst_case(json, plan.worst);
  write_noise(json, plan.noise);
  write_intervals(json, plan);
  write_statistics(json, plan);
  write_coarse_step(json, plan.lattice);
  write_weak_budget(json, plan.query.budget);
  write_typical(json, plan.typical);
  if (report.guess) write_guess(json, *report.guess);
  if (report.analyst) write_analyst(json, *report.analyst);
  if (report.weights) write_weights(json, report);
  write_privacy(json, plan.query);
  write_lattice(json, plan.lattice);
  return document.text();
}

std::string to_csv(const PlanReport& whole) {
  const PlanReport report = with_told_bounds(whole);
  const ReleasePlan& plan = report.plan;
  const bool with_intervals = plan.intervals.has_value();
  std::string text = fmt::format("quantile,worst_case,median,nine_in_ten{}\n", with_intervals ? ",interval_width" : "");
  for (std::size_t i = 0; i < plan.query.quantiles.size(); ++i) {
    text += fmt::format("{},{},{},{}{}\n", plan.query.name(i), ranks_or(plan.worst.ranks[i], ""),
                        typical_number(plan.typical.median[i]), typical_number(plan.typical.nine_in_ten[i]),
                        with_intervals ? "," + typical_number(plan.intervals->widths[i]) : "");
  }
  return text;
}

std::string report_detail::in_one_line(std::string words) {
  std::ranges::replace(words, '\n', ' ');
  return words;
}

std::vector<NoiseInWords> beside_csv(const PlanReport& whole) {
  const OwnEnvironment own;
  const PlanReport report = with_told_bounds(whole);
  std::vector<NoiseInWords> all;
  const auto add = [&](const char* before, const std::optional<NoiseInWords>& words) {
    if (words) all.push_back({before + words->what, words->hint});
  };
  if (report.analyst) all.push_back({in_one_line(analyst_meaning(*report.analyst)), {}});
  if (report.wanted_error) all.push_back({"to " + price_in_words(report, *report.wanted_error), {}});
  add("warning: ", noise_in_words(report));
  add("warning: ", coarse_step(report.plan.lattice));
  add("warning: ", weak_budget(report.plan.query.budget));
  if (report.guess) {
    const PersonLeakage& leakage = report.guess->leakage;
    all.push_back(
        {fmt::format("the best guess of {} is right in at most {} after the release, and in {} before it",
                     guess_in_words(*report.guess), percent_up(leakage.knowing_any_others), percent_up(leakage.before)),
         "knowing all others' values, whatever they are"});
  }
  return all;
}

std::vector<Row> report_detail::plan_rows(const ReleasePlan& plan) {
  std::vector<Row> rows{{"quantile", "worst case", "typical", "nine in ten"}};
  for (std::size_t i = 0; i < plan.query.quantiles.size(); ++i) {
    rows.push_back({plan.query.name(i), ranks_or(plan.worst.ranks[i], "-"), typical_number(plan.typical.median[i]),
                    typical_number(plan.typical.nine_in_ten[i])});
    if (plan.intervals) rows.back().push_back(typical_number(plan.intervals->widths[i]));
  }
  if (plan.intervals) rows.front().emplace_back("interval");
  return rows;
}

namespace {

/// The lines of plan_meaning() about intervals; empty without intervals.
std::string interval_meaning(const PlanReport& report) {
  const ReleasePlan& plan = report.plan;
  if (!plan.intervals) return {};
  const std::string noun = planned_noun(report);
  const auto& [rows, widths, settled_from, unsettled] = *plan.intervals;
  std::string text = fmt::format(
      "interval     the middle width of simulated intervals, in {}{} between the ends{}\n", noun,
      rows == plan.typical.rows ? " of that table" : fmt::format(" of a table of {}", rows), settled_from ? ";" : "");
  if (settled_from) {
    text += fmt::format(
        "             from about {} {} on, all but about one end in a hundred are inside the range,\n"
        "             where values are not tied\n",
        *settled_from, noun);
  }
  return text;
}

}  // namespace

std::string report_detail::planned_noun(const PlanReport& report) {
  return report.weights ? "units of weight" : "records";
}

std::string report_detail::planned_amount(const PlanReport& report, std::uint64_t number) {
  return report.weights ? counted(number, "unit") + " of weight" : counted(number, "record");
}

namespace {

/// Of 100 releases, the least number that stay within the error of nine in ten simulated ones. The simulation shows it with a probability of
/// 0.95. Proof: docs/proofs/rank_error.md, "Simulated errors".
int hundredths_within(std::uint64_t releases) {
  const auto n = static_cast<double>(releases);
  const double seen = std::ceil(0.9 * n) / n;
  const auto is_shown = [&](double share) {
    const double others = seen < 1 ? (1 - seen) * std::log((1 - seen) / (1 - share)) : 0;
    return n * (seen * std::log(seen / share) + others) >= std::log(20.0) + 1e-9;
  };
  int hundredths = 90;
  while (hundredths > 0 && !is_shown(hundredths / 100.0)) --hundredths;
  return hundredths;
}

}  // namespace

std::string report_detail::plan_meaning(const PlanReport& report) {
  const ReleasePlan& plan = report.plan;
  const WorstCase& worst = plan.worst;
  const double failure = (Rational(1) - worst.confidence).to_double();
  std::string text =
      fmt::format("Errors are in {}: by how many the published value misses its quantile.\n", planned_noun(report));
  const CountsAt at = counts_at(plan.lattice);
  if (at != CountsAt::its_own) {
    text += fmt::format("They are about the records that count, {}.\n", counted_in_words(at));
  }
  if (worst.unbounded_reason.empty()) {
    text += fmt::format("worst case   exceeded with probability at most {} each, whatever the table of up to {}",
                        plain(failure, 4), planned_amount(report, worst.rows));
    text += !worst.simultaneous_rank
                ? "\n"
                : fmt::format(";\n             with at most this probability, some quantile misses by more than {}\n",
                              *worst.simultaneous_rank);
    if (worst.rounding) {
      text += fmt::format(
          "             up to {} of them when records are finer than the granularity that is found, and rounded to\n"
          "             it; with --base uniform there are none\n",
          *worst.rounding);
    }
  } else {
    text += fmt::format("worst case   not known for all: {}\n", worst.unbounded_reason);
  }
  text += fmt::format(
      "typical      the middle one of {} simulated releases of a public {} table of {} {}\n"
      "nine in ten  of these releases miss by no more than this; the {} of them show with a confidence\n"
      "             of 0.95 that at least {} in 100 of all such releases do\n",
      plan.typical.releases, to_string(plan.typical.shape), planned_amount(report, plan.typical.rows),
      at == CountsAt::its_own ? "on the\n             listed candidates" : "between\n             the bounds",
      plan.typical.releases, hundredths_within(plan.typical.releases));
  return text + interval_meaning(report);
}

namespace {

/// A distance of values. Those of dates and times have their units.
std::string distance_off(const Lattice& lattice, const Rational& size) {
  if (lattice.kind() == ValueKind::number) return three_digits(size);
  return distance_text(lattice.kind(), size.ceil());
}

}  // namespace

std::vector<Row> report_detail::planned_statistics_rows(const PlanReport& report) {
  const ReleasePlan& plan = report.plan;
  if (!plan.statistics) return {};
  const StatisticsErrors& errors = plan.statistics->errors;
  const std::vector<Rational>& below = plan.statistics->terms.request.below;
  const auto off_by = [&](std::uint64_t counted) {
    const std::string amount = counted_amount(report.weights, static_cast<std::int64_t>(counted));
    return report.weights ? amount : amount + (counted == 1 ? " record" : " records");
  };
  const std::string what = report.weights ? "weight" : "count";
  std::vector<Row> rows{{"beside the quantiles", "off by"}, {what, off_by(errors.count)}};
  for (std::size_t i = 0; i < below.size(); ++i) {
    const std::string at = value_text(plan.lattice.kind(), below[i]);
    rows.push_back({fmt::format("{} below {}", what, at), off_by(errors.below[i])});
    rows.push_back({"share below " + at, three_digits(errors.shares[i])});
  }
  if (errors.mean) {
    rows.push_back({"mean, in the middle of the range", distance_off(plan.lattice, *errors.mean)});
    rows.push_back({"mean, near its ends", distance_off(plan.lattice, *errors.mean_at_ends)});
  }
  return rows;
}

std::string report_detail::planned_statistics_meaning(const PlanReport& report) {
  const ReleasePlan& plan = report.plan;
  if (!plan.statistics) return {};
  const StatisticsTerms& terms = plan.statistics->terms;
  SourceDescription counted;
  counted.weights = report.weights;
  return fmt::format("Of the budget, {} pays for {}. Each {} is off by no more than this with a probability of {}.{}",
                     plan.query.budget.scaled(terms.request.share).to_string(),
                     statistics_in_words(terms.request, plan.lattice.kind(), counted),
                     report.weights ? "weight" : "count", share_of(terms.level),
                     terms.request.below.empty() && !terms.request.mean
                         ? ""
                         : fmt::format(" The errors of shares and means are approximate, for {} {}.",
                                       with_separators(std::to_string(plan.statistics->errors.rows)),
                                       report.weights ? "units of weight" : "records"));
}

std::string report_detail::plan_cost(const PlanReport& report) {
  const ReleasePlan& plan = report.plan;
  const QuantileQuery& query = plan.query;
  std::string text =
      fmt::format("It costs {} ({}), neighbors {}, at most {} a person, with mechanism {}\n", query.budget.to_string(),
                  to_string(query.budget.measure()), to_string(query.neighbors),
                  planned_amount(report, query.records_per_person), to_string(plan.used.mechanism));
  if (!plan.used.reason.empty()) text += fmt::format("chosen by auto: {}\n", plan.used.reason);
  return text;
}

namespace {

/// A warning in two or three lines, followed by an empty line; or nothing.
std::string warning(std::optional<NoiseInWords> words) {
  if (!words) return {};
  if (const std::size_t half = words->hint.find("; "); half != std::string::npos) words->hint.replace(half, 2, ";\n");
  return fmt::format("warning: {}\n{}\n\n", words->what, words->hint);
}

}  // namespace

std::optional<NoiseInWords> report_detail::coarse_step(const Lattice& lattice) {
  // Rounding to one of this many values moves a value by less than 1/100 of the range.
  constexpr std::uint64_t enough_values = 100;
  if (!lattice.is_regular() || lattice.size() >= enough_values || lattice.size() == 1) return {};
  const bool is_nearest = counts_at(lattice) == CountsAt::nearest;
  const std::string most = is_nearest ? "up to " + (lattice.step() / Rational(2)).to_decimal()
                                      : "less than " + distance_text(lattice.kind(), lattice.step());
  return NoiseInWords{
      fmt::format("the step is coarse: {} values are possible", lattice.size()),
      fmt::format(
          "rounding moves values between them by {}, which no error here includes; a finer step costs little accuracy",
          most)};
}

namespace {

/// The largest epsilon or rho of which no warning is given.
std::uint64_t largest_budget(const Budget& budget) { return budget.measure() == Measure::zcdp ? 50 : 20; }

}  // namespace

void report_detail::write_weak_budget(Writer& json, const Budget& budget) {
  if (!weak_budget(budget)) return;
  object(json, "weak_budget", [&] { member(json, budget_name(budget), largest_budget(budget)); });
}

std::optional<NoiseInWords> report_detail::weak_budget(const Budget& budget) {
  const bool is_rho = budget.measure() == Measure::zcdp;
  const Rational most = largest_budget(budget);
  if (is_rho ? budget.rho() <= most : EpsilonSum(budget.epsilon()) <= EpsilonSum(most)) return {};
  return NoiseInWords{fmt::format("{} {} above {} promises next to nothing", is_rho ? "a" : "an", budget_name(budget),
                                  most.to_string()),
                      "one person's record can change the odds of a release almost without limit"};
}

double report_detail::largest(const std::vector<double>& errors) { return *std::ranges::max_element(errors); }

std::string report_detail::budget_number(const Budget& budget) {
  if (budget.measure() == Measure::zcdp) return with_decimals(budget.rho());
  return with_decimals(budget.epsilon());
}

const char* report_detail::budget_name(const Budget& budget) {
  return budget.measure() == Measure::zcdp ? "rho" : "epsilon";
}

std::string report_detail::price_in_words(const PlanReport& report, std::uint64_t worst) {
  const Budget& budget = report.plan.query.budget;
  const std::uint64_t error = report.wanted_error.value_or(worst);
  return fmt::format("miss by at most {} you pay {} = {}{}", planned_amount(report, error), budget_name(budget),
                     budget_number(budget), report.wanted_error ? ", the smallest of four digits" : "");
}

std::vector<Row> report_detail::budget_rows(const std::vector<ReleasePlan>& plans) {
  std::vector<Row> rows{{budget_name(plans.front().query.budget), "worst case", "nine in ten"}};
  for (const ReleasePlan& plan : plans) {
    rows.push_back({budget_number(plan.query.budget), ranks_or(plan.worst.largest(), "-"),
                    typical_number(largest(plan.typical.nine_in_ten))});
    if (plan.intervals) rows.back().push_back(typical_number(largest(plan.intervals->widths)));
  }
  if (plans.front().intervals) rows.front().emplace_back("interval");
  return rows;
}

namespace {

/// A bar as long as the logarithm of the error, `longest` at the largest one.
std::string bar(double error, double largest_error) {
  constexpr double longest = 40;
  const double length = largest_error > 0 ? longest * std::log1p(error) / std::log1p(largest_error) : 0;
  return std::string(static_cast<std::size_t>(std::lround(length)), '#');
}

std::string chart(const std::vector<ReleasePlan>& plans) {
  if (plans.empty()) return {};
  double most = 0;
  for (const ReleasePlan& plan : plans) most = std::max(most, largest(plan.typical.nine_in_ten));
  std::string lines = aligned(budget_rows(plans));
  std::string text =
      fmt::format("\nThe worst quantile's errors, at other budgets in {} simulated releases each{}:\n\n",
                  plans.front().typical.releases, most > 0 ? ";\nbars show nine in ten on a logarithmic scale" : "");
  for (std::size_t i = 0, at = 0; i <= plans.size(); ++i) {
    const std::size_t end = lines.find('\n', at);
    text += lines.substr(at, end - at);
    const std::string shown = i > 0 ? bar(largest(plans[i - 1].typical.nine_in_ten), most) : "";
    if (!shown.empty()) text += "  " + shown;
    text += '\n';
    at = end + 1;
  }
  return text;
}

/// "an epsilon of about 0.5".
std::string about(const Budget& enough) {
  return fmt::format("{} of about {}", enough.measure() == Measure::zcdp ? "a rho" : "an epsilon",
                     budget_number(enough));
}

NoiseInWords in_words(const UnsettledEnds& ends, bool with_weights) {
  return {"with this budget intervals may end only at the ends of the range",
          fmt::format("about {} are too few to settle their ends within it; about {} would do{}",
                      counted(ends.rows, with_weights ? "unit" : "record"), ends.settled_from,
                      ends.sufficient_budget ? fmt::format(", or {}", about(*ends.sufficient_budget)) : "")};
}

NoiseInWords in_words(const MostlyNoise& noise, bool with_weights) {
  const char* const of = with_weights ? "unit" : "row";
  const std::string would_do = noise.sufficient_budget ? about(*noise.sufficient_budget) + " would do"
                                                       : "ask for fewer quantiles, or of a larger table";
  return {"with this budget these values are mostly noise",
          fmt::format("among {} of a public normal table, simulated values miss by some {:.0f} % of the {}s between "
                      "quantiles; {}",
                      counted(noise.rows, of), 100 * noise.share, of, would_do)};
}

}  // namespace

std::optional<NoiseInWords> noise_in_words(const PlanReport& report) {
  const OwnEnvironment own;
  const std::optional<PlannedIntervals>& intervals = report.plan.intervals;
  const std::optional<MostlyNoise>& noise = report.plan.noise;
  const bool with_weights = report.weights.has_value();
  if (intervals && intervals->unsettled) return in_words(*intervals->unsettled, with_weights);
  return noise ? std::optional(in_words(*noise, with_weights)) : std::nullopt;
}

namespace {

/// The keys of these groups. If there are many, the first ones. Keys of several columns have commas within.
std::string first_keys(const Release& release, const std::vector<std::size_t>& groups) {
  constexpr std::size_t most_named = 10;
  const std::string between = release.source.by.size() > 1 ? "; " : ", ";
  std::string named;
  for (std::size_t k = 0; k < groups.size() && k < most_named; ++k)
    named += (named.empty() ? "" : between) + to_string(release.groups[groups[k]].key);
  return groups.size() > most_named ? named + between + "..." : named;
}

}  // namespace

std::vector<std::size_t> report_detail::unsettled_groups(const Release& release, const UnsettledEnds& ends) {
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < release.groups.size(); ++i) {
    const Release::Group& group = release.groups[i];
    const bool is_open =
        std::ranges::any_of(group.intervals, [](const Interval& each) { return each.or_below || each.or_above; });
    if (is_open && group.used.rows && *group.used.rows < ends.settled_from) groups.push_back(i);
  }
  std::ranges::stable_sort(groups, {}, [&](std::size_t i) { return *release.groups[i].used.rows; });
  return groups;
}

std::optional<NoiseInWords> empty_groups_in_words(const Release& release) {
  std::vector<std::size_t> empty;
  for (std::size_t i = 0; release.is_grouped() && i < release.groups.size(); ++i) {
    const std::optional<Statistics>& statistics = release.groups[i].statistics;
    if (statistics && statistics->count.interval.lower == 0) empty.push_back(i);
  }
  if (empty.empty()) return {};
  return NoiseInWords{
      fmt::format("with this budget the released counts of {} of {} groups do not rule out that there is no record "
                  "({})",
                  empty.size(), release.groups.size(), first_keys(release, empty)),
      "where there is none, the other values of the group are noise: compare the keys with what the table may hold"};
}

std::optional<NoiseInWords> noise_in_words(const Release& release) {
  const OwnEnvironment own;
  const bool with_weights = release.source.weights.has_value();
  if (release.query.intervals) {
    const std::optional<UnsettledEnds> ends = unsettled_ends(release);
    if (!ends) return {};
    NoiseInWords words = in_words(*ends, with_weights);
    if (!release.is_grouped()) return words;
    const std::vector<std::size_t> unsettled = unsettled_groups(release, *ends);
    words.what = fmt::format("with this budget intervals of {} of {} groups may end only at the ends of the range ({})",
                             unsettled.size(), release.groups.size(), first_keys(release, unsettled));
    words.hint = fmt::format("in {} {}", to_string(release.groups[unsettled.front()].key), words.hint);
    return words;
  }
  const std::vector<std::optional<MostlyNoise>> noises = mostly_noise(release);
  std::vector<std::size_t> noisy;
  for (std::size_t i = 0; i < noises.size(); ++i) {
    if (noises[i]) noisy.push_back(i);
  }
  if (noisy.empty()) return {};
  const MostlyNoise& first = *noises[noisy.front()];
  NoiseInWords words = in_words(first, with_weights);
  const bool same = std::ranges::all_of(noisy, [&](std::size_t i) { return noises[i]->rows == first.rows; });
  if (same && noisy.size() == noises.size()) return words;
  words.what = fmt::format("with this budget the values of {} of {} groups are mostly noise ({})", noisy.size(),
                           noises.size(), first_keys(release, noisy));
  words.hint = fmt::format("in {} {}", to_string(release.groups[noisy.front()].key), words.hint);
  return words;
}

namespace {

/// The text about statistics, after an empty line; empty without statistics.
std::string statistics_text(const PlanReport& report) {
  if (!report.plan.statistics) return {};
  return "\n" + aligned(planned_statistics_rows(report)) + "\n" + wrapped(planned_statistics_meaning(report));
}

}  // namespace

std::string to_table(const PlanReport& whole) {
  const OwnEnvironment own;
  const PlanReport report = with_told_bounds(whole);
  const ReleasePlan& plan = report.plan;
  return analyst_text(report) + aligned(plan_rows(plan)) + "\n" + plan_meaning(report) + "\n" +
         warning(noise_in_words(report)) + warning(coarse_step(plan.lattice)) +
         warning(weak_budget(plan.query.budget)) + plan_cost(report) + statistics_text(report) + weights_text(report) +
         guess_text(report) + chart(report.others) + "\nThe table was not read, and nothing is spent.\n";
}

}  // namespace fractile
