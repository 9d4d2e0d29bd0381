#include "flow.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channel_file.hpp"
#include "fractile/accounting.hpp"
#include "fractile/report.hpp"
#include "fractile/stability.hpp"
#include "fractile/windows.hpp"
#include "page_output.hpp"
#include "pipeline_file.hpp"
#include "terminal.hpp"
#include "text_file.hpp"
#include "values.hpp"

namespace fractile::cli {
namespace {

// --- Epsilons --------------------------------------------------------------------------------------------------------

constexpr std::int64_t largest_epsilon = 100;
constexpr std::int64_t most_digits = 10'000;  // of exp(epsilon)

/// How many digits a number has, its sign and stroke among them.
Rational length(const Rational& value) { return static_cast<std::int64_t>(value.to_string().size()); }

Exponent epsilon_of(const char* option, const std::string& text) {
  Exponent epsilon = in_option(option, [&] { return Exponent::parse(text); });
  const std::string example = fmt::format("write for example {} \"ln 3\"", option);
  if (in_option(option, [&] { return epsilon > Exponent(Rational(largest_epsilon)); })) {
    usage(fmt::format("{}: an epsilon above {} hides nothing", option, largest_epsilon), example);
  }
  if (epsilon.has_rational_exponential() && !epsilon.is_zero() &&
      length(epsilon.argument()) * epsilon.coefficient() > Rational(most_digits)) {
    usage(fmt::format("{}: exp({}) has more than {} digits", option, text, most_digits), example);
  }
  return epsilon;
}

/// Of an option that must be given.
std::string needed(const Typed& typed, const std::string& option, const std::string& example) {
  if (!typed.has(option)) usage(option + " is missing", "write for example " + option + " " + example);
  return typed.one(option);
}

struct EpsilonRange {
  Exponent low;
  Exponent high;
};

/// "LO..HI".
EpsilonRange range_of(const Typed& typed) {
  const char* const option = "--epsilon";
  const std::string text = needed(typed, option, "0.1..10");
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    usage(fmt::format("{}: '{}' is not a range", option, text),
          "write two dots between its ends: 0.1..10, \"ln 2..ln 3\"");
  }
  EpsilonRange range{epsilon_of(option, text.substr(0, dots)), epsilon_of(option, text.substr(dots + 2))};
  if (in_option(option, [&] { return range.low >= range.high; })) {
    usage(fmt::format("{}: the range '{}' holds nothing", option, text), "write the smaller end first");
  }
  return range;
}

/// exp(epsilon), where it can be exact.
Rational exact_odds(const char* option, const Exponent& epsilon, const flow::Pipeline& pipeline) {
  if (!pipeline.perturber.depends_on_epsilon()) return 1;
  if (epsilon.has_rational_exponential()) {
    Rational odds = epsilon.exponential();
    if (flow::is_exact_at(pipeline, odds)) return odds;
    const std::int64_t degree = pipeline.perturber.root_degree();
    usage(fmt::format("{}: this is done exactly, and the release's probabilities at {} are not rational", option,
                      epsilon.to_string()),
          fmt::format("write {} times a logarithm, for example {} \"{} ln 3\"", degree, option, degree));
  }
  usage(fmt::format("{}: exp({}) is not rational, and this is done exactly", option, epsilon.to_string()),
        fmt::format("write a logarithm, for example {} \"ln 3\"", option));
}

/// The largest power of ten that is not above.
Rational power_of_ten(const Rational& most) {
  Rational power = 1;
  while (power > most) power /= Rational(10);
  while (power * Rational(10) <= most) power *= Rational(10);
  return power;
}

struct OddsRange {
  Rational low;
  Rational high;
};

/// The odds of a range and, where they are not rational, next to nothing more.
OddsRange odds_around(const EpsilonRange& range) {
  return {std::max(Rational(1), flow::odds_bounds(range.low).lower), flow::odds_bounds(range.high).upper};
}

/// Next to nothing less.
OddsRange odds_within(const EpsilonRange& range) {
  return {flow::odds_bounds(range.low).upper, flow::odds_bounds(range.high).lower};
}

constexpr bool also_piped = true;  // nothing of a file is private here

/// `scanned`: where they can be found in no other way.
flow::Windows windows_of(const PipelineFile& file, const flow::Analyst& analyst, const OddsRange& odds,
                         std::vector<Rational> scanned = {}, std::function<bool()> stop = {}) {
  return about_file(file, [&] {
    Progress progress("where the analyst's loss rises", also_piped);
    const auto tell = [&](const Rational& done) {
      progress.tick(fmt::format("exp(epsilon) up to {:.4g} of {:.4g}", done.to_double(), odds.high.to_double()));
    };
    return flow::find_windows(file.pipeline, analyst, odds.low, odds.high, {tell, std::move(scanned), std::move(stop)});
  });
}

std::vector<Rational> odds_of(const std::vector<Exponent>& epsilons) {
  std::vector<Rational> odds;
  odds.reserve(epsilons.size());
  for (const Exponent& epsilon : epsilons) odds.push_back(flow::odds_bounds(epsilon).upper);
  return odds;
}

// --- Printing --------------------------------------------------------------------------------------------------------

/// How a report is printed, and what goes with its page.
struct Printed {
  Format format;
  PageOutput page = {};
  std::string figure = {};  ///< a file for the analyst's losses; empty: none was asked for

