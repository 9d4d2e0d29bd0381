// Confidence intervals, from noisy counts of the cells between cuts.
// Proof: docs/proofs/intervals.md
#pragma once

#include <cstdint>
#include <vector>

#include "quantiles/stages/critical_values.hpp"
#include "quantiles/stages/cuts.hpp"
#include "quantiles/stages/stages.hpp"

namespace fractile {

/// The published counts of a release's cells, and the intervals and points that follow from them.
class CountedCells {
 public:
  /// `selected`: a candidate for each of brackets.selected. `counts`: the noisy counts. `critical`: the critical values of the
  /// query and its brackets; releases with the same query and brackets can share them. All arguments must outlive this object.
  CountedCells(const QuantileQuery& query, const Lattice& lattice, const Brackets& brackets,
               const std::vector<std::uint64_t>& selected, const std::vector<std::int64_t>& counts,
               CriticalValues& critical);

  /// One interval per quantile of the query. Any level may be asked for, and several levels one after the other.
  std::vector<Interval> intervals(const Rational& level) const { return intervals(level, noisy_records()); }
  /// An approximation for simulations: its thresholds are those for this many noisy records, whatever was counted, so one
  /// computation serves many releases. Coverage is not proved.
  std::vector<Interval> intervals(const Rational& level, std::int64_t noisy_records) const;

  /// The points to publish with these intervals: the selected points, recentered by the counts and then clamped to their intervals.
  std::vector<std::uint64_t> points(const std::vector<Interval>& intervals) const;

 private:
  std::int64_t noisy_records() const;

  const QuantileQuery& query_;
  const Lattice& lattice_;
  const Brackets& brackets_;
  const std::vector<std::uint64_t>& selected_;
  PlacedCuts cuts_;
  std::vector<int128> below_;  // noisy counts below each cut, beginning with 0
  CriticalValues& critical_;
};

/// The critical values for the noise of the cells that the query with these brackets counts, if no cut is left out.
CriticalValues critical_values(const QuantileQuery& query, const Brackets& brackets);

}  // namespace fractile
