// Tuples of participants' values, and compositions: how many participants have each value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// Indices of values, one per participant; or the heights of a histogram's bars.
using Tuple = std::vector<std::size_t>;

/// How many participants have each value.
using Composition = std::vector<std::size_t>;

/// `values`: the number of values; all members are smaller.
Composition composition_of(const Tuple& tuple, std::size_t values);

/// How many of the others, whose values the target's analyst knows, have each value.
Composition known_composition(const Pipeline& pipeline);

/// How many of all participants have each value, for a secret of everyone or of a target whose others are known.
Composition whole_composition(const Pipeline& pipeline, const Tuple& secret);

/// The first tuple with this composition.
Tuple sorted_tuple(const Composition& composition);

/// "(1,2)", and "1" for a single member.
std::string tuple_name(const std::vector<std::string>& members);

/// The index of the first of the highest bars.
std::size_t mode_of(const Composition& bars);

/// How many tuples have this composition.
Rational arrangements_of(const Composition& composition);

/// How many compositions of `total` participants with `parts` values there are.
Rational compositions(std::size_t total, std::size_t parts);

inline Rational power(std::size_t base, std::size_t exponent) {
  return Rational(base).pow(static_cast<std::int64_t>(exponent));
}

/// Visits all tuples in lexicographic order, the last member changing fastest: the numbering of PostProcessor::image.
void for_each_tuple(std::size_t length, std::size_t values, const std::function<void(const Tuple&)>& visit);
/// The same, listed. Throws `usage` when they are more than a million.
std::vector<Tuple> all_tuples(std::size_t length, std::size_t values);

/// Visits all compositions in the lexicographic order of their sorted tuples.
void for_each_composition(std::size_t total, std::size_t parts, const std::function<void(const Composition&)>& visit);

}  // namespace fractile::flow
