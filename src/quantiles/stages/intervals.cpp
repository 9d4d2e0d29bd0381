#include "quantiles/stages/intervals.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "quantiles/stages/brackets.hpp"
#include "quantiles/stages/count_tree.hpp"

namespace fractile {

Rational level_in_pairs(const IntervalRequest& request) { return (Rational(1) + request.level) * Rational(1, 2); }

std::string to_string(IntervalOf of) { return of == IntervalOf::table ? "table" : "population"; }

namespace {

/// Of an end's failure probability, what is for cuts that moved past those of other quantiles.
constexpr double share_of_moved = 0x1p-6;

/// Cuts by their place, from the first to the last.
struct CutRange {
  std::size_t first;
  std::size_t last;

  CellsBelow cells_below() const { return {first + 1, last + 1}; }
};

/// Which cuts decide an end. Both ranges follow from what is public alone.
struct EndRanges {
  CutRange own;    ///< the places of its quantile's cuts on this side, when none has moved
  CutRange wider;  ///< all places to which they may move, past cuts of other quantiles
  bool have_moved = false;

  bool may_move() const { return wider.first < own.first || wider.last > own.last; }
};

/// Nothing for an end without cuts. A lower cut may move before the upper ones whose targets are before its own, and no others do.
std::optional<EndRanges> ranges_of(const Brackets& brackets, const PlacedCuts& placed, IntervalEnd end,
                                   std::size_t owner) {
  const bool is_lower = end == IntervalEnd::lower;
  const std::vector<CutTarget>& cuts = brackets.cuts;
  const auto is_own = [&](const CutTarget& cut) { return cut.end == end && cut.owner == owner; };
  const auto is_other = [&](const CutTarget& cut) { return cut.end != end; };
  const auto front = std::ranges::find_if(cuts, is_own);
  if (front == cuts.end()) return {};
  const auto after_last = std::find_if(cuts.rbegin(), cuts.rend(), is_own).base();
  const CutRange own{static_cast<std::size_t>(front - cuts.begin()),
                     static_cast<std::size_t>(after_last - cuts.begin()) - 1};
  EndRanges ranges{own, own};
  if (is_lower) ranges.wider.first -= static_cast<std::size_t>(std::count_if(cuts.begin(), front, is_other));
  if (!is_lower) ranges.wider.last += static_cast<std::size_t>(std::count_if(after_last, cuts.end(), is_other));
  for (std::size_t place = 0; place < placed.targets.size(); ++place) {
    const bool outside = place < own.first || place > own.last;
    if (outside && is_own(cuts[placed.targets[place]])) ranges.have_moved = true;
  }
  return ranges;
}

/// Which cuts are rejected, and the ends that follow.
class CutScan {
 public:
  CutScan(const Lattice& lattice, const std::vector<Position>& cuts, const std::vector<int128>& below)
      : lattice_(lattice), cuts_(cuts), below_(below) {}

  std::int64_t noisy_records() const {
    constexpr int128 most = int128{1} << 50;
    return static_cast<std::int64_t>(std::clamp(below_.back(), -most, most));
  }

  /// The last cut up to which all of the range are rejected; the range's own end without one.
  std::uint64_t lower_end(const QuantileFraction& q, const CutRange& range,
                          const CriticalValues::Threshold& threshold) const {
    std::uint64_t end = 0;
    for (std::size_t k = range.first; k <= range.last; ++k) {
      if (!threshold.exceeds(statistic(q, k))) break;
      end = first_from(cuts_[k]);
    }
    return end;
  }

  std::uint64_t upper_end(const QuantileFraction& q, const CutRange& range,
                          const CriticalValues::Threshold& threshold) const {
    std::uint64_t end = lattice_.size() - 1;
    for (std::size_t k = range.last + 1; k-- > range.first;) {
      if (!threshold.exceeds(-statistic(q, k))) break;
      end = last_before(cuts_[k]);
    }
    return end;
  }

