// At which epsilons a release of one quantile serves an analyst, who takes the published value as it is: on a public table that stands for
// the secret one. Proof: docs/proofs/choosing.md, "Releases"
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <cstdint>
#include <optional>

#include "fractile/quantiles.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

/// What an analyst loses by a published value, and how much of it they bear in the mean.
struct ReleaseAnalyst {
  enum class Loss {
    missed_records,  ///< by how many records the value misses its quantile
    missed_by_more,  ///< 1 when it misses by more than `than` records, and 0 otherwise
  };
  Loss loss = Loss::missed_records;
  std::uint64_t than = 0;
  Rational most;
};

/// Of epsilons low .. high: the expected loss never rises with epsilon. Below `served_from` lies less than a millionth of it, or what nothing
/// is certain of, as preliminary stages may find one thing or another.
struct ServedEpsilons {
  Rational low;
  Rational high;
  std::optional<Rational>
      not_served_to;  ///< from low up to here they lose more than they bear, whatever was found before
  std::optional<Rational> served_from;  ///< from here up to high they lose at most that
};

/// For `rows` records spread as the reference's. The query's budget is not looked at, but for being pure. Throws `usage` when it is not, when
/// more than one quantile is asked for or something else than a selection decides it, when there are no records, and when 0 < low < high
/// does not hold.
ServedEpsilons served_epsilons(const QuantileQuery& query, const Lattice& lattice, const RankProfile& reference,
                               std::uint64_t rows, const ReleaseAnalyst& analyst, const Rational& low,
                               const Rational& high);

}  // namespace fractile
