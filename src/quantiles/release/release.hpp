// A release as its sampler and its audit run it: from a share of the budget, by any source of draws.
// Proof: docs/proofs/odometer.md
#pragma once

#include <string>
#include <vector>

#include "fractile/release.hpp"
#include "quantiles/draws/draws.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {

/// release(), with draws of any source. The scale is an audit's, where it is not that of all releases.
Release release_with(const RankProfile& profile, const ReleaseOptions& options, DrawSource& source,
                     const PlanScale& scale = {});
Release release_with(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles,
                     const ReleaseOptions& options, DrawSource& source, const PlanScale& scale = {});

/// What one profile gives within its own bounds, for a person of so many steps, with `share` in place of the query's budget.
Release::Group drawn_from(const RankProfile& profile, const QuantileQuery& asked, Share share, PersonSteps person,
                          DrawSource& source, const PlanScale& scale = {});

namespace detail {

/// What release() calls, with a filter that decides as little as a test wants.
Release release(const RankProfile& profile, const ReleaseOptions& options, RandomBits& bits, Filter filter);
Release release(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles,
                const ReleaseOptions& options, RandomBits& bits, Filter filter);

}  // namespace detail

}  // namespace fractile
