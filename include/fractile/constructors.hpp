// The papers' constructors, under their names: transformations of rows, scores of candidates, selections, and their chain.
// Sources: quantile-score-candidates 2022 and 2025, gumbel-max 2023. Each checks its preconditions in its paper's order.
// Number types T: int32, int64, float, double.
// Proof: docs/proofs/constructors.md
// Thread-safety: threads may share what is made here, each with random bits of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fractile/domains.hpp"
#include "fractile/measurements.hpp"
#include "fractile/quantiles.hpp"
#include "fractile/ranks.hpp"
#include "fractile/selection.hpp"

namespace fractile {

namespace detail {

/// "5 candidates from 0 to 8".
inline std::string described(const Lattice& lattice) {
  return std::to_string(lattice.size()) + " candidates from " + lattice.text(0) + " to " +
         lattice.text(lattice.size() - 1);
}

}  // namespace detail

/// A position on a lattice, see Position.
struct PositionDomain {
  using Carrier = Position;
  Lattice lattice;

  bool contains(const Position& value) const { return value <= 2 * lattice.size(); }
  std::string to_string() const { return "position on " + detail::described(lattice); }
  friend bool operator==(const PositionDomain&, const PositionDomain&) = default;
};

/// Profiles on a lattice.
struct RankProfileDomain {
  using Carrier = RankProfile;
  Lattice lattice;

