// The mechanisms of the release half as channels: how likely each output is for a table of values. The only door to that half.
// Proof: docs/proofs/channel_of.md
#pragma once

#include <cstdint>
#include <vector>

#include "flow/algebra/ring.hpp"
#include "flow/pipeline/composition.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// All probabilities are rational functions of base, where odds = base^degree. Throws `usage` when they are not.
std::int64_t root_degree(const Release& release, std::size_t values);

/// All that can be released, a value's index a quantile, in lexicographic order: never decreasing.
std::vector<std::vector<std::size_t>> release_outputs(const Release& release, std::size_t values);

/// The probability of each of release_outputs(), for a table with so many records of each value. Number: Rational, Enclosure
/// or RationalFunction.
template <class Number>
std::vector<Number> release_law(const Release& release, const Composition& table, const Number& base);

}  // namespace fractile::flow
