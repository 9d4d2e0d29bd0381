#include "requests/flow.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "fractile/pipelines.hpp"
#include "libraries/fmt.hpp"
#include "report/flow/printed_parts.hpp"
#include "requests/pipelines/channel_file.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

flow::Windows windows_of(const PipelineFile& file, const flow::Analyst& analyst, const OddsRange& odds,
                         const Watch& watch) {
  return watch.during("where the analyst's loss rises", [&] {
    const auto tell = [&](const Rational& done) {
      watch.tick(fmt::format("exp(epsilon) up to {:.4g} of {:.4g}", done.to_double(), odds.high.to_double()));
    };
    return about_file(file, [&] { return flow::find_windows(file.pipeline, analyst, odds, {tell, watch.stop}); });
  });
}

flow::RealBounds whole_of(const EpsilonRange& range) {
  const OddsRange odds = odds_around(range);
  return {odds.low, odds.high};
}

/// The answer for one pair of odds.
flow::LossStability answer_at(const flow::Pipeline& pipeline, const flow::Analyst& analyst, const Rational& from,
                              const Rational& to) {
  using Verdict = flow::Stability::Verdict;
  flow::LossStability stability{Verdict::stable, {}, from, to};
  flow::PipelineRefinement for_every_analyst = flow::check_refinement(pipeline, flow::Odds(from), flow::Odds(to));
  if (for_every_analyst.refinement.refines()) {
    stability.reason = "to every analyst: " + for_every_analyst.refinement.reason;
    stability.refinement = std::move(for_every_analyst);
    return stability;
  }
  flow::LossRefinement answer = flow::check_refinement_for(pipeline, analyst, flow::Odds(from), flow::Odds(to));
  if (const auto* undecided = std::get_if<flow::Undecided>(&answer.verdict)) {
    return {Verdict::undecided, undecided->reason};
  }
  stability.secrets = flow::channel_at(pipeline, flow::Odds(from)).channel.secrets();
  if (answer.refines()) {
    stability.reason = "an exact linear program for each way to act on what is observed";
    stability.remaps = std::get<flow::Remaps>(std::move(answer.verdict));
  } else {
    stability.verdict = Verdict::unstable;
    stability.reason = "a prior was found, by an exact linear program";
    stability.refutation = std::get<flow::Counterexample>(std::move(answer.verdict));
  }
  return stability;
}

// --- Two pipelines, or channels ---------------------------------------------------------------------------------------

/// A channel and its name; for a pipeline also its secrets as values.
struct NamedChannel {
  std::string name;
  flow::Channel channel;
  std::vector<Rational> values = {};
  std::vector<std::vector<std::size_t>> secrets = {};
};

bool is_csv(const std::string& name) { return name.ends_with(".csv"); }

/// `field` is the option that gives the epsilon of a pipeline's channel.
NamedChannel channel_of(const Typed& typed, const std::string& name, const char* field) {
  if (is_csv(name)) {
    if (typed.has(field)) usage({Field(field), ": ", name, " is a channel, and has no epsilon"}, "leave it out");
    return {name, read_channel(name)};
  }
  const PipelineFile file = read_pipeline(name, typed.one("duckdb"));
  const bool is_asked = file.pipeline.perturber.depends_on_epsilon() || typed.has(field);
  const Exponent epsilon = is_asked ? epsilon_of(field, needed(typed, field, "ln 3")) : Exponent();
  const Rational odds = exact_odds(field, epsilon, file.pipeline);
  flow::PipelineChannel made = about_file(file, [&] { return flow::channel_at(file.pipeline, flow::Odds(odds)); });
  return {is_asked ? fmt::format("{} at {}", name, epsilon.to_string()) : name, std::move(made.channel),
          file.pipeline.values, std::move(made.secrets)};
}

/// The row of `channel` for a secret of `other`: the row of that name or, if both channels come from pipelines over the same values, the
/// row of the secret's values in sorted order. Such a row stands for all arrangements of its values.
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

