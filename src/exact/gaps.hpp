// Gaps: how far each score is from the best one, in whole multiples of a common unit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fractile/exact.hpp"

namespace fractile {

/// |score - best| of each score, where best is the least or the greatest score. Throws `usage` for no scores.
std::vector<Rational> gaps_of(std::span<const Rational> scores, Optimize optimize);

/// Gaps as multiples of 1/scale.
struct ScaledGaps {
  std::vector<std::uint64_t> gaps;
  Rational scale;
};

/// Nothing when a gap exceeds 64 bits.
std::optional<ScaledGaps> scaled(std::span<const Rational> gaps);

}  // namespace fractile
