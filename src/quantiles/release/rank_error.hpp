// How far from its rank a released quantile may be, for each mechanism: the lemmas whose bounds `worst_case` adds up.
// Proof: docs/proofs/rank_error.md
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exact/enclosure.hpp"
#include "exact/uniform.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {

/// A number of ranks for each quantile; nothing where no bound below 2^50 is certain.
using Ranks = std::vector<std::optional<std::uint64_t>>;

/// Lemma 1: the rank error that one draw exceeds with probability at most `failure`, among candidates of this total weight, each of
/// weight at least 1, when each rank costs `slope`.
std::optional<std::uint64_t> candidate_ranks(const Exponent& slope, uint128 total_weight, const Enclosure& failure);

/// Lemmas 2 to 4: the rank errors of the quantiles `which` when a recursion releases all quantiles with all of the query's budget.
/// Each is exceeded with probability at most `failure`.
Ranks recursion_ranks(const QuantileQuery& query, const SelectQuantiles& selection, const Lattice& lattice,
                      std::uint64_t rows, const std::vector<std::size_t>& which, const Rational& failure);

/// Lemma 1 for each quantile: sorting the draws increases no error beyond the largest one before.
Ranks independent_ranks(const QuantileQuery& query, const Lattice& lattice, const Rational& failure);

/// Lemma 5: the rank error of all quantiles together, from counts on the tree of this many candidates. Nothing when leaves hold
/// several candidates.
std::optional<std::uint64_t> counted_ranks(const QuantileQuery& query, std::uint64_t candidates, std::uint64_t rows,
                                           const Rational& failure);

/// Lemma 6: except with probability `failure`, at most this many of `rows` records are finer than the granularity that a release of
/// the query finds.
std::optional<std::uint64_t> finer_records(const QuantileQuery& query, const FindGranularity& stage, std::uint64_t rows,
                                           const Rational& failure);

}  // namespace fractile
