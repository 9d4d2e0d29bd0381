// Turns words into epsilons and ranges of epsilons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/pipelines.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// Throws `usage` when the text is not an epsilon, when the epsilon is above 100, or when its exponential has more than 10,000 digits.
Exponent epsilon_of(const char* field, const std::string& text);

/// The text of a field that must be given. Throws `usage`, with the example, when it is missing.
std::string needed(const Typed& typed, const std::string& field, const std::string& example);

using flow::EpsilonRange;
using flow::odds_around;
using flow::OddsRange;

/// Reads a range "LO..HI". Throws `usage` when the text is not a range.
EpsilonRange range_in(const char* field, const std::string& text);
/// Reads `epsilon` as a range; it must be given.
EpsilonRange range_of(const Typed& typed);

/// The exact exp(epsilon); 1 if the pipeline does not depend on epsilon. Throws `usage` when exp(epsilon) or the probabilities there are
/// not rational.
Rational exact_odds(const char* field, const Exponent& epsilon, const flow::Pipeline& pipeline);

/// Points over a range in equal steps: of epsilon if both ends are numbers, of exp(epsilon) if both are logarithms. Throws `usage` for
/// other ranges.
std::vector<Exponent> points_of(const EpsilonRange& range, std::uint64_t count);

/// A range that points_of() accepts. If only one end is a number, or the exponential of an end is not rational, both ends become numbers
/// within the range.
EpsilonRange drawable(const EpsilonRange& range);

}  // namespace fractile::requests
