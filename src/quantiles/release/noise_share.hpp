// When values are mostly noise.
#pragma once

#include <cstdint>
#include <vector>

#include "fractile/exact.hpp"

namespace fractile {

/// The mean rank error, one per quantile, as a share of the records between quantiles: MostlyNoise::share.
double noise_share(const std::vector<Rational>& quantiles, const std::vector<double>& mean_errors, std::uint64_t rows);

/// Values of a larger share are mostly noise.
inline constexpr double tolerated_share = 0.25;

}  // namespace fractile
