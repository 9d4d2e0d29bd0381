// The mechanisms of releases as channels: the probability of each output for a table of values. Nothing else in `flow` includes the
// headers of releases.
// Proof: docs/proofs/channel_of.md
#pragma once

#include <cstdint>
#include <vector>

#include "flow/algebra/ring.hpp"
#include "flow/pipeline/composition.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// All probabilities are rational functions of base, where odds = base^degree. Throws `usage` when they are not.
std::int64_t root_degree(const CentralMechanism& release, std::size_t values);

/// All possible releases, in lexicographic order: one index of a value per quantile, never decreasing.
std::vector<std::vector<std::size_t>> release_outputs(const CentralMechanism& release, std::size_t values);

/// The probability of each of release_outputs(), for a table with these numbers of records of each value. Number: Rational,
/// Enclosure or RationalFunction.
template <class Number>
std::vector<Number> release_law(const CentralMechanism& release, const Composition& table, const Number& base);

}  // namespace fractile::flow
