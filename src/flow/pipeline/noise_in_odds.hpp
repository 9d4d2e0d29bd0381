// A participant's perturbation, written as fractions of polynomials in odds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flow/pipeline/noise.hpp"

namespace fractile::flow {

struct NoiseInOdds {
  Noise<Polynomial> noise;   ///< in base
  std::int64_t root_degree;  ///< odds are this power of base
};

/// The rows over a common denominator, which is positive at 1.
Noise<Polynomial> over_common_denominator(const std::vector<std::vector<RationalFunction>>& rows);

/// One row per value, one column per answer. Entries consist of numbers that Rational::parse() reads, without a sign; "odds" and
/// roots of it such as "odds^(1/2)"; + - * / ^ and parentheses. Throws `usage` when an entry cannot be read, and unless the rows
/// are probabilities at all odds >= 1.
NoiseInOdds noise_in_odds(const std::vector<std::vector<std::string>>& entries);

}  // namespace fractile::flow
