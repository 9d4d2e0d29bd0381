// Turns words into questions about pipelines, and questions into reports.
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

/// How the caller who waits for an answer follows the work and can stop it.
struct Watch {
  std::function<void(const std::string& task)> at = [](const std::string&) {};  ///< begins a task; "" ends it
  std::function<void(const std::string& detail)> tick = [](const std::string&) {
  };                                ///< called with the progress; an exception that it throws ends the work
  std::function<bool()> stop = {};  ///< says whether a search should end and report what it has found

  template <class Work>
  auto during(const std::string& task, Work work) const {
    at(task);
    auto result = work();
    at("");
    return result;
  }
};

/// What a report says about a question that was not decided within the time that `within` allows; "" if it is not given.
std::string out_of_time(const Typed& typed);

/// Reads FILE. Throws `usage` if no FILE is named; throws `data` as read_pipeline() does.
PipelineFile pipeline_asked(const Typed& typed);

// A question is a report whose answer is still undecided. decided() computes the answer, which may take long. These functions throw `usage`
// for impossible options.

/// Reads `from` and `to`.
RefinementReport refinement_asked(const Typed& typed);
RefinementReport decided(const RefinementReport& asked, const PipelineFile& file, const Watch& watch);

/// Reads `epsilon` as a range LO..HI.
StabilityReport stability_asked(const Typed& typed);
/// The whole range, as windows about which nothing is known yet.
flow::Windows unknown_windows(const StabilityReport& asked);
/// The points of the range at which a figure shows the losses.
std::vector<Exponent> points_to_draw(const StabilityReport& asked);
flow::Stability stability_of(const StabilityReport& asked, const PipelineFile& file, const Watch& watch);
/// The windows of the file's analyst. There must be one, and `asked` must hold the answer about stability.
flow::Windows windows_of(const StabilityReport& asked, const PipelineFile& file, const Watch& watch);

/// Reads `any_prior`, with `from` and `to` or with `epsilon`.
AnyPriorReport any_prior_asked(const Typed& typed, const PipelineFile& file);
AnyPriorReport decided(const AnyPriorReport& asked, const Typed& typed, const PipelineFile& file, const Watch& watch);

/// Whether flow check is asked about `from` and `to`, rather than about `epsilon`.
bool is_pair_asked(const Typed& typed);

/// Reads FILE and OTHER, each a pipeline or a channel.
ComparisonReport comparison_asked(const Typed& typed);
ComparisonReport decided(const ComparisonReport& asked, const Watch& watch);

/// Checks whether the certificate holds. If `of` is given, the certificate must be about that file, or compare the files `of` and `other`.
CertificateReport certificate_checked(const Typed& typed, const std::string& json);

/// Reads `epsilon` E, which must be given.
Exponent epsilon_asked(const Typed& typed);

ExpectedLossReport expected_loss(const Typed& typed, const PipelineFile& file, const Watch& watch);

/// The points that `epsilon` and `points` describe, in increasing order.
std::vector<Exponent> points_asked(const Typed& typed);
SweepReport sweep_asked(const Typed& typed);
std::vector<flow::LossPoint> loss_curve_of(const PipelineFile& file, const std::vector<Exponent>& points,
                                           const Watch& watch);
/// The loss of the file's analyst from the prior alone. There must be an analyst.
flow::RealBounds loss_without_release(const PipelineFile& file);
/// The windows over a range in which the analyst's loss rises. There are none if a theorem says that the pipeline is stable.
flow::Windows windows_over(const PipelineFile& file, const EpsilonRange& range, const Watch& watch);
/// The windows over the range that `epsilon` names.
flow::Windows windows_asked(const Typed& typed, const PipelineFile& file, const Watch& watch);

/// What the release and each answer cost a participant at `epsilon` E.
CostReport cost_asked(const Typed& typed, const PipelineFile& file, const Watch& watch);

ChannelReport channel_asked(const Typed& typed, const PipelineFile& file, const Watch& watch);

// How often a guess about a person succeeds.

/// guess: "value", "presence", "above:2", or "among:0,1;2,3", which lists sets of values. All values that are in no set form one more set.
struct GuessTyped {
  flow::Guess::About about = flow::Guess::About::value;
  std::optional<std::string> above = {};
  std::vector<std::vector<std::string>> among = {};
};
/// Throws `usage` when `guess` has none of these forms.
GuessTyped guess_typed(const Typed& typed);
/// The LIMIT of above:LIMIT; empty if `guess` is not given. For a release, only guesses about a limit are explained, so this throws `usage`
/// for any other guess.
std::string guessed_limit(const Typed& typed);

/// The question with the file's prior and the guess about its values. Throws `usage` when a typed value is not among the file's values, or
/// when all of these are in one set.
LeakageReport leakage_asked(const Typed& typed, const PipelineFile& file);

/// Answers at one epsilon.
LeakageReport answered(LeakageReport asked, const PipelineFile& file, const Exponent& epsilon);
/// Answers at all these epsilons, and calls `tick` as leakage_curve() does.
LeakageReport answered(LeakageReport asked, const PipelineFile& file, const std::vector<Exponent>& epsilons,
                       const std::function<void(std::size_t done)>& tick);

}  // namespace fractile::requests
