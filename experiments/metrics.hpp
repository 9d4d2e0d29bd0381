// How wrong released quantiles are. Source: approximate-quantiles 2021, sections 3.2 and 4.3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"

namespace fractile::experiments {

/// Of one release of m quantiles of n records; in records.
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

/// `released` holds one candidate a quantile.
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

}  // namespace fractile::experiments
