// Upper bounds of the masses of partial selections (docs/proofs/joint_total.md, section "Tables"), in floating point. All
// terms are positive; every entry is at least the exact sum of the entries that it stands for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "quantiles/joint/joint_problem.hpp"
#include "quantiles/joint/joint_proposal.hpp"

namespace fractile {

/// Ranks first .. last.
struct RankWindow {
  std::int64_t first;
  std::int64_t last;
  bool contains(std::uint64_t rank) const {
    return static_cast<std::int64_t>(rank) >= first && static_cast<std::int64_t>(rank) <= last;
  }
};

/// The runs of splits with equally many records below, of those that have splits at all and whose ranks are asked for: run i is
/// [start(i), end(i)) and has rank(i) records of the span below it. What is listed costs time and memory, by its ranks at most;
/// the records elsewhere cost nothing.
class JointRuns {
 public:
  JointRuns(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells);
  std::uint64_t records() const { return span_.records(); }
  /// Lists what lies in these windows, if it is not listed yet, and more about it. Runs have other places then. True when it did.
  bool cover(const std::vector<RankWindow>& windows);
  /// Lists all.
  void cover_all() { cover({{0, static_cast<std::int64_t>(records())}}); }
  /// How often runs have been listed.
  std::uint64_t listings() const { return listings_; }
  std::size_t size() const { return ranks_.size(); }
  std::int64_t rank(std::size_t i) const { return ranks_[i]; }
  Split start(std::size_t i) const { return splits_[i].start; }
  Split end(std::size_t i) const { return splits_[i].end; }
  /// The first run listed with at least so many records below it.
  std::size_t first_from(std::int64_t rank) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ranks_, rank) - ranks_.begin());
  }
  /// How many records of the span lie below a split of it.
  std::uint64_t rank_of(Split split) const { return records_below(profile_, subcells_, split) - span_.first_rank; }

 private:
  bool covers(const RankWindow& window) const;
  void add_windows(const std::vector<RankWindow>& windows);
  Split first_split(std::int64_t rank) const;
  void list(const RankWindow& window);

  const RankProfile& profile_;
  RankSpan span_;
  std::uint64_t subcells_;
  std::vector<RankWindow> windows_;  ///< that are listed: disjoint, increasing
  std::vector<std::int64_t> ranks_;
  std::vector<SplitPart> splits_;
  std::uint64_t listings_ = 0;
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
  std::size_t first = 0;
  std::vector<Real> enter;  ///< v_j is the first of its run
  std::vector<Real> stay;   ///< v_j lies in the run
  std::size_t end() const { return first + stay.size(); }
  bool contains(std::size_t i) const { return i >= first && i < end(); }
};

/// The range of a floating-point type, with room to spare.
template <class Real>
struct RealRange {
  static constexpr int up = std::numeric_limits<Real>::max_exponent - 120;
  static constexpr int down = -std::numeric_limits<Real>::min_exponent - 20;
  /// Added to every sum: covers what underflowed.
  static Real least() { return std::ldexp(Real{1}, -down); }
  /// No power is below it: at most e^-64 of it is a kernel, which does not underflow either.
  static Real floor() { return std::ldexp(Real{1}, 100 - down); }
};

/// 1, step, step^2, ... of any exponent below 2^48: products of entries of four lists.
template <class Real>
class JointPowers {
 public:
  JointPowers(Real step, std::uint64_t largest);
  Real operator()(std::int64_t i) const {
    const auto k = static_cast<std::size_t>(i);
    return k < near_.size() ? near_[k] : far(k);
  }
  /// Whether some power stands for smaller ones.
  bool reach_floor() const { return reach_floor_; }

 private:
  static constexpr int digits = 12;
  static constexpr std::size_t base = std::size_t{1} << digits;
  Real far(std::size_t k) const;

  std::vector<Real> near_;
  std::vector<std::vector<Real>>
      distant_;  ///< [i][j]: step to the j 2^(12 (i + 1)); as far as there are exponents and powers
  bool reach_floor_ = false;
};