/// The rows of `channel` for the secrets of `other`.
flow::Channel matched(const NamedChannel& channel, const NamedChannel& other) {
  std::vector<std::vector<Rational>> rows;
  for (std::size_t x = 0; x < other.channel.secrets().size(); ++x) {
    const std::optional<std::size_t> row = row_for(channel, other, x);
    if (!row) {
      throw Error(
          ErrorCode::data,
          fmt::format("{} is a secret of {} and not of {}", other.channel.secrets()[x], other.name, channel.name),
          "compare files that have the same secrets");
    }
    const auto probabilities = channel.channel.matrix().row(*row);
    rows.emplace_back(probabilities.begin(), probabilities.end());
  }
  return {other.channel.secrets(), channel.channel.observations(), flow::Matrix::of(rows)};
}

/// A result that does not depend on epsilon is computed at 0, where everything is rational.
Exponent asked(const PipelineFile& file, const Exponent& epsilon) {
  return file.pipeline.perturber.depends_on_epsilon() ? epsilon : Exponent();
}

flow::RealBounds loss_at(const PipelineFile& file, const flow::Analyst& analyst, const Exponent& epsilon) {
  return about_file(file, [&] { return flow::expected_loss_bounds(file.pipeline, analyst, epsilon); });
}

flow::RealBounds exact_loss_at(const PipelineFile& file, const flow::Analyst& analyst, const Rational& odds) {
  const Rational loss = about_file(file, [&] { return flow::expected_loss(file.pipeline, analyst, flow::Odds(odds)); });
  return {loss, loss};
}

/// The exact loss, if computing it is quick and it has few digits; otherwise bounds on the loss.
flow::RealBounds brief_loss_at(const PipelineFile& file, const flow::Analyst& analyst, const Exponent& epsilon) {
  constexpr std::size_t most_participants = 1000;
  constexpr std::size_t longest = 200;
  const Exponent at = asked(file, epsilon);
  const bool is_exact = at.has_rational_exponential() && flow::is_exact_at(file.pipeline, flow::Odds(at.exponential()));
  if (is_exact && file.pipeline.participants <= most_participants) {
    try {
      flow::RealBounds loss = exact_loss_at(file, analyst, at.exponential());
      if (loss.lower.to_string().size() <= longest) return loss;
    } catch (const Error& error) {  // the exact loss has too many digits; loss_at() reports all other faults
      if (error.code() != ErrorCode::data) throw;
    }
  }
  return loss_at(file, analyst, epsilon);
}

}  // namespace

std::string out_of_time(const Typed& typed) {
  return typed.has("within") ? fmt::format("not decided within {} s", typed.one("within")) : "";
}

PipelineFile pipeline_asked(const Typed& typed) {
  if (typed.file.empty()) usage("no FILE to read", "name a TOML file; fractile flow --help shows one");
  return read_pipeline(typed.file, typed.one("duckdb"));
}

RefinementReport refinement_asked(const Typed& typed) {
  const Exponent from = epsilon_of("from", needed(typed, "from", "ln 3"));
  const Exponent to = epsilon_of("to", needed(typed, "to", "ln 2"));
  return {from, to, {{flow::Undecided{out_of_time(typed)}, "undecided"}, {}, {}}};
}

RefinementReport decided(const RefinementReport& asked, const PipelineFile& file, const Watch& watch) {
  const Rational from = exact_odds("from", asked.from, file.pipeline);
  const Rational to = exact_odds("to", asked.to, file.pipeline);
  return watch.during("whether one epsilon is worth as much as the other", [&] {
    return about_file(file, [&] {
      return RefinementReport{asked.from, asked.to,
                              flow::check_refinement(file.pipeline, flow::Odds(from), flow::Odds(to))};
    });
  });
}

StabilityReport stability_asked(const Typed& typed) {
  const EpsilonRange range = range_of(typed);
  return {range.low, range.high, flow::Stability{flow::Stability::Verdict::undecided, out_of_time(typed)}};
}

