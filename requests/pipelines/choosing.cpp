#include "requests/pipelines/choosing.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "libraries/fmt.hpp"
#include "report/flow/printed_parts.hpp"
#include "requests/pipelines/epsilons.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

constexpr const char* usual_range = "0.1..10";

/// Reads `loss`: one loss for all analysts, or one for each.
std::vector<Rational> losses_of(const Typed& typed, std::size_t analysts) {
  const Field field("loss");
  const std::string text = needed(typed, "loss", "0.25");
  std::vector<Rational> losses = in_field("loss", [&] { return numbers(text); });
  if (std::ranges::any_of(losses, [](const Rational& loss) { return loss.sign() < 0; })) {
    usage({field, ": losses are not negative, so no analyst would be served"},
          {"write the largest loss that serves the analyst, for example ", field.number("0.25")});
  }
  if (losses.size() == 1) losses.resize(analysts, losses.front());
  if (losses.size() != analysts) {
    const std::string whose =
        analysts == 1 ? "the analyst of one file" : fmt::format("the analysts of {} files", analysts);
    usage({field, fmt::format(": {} losses for {}", losses.size(), whose)},
          "write one for all, or one for each file, with commas");
  }
  return losses;
}

/// The ends of every range that serves all analysts, as they are printed: rounded into the range.
std::vector<Exponent> ends_that_serve(const ChoiceReport& report) {
  std::vector<Exponent> ends;
  for (const flow::ServedRange& range : report.ranges) {
    if (range.answer != flow::ServedRange::Answer::served) continue;
    for (const std::string& end : printed_epsilons(range)) {
      Exponent epsilon = Exponent::parse(end);
      if (ends.empty() || ends.back() != epsilon) ends.push_back(std::move(epsilon));
    }
  }
  return ends;
}

}  // namespace

ChoiceReport choice_asked(const Typed& typed) {
  const std::vector<std::string> files = typed.files();
  if (files.empty()) usage("no FILE to read", "name a TOML file; fractile flow --help shows one");
  const std::vector<Rational> losses = losses_of(typed, files.size());
  const EpsilonRange range = range_in("epsilon", typed.one("epsilon", usual_range));
  const OddsRange odds = odds_around(range);
  if (typed.has("guess")) guess_typed(typed);  // throws for a wrong guess before a file is read
  ChoiceReport report{range.low, range.high, {}, {{odds.low, odds.high, flow::ServedRange::Answer::unknown}}};
  for (std::size_t i = 0; i < files.size(); ++i) {
    report.analysts.push_back({files[i], {losses[i], {flow::Windows::Method::none, {}, {{odds.low, odds.high}}}}, {}});
  }
  return report;
}

std::vector<PipelineFile> choosing_files(const Typed& typed, ChoiceReport& asked) {
  std::vector<PipelineFile> files;
  for (ChoosingAnalyst& analyst : asked.analysts) {
    files.push_back(read_pipeline(analyst.name, typed.one("duckdb")));
    complete(analyst, files.back(), typed);
  }
  return files;
}

void complete(ChoosingAnalyst& analyst, const PipelineFile& file, const Typed& typed) {
  analyst.without_release = loss_without_release(file);
  if (typed.has("guess")) analyst.guess = leakage_asked(typed, file);
}

ChoiceReport decided(const ChoiceReport& asked, const std::vector<PipelineFile>& files, bool draws,
                     const Watch& watch) {
  constexpr std::uint64_t points = 100;
  const EpsilonRange range{asked.low, asked.high};
  const OddsRange odds = odds_around(range);
  ChoiceReport report = asked;
  std::vector<std::vector<flow::ServedRange>> each;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const PipelineFile& file = files[i];
    ChoosingAnalyst& analyst = report.analysts[i];
    if (draws) analyst.points = loss_curve_of(file, points_of(drawable(range), points), watch);
    analyst.wanted.windows = windows_over(file, range, watch);
    each.push_back(watch.during("where the analyst is served", [&] {
      return about_file(
          file, [&] { return flow::served_ranges(file.pipeline, analyst_of(file), analyst.wanted, odds, watch.stop); });
    }));
  }
  report.ranges = flow::served_together(each);
  const std::vector<Exponent> ends = ends_that_serve(report);
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::optional<LeakageReport>& guess = report.analysts[i].guess;
    if (!guess || ends.empty()) continue;
    guess = watch.during("what an attacker gains",
                         [&] { return answered(*std::move(guess), files[i], ends, [](std::size_t) {}); });
  }
  return report;
}

}  // namespace fractile::requests
