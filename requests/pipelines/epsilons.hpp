// Epsilons and ranges of them, from words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/pipelines.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// Throws `usage` when it is no epsilon, above 100, or its exponential has more than 10,000 digits.
Exponent epsilon_of(const char* field, const std::string& text);

/// For a field that must be given.
std::string needed(const Typed& typed, const std::string& field, const std::string& example);

using flow::EpsilonRange;
using flow::odds_around;
using flow::OddsRange;

/// "LO..HI". Throws `usage` when it is no range.
EpsilonRange range_in(const char* field, const std::string& text);
/// `epsilon`, which must be given.
EpsilonRange range_of(const Typed& typed);

/// exp(epsilon), where it can be exact; 1 where nothing depends on epsilon.
Rational exact_odds(const char* field, const Exponent& epsilon, const flow::Pipeline& pipeline);

/// Points over a range, in equal steps of epsilon, or of exp(epsilon) between logarithms.
std::vector<Exponent> points_of(const EpsilonRange& range, std::uint64_t count);

/// As numbers, where one end is a number and the other is none.
EpsilonRange drawable(const EpsilonRange& range);

}  // namespace fractile::requests