  bool contains(const RankProfile& profile) const { return profile.lattice() == lattice; }
  std::string to_string() const { return "rank profile on " + detail::described(lattice); }
  friend bool operator==(const RankProfileDomain&, const RankProfileDomain&) = default;
};

template <Number T>
using Rows = VectorDomain<AtomDomain<T>>;
/// Scores that selections read.
template <Atom S>
using Scores = VectorDomain<AtomDomain<S>>;

/// A transformation from rows to rows under one metric.
template <class DI, class DO, class M>
using RowTransform = Transformation<DI, M, DO, M>;

// --- Rows -----------------------------------------------------------------------------------------------------------

/// Every value moved to the nearest of [lower, upper]. Throws `usage` unless the rows are non-null and lower <= upper.
template <Number T, DatasetMetric M>
RowTransform<Rows<T>, Rows<T>, M> make_clamp(const Rows<T>& input_domain, const M& input_metric, T lower, T upper);

/// NaN records left out. The table's size becomes unknown, so only for metrics that count added and removed records.
template <std::floating_point T, AddRemoveMetric M>
requires Number<T> RowTransform<Rows<T>, Rows<T>, M> make_drop_null(const Rows<T>& input_domain, const M& input_metric);
/// Missing records left out.
template <Number T, AddRemoveMetric M>
RowTransform<VectorDomain<OptionDomain<AtomDomain<T>>>, Rows<T>, M> make_drop_null(
    const VectorDomain<OptionDomain<AtomDomain<T>>>& input_domain, const M& input_metric);

/// NaN replaced by `constant`; throws `usage` when that is NaN.
template <std::floating_point T, DatasetMetric M>
requires Number<T> RowTransform<Rows<T>, Rows<T>, M> make_impute_constant(const Rows<T>& input_domain,
                                                                          const M& input_metric, T constant);
/// Missing records replaced by `constant`; throws `usage` when that is NaN or outside the element's bounds.
template <Number T, DatasetMetric M>
RowTransform<VectorDomain<OptionDomain<AtomDomain<T>>>, Rows<T>, M> make_impute_constant(
    const VectorDomain<OptionDomain<AtomDomain<T>>>& input_domain, const M& input_metric, T constant);

/// Every value replaced by its position on the lattice. Throws `usage` unless the rows are non-null.
template <Number T, DatasetMetric M>
RowTransform<Rows<T>, VectorDomain<PositionDomain>, M> make_cast_to_lattice(const Rows<T>& input_domain,
                                                                            const M& input_metric,
                                                                            const Lattice& lattice);

/// The records counted by position; order is lost, so distances become those of multisets: SymmetricDistance for added and
/// removed records, ChangeOneDistance for changed ones.
template <AddRemoveMetric M>
Transformation<VectorDomain<PositionDomain>, M, RankProfileDomain, SymmetricDistance> make_rank_profile(
    const VectorDomain<PositionDomain>& input_domain, const M& input_metric);
template <ChangeMetric M>
Transformation<VectorDomain<PositionDomain>, M, RankProfileDomain, ChangeOneDistance> make_rank_profile(
    const VectorDomain<PositionDomain>& input_domain, const M& input_metric);

// --- Scores of candidates -------------------------------------------------------------------------------------------

/// quantile-score-candidates 2025: the integer score (7) of every candidate, lower is better, in units of 1/alpha's
/// denominator. Raises, in this order: nullable rows; candidates that do not increase strictly (or are NaN); alpha outside
/// [0, 1]; a known size whose product with the denominator passes 64 bits.
/// Stability: d_in max(num, den - num) for unknown size; (d_in / 2) 2 den for known size, d_in / 2 rounded down.
/// Differs from the paper where its size limit could bind for a table that fits in memory (den > 2^17, unknown size): then
/// d_in den, because Lemma 4.1 fails there (docs/proofs/scores.md).
template <Number T, AddRemoveMetric M>
Transformation<Rows<T>, M, Scores<std::uint64_t>, LInfDistance> make_quantile_score_candidates(
    const Rows<T>& input_domain, const M& input_metric, const std::vector<T>& candidates, const Rational& alpha);

/// quantile-score-candidates 2022, section 2: the real score (4) as an exact rational, higher is better.
/// Relation: d_in * 2 max(alpha, 1 - alpha) <= d_out.
template <Number T>
Transformation<Rows<T>, SymmetricDistance, Scores<Rational>, RangeDistance> make_quantile_score_candidates_2022(
    const std::vector<T>& candidates, const Rational& alpha);

/// quantile-score-candidates 2022, section 3: the same for tables of a known size. Relation: d_in * 2 <= d_out.
template <Number T>
Transformation<Rows<T>, SymmetricDistance, Scores<Rational>, RangeDistance> make_sized_quantile_score_candidates(
    std::size_t size, const std::vector<T>& candidates, const Rational& alpha);

// --- Selections -----------------------------------------------------------------------------------------------------

/// Measures that a selection by softmax can be stated in.
template <class Measure>
concept SelectionMeasure = std::same_as<Measure, MaxDivergence> || std::same_as<Measure, BoundedRange> ||
    std::same_as<Measure, ZeroConcentratedDivergence>;

/// gumbel-max 2023: draws the index k with probability proportional to exp(+-score_k / temperature), exactly. Raises, in
/// this order: nullable scores; a temperature that is not positive. Privacy map: 0 for 0; range / temperature, range = d_in
/// (RangeDistance), 2 d_in (LInfDistance) or d_in (LInfDistance, monotonic); its square / 8 as zCDP. Throws `usage` for
/// a negative d_in. The measurement throws `usage` when it is invoked on no scores.
template <Atom S, ScoreMetric M, SelectionMeasure Measure = MaxDivergence>
Measurement<Scores<S>, M, std::size_t, Measure> make_gumbel_max(const Scores<S>& input_domain, const M& input_metric,
                                                                const Rational& temperature, Optimize optimize,
                                                                const Measure& measure = {});

/// Permute-and-flip (McKenna and Sheldon 2020): candidates in random order, each kept with probability
/// exp(-gap / temperature), the first kept one is drawn. Never worse than make_gumbel_max at the same pure cost.
/// Preconditions and privacy map as there, in MaxDivergence only.
template <Atom S, ScoreMetric M>
Measurement<Scores<S>, M, std::size_t, MaxDivergence> make_permute_and_flip(const Scores<S>& input_domain,
                                                                            const M& input_metric,
                                                                            const Rational& temperature,
                                                                            Optimize optimize);

/// Postprocessing: the candidate of an index.
template <class T>
auto index_into(std::vector<T> candidates) {
  return [candidates = std::move(candidates)](const std::size_t& k) { return candidates.at(k); };
}

// --- The chain that a release is ------------------------------------------------------------------------------------

/// Metrics between profiles: SymmetricDistance is the neighbor relation add_remove, ChangeOneDistance is change_one.
template <class M>
concept ProfileMetric = std::same_as<M, SymmetricDistance> || std::same_as<M, ChangeOneDistance>;
/// Measures that budgets are stated in.
template <class Measure>
concept BudgetMeasure = std::same_as<Measure, MaxDivergence> || std::same_as<Measure, ZeroConcentratedDivergence>;

/// The query's quantiles of a profile, as release() draws them: candidates' indices. The query's budget is what
/// records_per_person records cost; d_in records cost d_in / records_per_person times epsilon, or its square times rho.
/// Throws `usage` when the metric is not the query's neighbor relation or the measure not its budget's.
template <ProfileMetric M, BudgetMeasure Measure>
Measurement<RankProfileDomain, M, std::vector<std::uint64_t>, Measure> make_quantiles(
    const RankProfileDomain& input_domain, const M& input_metric, const Measure& measure, const QuantileQuery& query);

/// One quantile of rows, from rows to a value: make_cast_to_lattice >> make_rank_profile >> make_quantiles >> its value.
/// Equal in law to the release verb's `exponential`. epsilon is the cost of one added or removed record.
template <Number T>
Measurement<Rows<T>, SymmetricDistance, Rational, MaxDivergence> make_quantile(const Rows<T>& input_domain,
                                                                               const Lattice& lattice,
                                                                               const Rational& alpha,
                                                                               const Exponent& epsilon);

}  // namespace fractile
