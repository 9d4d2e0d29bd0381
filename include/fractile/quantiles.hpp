// Quantiles with exact differential privacy: what is asked. fractile/release.hpp has what is published.
// Sources: approximate-quantiles 2021 (Algorithm 1, appendix A), quantile-score-candidates 2025.
// Thread-safety: values; threads may share them while none changes one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/accounting.hpp"
#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

/// exponential: one quantile, the exponential mechanism over all candidates with interval_score.
/// approximate: ApproximateQuantiles, a recursion of single quantiles over floor(log2 m) + 1 levels.
/// joint: all quantiles in one exponential mechanism (JointExp). joint_total: the same with the total selected as well,
/// which doubles the slope. joint_tree: a recursion whose nodes are joint_total.
/// independent: one exponential mechanism per quantile. tree: noisy counts on a tree of intervals, made consistent.
/// automatic: one of these, chosen from what is public.
enum class Mechanism { automatic, exponential, approximate, joint, joint_total, joint_tree, independent, tree };
inline constexpr Mechanism all_mechanisms[] = {Mechanism::automatic,   Mechanism::exponential, Mechanism::approximate,
                                               Mechanism::joint,       Mechanism::joint_total, Mechanism::joint_tree,
                                               Mechanism::independent, Mechanism::tree};

/// How a budget becomes rates. tight: from the true number of levels and, for zCDP, from range^2 / 8 per level. as_published:
/// approximate-quantiles 2021 to the letter: log2 m + 1 levels, and for zCDP epsilon^2 / 2 per level (Theorem 3.10).
enum class Rates { tight, as_published };

/// Which outputs a selection prefers before it looks at the records. uniform: all alike. adaptive: round numbers (multiples of
/// powers of ten, and what records are found to heap on), and where earlier selections of the same release show the range to
/// be filled. by_mechanism: adaptive for automatic, joint_total and joint_tree, uniform for the published ones. Privacy is the
/// same either way.
enum class Base { by_mechanism, uniform, adaptive };

/// "auto", "exponential", "approximate", "joint", "joint-total", "joint-tree", "independent", "tree".
std::string to_string(Mechanism mechanism);
/// "tight", "as-published".
std::string to_string(Rates rates);

/// What a confidence interval is about. table: the quantile of the records that were read. population: the quantile of the
/// distribution of which they are a simple random sample. These are different questions.
enum class IntervalOf { table, population };

/// "table", "population".
std::string to_string(IntervalOf of);

/// Confidence intervals that a release is to have.
/// Proof: docs/proofs/intervals.md
struct IntervalRequest {
  Rational level;  ///< with at least this probability, in (0, 1), an interval holds its quantile
  IntervalOf of = IntervalOf::population;
  bool together = false;  ///< all intervals of a release hold at once; otherwise each by itself
};

/// The level at which each of two intervals fails half as often, so that both hold with the level that was asked for.
Rational level_in_pairs(const IntervalRequest& request);

/// A confidence interval, by its candidates: the quantile's lattice point is one of lower .. upper.
struct Interval {
  std::uint64_t lower;
  std::uint64_t upper;
  bool or_below =
      false;  ///< the lower end is the range's, and the quantile of the records as they came may lie below it
  bool or_above = false;  ///< likewise
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// What is asked of a column. All of it is public.
struct QuantileQuery {
  std::vector<Rational> quantiles;  ///< strictly increasing, in [0, 1]
  Budget budget;                    ///< for all quantiles together, for one person
  Neighbors neighbors = Neighbors::add_remove;
  std::uint32_t records_per_person = 1;  ///< at most this many records of the table are one person's; see over_query()
  Mechanism mechanism = Mechanism::automatic;
  Rates rates = Rates::tight;
  Base base = Base::by_mechanism;
  std::optional<std::uint64_t> expected_rows =
      {};  ///< about how many records, by public knowledge: a hint to automatic, and what worst cases are stated for
  bool interpolate = true;  ///< automatic may release fewer quantiles and interpolate the others
  /// The intervals to release, if any. For them, the number of records is counted approximately, whatever expected_rows says.
  std::optional<IntervalRequest> intervals = {};
  /// The names of the quantiles in tables, as fractions or in decimals; none: all as fractions. Nothing else depends on them.
  std::vector<std::string> names = {};

  /// What tables call the i-th quantile.
  std::string name(std::size_t i) const {
    return names.size() == quantiles.size() ? names[i] : quantiles[i].to_string();
  }

  /// Throws `usage` unless the query can be answered, whatever the data: call it before rows are read.
  void validate() const;
  /// The same, and throws `usage` unless its mechanism takes this many candidates: joint selections and adaptive bases take at most
  /// 2^46.
  void validate(const Lattice& lattice) const;
};

/// The query over the result of a SQL query of which one record changes at most `stability` rows (TableOptions::sql_stability): for
/// `stability` times as many records per person. Throws `usage` for 0 and for more than 4,294,967,295 in all.
/// Proof: docs/proofs/row_wise_queries.md
QuantileQuery over_query(const QuantileQuery& query, std::uint32_t stability);

/// The quantiles 1/rows, 2/rows, ..., 1: released, they are a synthetic column of this many rows, distributed like the table's
/// (quantiles sanitization, approximate-quantiles 2021, Corollary 3.6). Throws `usage` unless 1 <= rows <= 1,000,000.
std::vector<Rational> synthetic_rows(std::uint64_t rows);

/// What was run for a query.
struct MechanismUsed {
  Mechanism mechanism = Mechanism::exponential;  ///< never automatic
  std::vector<std::size_t> widths = {};      ///< of recursions: at most how many quantiles a node of each level decides
  std::size_t selected = 0;                  ///< how many quantiles were selected; the others are interpolated linearly
  std::string reason = {};                   ///< of automatic's choice; empty otherwise
  std::optional<std::uint64_t> rows = {};    ///< about how many records there are, by a private count
  std::optional<Rational> granularity = {};  ///< of the values, found privately, when it was looked for
  std::optional<Rational> heaping = {};      ///< that many values are multiples of this, when it was found privately

  friend bool operator==(const MechanismUsed&, const MechanismUsed&) = default;
};

/// What the draws of one part of a release cost, for one person, as its odometer charged them: exactly, at the rates that were
/// used. All parts together cost at most what the release costs; with groups, in each group.
/// Proof: docs/proofs/odometer.md
struct PartCost {
  /// "bounds", "count", "sum", "rows", "granularity", "heaps", "level 1", "level 2", ..., "quantiles", "counts" or "cells"
  std::string on;
  EpsilonSum amount;    ///< of epsilon, or of rho under zCDP
  Rational delta = {};  ///< of approximate budgets
};

}  // namespace fractile