flow::Windows unknown_windows(const StabilityReport& asked) {
  return {flow::Windows::Method::none, {}, {whole_of({asked.low, asked.high})}};
}

std::vector<Exponent> points_to_draw(const StabilityReport& asked) {
  constexpr std::uint64_t most = 100;
  return points_of(drawable({asked.low, asked.high}), most);
}

flow::Stability stability_of(const StabilityReport& asked, const PipelineFile& file, const Watch& watch) {
  return watch.during("whether the pipeline is stable", [&] {
    return about_file(file, [&] { return flow::check_stability(file.pipeline, {asked.low, asked.high}); });
  });
}

flow::Windows windows_of(const StabilityReport& asked, const PipelineFile& file, const Watch& watch) {
  if (asked.answer.verdict == flow::Stability::Verdict::stable) return {flow::Windows::Method::proved};
  return windows_of(file, analyst_of(file), odds_around({asked.low, asked.high}), watch);
}

AnyPriorReport any_prior_asked(const Typed& typed, const PipelineFile& file) {
  AnyPriorReport report;
  report.answer = {flow::Stability::Verdict::undecided, out_of_time(typed)};
  report.about = file.pipeline;
  analyst_of(file);  // throws if there is no analyst
  report.is_pair = is_pair_asked(typed);
  if (report.is_pair) {
    report.low = epsilon_of("to", needed(typed, "to", "ln 2"));
    report.high = epsilon_of("from", needed(typed, "from", "ln 3"));
    exact_odds("from", report.high, file.pipeline);
    exact_odds("to", report.low, file.pipeline);
  } else {
    const EpsilonRange range = range_of(typed);
    report.low = range.low;
    report.high = range.high;
  }
  return report;
}

AnyPriorReport decided(const AnyPriorReport& asked, const Typed& typed, const PipelineFile& file, const Watch& watch) {
  const flow::Analyst& analyst = analyst_of(file);
  const auto of_pair = [&] {
    return answer_at(file.pipeline, analyst, exact_odds("from", asked.high, file.pipeline),
                     exact_odds("to", asked.low, file.pipeline));
  };
  const auto of_range = [&] {
    return flow::check_stability_for(file.pipeline, analyst, EpsilonRange{asked.low, asked.high});
  };
  AnyPriorReport report = asked;
  report.answer = watch.during("whether it holds for every prior", [&] {
    return about_file(file, [&] { return is_pair_asked(typed) ? of_pair() : of_range(); });
  });
  if (report.answer.remaps) report.loss = flow::loss_of(analyst, file.pipeline);
  return report;
}

bool is_pair_asked(const Typed& typed) {
  const bool is_pair = typed.has("from") || typed.has("to");
  if (is_pair && typed.has("epsilon")) {
    usage({Field("epsilon"), " takes the place of ", Field("from"), " and ", Field("to")}, "give one or the other");
  }
  if (!is_pair && !typed.has("epsilon")) {
    usage("what is to be checked is missing", {"write a range, ", Field("epsilon").range("0.1", "10"), ", or ",
                                               Field("from").number("ln 3"), " ", Field("to").number("ln 2")});
  }
  return is_pair;
}

ComparisonReport comparison_asked(const Typed& typed) {
  if (typed.file.empty() || typed.other.empty()) {
    usage("two files are compared",
          R"(name them: fractile flow compare first.toml second.toml --from "ln 3" --to "ln 3")");
  }
  const NamedChannel first = channel_of(typed, typed.file, "from");
  const NamedChannel second = channel_of(typed, typed.other, "to");
  const bool is_second_finer = second.channel.secrets().size() > first.channel.secrets().size();
  return {first.name,
          second.name,
          is_second_finer ? matched(first, second) : first.channel,
          is_second_finer ? second.channel : matched(second, first),
          {flow::Undecided{out_of_time(typed)}, "undecided"}};
}