/// Totals first .. last, for which one table stands: that of the anchor, which is one of the two. As |g - t w| >= |g - a w| -
/// |t - a| w, its masses times exp(rate * |t - anchor|) bound those of total t.
struct TotalRange {
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t anchor;
  friend bool operator==(const TotalRange&, const TotalRange&) = default;
};

/// The tables of a range of totals.
template <class Real>
class JointForward {
 public:
  /// `runs` list what the tables need.
  JointForward(const JointProblem& problem, JointRuns& runs);

  /// Ranks of quantile j that differ from its target at some total t of the range by at most half_width + |records - t|,
  /// rounded outwards.
  RankWindow window(std::size_t j, const TotalRange& totals, std::uint64_t half_width) const;
  /// Before it is cut at 0 and at the number of records.
  RankWindow uncut_window(std::size_t j, const TotalRange& totals, std::uint64_t half_width) const;
  /// Fills the rows. Runs have the places in them that they have now.
  void fill(const TotalRange& totals, std::uint64_t half_width);
  /// An upper bound of the mass of all selections within the windows, by the anchor's targets, times 2^(scale k).
  Real mass() const { return mass_; }
  const TotalRange& totals() const { return totals_; }
  /// Whether the rows are those of these totals, and runs still have the places that they have in them.
  bool is_filled_for(const TotalRange& totals) const { return totals_ == totals && listing_ == runs_.listings(); }
  /// Whether the mass is more than what covers underflow.
  bool in_range() const;
  /// How many entries have been computed.
  std::uint64_t work() const { return work_; }

  std::size_t quantiles() const { return rows_.size(); }
  const JointRow<Real>& row(std::size_t j) const { return rows_[j]; }
  /// Upper bound of exp(-rate |g - t w_j|).
  Real kernel(std::size_t j, std::int64_t g) const {
    const JointKernel<Real>& k = kernels_[j];
    return g <= k.corner ? k.at_corner * power_(k.corner - g) : k.beyond * power_(g - k.corner - 1);
  }
  /// Upper bound of base mass of run i / total base mass * 2^scale.
  Real run_mass(std::size_t i) const { return run_mass_[i]; }
  /// All masses are multiplied by 2^scale a quantile, so that typical ones are near 1.
  int scale() const { return scale_; }

 private:
  void set_kernels();
  void set_inflation(const TotalRange& totals, std::uint64_t half_width);
  void enter_first(JointRow<Real>& row) const;
  void enter_from(const JointRow<Real>& before, std::size_t j, JointRow<Real>& row);
  bool is_dense(const JointRow<Real>& before, std::int64_t corner, const JointRow<Real>& row) const;
  void enter_by_ranks(const JointRow<Real>& before, const JointKernel<Real>& k, Real more, JointRow<Real>& row);
  void sum_windows(std::int64_t corner, std::int64_t size);
  void enter_by_runs(const JointRow<Real>& before, const JointKernel<Real>& k, Real more, JointRow<Real>& row);
  void stay(std::size_t j);

  const JointProblem& problem_;
  JointRuns& runs_;
  std::int64_t records_;
  double rate_;  // at most the rate
  int scale_;
  Real inflation_ = 1;  ///< of the windows that are being filled
  Real one_step_;       // upper bound of exp(-rate)
  std::vector<Real> run_mass_;
  std::uint64_t listing_ = 0;  ///< of the runs that run_mass_ is of
  JointPowers<Real> power_;    // of one_step_
  std::vector<JointKernel<Real>> kernels_;
  std::vector<JointRow<Real>> rows_;
  // Of the row being entered.
  std::vector<Real> padded_;
  std::vector<Real> windowed_;
  std::vector<Real> suffixes_;
  TotalRange totals_{};
  Real mass_ = 0;
  std::uint64_t work_ = 0;
};

extern template class JointForward<double>;
extern template class JointForward<long double>;

}  // namespace fractile
