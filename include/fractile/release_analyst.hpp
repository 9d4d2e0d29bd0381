// At which epsilons a release of quantiles serves an analyst, who takes the published values as they are: on a public table that stands for
// the secret one. Proof: docs/proofs/choosing.md, "Releases"
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/quantiles.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

/// What an analyst loses by the published values, and how large a mean loss they accept.
struct ReleaseAnalyst {
  enum class Loss {
    missed_records,  ///< by how many records a value misses its quantile; the mean of several
    missed_by_more,  ///< 1 when any value misses its quantile by more than `than` records, and 0 otherwise
  };
  Loss loss = Loss::missed_records;
  std::uint64_t than = 0;
  Rational most;
};

/// Bounds of an expected loss.
struct LossBounds {
  Rational lower;
  Rational upper;
};

/// One epsilon, and what is known of the expected loss at it.
struct AnalystTrial {
  enum class Answer { served, not_served, unknown };
  Rational epsilon;
  std::optional<LossBounds> loss;  ///< nothing where the mechanism that runs is not examined
  Answer answer;
};

/// The answer for epsilons low .. high. Where one quantile is selected and nothing before it, the expected loss never rises with epsilon: both ends hold
/// for all of them, less than a millionth lies between, and some epsilons about them were `tried`. Otherwise only what was tried is known: ten
/// epsilons a decade, from `high` down until four in a row do not serve, and those of two digits by halves where that begins.
struct ServedEpsilons {
  Rational low;
  Rational high;
  bool never_rises = false;               ///< the first case
  std::optional<Rational> not_served_to;  ///< from the least one (that was tried) up to here they lose more
  std::optional<Rational> served_from;    ///< from here up to high they lose at most that
  std::vector<AnalystTrial> tried = {};   ///< in order
};

/// For `rows` records spread as the reference's. Only the measure of the query's budget matters. Throws `usage` when the budget is
/// not pure; when at no epsilon one quantile, or several at once, are selected without counting anything; when there are no
/// records; and unless 0 < low < high.
ServedEpsilons served_epsilons(const QuantileQuery& query, const Lattice& lattice, const RankProfile& reference,
                               std::uint64_t rows, const ReleaseAnalyst& analyst, const Rational& low,
                               const Rational& high);

}  // namespace fractile
