// Draws the stages of a plan, one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "quantiles/draws/draws.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {

/// The query with what a share has of its budget.
QuantileQuery paid_from(const Share& share, QuantileQuery query);

/// What all stages of a plan have drawn.
struct SampledStages {
  QuantilePlan plan;  ///< for the number of rows that was found
  PreliminaryOutcome found;
  std::vector<Stage> stages;
  std::vector<std::uint64_t> selected;  ///< one candidate per quantile of the plan
  std::vector<std::int64_t> counts;     ///< of the cells between cuts_of(selected)
};

/// `share`: what selections and counts of cells may spend together.
SampledStages sample_stages(const RankProfile& profile, QuantilePlan plan, Share share, Draws& draws);

}  // namespace fractile
