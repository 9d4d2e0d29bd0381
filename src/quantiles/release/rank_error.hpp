// How far from its rank a released quantile may be, for one mechanism at a time: the lemmas of what `worst_case` adds up.
// Proof: docs/proofs/rank_error.md
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exact/enclosure.hpp"
#include "exact/uniform.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {

/// A number of ranks for each quantile; nothing where none below 2^50 is certain.
using Ranks = std::vector<std::optional<std::uint64_t>>;

/// Lemma 1: exceeded with probability at most `failure` by one draw among candidates of this total weight, at least 1 each;
/// `slope` a rank.
std::optional<std::uint64_t> candidate_ranks(const Exponent& slope, uint128 total_weight, const Enclosure& failure);

/// Lemmas 2 to 4: of these of the quantiles that a recursion releases with all of the query's budget, each exceeded with
/// probability at most `failure`.
Ranks recursion_ranks(const QuantileQuery& query, const SelectQuantiles& selection, const Lattice& lattice,
                      std::uint64_t rows, const std::vector<std::size_t>& which, const Rational& failure);

/// Lemma 1 for each: sorting draws brings none further from its target than the worst of them was.
Ranks independent_ranks(const QuantileQuery& query, const Lattice& lattice, const Rational& failure);

/// Lemma 5: of all quantiles together, from counts on the tree of this many candidates. Nothing when leaves hold several.
std::optional<std::uint64_t> counted_ranks(const QuantileQuery& query, std::uint64_t candidates, std::uint64_t rows,
                                           const Rational& failure);

/// Lemma 6: of `rows` records at most so many are finer than the granularity that a release of the query finds, but with
/// probability `failure`.
std::optional<std::uint64_t> finer_records(const QuantileQuery& query, const FindGranularity& stage, std::uint64_t rows,
                                           const Rational& failure);

}  // namespace fractile
