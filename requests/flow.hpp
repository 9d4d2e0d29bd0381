// Questions about pipelines, from words to reports.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fractile/reports.hpp"
#include "requests/pipeline_file.hpp"
#include "requests/pipelines/epsilons.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// Who waits for an answer.
struct Watch {
  std::function<void(const std::string& task)> at = [](const std::string&) {};  ///< what goes on; "" when it is over
  std::function<void(const std::string& detail)> tick = [](const std::string&) {
  };                                ///< how far; what it throws ends the work
  std::function<bool()> stop = {};  ///< whether a search should end and report what it has

  template <class Work>
  auto during(const std::string& task, Work work) const {
    at(task);
    auto result = work();
    at("");
    return result;
  }
};

/// The words for a question that was not decided within `within`; "" without it.
std::string out_of_time(const Typed& typed);

/// FILE, read. Throws `usage` without one; throws `data` as read_pipeline() does.
PipelineFile pipeline_asked(const Typed& typed);

// A question is a report that is undecided yet, for want of time; decided() takes its time. Throws `usage` for options
// that cannot be.

/// `from` and `to`.
RefinementReport refinement_asked(const Typed& typed);
RefinementReport decided(const RefinementReport& asked, const PipelineFile& file, const Watch& watch);

/// `epsilon` LO..HI.
StabilityReport stability_asked(const Typed& typed);
/// Windows of which nothing is known yet.
flow::Windows unknown_windows(const StabilityReport& asked);
/// As many points over the range as a figure shows.
std::vector<Exponent> points_to_draw(const StabilityReport& asked);
flow::Stability stability_of(const StabilityReport& asked, const PipelineFile& file, const Watch& watch);
/// The windows of the file's analyst, who must be there, when the stability is known.
flow::Windows windows_of(const StabilityReport& asked, const PipelineFile& file, const Watch& watch);

/// `any_prior`, with either of these.
AnyPriorReport any_prior_asked(const Typed& typed, const PipelineFile& file);
AnyPriorReport decided(const AnyPriorReport& asked, const Typed& typed, const PipelineFile& file, const Watch& watch);

/// Whether `from` and `to` ask of flow check, and not `epsilon`.
bool is_pair_asked(const Typed& typed);

/// FILE and OTHER, pipelines or channels.
ComparisonReport comparison_asked(const Typed& typed);
ComparisonReport decided(const ComparisonReport& asked, const Watch& watch);

/// Whether the certificate holds: of the file `of`, or a comparison's of `of` and `other`, where they are given.
CertificateReport certificate_checked(const Typed& typed, const std::string& json);

/// `epsilon` E, which must be there.
Exponent epsilon_asked(const Typed& typed);

ExpectedLossReport expected_loss(const Typed& typed, const PipelineFile& file, const Watch& watch);

/// The points of `epsilon` and `points`, in order.
std::vector<Exponent> points_asked(const Typed& typed);
SweepReport sweep_asked(const Typed& typed);
std::vector<flow::LossPoint> loss_curve_of(const PipelineFile& file, const std::vector<Exponent>& points,
                                           const Watch& watch);
/// The loss of the file's analyst, who must be there, from the prior alone.
flow::RealBounds loss_without_release(const PipelineFile& file);
/// Where it rises over a range: nowhere, where a theorem says that the pipeline is stable.
flow::Windows windows_over(const PipelineFile& file, const EpsilonRange& range, const Watch& watch);
/// The same, over `epsilon`.
flow::Windows windows_asked(const Typed& typed, const PipelineFile& file, const Watch& watch);

/// What the release, and each answer, costs a participant at `epsilon` E.
CostReport cost_asked(const Typed& typed, const PipelineFile& file, const Watch& watch);

ChannelReport channel_asked(const Typed& typed, const PipelineFile& file, const Watch& watch);

// How often a guess about a person succeeds.

/// guess: "value", "presence", "above:2", or "among:0,1;2,3", sets of values; all values that are in none are one more.
struct GuessTyped {
  flow::Guess::About about = flow::Guess::About::value;
  std::optional<std::string> above = {};
  std::vector<std::vector<std::string>> among = {};
};
/// Throws `usage` when it is none of these.
GuessTyped guess_typed(const Typed& typed);
/// The same for a release, of which guesses about a limit are explained: LIMIT of above:LIMIT, and empty without a guess. Throws
/// `usage` when it is no such guess.
std::string guessed_limit(const Typed& typed);

/// The file's prior, and the guess about its values. Throws `usage` when a value is not among them or all are in one part.
LeakageReport leakage_asked(const Typed& typed, const PipelineFile& file);

/// At one epsilon.
LeakageReport answered(LeakageReport asked, const PipelineFile& file, const Exponent& epsilon);
/// At all of them; `tick` as leakage_curve() has it.
LeakageReport answered(LeakageReport asked, const PipelineFile& file, const std::vector<Exponent>& epsilons,
                       const std::function<void(std::size_t done)>& tick);

}  // namespace fractile::requests
