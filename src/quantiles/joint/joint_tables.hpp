// Upper bounds of the masses of partial selections (docs/proofs/joint_total.md, section "Tables"), in floating point. All
// terms are positive; every entry is at least the exact sum of the entries that it stands for.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "exact/divisor.hpp"
#include "exact/exp_bounds.hpp"
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

/// The runs of splits with about equally many records below them. Ranks are divided into units of `unit` ranks, an odd number. Run
/// i is [start(i), end(i)): all splits whose ranks are in one unit, with rank(i) in its middle. Only runs that have splits and
/// whose ranks are asked for are listed. Listing costs time and memory proportional to the units at most; records elsewhere cost
/// nothing.
class JointRuns {
 public:
  JointRuns(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, std::int64_t unit = 1);
  std::uint64_t records() const { return span_.records(); }
  std::int64_t unit() const { return unit_; }
  /// All ranks, within 0 .. number of records, of the units that the window touches.
  RankWindow whole_units(const RankWindow& window) const;
  /// If some run in these windows of whole units is not listed yet, lists it and more around it, and returns true. Then runs have
  /// new places.
  bool cover(const std::vector<RankWindow>& windows);
  /// Lists all runs.
  void cover_all() { cover({whole_units({0, static_cast<std::int64_t>(records())})}); }
  /// How often runs have been listed.
  std::uint64_t listings() const { return listings_; }
  std::size_t size() const { return units_.size(); }
  /// How many units lie below run i.
  std::int64_t units_below(std::size_t i) const { return units_[i]; }
  std::int64_t rank(std::size_t i) const { return units_[i] * unit_ + unit_ / 2; }
  Split start(std::size_t i) const { return splits_[i].start; }
  Split end(std::size_t i) const { return splits_[i].end; }
  /// The first listed run with at least this many units below it.
  std::size_t first_from_unit(std::int64_t unit) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(units_, unit) - units_.begin());
  }
  /// The runs of a window of whole units: the first run, and the first run after the window.
  std::size_t first_of(const RankWindow& window) const { return first_from_unit(window.first / unit_); }
  std::size_t end_of(const RankWindow& window) const { return first_from_unit(window.last / unit_ + 1); }
  /// How many records of the span lie below one of its splits.
  std::uint64_t rank_of(Split split) const { return records_below(profile_, subcells_, split) - span_.first_rank; }

 private:
  bool covers(const RankWindow& window) const;
  void add_windows(const std::vector<RankWindow>& windows);
  Split first_split(std::int64_t rank) const;
  void list(const RankWindow& window);

  const RankProfile& profile_;
  RankSpan span_;
  std::uint64_t subcells_;
  std::vector<RankWindow> windows_;  ///< the listed windows: disjoint, increasing
  std::int64_t unit_;
  Divisor by_unit_;  ///< if it is above 1
  std::vector<std::int64_t> units_;
  std::vector<SplitPart> splits_;
  std::uint64_t listings_ = 0;
};

/// exp(-rate |g - t w|) for whole numbers g, as powers of exp(-rate) on either side of the corner.
template <class Real>
struct JointKernel {
  std::int64_t corner;  ///< floor(t w), or a number that no cell has
  Real at_corner;       ///< exp(-rate (t w - corner))
  Real beyond;          ///< exp(-rate (corner + 1 - t w))
};

/// One row per quantile: entries for runs first .. first + size - 1.
template <class Real>
struct JointRow {
  std::size_t first = 0;
  std::span<Real> enter;  ///< v_j is the first of its run
  std::span<Real> stay;   ///< v_j lies in the run
  std::size_t end() const { return first + stay.size(); }
  bool contains(std::size_t i) const { return i >= first && i < end(); }
};

/// The range of a floating-point type, with room to spare.
template <class Real>
struct RealRange {
  static constexpr int up = std::numeric_limits<Real>::max_exponent - 120;
  static constexpr int down = -std::numeric_limits<Real>::min_exponent - 20;
  /// Added to every sum, to cover what underflowed.
  static Real least() { return std::ldexp(Real{1}, -down); }
  /// No power is smaller than this. A kernel is at least e^-64 times a power, so it does not underflow either.
  static Real floor() { return std::ldexp(Real{1}, 100 - down); }
};

/// value * 2^twos.
template <class Real>
Real scaled(Real value, double twos) {
  return std::ldexp(value, static_cast<int>(std::clamp(twos, -0x1p20, 0x1p20)));
}

