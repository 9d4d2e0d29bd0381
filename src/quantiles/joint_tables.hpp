// Upper bounds of the masses of partial selections (docs/proofs/joint_total.md, section "Tables"), in floating point. All
// terms are positive; every entry is at least the exact sum of the entries that it stands for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "quantiles/joint.hpp"

namespace fractile {

/// The runs of splits with equally many records below: run b = [start(b), start(b + 1)) has b records of the span below.
class JointRuns {
 public:
  JointRuns(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells);
  std::uint64_t records() const { return starts_.size() - 2; }
  Split start(std::uint64_t b) const { return starts_[b]; }
  /// The run that a split of the span lies in.
  std::uint64_t run_of(Split split) const {
    return static_cast<std::uint64_t>(std::upper_bound(starts_.begin(), starts_.end() - 1, split) - starts_.begin()) -
           1;
  }

 private:
  std::vector<Split> starts_;
};

/// exp(-rate |g - t w|) for g = 0 .. records, as powers of exp(-rate) on either side of the corner.
template <class Real>
struct JointKernel {
  std::int64_t corner;  ///< min(floor(t w), records)
  Real at_corner;       ///< exp(-rate (t w - corner))
  Real beyond;          ///< exp(-rate (corner + 1 - t w))
};

/// One row a quantile: entries for runs first .. first + size - 1.
template <class Real>
struct JointRow {
  std::int64_t first = 0;
  std::vector<Real> enter;  ///< v_j is the first of its run
  std::vector<Real> stay;   ///< v_j lies in the run
  std::int64_t last() const { return first + static_cast<std::int64_t>(stay.size()) - 1; }
};

/// The range of a floating-point type, with room to spare.
template <class Real>
struct RealRange {
  static constexpr int up = std::numeric_limits<Real>::max_exponent - 120;
  static constexpr int down = -std::numeric_limits<Real>::min_exponent - 20;
};

/// Ranks first .. last.
struct RankWindow {
  std::int64_t first;
  std::int64_t last;
  bool contains(std::uint64_t rank) const {
    return static_cast<std::int64_t>(rank) >= first && static_cast<std::int64_t>(rank) <= last;
  }
};

/// The tables of one total.
template <class Real>
class JointForward {
 public:
  JointForward(const JointProblem& problem, const JointRuns& runs);

  /// Ranks of quantile j that differ from its target at total t by at most half_width + |records - t|, rounded outwards.
  RankWindow window(std::size_t j, std::uint64_t t, std::uint64_t half_width) const;
  /// Fills the rows for total t.
  void fill(std::uint64_t t, std::uint64_t half_width);
  /// An upper bound of the mass of all selections within the windows at the total, times 2^(scale k).
  Real mass() const { return mass_; }
  std::uint64_t total() const { return total_; }

  std::size_t quantiles() const { return rows_.size(); }
  const JointRow<Real>& row(std::size_t j) const { return rows_[j]; }
  /// Upper bound of exp(-rate |g - t w_j|).
  Real kernel(std::size_t j, std::int64_t g) const {
    const JointKernel<Real>& k = kernels_[j];
    return g <= k.corner ? k.at_corner * power(k.corner - g) : k.beyond * power(g - k.corner - 1);
  }
  /// Upper bound of base mass of run b / total base mass * 2^scale.
  Real run_mass(std::int64_t b) const { return run_mass_[static_cast<std::size_t>(b)]; }
  /// All masses are multiplied by 2^scale a quantile, so that typical ones are near 1.
  int scale() const { return scale_; }

 private:
  Real power(std::int64_t i) const {
    const auto k = static_cast<std::size_t>(i);
    return k < powers_.size() ? powers_[k] : powers_.back();
  }
  void set_kernels();
  void enter_first(JointRow<Real>& row) const;
  void enter_from(const JointRow<Real>& before, std::size_t j, JointRow<Real>& row);
  void stay(std::size_t j);

  const JointProblem& problem_;
  std::int64_t records_;
  double rate_;  // at most the rate
  int scale_;
  Real inflation_;
  Real least_;  // added to every sum: covers what underflowed
  std::vector<Real> run_mass_;
  std::vector<Real> powers_;  // upper bounds of exp(-rate i); the last one stands for all further ones
  Real one_step_;             // of exp(-rate)
  std::vector<JointKernel<Real>> kernels_;
  std::vector<JointRow<Real>> rows_;
  std::vector<Real> padded_;
  std::vector<Real> windowed_;
  std::uint64_t total_ = 0;
  Real mass_ = 0;
};

extern template class JointForward<double>;
extern template class JointForward<long double>;

}  // namespace fractile