ComparisonReport decided(const ComparisonReport& asked, const Watch& watch) {
  ComparisonReport report = asked;
  report.answer = watch.during("whether one is worth as much as the other",
                               [&] { return flow::refines(asked.first, asked.second); });
  return report;
}

namespace {

bool have_same_file_name(const std::string& a, const std::string& b) {
  return std::filesystem::path(a).filename() == std::filesystem::path(b).filename();
}

/// The epsilon at which a certificate compares the file, such as ln 3 for `compared` = "a.toml at ln 3"; "" for a file without one. Throws
/// `usage` unless the given file has the name that the certificate gives. Its folder may have changed.
std::string epsilon_compared(const char* field, const std::string& given, const std::string& compared) {
  if (have_same_file_name(given, compared)) return {};
  const std::string before = " at ";
  const std::size_t at = compared.rfind(before);
  if (at != std::string::npos && have_same_file_name(given, compared.substr(0, at))) {
    return compared.substr(at + before.size());
  }
  usage({Field(field), ": the certificate is of another file"}, {"give the file that it names"});
}

CertificateReport comparison_checked(const Typed& typed, const std::string& json, const ComparedFiles& compared) {
  if (!typed.has("other")) {
    usage({"the certificate compares two files"},
          {"write ", Field("of").blank("FIRST"), " ", Field("other").blank("SECOND")});
  }
  Typed question = typed;
  question.file = typed.one("of");
  question.other = typed.one("other");
  const std::string from = epsilon_compared("of", question.file, compared.from);
  const std::string to = epsilon_compared("other", question.other, compared.to);
  if (!from.empty()) question.values["from"] = {from};
  if (!to.empty()) question.values["to"] = {to};
  ComparisonReport of = comparison_asked(question);
  of.from = compared.from;  // the paths may differ from those that were given
  of.to = compared.to;
  return checked_certificate(json, of);
}

}  // namespace

CertificateReport certificate_checked(const Typed& typed, const std::string& json) {
  if (!typed.has("of")) {
    if (typed.has("other")) usage({Field("other"), " goes with ", Field("of")}, {"write ", Field("of").blank("FILE")});
    return checked_certificate(json);
  }
  if (const std::optional<ComparedFiles> compared = compared_in(json))
    return comparison_checked(typed, json, *compared);
  if (typed.has("other")) {
    usage({Field("other"), ": the certificate is of one file"}, {"leave it out"});
  }
  const PipelineFile file = read_pipeline(typed.one("of"), typed.one("duckdb"));
  return about_file(file, [&] { return checked_certificate(json, CertifiedPipeline{file.pipeline, file.analyst}); });
}

Exponent epsilon_asked(const Typed& typed) { return epsilon_of("epsilon", needed(typed, "epsilon", "ln 3")); }

ExpectedLossReport expected_loss(const Typed& typed, const PipelineFile& file, const Watch& watch) {
  const Exponent epsilon = epsilon_asked(typed);
  const flow::Analyst& analyst = analyst_of(file);
  return {epsilon, watch.during("the analyst's loss", [&] {
            return typed.has("exact") ? exact_loss_at(file, analyst, exact_odds("epsilon", epsilon, file.pipeline))
                                      : brief_loss_at(file, analyst, epsilon);
          })};
}

