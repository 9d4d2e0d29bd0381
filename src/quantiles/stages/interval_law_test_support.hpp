// For the tests of laws of sums: two noises, and sums by convolution.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "quantiles/stages/interval_law.hpp"

namespace fractile {

inline const NoisePrice laplace{Exponent(Rational(1, 2)), 0};
inline const NoisePrice gaussian{Exponent(), Rational(9)};

/// P(X < t), where t is a multiple of the law's step.
inline double below(const LowerLaw& law, std::int64_t t) {
  const std::vector<double> masses = law.masses_below();
  return masses[static_cast<std::size_t>(law.end() - std::clamp(t, law.first(), law.end()))];
}

/// The law of N_1 + ... + N_draws.
inline LowerLaw convolved(Measure measure, const NoisePrice& noise, std::size_t draws) {
  LowerLaw sum{0, 0, {1}, 0};
  for (std::size_t i = 0; i < draws; ++i) sum = LowerLaw::sum(sum, noise_law(measure, noise, 0));
  return sum;
}

}  // namespace fractile