 private:
  /// (1 - q) below - q above of the cut, in units of 1 / denominator.
  int128 statistic(const QuantileFraction& q, std::size_t cut) const {
    const int128 below = below_[cut + 1];
    const int128 above = below_.back() - below;
    return static_cast<int128>(q.denominator - q.numerator) * below - static_cast<int128>(q.numerator) * above;
  }
  /// The candidates next to a quantile that is not below the cut, and to one that is: listed candidates may have it between them.
  std::uint64_t first_from(Position cut) const {
    const std::uint64_t candidate = lattice_.is_regular() ? cut / 2 : (cut - 1) / 2;
    return std::min(candidate, lattice_.size() - 1);
  }
  std::uint64_t last_before(Position cut) const {
    if (cut % 2 == 0) return cut / 2 - 1;
    return lattice_.is_regular() && cut > 1 ? cut / 2 - 1 : cut / 2;
  }

  const Lattice& lattice_;
  const std::vector<Position>& cuts_;
  const std::vector<int128>& below_;
};

CriticalValues critical_values(const QuantileQuery& query, const Budget& share, std::size_t cells) {
  const CountTreeNoise noise = noise_of_cells(query, share);
  return {noise.measure(), noise.price(), cells};
}

std::vector<int128> sums_from_none(const std::vector<std::int64_t>& counts) {
  std::vector<int128> sums{0};
  for (const std::int64_t count : counts) sums.push_back(sums.back() + count);
  return sums;
}

}  // namespace

CountedCells::CountedCells(const QuantileQuery& query, const Lattice& lattice, const Brackets& brackets,
                           const std::vector<std::uint64_t>& selected, const std::vector<std::int64_t>& counts)
    : query_(query),
      lattice_(lattice),
      brackets_(brackets),
      cuts_(cuts_of(selected, brackets, lattice)),
      below_(sums_from_none(counts)),
      critical_(critical_values(query, query.budget.scaled(brackets.shares.cells), counts.size())) {}

std::vector<Interval> CountedCells::intervals(const Rational& level) {
  IntervalRequest request = *query_.intervals;
  request.level = level;
  const IntervalFailures failures(request, query_.quantiles.size());
  const CutScan scan(lattice_, cuts_.positions, below_);
  const auto threshold = [&](const QuantileFraction& q, IntervalEnd end, const CutRange& range, double share) {
    const double failure = failures.of_end * share;
    if (request.of == IntervalOf::table) return critical_.of_table(q, end, range.cells_below(), failure);
    return critical_.of_population(q, end, range.cells_below(), failure, scan.noisy_records(), failures.of_n);
  };
  const auto end_of = [&](std::size_t owner, IntervalEnd end) {
    const std::optional<EndRanges> ranges = ranges_of(brackets_, cuts_, end, owner);
    if (!ranges) return end == IntervalEnd::lower ? 0 : lattice_.size() - 1;
    const QuantileFraction q = QuantileFraction::of(query_.quantiles[owner]);
    const auto scanned = [&](const CutRange& range, double share) {
      const CriticalValues::Threshold limit = threshold(q, end, range, share);
      return end == IntervalEnd::lower ? scan.lower_end(q, range, limit) : scan.upper_end(q, range, limit);
    };
    const std::uint64_t there = scanned(ranges->own, ranges->may_move() ? 1 - share_of_moved : 1);
    if (!ranges->have_moved) return there;
    const std::uint64_t moved = scanned(ranges->wider, share_of_moved);
    return end == IntervalEnd::lower ? std::max(there, moved) : std::min(there, moved);
  };
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < query_.quantiles.size(); ++i) {
    const std::uint64_t lower = end_of(i, IntervalEnd::lower);
    const std::uint64_t upper = end_of(i, IntervalEnd::upper);
    const auto [first, last] = std::minmax(lower, upper);
    intervals.push_back({first, last, first == 0, last == lattice_.size() - 1});
  }
  return intervals;
}

}  // namespace fractile
