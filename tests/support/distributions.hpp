// Shared by tests: distributions that RapidCheck draws.
#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fractile/exact.hpp"

namespace fractile {

/// Probabilities in proportion to whole weights below `limit`. All weights except the first may be 0.
inline std::vector<Rational> some_distribution(std::size_t size, std::int64_t limit) {
  std::vector<Rational> weights;
  Rational sum;
  for (std::size_t i = 0; i < size; ++i) {
    weights.emplace_back(*rc::gen::inRange<std::int64_t>(i == 0 ? 1 : 0, limit));
    sum += weights.back();
  }
  for (Rational& weight : weights) weight /= sum;
  return weights;
}

}  // namespace fractile