/// At least exp(x), for every real number x of either sign such that `nats` is at most x (1 + 2^-45).
template <class Real>
Real exp_upper(double nats) {
  constexpr double log_2 = 0.6931471805599453;
  const double more = nats + std::abs(nats) * 0x1p-40;
  const double twos = std::ceil(more / log_2);
  const double over = std::max(0.0, twos * log_2 - more - std::abs(more) * 0x1p-45);
  return scaled<Real>(Real{exp_minus_upper(over)}, twos) * Real{1 + 0x1p-30};
}

/// The powers of `step` with exponents below 2^48, as products of entries of four lists.
template <class Real>
class JointPowers {
 public:
  /// `largest`: the largest exponent that will be asked for.
  JointPowers(Real step, std::uint64_t largest);
  /// The same, perhaps with larger exponents: reused from one of the last calls on this thread, since the selections of many groups
  /// have one step.
  static std::shared_ptr<const JointPowers> of(Real step, std::uint64_t largest);
  Real operator()(std::int64_t i) const {
    const auto k = static_cast<std::size_t>(i);
    return k < near_.size() ? near_[k] : far(k);
  }
  /// Whether the power with this exponent was raised to the floor.
  bool reach_floor(std::uint64_t exponent) const {
    return (*this)(static_cast<std::int64_t>(exponent)) < RealRange<Real>::floor() * Real{2.0};
  }

 private:
  static constexpr int digits = 12;
  static constexpr std::size_t base = std::size_t{1} << digits;
  Real far(std::size_t k) const;

  std::vector<Real> near_;
  std::vector<std::vector<Real>>
      distant_;  ///< [i][j]: step to the j 2^(12 (i + 1)); as far as exponents and powers are needed
};

/// Totals first .. last that share one table, which is that of the anchor a, one of these totals. Since |g - t w| >= |g - a w| - |t
/// - a| w, the table's masses times exp(rate * |t - a|) bound those of total t.
struct TotalRange {
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t anchor;
  friend bool operator==(const TotalRange&, const TotalRange&) = default;
};

/// Memory of one table. Returned memory is kept for the next tables of this thread, since an allocator might return it to the
/// system after every selection and then fault each page in again.
template <class Real>
class TableRoom {
 public:
  TableRoom() = default;
  TableRoom(const TableRoom&) = delete;
  TableRoom& operator=(const TableRoom&) = delete;
  TableRoom(TableRoom&& other) noexcept { swap(other); }
  TableRoom& operator=(TableRoom&& other) noexcept {
    TableRoom taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~TableRoom() {
    Kept& spare = kept();
    if (size_ > 0 && size_ <= largest && spare.count < most) spare.rooms[spare.count++] = {std::move(entries_), size_};
  }

  /// Not initialized. When the room grows, its contents are lost.
  Real* of(std::size_t entries) {
    if (entries > size_) *this = taken(entries);
    return entries_.get();
  }

 private:
  using Entries = std::unique_ptr<Real[]>;            // NOLINT(modernize-avoid-c-arrays)
  static constexpr std::size_t most = 32;             // rooms; a selection has about this many tables
  static constexpr std::size_t largest = 16 * 1'024;  // entries; larger rooms are rare and not kept

  struct Kept {
    std::array<std::pair<Entries, std::size_t>, most> rooms;
    std::size_t count = 0;
  };
  static Kept& kept() {
    thread_local Kept of_this_thread;
    return of_this_thread;
  }

  static TableRoom taken(std::size_t entries) {
    TableRoom room;
    Kept& spare = kept();
    for (std::size_t i = spare.count; i-- > 0;) {
      if (spare.rooms[i].second < entries) continue;
      std::tie(room.entries_, room.size_) = std::move(spare.rooms[i]);
      spare.rooms[i] = std::move(spare.rooms[--spare.count]);
      return room;
    }
    room.entries_ = std::make_unique_for_overwrite<Real[]>(entries);  // NOLINT(modernize-avoid-c-arrays)
    room.size_ = entries;
    return room;
  }
  void swap(TableRoom& other) noexcept {
    std::swap(entries_, other.entries_);
    std::swap(size_, other.size_);
  }

  Entries entries_;
  std::size_t size_ = 0;
};

/// The table of a range of totals.
template <class Real>
struct JointTable {
  /// The sum over all rows.
  std::size_t entries() const {
    return std::accumulate(rows.begin(), rows.end(), std::size_t{0}, [](std::size_t sum, const JointRow<Real>& row) {
      return sum + row.enter.size() + row.stay.size();
    });
  }
  void drop() {
    rows = {};
    room = {};
  }

