// Independent quantiles: one exponential mechanism per quantile, on all records; the results are sorted (IndExp; with optimal
// composition AppIndExp: Gillenwater, Joseph and Kulesza 2021). Proof: docs/proofs/independent.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fractile/release.hpp"
#include "quantiles/draws/draws.hpp"

namespace fractile {

// The bounded range that each of `quantiles` selections may spend on all records of a person. Throws `usage` unless quantiles >= 1;
// throws otherwise as the functions of the section "Accounting" of fractile/privacy.hpp.

/// epsilon / quantiles: all selections together are epsilon-DP (and even epsilon-bounded range).
Exponent independent_range_pure(const Exponent& epsilon, std::size_t quantiles);
/// The largest r of 48 bits with quantiles * r^2 / 8 <= rho: all selections together are rho-zCDP.
Exponent independent_range_zcdp(const Rational& rho, std::size_t quantiles);
/// The largest r whose composition is (epsilon, delta)-DP (Dong, Durfee and Rogers 2020, Theorem 3).
Exponent independent_range_approximate(const Exponent& epsilon, const Rational& delta, std::size_t quantiles);

/// The one of these functions for the query's budget.
Exponent independent_range(const QuantileQuery& query);

/// The quantiles, and the price of each.
struct IndependentQuantiles {
  std::vector<Rational> quantiles;  ///< as in QuantileQuery
  Exponent range;                   ///< of each selection, for all records of a person
  Neighbors neighbors = Neighbors::add_remove;
  std::uint32_t records_per_person = 1;

  /// The rate per unit of score: a record costs range / records_per_person.
  Exponent rate(std::size_t quantile) const;
  SelectionPrice price(std::size_t quantile) const;
};

/// One candidate per quantile, sorted.
/// Proof: docs/proofs/independent.md
std::vector<std::uint64_t> sample_independent(const RankProfile& profile, const IndependentQuantiles& query,
                                              PaidPart part);

}  // namespace fractile
