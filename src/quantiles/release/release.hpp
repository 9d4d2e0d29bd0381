// A release as its sampler and its audit run it: from a share of the budget, by any source of draws.
// Proof: docs/proofs/odometer.md
#pragma once

#include <string>
#include <vector>

#include "fractile/bounds.hpp"
#include "quantiles/draws/draws.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {

/// release_quantiles() for a person of so many steps, with `share` in place of the query's budget.
QuantileRelease release_with(const RankProfile& profile, const QuantileQuery& asked, Share share, PersonSteps person,
                             DrawSource& source, const PlanScale& scale = {});

/// release_groups(), likewise.
GroupedRelease release_groups_with(const std::vector<std::string>& keys, const std::vector<RankProfile>& profiles,
                                   const QuantileQuery& query, Share share, DrawSource& source,
                                   const PlanScale& scale = {});

/// release_with_private_bounds() and release_groups_with_private_bounds(), which spend the query's budget.
QuantileRelease release_in_bounds_with(const RankProfile& profile, const BoundsSearch& search,
                                       const QuantileQuery& query, const Rational& fraction, DrawSource& source,
                                       const PlanScale& scale = {});
GroupedRelease release_groups_in_bounds_with(const std::vector<std::string>& keys,
                                             const std::vector<RankProfile>& profiles, const BoundsSearch& search,
                                             const QuantileQuery& query, const Rational& fraction, DrawSource& source,
                                             const PlanScale& scale = {});

}  // namespace fractile
