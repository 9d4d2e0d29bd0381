// Quantiles with exact differential privacy: what is asked, and the release.
// Sources: approximate-quantiles 2021 (Algorithm 1, appendix A), quantile-score-candidates 2025.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"
#include "fractile/random.hpp"
#include "fractile/ranks.hpp"
#include "fractile/selection.hpp"

namespace fractile {

/// exponential: one quantile, the exponential mechanism over all candidates with interval_score.
/// approximate: ApproximateQuantiles, a recursion of single quantiles over floor(log2 m) + 1 levels.
enum class Mechanism { exponential, approximate };

/// How ApproximateQuantiles turns rho into a rate per level: bounded_range uses range^2 / 8 per level, as_published the
/// looser epsilon^2 / 2 of its Theorem 3.10.
enum class ZcdpRate { bounded_range, as_published };

/// "exponential", "approximate"; "bounded-range", "as-published".
std::string to_string(Mechanism mechanism);
std::string to_string(ZcdpRate rate);

/// What is asked of a column; public through and through.
struct QuantileQuery {
  std::vector<Rational> quantiles;  ///< strictly increasing, in [0, 1]
  Budget budget;                    ///< for all quantiles together, for one person
  Neighbors neighbors = Neighbors::add_remove;
  std::uint32_t records_per_person = 1;  ///< at most this many records of the table are one person's
  Mechanism mechanism = Mechanism::approximate;
  ZcdpRate zcdp_rate = ZcdpRate::bounded_range;

  /// Error(usage) unless the query can be answered, whatever the data: call it before rows are read.
  void validate() const;
};

/// Published quantiles and what they were published under. Holds nothing that was not paid for.
struct QuantileRelease {
  QuantileQuery query;
  Lattice lattice;
  std::vector<std::uint64_t> indices;           ///< one candidate a quantile, in order, never decreasing
  std::optional<std::uint64_t> unsafe_seed;     ///< set when the bits were reproducible: not private
  std::optional<std::uint64_t> public_records;  ///< the number of records, when declared public

  Rational value(std::size_t i) const { return lattice.at(indices[i]); }
};

/// Releases the query's quantiles of a profile over `lattice`. The output's law is exactly the mechanism's. Time
/// O(distinct log m) and a few passes per level; independent of the lattice's size.
/// Errors: usage, as validate(); internal when random bits fail, before anything is returned.
/// Proof: docs/proofs/single_quantile.md
/// Proof: docs/proofs/approximate_quantiles.md
QuantileRelease release_quantiles(const RankProfile& profile, const Lattice& lattice, const QuantileQuery& query,
                                  RandomBits& bits, Filter filter = {});

}  // namespace fractile
