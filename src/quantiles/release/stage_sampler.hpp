// Draws the stages of a plan, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "quantiles/draws/draws.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {

/// The query with what a share has of its budget.
QuantileQuery paid_from(const Share& share, QuantileQuery query);

/// What a query runs on any profile of one lattice: for all that its preliminary stages find, what comes next. Each is made when it is first
/// found, and kept for the profiles that find it, too: a hundred thousand groups have one plan. Not for two threads at once.
class CommonStages {
 public:
  /// `query`: with what stages may spend. Throws `usage` as plan_of(). The policy must outlive this.
  CommonStages(const QuantileQuery& query, const Lattice& lattice, const AutoPolicy& policy);

  /// What is known once this is found.
  struct Next {
    std::shared_ptr<const QuantilePlan> plan;  ///< for the number of rows that was found
    std::vector<Stage> stages;                 ///< all of them
    /// One for each stage that was drawn and has rates: every profile has the same share for it.
    std::vector<std::optional<Calibration>> calibrations;
    std::shared_ptr<const RecursionTerms> recursion = {};  ///< of SelectQuantiles, once it was drawn
    std::optional<MechanismUsed> used = {};                ///< as used() says, once it was asked
  };
  /// Stays where it is.
  Next& after(const PreliminaryOutcome& found);
  /// What is said of a release that found this, and nothing more.
  const MechanismUsed& used(const PreliminaryOutcome& found);

  const QuantileQuery& query() const { return plan_->query; }

 private:
  std::shared_ptr<const QuantilePlan> plan_for(const PreliminaryOutcome& found);

  std::shared_ptr<const QuantilePlan> plan_;  // when nothing is found yet
  std::map<std::size_t, std::shared_ptr<const QuantilePlan>> with_rows_;
  std::map<PreliminaryOutcome, Next> kept_;
};

/// What all stages of a query have drawn.
struct SampledStages {
  PreliminaryOutcome found;
  std::vector<std::uint64_t> selected;  ///< one candidate per quantile of the plan
  std::vector<std::int64_t> counts;     ///< of the cells between cuts_of(selected)
};

/// `share`: what selections and counts of cells may spend together, the budget of the stages' query.
SampledStages sample_stages(const RankProfile& profile, CommonStages& stages, Share share, Draws& draws);

}  // namespace fractile
