// How far off released quantiles and the ends of intervals are. Source of the errors: approximate-quantiles 2021, sections 3.2 and 4.3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"
#include "fractile/release.hpp"

namespace fractile::experiments {

/// The errors of one release of m quantiles of n records, in records.
struct Errors {
  double gap = 0;       ///< mean over j of Gap(o_j, v_j) = #{x in [min(o_j, v_j), max(o_j, v_j))}
  double missed = 0;    ///< Err = max over j of |#{x < v_j} - floor(q_j n)|
  double tie_rank = 0;  ///< mean over j of the distance of q_j n from [#{x < v_j}, #{x <= v_j}]
};

/// The quantiles i / (m + 1) for i = 1 .. m.
std::vector<QuantileFraction> uniform_quantiles(std::uint64_t m);

/// The candidate of the record that has `rank` records before it in sorted order. `rank` must be less than n, and every record of the
/// profile must lie on a candidate.
std::uint64_t record_at(const RankProfile& profile, std::uint64_t rank);

/// The true quantile o = record_at(floor(q n)). If there are no ties, floor(q n) records lie below it. If q = 1, it is the last record.
std::uint64_t true_quantile(const RankProfile& profile, const QuantileFraction& q);

/// `released` holds one candidate per quantile.
Errors errors_of(const RankProfile& profile, std::span<const QuantileFraction> quantiles,
                 std::span<const std::uint64_t> released);

/// The mean of a number of trials, and the standard error of this mean.
struct Estimate {
  double mean = 0;
  double standard_error = 0;  ///< 0 for a single trial
};

/// The middle value, or the mean of the two middle ones; 0 if there are no values.
double median(std::vector<double> values);

/// Welford's running mean and variance.
class Average {
 public:
  void add(double value);
  Estimate estimate() const;

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // of the distances from the mean
};

/// The widths of all ends of all tables of one combination. Numbers of records are in units of the noise: D / epsilon, or D / sqrt(2 rho),
/// where D is the number of records per person.
struct TableWidths {
  double between = 0;      ///< records between two quantiles
  double half = 0;         ///< the median distance from a quantile to an end of its interval
  double nine_in_ten = 0;  ///< the distance that nine in ten ends do not exceed
  double alone = 0;        ///< the 95th percentile of the rank error of a release without intervals on the same budget
  /// The share of the range's ends among all ends that could be found. An end could be found if at least 20 units of records lie beyond the
  /// quantile.
  double open = 0;

  /// The largest half width that is expected: 12 + 4 `alone`, or 12 + 8 `alone` with less than 10 units between two quantiles. With less
  /// than 5 units, nothing is expected, and the result is 0.
  double most() const;
  bool are_wide() const { return most() > 0 && half > most(); }
  /// Whether more than one end in a hundred is open, with at least 20 units between two quantiles.
  bool are_open() const { return between >= 20 && open > 0.01; }
};

/// Collects the ends of all tables.
class TableEnds {
 public:
  TableEnds(const QuantileQuery& query, std::uint64_t rows);

  /// `alone`: the values from a release without intervals.
  void add(const RankProfile& table, std::span<const Interval> intervals, std::span<const std::uint64_t> alone);
  /// At least one table must have been added.
  TableWidths widths() const;

 private:
  std::vector<QuantileFraction> quantiles_;
  double unit_;
  double between_;
  std::vector<double> halves_;
  std::vector<double> alone_;
  double ends_ = 0;  // the ends that could be found
  double open_ = 0;
};

}  // namespace fractile::experiments
