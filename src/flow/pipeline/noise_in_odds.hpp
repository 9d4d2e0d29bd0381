// A participant's perturbation, written as fractions of polynomials in odds.
#pragma once

#include <string>
#include <vector>

#include "flow/pipeline/noise.hpp"

namespace fractile::flow {

/// A row a value, a column an answer. Entries have the numbers that Rational::parse reads without a sign, "odds", + - * / ^ and
/// parentheses. Error(usage) where one cannot be read, and unless the rows are probabilities at all odds >= 1.
Noise<Polynomial> noise_in_odds(const std::vector<std::vector<std::string>>& entries);

}  // namespace fractile::flow