std::vector<Exponent> points_asked(const Typed& typed) {
  const EpsilonRange range = range_of(typed);
  return points_of(range, typed.has("points") ? whole_number(typed, "points", {2, 100'000}) : 200);
}

SweepReport sweep_asked(const Typed& typed) {
  return {{}, {flow::Windows::Method::none, {}, {whole_of(range_of(typed))}}};
}

std::vector<flow::LossPoint> loss_curve_of(const PipelineFile& file, const std::vector<Exponent>& points,
                                           const Watch& watch) {
  return watch.during("the analyst's losses", [&] {
    const auto tell = [&](std::size_t done) { watch.tick(fmt::format("{} of {} points", done, points.size())); };
    return about_file(file, [&] { return flow::loss_curve(file.pipeline, analyst_of(file), points, 1, tell); });
  });
}

flow::RealBounds loss_without_release(const PipelineFile& file) {
  return about_file(file, [&] { return flow::loss_without_release(file.pipeline, analyst_of(file)); });
}

flow::Windows windows_over(const PipelineFile& file, const EpsilonRange& range, const Watch& watch) {
  const OddsRange odds = odds_around(range);
  if (about_file(file, [&] { return flow::proved_stability(file.pipeline, odds); })) {
    return {flow::Windows::Method::proved};
  }
  return windows_of(file, analyst_of(file), odds, watch);
}

flow::Windows windows_asked(const Typed& typed, const PipelineFile& file, const Watch& watch) {
  return windows_over(file, range_of(typed), watch);
}

namespace {

AnswerCost cost_of(const flow::Perturber& perturber, std::size_t people, const Rational& odds) {
  const flow::Channel channel = perturber.at(flow::Odds(odds));
  return {people, flow::smallest_epsilon(channel, flow::discrete_metric(perturber.values())),
          flow::smallest_epsilon(channel, flow::line_metric(perturber.values()))};
}

std::vector<AnswerCost> costs_of(const flow::Pipeline& pipeline, const Rational& odds) {
  const flow::Perturber& perturber = pipeline.perturber;
  if (perturber.release() != nullptr) return {};
  if (perturber.is_shared()) return {cost_of(perturber, pipeline.participants, odds)};
  std::vector<AnswerCost> costs;
  for (const flow::Perturber& one : perturber.each()) {
    AnswerCost here = cost_of(one, 1, odds);
    const bool goes_on = !costs.empty() && costs.back().any_two == here.any_two && costs.back().a_step == here.a_step;
    if (goes_on) {
      ++costs.back().people;
    } else {
      costs.push_back(std::move(here));
    }
  }
  return costs;
}

}  // namespace

CostReport cost_asked(const Typed& typed, const PipelineFile& file, const Watch& watch) {
  const Exponent epsilon = epsilon_asked(typed);
  const Rational odds = exact_odds("epsilon", epsilon, file.pipeline);
  return watch.during("what the release costs", [&] {
    return about_file(file, [&] {
      return CostReport{epsilon, costs_of(file.pipeline, odds),
                        flow::smallest_epsilon(file.pipeline, flow::Odds(odds))};
    });
  });
}

ChannelReport channel_asked(const Typed& typed, const PipelineFile& file, const Watch& watch) {
  const Exponent epsilon = epsilon_asked(typed);
  return {epsilon, watch.during("the channel", [&] {
            return about_file(file, [&] { return flow::channel_bounds(file.pipeline, epsilon); });
          })};
}

// --- Guesses about a person -------------------------------------------------------------------------------------------

namespace {

using flow::Guess;

constexpr const char* guess_field = "guess";
constexpr const char* above_prefix = "above:";
constexpr const char* among_prefix = "among:";

/// `instead`: a guess that fits the pipeline.
[[noreturn]] void refuse_guess(const std::string& what, const std::string& instead) {
  usage({Field(guess_field), ": ", what}, {"write for example ", Field(guess_field).text(instead)});
}

Guess above(const std::string& text, const std::vector<Rational>& values) {
  const Rational limit = in_field(guess_field, [&] { return Rational::parse(text); });
  Guess guess{Guess::About::property, {}, {"above " + limit.to_string(), "not above " + limit.to_string()}};
  for (const Rational& value : values) guess.parts.push_back(value > limit ? 0 : 1);
  const auto have = static_cast<std::size_t>(std::ranges::count(guess.parts, std::size_t{0}));
  if (have == 0 || have == values.size()) {
    refuse_guess((have == 0 ? "no value is above " : "all values are above ") + limit.to_string(),
                 above_prefix + std::ranges::min(values).to_string());
  }
  return guess;
}

Guess among(const std::vector<std::vector<std::string>>& sets, const std::vector<Rational>& values) {
  const std::string instead = among_prefix + values.front().to_string();
  Guess guess{Guess::About::property, std::vector<std::size_t>(values.size(), sets.size()), {}};
  for (std::size_t part = 0; part < sets.size(); ++part) {
    std::string name;
    for (const std::string& text : sets[part]) {
      const Rational value = in_field(guess_field, [&] { return Rational::parse(text); });
      const auto at = std::ranges::find(values, value);
      if (at == values.end()) refuse_guess(value.to_string() + " is not one of the values", instead);
      std::size_t& here = guess.parts[static_cast<std::size_t>(at - values.begin())];
      if (here != sets.size()) refuse_guess("the value " + value.to_string() + " appears twice", instead);
      here = part;
      name += (name.empty() ? "one of " : ", ") + value.to_string();
    }
    guess.names.push_back(std::move(name));
  }
  if (std::ranges::count(guess.parts, sets.size()) > 0) guess.names.emplace_back("none of these");
  if (guess.names.size() < 2) refuse_guess("all values are in one set", instead);
  return guess;
}

Guess guess_about(const GuessTyped& typed, const std::vector<Rational>& values) {
  if (typed.above) return above(*typed.above, values);
  if (!typed.among.empty()) return among(typed.among, values);
  return {typed.about, {}, {}};
}

}  // namespace

GuessTyped guess_typed(const Typed& typed) {
  const std::string text = typed.one(guess_field, "value");
  if (text == "value") return {};
  if (text == "presence") return {Guess::About::presence};
  if (text.starts_with(above_prefix)) {
    return {Guess::About::property, text.substr(std::string(above_prefix).size())};
  }
  if (!text.starts_with(among_prefix)) {
    usage({Field(guess_field), ": '", text, "' is not known"},
          {"write ", Field(guess_field).text("value"), ", ", Field(guess_field).text("presence"), ", ",
           Field(guess_field).text("above:2"), " or ", Field(guess_field).text("among:0,1")});
  }
  GuessTyped guess{Guess::About::property};
  for (const std::string& set : parts_between(text.substr(std::string(among_prefix).size()), ';')) {
    guess.among.push_back(in_field(guess_field, [&] { return words(set); }));
  }
  return guess;
}

std::string guessed_limit(const Typed& typed) {
  if (!typed.has(guess_field)) return {};
  const std::string text = typed.one(guess_field, "");
  if (text.starts_with(above_prefix) && text != above_prefix) return text.substr(std::string(above_prefix).size());
  usage({Field(guess_field), ": for a release, only guesses about a limit are explained"},
        {"write for example ", Field(guess_field).text("above:30000")});
}

LeakageReport leakage_asked(const Typed& typed, const PipelineFile& file) {
  const std::optional<flow::Prior> prior = file.analyst ? file.analyst->prior : std::nullopt;
  LeakageReport report{{file.pipeline, prior, guess_about(guess_typed(typed), file.pipeline.values)}, {}, {}, {}};
  in_field(guess_field, [&] { report.question.validate(); });
  return about_file(file, [&] {
    report.possibilities = flow::possibilities_of(report.question);
    report.promise = flow::promise_of(report.question);
    return std::move(report);
  });
}

LeakageReport answered(LeakageReport asked, const PipelineFile& file, const Exponent& epsilon) {
  asked.answers = {about_file(file, [&] { return flow::leakage(asked.question, epsilon); })};
  return asked;
}

LeakageReport answered(LeakageReport asked, const PipelineFile& file, const std::vector<Exponent>& epsilons,
                       const std::function<void(std::size_t done)>& tick) {
  asked.is_sweep = true;
  asked.answers = about_file(file, [&] { return flow::leakage_curve(asked.question, epsilons, tick); });
  return asked;
}

}  // namespace fractile::requests
