// Reproducible variates, which are the same with every standard library.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace fractile::experiments {

/// Uniform on (0, 1].
inline double uniform_variate(std::mt19937_64& engine) { return static_cast<double>((engine() >> 11) + 1) * 0x1p-53; }

/// Standard normal, by Box and Muller.
inline double normal_variate(std::mt19937_64& engine) {
  const double radius = std::sqrt(-2 * std::log(uniform_variate(engine)));
  return radius * std::cos(2 * std::numbers::pi * uniform_variate(engine));
}

/// Uniform on 0 .. bound - 1.
inline std::uint64_t uniform_below_variate(std::uint64_t bound, std::mt19937_64& engine) {
  const std::uint64_t surplus = (std::mt19937_64::max() % bound + 1) % bound;
  std::uint64_t draw = engine();
  while (draw > std::mt19937_64::max() - surplus) draw = engine();
  return draw % bound;
}

}  // namespace fractile::experiments
