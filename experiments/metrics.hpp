// How wrong released quantiles are, and how far off the ends of intervals. Source of the errors: approximate-quantiles 2021, sections 3.2
// and 4.3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fractile/quantiles.hpp"
#include "fractile/ranks.hpp"

namespace fractile::experiments {

/// The errors of one release of m quantiles of n records; in records.
struct Errors {
  double gap = 0;       ///< mean over j of Gap(o_j, v_j) = #{x in [min(o_j, v_j), max(o_j, v_j))}
  double missed = 0;    ///< Err = max over j of |#{x < v_j} - floor(q_j n)|
  double tie_rank = 0;  ///< mean over j of the distance of q_j n from [#{x < v_j}, #{x <= v_j}]
};

/// i / (m + 1), i = 1 .. m.
std::vector<QuantileFraction> uniform_quantiles(std::uint64_t m);

/// The record that has `rank` records before it in sorted order, rank < n, as a candidate. Every record of the profile must
/// lie on a candidate.
std::uint64_t record_at(const RankProfile& profile, std::uint64_t rank);

/// o: record_at(floor(q n)), so that floor(q n) records lie below it when there are no ties; the last record when q = 1.
std::uint64_t true_quantile(const RankProfile& profile, const QuantileFraction& q);

/// `released` holds one candidate per quantile.
Errors errors_of(const RankProfile& profile, std::span<const QuantileFraction> quantiles,
                 std::span<const std::uint64_t> released);

/// The mean of a number of trials and the standard error of it.
struct Estimate {
  double mean = 0;
  double standard_error = 0;  ///< 0 for a single trial
};

/// The middle value, or the mean of the two in the middle; 0 of none.
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

/// The widths of all ends of all tables of one combination. Records are in units of the noise: D / epsilon, or D / sqrt(2 rho), D
/// the records a person.
struct TableWidths {
  double between = 0;      ///< records between two quantiles
  double half = 0;         ///< from a quantile to an end of its interval: the median
  double nine_in_ten = 0;  ///< and what nine in ten are within
  double alone = 0;        ///< the 95th percentile of the rank error of a release without intervals on the same budget
  double open =
      0;  ///< ends that are the range's, of those that could be found: with 20 units of records beyond the quantile

  /// The largest half width that is expected: 12 and 4 times `alone`, or 8 times with less than 10 between two quantiles. Nothing is
  /// expected below 5, where 0 stands.
  double most() const;
  bool are_wide() const { return most() > 0 && half > most(); }
  /// More than one end in a hundred, with 20 between two quantiles or more.
  bool are_open() const { return between >= 20 && open > 0.01; }
};

/// Collects them.
class TableEnds {
 public:
  TableEnds(const QuantileQuery& query, std::uint64_t rows);

  /// `alone`: what a release without intervals gave.
  void add(const RankProfile& table, std::span<const Interval> intervals, std::span<const std::uint64_t> alone);
  /// Takes at least one table.
  TableWidths widths() const;

 private:
  std::vector<QuantileFraction> quantiles_;
  double unit_;
  double between_;
  std::vector<double> halves_;
  std::vector<double> alone_;
  double ends_ = 0;  // that could be found
  double open_ = 0;
};

}  // namespace fractile::experiments
