// STUDY ONLY, NOT PRIVATE: the tree of noisy counts as the experiment of approximate-quantiles 2021 ran it (section 4.1, "AggTree"). Its
// noise and its sums are floating-point numbers, which leak. For releases, use Mechanism::tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"
#include "fractile/ranks.hpp"

namespace fractile::experiments {

/// Returns one candidate per quantile, in order. Each node has 16 children, the height is h = 4, and counts are not made consistent. The
/// walk goes down by cumulated share and interpolates linearly in the last node.
/// Pure budgets: Gaussian noise of standard deviation sqrt(2 ln(1.32 / delta)) h / epsilon with delta = 10^-6, as in the published program.
/// So the result is (epsilon, delta)-private at best. zCDP: Laplace noise of scale sqrt(h / (2 rho)), as the paper says.
/// Every record must lie on a candidate.
std::vector<std::uint64_t> tree_as_published(const RankProfile& profile, std::span<const QuantileFraction> quantiles,
                                             const Budget& budget, RandomBits& bits);

}  // namespace fractile::experiments
