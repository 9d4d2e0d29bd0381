// Draws the stages of a plan, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "quantiles/draws/count_noise.hpp"
#include "quantiles/draws/draws.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {

/// The query with the amount of a share as its budget.
QuantileQuery paid_from(const Share& share, QuantileQuery query);

/// What a query runs on any profile of one lattice: for every outcome of its preliminary stages, what comes next. Each continuation
/// is computed when its outcome first occurs, and reused for other profiles with this outcome: a hundred thousand groups have one
/// plan. Not for two threads at once.
class CommonStages {
 public:
  /// `query`: its budget is what stages may spend. Throws `usage` as plan_of() does. The policy must outlive this object.
  CommonStages(const QuantileQuery& query, const Lattice& lattice, const AutoPolicy& policy,
               BoundsOrigin bounds = BoundsOrigin::declared);

  /// What follows from an outcome of the preliminary stages.
  struct Next {
    std::shared_ptr<const QuantilePlan> plan;  ///< the plan for the number of rows that was found
    std::vector<Stage> stages;                 ///< all stages
    /// One for each stage that was drawn and has rates: every profile has the same share for it.
    std::vector<std::optional<Calibration>> calibrations;
    /// The same for stages that add noise.
    std::vector<std::optional<CountTreeNoise>> noises;
    std::shared_ptr<const RecursionTerms> recursion = {};  ///< of SelectQuantiles, after its first draw
    std::optional<MechanismUsed> used = {};                ///< the result of used(), after its first call
  };
  /// The reference stays valid.
  Next& after(const PreliminaryOutcome& found);
  /// The description of a release with this outcome.
  const MechanismUsed& used(const PreliminaryOutcome& found);

  const QuantileQuery& query() const { return plan_->query; }

 private:
  std::shared_ptr<const QuantilePlan> plan_for(const PreliminaryOutcome& found);

  std::shared_ptr<const QuantilePlan> plan_;  // the plan before anything is found
  std::map<std::size_t, std::shared_ptr<const QuantilePlan>> with_rows_;
  std::map<PreliminaryOutcome, Next> kept_;
};

/// What all stages of a query have drawn.
struct SampledStages {
  PreliminaryOutcome found;
  std::vector<std::uint64_t> selected;  ///< one candidate per quantile of the plan
  std::vector<std::int64_t> counts;     ///< noisy counts of the cells between cuts_of(selected)
};

/// `share`: what selections and counts of cells may spend together. Its amount is the budget of the stages' query.
SampledStages sample_stages(const RankProfile& profile, CommonStages& stages, Share share, Draws& draws);

}  // namespace fractile