  bool draws() const { return format == Format::html || !figure.empty(); }
};

std::string figure_of(const Typed& typed) {
  std::string name = typed.one("--figure");
  if (name.empty()) return name;
  if (!name.ends_with(".svg")) {
    usage(fmt::format("--figure draws SVG, and '{}' is called otherwise", name), "write for example --figure loss.svg");
  }
  require_file_to_write("--figure", name);
  return name;
}

Printed printed_as(const Typed& typed, Format fallback) {
  const Format format = format_of(typed, fallback, Pages::yes);
  Printed printed{format, PageOutput::of(typed, format), figure_of(typed)};
  printed.page.options.command = command_of(flow_verb(), typed);
  return printed;
}

/// Of a question that has no curve of losses.
Printed printed_without_figure(const Typed& typed, Format fallback) {
  if (typed.has("--figure")) {
    usage("--figure draws the losses of a file's analyst over a range", "write --epsilon LO..HI, or leave it out");
  }
  return printed_as(typed, fallback);
}

Format fallback_of_data() { return stdout_is_terminal() ? Format::table : Format::csv; }

template <class Report>
concept HasPage = requires(const Report& report, const PageOptions& options) {
  to_html(report, options);
};

template <class Report>
void print_report(const Printed& how, const Report& report) {
  const char* const hint = "free some space, or choose another place for the output";
  switch (how.format) {
    case Format::table:
      return print(to_table(report), hint);
    case Format::json:
      return print(to_json(report), hint);
    case Format::csv:
      return print(to_csv(report), hint);
    case Format::html:
      if constexpr (HasPage<Report>) return how.page.print_page(to_html(report, how.page.options), hint);
  }
}

/// And the analyst's losses go into the file of --figure.
template <class Report>
void print_and_draw(const Printed& how, const Report& report) {
  if (!how.figure.empty() && !report.points.empty()) {
    for (const PageFile& file : to_html(report, how.page.options).files) {
      if (file.name == "sweep.svg") write_file("--figure", how.figure, file.text);
    }
  }
  print_report(how, report);
}

PipelineFile file_of(const Typed& typed) {
  if (typed.file.empty()) usage("no FILE to read", "name a TOML file; fractile flow --help shows one");
  return read_pipeline(typed.file, typed.one("--duckdb"));
}

constexpr int undecided_exit_code = 6;

int exit_code_of(flow::Stability::Verdict verdict) {
  switch (verdict) {
    case flow::Stability::Verdict::stable:
      return 0;
    case flow::Stability::Verdict::unstable:
      return 1;
    default:
      return undecided_exit_code;
  }
}

// --- In time ---------------------------------------------------------------------------------------------------------

std::optional<std::chrono::seconds> limit_of(const Typed& typed) {
  if (!typed.has("--within")) return {};
  return std::chrono::seconds(whole_number(typed, "--within", {1, 1'000'000}));
}

std::string out_of_time(const Typed& typed) {
  return typed.has("--within") ? fmt::format("not decided within {} s", typed.one("--within")) : "";
}

/// Prints the report, unless the time is over first: then `unfinished`, which is undecided.
template <class Report, class Decide>
Report in_time(const Typed& typed, const Printed& format, const Report& unfinished, Decide&& decide) {
  Deadline deadline(limit_of(typed), [&] {
    print_report(format, unfinished);
    return undecided_exit_code;
  });
  Report report = decide();
  deadline.disarm();
  print_report(format, report);
  return report;
}

/// What has no partial answer: nothing is printed when the time is over first.
template <class Answer>
auto answer_in_time(const Typed& typed, const std::string& what, Answer&& answer) {
  Deadline deadline(limit_of(typed), [&] {
    print_error(fmt::format("{}: {}", what, out_of_time(typed)), "give it more time, or ask of fewer participants");
    return undecided_exit_code;
  });
  const Progress progress(what, also_piped);
  auto result = answer();
  deadline.disarm();
  return result;
}

// --- The words -------------------------------------------------------------------------------------------------------

int check_refinement(const Typed& typed) {
  const Printed format = printed_without_figure(typed, Format::table);
  const Exponent from = epsilon_of("--from", needed(typed, "--from", "\"ln 3\""));
  const Exponent to = epsilon_of("--to", needed(typed, "--to", "\"ln 2\""));
  const PipelineFile file = file_of(typed);
  const Rational odds_from = exact_odds("--from", from, file.pipeline);
  const Rational odds_to = exact_odds("--to", to, file.pipeline);
  const RefinementReport unfinished{from, to, {{flow::Undecided{out_of_time(typed)}, "undecided"}, {}, {}}};
  const RefinementReport report = in_time(typed, format, unfinished, [&] {
    return about_file(file, [&] {
      const Progress progress("whether one epsilon is worth as much as the other", also_piped);
      return RefinementReport{from, to, flow::check_refinement(file.pipeline, odds_from, odds_to)};
    });
  });
  const flow::Refinement& refinement = report.answer.refinement;
  if (refinement.refines()) return 0;
  return refinement.refuted() ? 1 : undecided_exit_code;
}

flow::Stability stability_over(const PipelineFile& file, const OddsRange& odds) {
  return about_file(file, [&] {
    const Progress progress("whether the pipeline is stable", also_piped);
    return flow::check_stability(file.pipeline, odds.low, odds.high);
  });
}

/// What is stable is so around the range, and what is unstable is so within it.
flow::Stability stability_over(const PipelineFile& file, const EpsilonRange& range) {
  flow::Stability answer = stability_over(file, odds_around(range));
  const bool is_exact = range.low.has_rational_exponential() && range.high.has_rational_exponential();
  if (is_exact || answer.verdict != flow::Stability::Verdict::unstable) return answer;
  flow::Stability inner = stability_over(file, odds_within(range));
  if (inner.verdict == flow::Stability::Verdict::unstable) return inner;
  return {flow::Stability::Verdict::undecided, "stable but for the very ends of the range; try a wider one"};
}

flow::RealBounds whole_of(const EpsilonRange& range) {
  const OddsRange odds = odds_around(range);
  return {odds.low, odds.high};
}

/// `count` numbers from low to high, to so many decimals that their distances are equal to a thousandth.
std::vector<Rational> spread(const Rational& low, const Rational& high, std::uint64_t count) {
  const Rational step = (high - low) / Rational(static_cast<std::int64_t>(count - 1));
  const Rational unit = std::min(Rational(1), power_of_ten(step / Rational(1000)));
  std::vector<Rational> points{(low / unit).ceil() * unit};
  for (std::uint64_t i = 1; i + 1 < count; ++i) {
    const Rational exact = low + step * Rational(static_cast<std::int64_t>(i));
    points.push_back((exact / unit + Rational(1, 2)).floor() * unit);
  }
  points.push_back((high / unit).floor() * unit);
  return points;
}

std::vector<Exponent> points_of(const EpsilonRange& range, std::uint64_t count) {
  std::vector<Exponent> points;
  if (!range.low.is_log() && !range.high.is_log()) {
    for (Rational& epsilon : spread(range.low.coefficient(), range.high.coefficient(), count)) {
      points.emplace_back(std::move(epsilon));
    }
  } else if (range.low.has_rational_exponential() && range.high.has_rational_exponential()) {
    for (Rational& odds : spread(range.low.exponential(), range.high.exponential(), count)) {
      points.push_back(Exponent::log(std::move(odds)));
    }
  } else {
    usage("--epsilon: one end is a number and the other a logarithm, or a fraction of one",
          "write both as numbers, 0.1..10, or both as logarithms, \"ln 2..ln 20\"");
  }
  return points;
}

std::vector<flow::LossPoint> loss_curve_of(const PipelineFile& file, const flow::Analyst& analyst,
                                           const std::vector<Exponent>& points) {
  return about_file(file, [&] {
    Progress progress("the analyst's losses", also_piped);
    return flow::loss_curve(file.pipeline, analyst, points, 1, [&](std::size_t done) {
      progress.tick(fmt::format("{} of {} points", done, points.size()));
    });
  });
}

flow::RealBounds loss_without_release(const PipelineFile& file, const flow::Analyst& analyst) {
  return about_file(file, [&] { return flow::loss_without_release(file.pipeline, analyst); });
}

/// As numbers, where one end is a number and the other is none.
EpsilonRange drawable(const EpsilonRange& range) {
  const bool is_exact = range.low.has_rational_exponential() && range.high.has_rational_exponential();
  if (is_exact || (!range.low.is_log() && !range.high.is_log())) return range;
  const Rational unit(1, 1'000'000);
  return {Exponent((EpsilonSum(range.low).upper() / unit).ceil() * unit),
          Exponent((EpsilonSum(range.high).lower() / unit).floor() * unit)};
}

int check_stability(const Typed& typed) {
  constexpr std::uint64_t drawn_points = 100;
  const Printed format = printed_as(typed, Format::table);
  const EpsilonRange range = range_of(typed);
  const PipelineFile file = file_of(typed);
  if (typed.has("--figure")) analyst_of(file);
  StabilityReport report{range.low, range.high, {flow::Stability::Verdict::undecided, out_of_time(typed)}};
  std::mutex changing;  // the report, while the time may be over
  if (file.analyst) report.windows = flow::Windows{flow::Windows::Method::none, {}, {whole_of(range)}};
  Deadline deadline(limit_of(typed), [&] {
    const std::lock_guard lock(changing);
    print_and_draw(format, report);
    return exit_code_of(report.answer.verdict);
  });
  const auto add = [&](auto& member, auto value) {
    const std::lock_guard lock(changing);
    member = std::move(value);
  };
  add(report.answer, stability_over(file, range));
  if (file.analyst && format.draws()) {
    add(report.without_release, loss_without_release(file, *file.analyst));
    add(report.points, loss_curve_of(file, *file.analyst, points_of(drawable(range), drawn_points)));
  }
  if (file.analyst) {
    const bool is_stable = report.answer.verdict == flow::Stability::Verdict::stable;
    const auto stop = [&deadline] { return deadline.is_near(); };
    add(report.windows, is_stable ? flow::Windows{flow::Windows::Method::proved}
                                  : windows_of(file, *file.analyst, odds_around(range), {}, stop));
  }
  deadline.disarm();
  print_and_draw(format, report);
  return exit_code_of(report.answer.verdict);
}

/// At one pair of odds, in the words of a range.
flow::LossStability answer_at(const flow::Pipeline& pipeline, const flow::Analyst& analyst, const Rational& from,
                              const Rational& to) {
  const flow::LossRefinement answer = flow::check_refinement_for(pipeline, analyst, from, to);
  using Verdict = flow::Stability::Verdict;
  if (answer.refines()) return {Verdict::stable, "an exact linear program for each way to act on what is observed"};
  if (const auto* undecided = std::get_if<flow::Undecided>(&answer.verdict))
    return {Verdict::undecided, undecided->reason};
  return {Verdict::unstable,
          "a prior was found, by an exact linear program",
          from,
          to,
          std::get<flow::Counterexample>(answer.verdict),
          flow::channel_at(pipeline, from).channel.secrets()};
}

// --- Two pipelines, or channels ---------------------------------------------------------------------------------------

/// A channel and what it is called; of a pipeline also its secrets as values.
struct NamedChannel {
  std::string name;
  flow::Channel channel;
  std::vector<Rational> values = {};
  std::vector<std::vector<std::size_t>> secrets = {};
};

bool is_csv(const std::string& name) { return name.ends_with(".csv"); }

/// `option`: which tells at which epsilon a pipeline is looked at.
NamedChannel channel_of(const Typed& typed, const std::string& name, const char* option) {
  if (is_csv(name)) {
    if (typed.has(option)) usage(fmt::format("{}: {} is a channel, and has no epsilon", option, name), "leave it out");
    return {name, read_channel(name)};
  }
  const PipelineFile file = read_pipeline(name, typed.one("--duckdb"));
  const bool is_asked = file.pipeline.perturber.depends_on_epsilon() || typed.has(option);
  const Exponent epsilon = is_asked ? epsilon_of(option, needed(typed, option, "\"ln 3\"")) : Exponent();
  const Rational odds = exact_odds(option, epsilon, file.pipeline);
  flow::PipelineChannel made = about_file(file, [&] { return flow::channel_at(file.pipeline, odds); });
  return {is_asked ? fmt::format("{} at {}", name, epsilon.to_string()) : name, std::move(made.channel),
          file.pipeline.values, std::move(made.secrets)};
}

/// The row of a channel for a secret of another one: of its name, or of the same values in their order, of which a pipeline's row stands
/// for all arrangements.
std::optional<std::size_t> row_for(const NamedChannel& channel, const NamedChannel& other, std::size_t secret) {
  const std::vector<std::string>& names = channel.channel.secrets();
  const auto at = std::ranges::find(names, other.channel.secrets()[secret]);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  if (channel.values != other.values || other.secrets.empty()) return {};
  std::vector<std::size_t> sorted = other.secrets[secret];
  std::ranges::sort(sorted);
  const auto row = std::ranges::find(channel.secrets, sorted);
  if (row == channel.secrets.end()) return {};
  return static_cast<std::size_t>(row - channel.secrets.begin());
}

/// The channel's rows for the other one's secrets.
flow::Channel matched(const NamedChannel& channel, const NamedChannel& other) {
  std::vector<std::vector<Rational>> rows;
  for (std::size_t x = 0; x < other.channel.secrets().size(); ++x) {
    const std::optional<std::size_t> row = row_for(channel, other, x);
    if (!row) {
      throw Error(
          ErrorCode::data,
          fmt::format("{} is a secret of {} and not of {}", other.channel.secrets()[x], other.name, channel.name),
          "compare what has the same secrets");
    }
    const auto probabilities = channel.channel.matrix().row(*row);
    rows.emplace_back(probabilities.begin(), probabilities.end());
  }
  return {other.channel.secrets(), channel.channel.observations(), flow::Matrix::of(rows)};
}

int run_compare(const Typed& typed) {
  const Printed format{format_of(typed, Format::table)};
  if (typed.file.empty() || typed.other.empty()) {
    usage("two files are compared",
          R"(name them: fractile flow compare first.toml second.toml --from "ln 3" --to "ln 3")");
  }
  const NamedChannel first = channel_of(typed, typed.file, "--from");
  const NamedChannel second = channel_of(typed, typed.other, "--to");
  const bool is_second_finer = second.channel.secrets().size() > first.channel.secrets().size();
  ComparisonReport report{first.name,
                          second.name,
                          is_second_finer ? matched(first, second) : first.channel,
                          is_second_finer ? second.channel : matched(second, first),
                          {flow::Undecided{out_of_time(typed)}, "undecided"}};
  report = in_time(typed, format, report, [&] {
    const Progress progress("whether one is worth as much as the other", also_piped);
    ComparisonReport decided = report;
    decided.answer = flow::refines(report.first, report.second);
    return decided;
  });
  if (report.answer.refines()) return 0;
  return report.answer.refuted() ? 1 : undecided_exit_code;
}

int run_verify(const Typed& typed) {
  constexpr std::size_t largest_certificate = std::size_t{256} << 20;  // bytes
  const Printed format{format_of(typed, Format::table)};
  if (typed.file.empty()) usage("no FILE to check", "name what fractile flow check printed with --format json");
  const TextFile file = read_text(typed.file, largest_certificate);
  if (!file.trouble.empty()) {
    throw Error(ErrorCode::data, fmt::format("cannot open {}: {}", typed.file, file.trouble), "check the path");
  }
  CertificateReport report = [&] {
    const Progress progress("the certificate", also_piped);
    return checked_certificate(file.text);
  }();
  print_report(format, report);
  if (report.outcome == CertificateReport::Outcome::nothing) return undecided_exit_code;
  return report.outcome == CertificateReport::Outcome::holds ? 0 : 1;
}

/// For everybody with the loss of the file's analyst.
int check_any_prior(const Typed& typed, bool is_pair) {
  const Printed format = printed_without_figure(typed, Format::table);
  const PipelineFile file = file_of(typed);
  const flow::Analyst& analyst = analyst_of(file);
  const auto decided = [&](auto&& decide) {
    return about_file(file, [&] {
      const Progress progress("whether it holds for every prior", also_piped);
      return decide();
    });
  };
  AnyPriorReport unfinished;
  unfinished.answer = {flow::Stability::Verdict::undecided, out_of_time(typed)};
  unfinished.about = file.pipeline;
  const auto answered = [&](const flow::LossStability& answer) {
    AnyPriorReport report = unfinished;
    report.answer = answer;
    return report;
  };
  if (is_pair) {
    unfinished.low = epsilon_of("--to", needed(typed, "--to", "\"ln 2\""));
    unfinished.high = epsilon_of("--from", needed(typed, "--from", "\"ln 3\""));
    const Rational from = exact_odds("--from", unfinished.high, file.pipeline);
    const Rational to = exact_odds("--to", unfinished.low, file.pipeline);
    return exit_code_of(in_time(typed, format, unfinished, [&] {
                          return answered(decided([&] { return answer_at(file.pipeline, analyst, from, to); }));
                        }).answer.verdict);
  }
  const EpsilonRange range = range_of(typed);
  unfinished.low = range.low;
  unfinished.high = range.high;
  const OddsRange odds = odds_within(range);
  return exit_code_of(in_time(typed, format, unfinished, [&] {
                        flow::LossStability answer = decided(
                            [&] { return flow::check_stability_for(file.pipeline, analyst, odds.low, odds.high); });
                        const bool is_stable = answer.verdict == flow::Stability::Verdict::stable;
                        if (is_stable) answer.verdict = stability_over(file, odds_around(range)).verdict;
                        return answered(answer);
                      }).answer.verdict);
}

int run_check(const Typed& typed) {
  const bool is_pair = typed.has("--from") || typed.has("--to");
  if (is_pair && typed.has("--epsilon")) {
    usage("--epsilon stands instead of --from and --to", "give one or the other");
  }
  if (!is_pair && !typed.has("--epsilon")) {
    usage("what is to be checked is missing", R"(write a range, --epsilon 0.1..10, or --from "ln 3" --to "ln 2")");
  }
  if (typed.has("--any-prior")) return check_any_prior(typed, is_pair);
  return is_pair ? check_refinement(typed) : check_stability(typed);
}

/// What does not depend on epsilon is asked for at 0, where everything is rational.
Exponent asked(const PipelineFile& file, const Exponent& epsilon) {
  return file.pipeline.perturber.depends_on_epsilon() ? epsilon : Exponent();
}

flow::RealBounds loss_at(const PipelineFile& file, const flow::Analyst& analyst, const Exponent& epsilon) {
  return about_file(file, [&] { return flow::expected_loss_bounds(file.pipeline, analyst, epsilon); });
}

flow::RealBounds exact_loss_at(const PipelineFile& file, const flow::Analyst& analyst, const Rational& odds) {
  const Rational loss = about_file(file, [&] { return flow::expected_loss(file.pipeline, analyst, odds); });
  return {loss, loss};
}

/// Exactly, where that takes neither long nor many digits.
flow::RealBounds brief_loss_at(const PipelineFile& file, const flow::Analyst& analyst, const Exponent& epsilon) {
  constexpr std::size_t most_participants = 1000;
  constexpr std::size_t longest = 200;
  const Exponent at = asked(file, epsilon);
  const bool is_exact = at.has_rational_exponential() && flow::is_exact_at(file.pipeline, at.exponential());
  if (is_exact && file.pipeline.participants <= most_participants) {
    flow::RealBounds loss = exact_loss_at(file, analyst, at.exponential());
    if (loss.lower.to_string().size() <= longest) return loss;
  }
  return loss_at(file, analyst, epsilon);
}

int run_loss(const Typed& typed) {
  const Printed format{format_of(typed, Format::table)};
  const Exponent epsilon = epsilon_of("--epsilon", needed(typed, "--epsilon", "\"ln 3\""));
  const PipelineFile file = file_of(typed);
  const flow::Analyst& analyst = analyst_of(file);
  const flow::RealBounds loss = answer_in_time(typed, "the analyst's loss", [&] {
    return typed.has("--exact") ? exact_loss_at(file, analyst, exact_odds("--epsilon", epsilon, file.pipeline))
                                : brief_loss_at(file, analyst, epsilon);
  });
  print_report(format, ExpectedLossReport{epsilon, loss});
  return 0;
}

int run_sweep(const Typed& typed) {
  const Printed format = printed_as(typed, fallback_of_data());
  const EpsilonRange range = range_of(typed);
  const std::uint64_t count = typed.has("--points") ? whole_number(typed, "--points", {2, 100'000}) : 200;
  const std::vector<Exponent> points = points_of(range, count);
  const PipelineFile file = file_of(typed);
  const flow::Analyst& analyst = analyst_of(file);
  SweepReport report{{}, {flow::Windows::Method::none, {}, {whole_of(range)}}};
  if (format.draws()) report.without_release = loss_without_release(file, analyst);
  std::mutex changing;  // the report, while the time may be over
  Deadline deadline(limit_of(typed), [&] {
    const std::lock_guard lock(changing);
    print_and_draw(format, report);
    return 0;
  });
  std::vector<flow::LossPoint> curve = loss_curve_of(file, analyst, points);
  const bool any_rises = std::any_of(curve.begin() + 1, curve.end(),
                                     [](const flow::LossPoint& point) { return point.change == flow::Change::rises; });
  {
    const std::lock_guard lock(changing);
    report.points = std::move(curve);
  }
  const auto stop = [&deadline] { return deadline.is_near(); };
  flow::Windows windows = windows_of(file, analyst, odds_around(range), {}, stop);
  if (!windows.are_all() && any_rises) windows = windows_of(file, analyst, odds_around(range), odds_of(points), stop);
  {
    const std::lock_guard lock(changing);
    report.windows = std::move(windows);
  }
  deadline.disarm();
  print_and_draw(format, report);
  return 0;
}

int run_channel(const Typed& typed) {
  const Printed format{format_of(typed, fallback_of_data())};
  const Exponent epsilon = epsilon_of("--epsilon", needed(typed, "--epsilon", "\"ln 3\""));
  const PipelineFile file = file_of(typed);
  const flow::ChannelBounds channel = answer_in_time(typed, "the channel", [&] {
    return about_file(file, [&] { return flow::channel_bounds(file.pipeline, epsilon); });
  });
  print_report(format, ChannelReport{epsilon, channel});
  return 0;
}

}  // namespace

int run_flow(const Typed& typed) {
  using Run = int (*)(const Typed&);
  static const std::map<std::string, Run> words{{"channel", run_channel}, {"check", run_check},
                                                {"compare", run_compare}, {"loss", run_loss},
                                                {"sweep", run_sweep},     {"verify", run_verify}};
  return words.at(typed.word)(typed);
}

}  // namespace fractile::cli