  TotalRange totals{};
  std::vector<JointKernel<Real>> kernels;
  std::vector<JointRow<Real>> rows;
  TableRoom<Real> room;  ///< the memory of the rows, all entries of which are written
  /// An upper bound, times 2^(scale k), of the mass of all selections within the windows, by the anchor's targets.
  Real mass = 0;
  std::uint64_t listing = 0;  ///< number of the listing whose places the rows have
};

/// Fills tables at a rate: the problem's rate, or a smaller one.
template <class Real>
class JointForward {
 public:
  /// `runs` lists the runs that the tables need.
  JointForward(const JointProblem& problem, JointRuns& runs, const Enclosure& rate);

  /// All ranks v of quantile j that, for some total t of the range, are at most half_width away from the interval between q t and q
  /// t + n - t, where q is the quantile and n the number of records. Rounded outwards to whole units.
  RankWindow window(std::size_t j, const TotalRange& totals, std::uint64_t half_width) const;
  /// Lists everything that tables with these windows need, so that they need not list it piece by piece.
  void cover(const TotalRange& totals, std::uint64_t half_width) { runs_.cover(windows(totals, half_width)); }
  void fill(const TotalRange& totals, std::uint64_t half_width, JointTable<Real>& table);
  /// Whether the places of runs in the table are still valid.
  bool is_up_to_date(const JointTable<Real>& table) const { return table.listing == runs_.listings(); }
  /// Whether the mass is well above what was added to cover underflow.
  static bool in_range(const JointTable<Real>& table) { return RealRange<Real>::floor() * Real{0x1p100} < table.mass; }
  /// How many entries have been computed.
  std::uint64_t work() const { return work_; }

  /// Upper bound of exp(-rate |g - t w|).
  Real kernel(const JointKernel<Real>& k, std::int64_t g) const {
    return g <= k.corner ? k.at_corner * power_(k.corner - g) : k.beyond * power_(g - k.corner - 1);
  }
  /// Upper bound of (base mass of run i) / (total base mass) * 2^scale, times a factor for ranks of the run that cost less than its
  /// middle.
  Real run_mass(std::size_t i) const { return run_mass_[i]; }
  /// All masses are multiplied by 2^scale per quantile, so that typical masses are near 1.
  int scale() const { return scale_; }
  const JointRuns& runs() const { return runs_; }

 private:
  /// One for each quantile.
  std::vector<RankWindow> windows(const TotalRange& totals, std::uint64_t half_width) const;
  RankWindow uncut_window(std::size_t j, const TotalRange& totals, std::uint64_t half_width) const;
  std::vector<JointKernel<Real>> kernels_of(std::uint64_t anchor) const;
  void set_inflation(const TotalRange& totals, std::uint64_t half_width);
  void enter_first(const JointKernel<Real>& k, JointRow<Real>& row) const;
  void enter_from(const JointRow<Real>& before, const JointKernel<Real>& k, JointRow<Real>& row);
  void enter_shifted(const JointRow<Real>& before, const JointKernel<Real>& k, Real more, JointRow<Real>& row);
  bool has_all_units(const JointRow<Real>& row) const {
    return runs_.units_below(row.end() - 1) - runs_.units_below(row.first) + 1 ==
           static_cast<std::int64_t>(row.enter.size());
  }
  bool is_dense(const JointRow<Real>& before, std::int64_t corner, const JointRow<Real>& row) const;
  void enter_by_units(const JointRow<Real>& before, const JointKernel<Real>& k, Real more, JointRow<Real>& row);
  void sum_windows(std::int64_t corner, std::int64_t size);
  void enter_by_runs(const JointRow<Real>& before, const JointKernel<Real>& k, Real more, JointRow<Real>& row);
  void stay(std::size_t j, JointTable<Real>& table) const;

  const JointProblem& problem_;
  JointRuns& runs_;
  std::int64_t records_;
  std::size_t quantiles_;
  double rate_;  // at most the rate
  int scale_;
  Real inflation_ = 1;  ///< factor that covers rounding errors in the windows that are being filled
  Real one_step_;       // upper bound of exp(-rate)
  std::vector<Real> run_mass_;
  std::uint64_t listing_ = 0;  ///< number of the listing to which run_mass_ belongs
  std::shared_ptr<const JointPowers<Real>> powers_;
  const JointPowers<Real>& power_;  // of one_step_
  bool reach_floor_;                // some powers were raised to the floor
  // Scratch for the row that is being filled.
  std::vector<Real> padded_;
  std::vector<Real> windowed_;
  std::vector<Real> prefixes_;
  std::vector<Real> suffixes_;
  std::uint64_t work_ = 0;
};

extern template class JointForward<double>;
extern template class JointForward<long double>;

}  // namespace fractile
