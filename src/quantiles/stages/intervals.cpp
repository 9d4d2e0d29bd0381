#include "quantiles/stages/intervals.hpp"

#include <algorithm>
#include <optional>

#include "quantiles/draws/calibration.hpp"
#include "quantiles/stages/brackets.hpp"
#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/recentering.hpp"

namespace fractile {

Rational level_in_pairs(const IntervalRequest& request) { return (Rational(1) + request.level) * Rational(1, 2); }

std::string to_string(IntervalSubject subject) { return subject == IntervalSubject::table ? "table" : "population"; }

namespace {

/// One end of an interval, and the statistic from which on each cut is rejected.
struct End {
  QuantileFraction q;
  IntervalEnd side;
  CriticalValues::Threshold threshold;
  std::vector<std::int64_t> margins;  ///< of all cuts, in their order
};

/// The number of cells below the innermost cut whose target is on this side of the quantile, which is public. Nothing when no cut is. The
/// cuts at the point of a single quantile are on the sides of their ends.
std::optional<std::size_t> innermost_cut(const Brackets& brackets, const Rational& q, IntervalEnd side) {
  auto first_above = std::ranges::upper_bound(brackets.cuts, q, {}, &CutTarget::quantile);
  auto first_from = std::ranges::lower_bound(brackets.cuts, q, {}, &CutTarget::quantile);
  if (brackets.wanted.size() == 1) {
    while (first_from != first_above && first_from->end == IntervalEnd::lower) ++first_from;
    first_above = first_from;
  }
  const auto place = [&](auto cut) { return static_cast<std::size_t>(cut - brackets.cuts.begin()); };
  const std::size_t below = side == IntervalEnd::lower ? place(first_from) : place(first_above) + 1;
  return below >= 1 && below <= brackets.cuts.size() ? std::optional(below) : std::nullopt;
}

/// Finds which cuts are rejected, and the ends that follow.
class CutScan {
 public:
  CutScan(const Lattice& lattice, const std::vector<Position>& cuts, const std::vector<int128>& below)
      : lattice_(lattice), cuts_(cuts), below_(below) {}

  /// One end per quantile; `ends` are in the order of their quantiles. Each end is at the last cut up to which all cuts, from the
  /// end of the range on, are rejected; without a rejected cut, it is the end of the range. Equal cuts are rejected or kept together. A cut
  /// counts as rejected only if it is also rejected for all quantiles beyond this one. So ends never fall from one quantile to the next.
  std::vector<std::uint64_t> lower_ends(const std::vector<std::optional<End>>& ends) const {
    std::vector<std::uint64_t> found(ends.size(), 0);
    std::size_t most = cuts_.size();  // cuts that are rejected for all quantiles so far
    for (std::size_t i = ends.size(); i-- > 0;) {
      const std::size_t rejected = ends[i] ? std::min(most, rejected_from_below(*ends[i])) : 0;
      if (rejected > 0) found[i] = first_from(cuts_[rejected - 1]);
      most = rejected;
    }
    return found;
  }

  std::vector<std::uint64_t> upper_ends(const std::vector<std::optional<End>>& ends) const {
    std::vector<std::uint64_t> found(ends.size(), lattice_.size() - 1);
    std::size_t most = cuts_.size();
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const std::size_t rejected = ends[i] ? std::min(most, rejected_from_above(*ends[i])) : 0;
      if (rejected > 0) found[i] = last_before(cuts_[cuts_.size() - rejected]);
      most = rejected;
    }
    return found;
  }

 private:
  /// How many cuts in a row are rejected.
  std::size_t rejected_from_below(const End& end) const {
    std::size_t k = 0;
    while (k < cuts_.size()) {
      std::size_t next = k + 1;
      while (next < cuts_.size() && cuts_[next] == cuts_[k]) ++next;
      if (!are_rejected(end, k, next - 1)) break;
      k = next;
    }
    return k;
  }
  std::size_t rejected_from_above(const End& end) const {
    std::size_t k = cuts_.size();
    while (k > 0) {
      std::size_t next = k - 1;
      while (next > 0 && cuts_[next - 1] == cuts_[k - 1]) --next;
      if (!are_rejected(end, next, k - 1)) break;
      k = next;
    }
    return cuts_.size() - k;
  }
  /// The one of equal cuts whose statistic has the least noise decides. Which one that is does not depend on the noise.
  bool are_rejected(const End& end, std::size_t first_equal, std::size_t last_equal) const {
    return is_rejected(end, 2 * end.q.numerator < end.q.denominator ? first_equal : last_equal);
  }
  bool is_rejected(const End& end, std::size_t cut) const {
    const int128 there = statistic(end.q, cut);
    return end.threshold.exceeds((end.side == IntervalEnd::lower ? there : -there) + end.margins[cut]);
  }
  /// (1 - q) below - q above of the cut, in units of 1 / denominator.
  int128 statistic(const QuantileFraction& q, std::size_t cut) const {
    const int128 below = below_[cut + 1];
    const int128 above = below_.back() - below;
    return static_cast<int128>(q.denominator - q.numerator) * below - static_cast<int128>(q.numerator) * above;
  }
  /// The candidates next to a quantile that is not below the cut, and next to one that is; a cut may lie between two listed
  /// candidates.
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

std::vector<int128> sums_from_none(const std::vector<std::int64_t>& counts) {
  std::vector<int128> sums{0};
  for (const std::int64_t count : counts) sums.push_back(sums.back() + count);
  return sums;
}

}  // namespace

CriticalValues critical_values(const QuantileQuery& query, const Brackets& brackets) {
  const CountTreeNoise noise(with_part(query, brackets.shares.cells), 1);
  return {noise.measure(), noise.price(), brackets.cuts.size() + 1};
}

CountedCells::CountedCells(const QuantileQuery& query, const Lattice& lattice, const Brackets& brackets,
                           const std::vector<std::uint64_t>& selected, const std::vector<std::int64_t>& counts,
                           CriticalValues& critical)
    : query_(query),
      lattice_(lattice),
      brackets_(brackets),
      selected_(selected),
      cuts_(cuts_of(selected, brackets, lattice)),
      below_(sums_from_none(counts)),
      critical_(critical) {}

std::vector<std::uint64_t> CountedCells::points(const std::vector<Interval>& intervals) const {
  std::vector<std::uint64_t> points =
      recentered(points_among(selected_, brackets_, lattice_), query_, lattice_, brackets_, cuts_, below_);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = std::clamp(points[i], intervals[i].lower, intervals[i].upper);
  }
  return points;
}

std::int64_t CountedCells::noisy_records() const {
  constexpr int128 most = int128{1} << 50;
  return static_cast<std::int64_t>(std::clamp(below_.back(), -most, most));
}

std::vector<Interval> CountedCells::intervals(const Rational& level, std::int64_t noisy_records) const {
  IntervalRequest request = *query_.intervals;
  request.level = level;
  const IntervalFailures failures(request, query_.quantiles.size());
  const CutScan scan(lattice_, cuts_.positions, below_);
  const bool is_of_table = request.subject == IntervalSubject::table;
  const CutMargins margins = is_of_table ? CutMargins::of_table(failures.of_end) : CutMargins::of_population();
  const auto end_of = [&](const Rational& quantile, IntervalEnd side) -> std::optional<End> {
    const std::optional<std::size_t> place = innermost_cut(brackets_, quantile, side);
    if (!place || cuts_.positions.empty()) return {};
    const std::size_t innermost = cuts_.cells_below[*place - 1];
    const QuantileFraction q = QuantileFraction::of(quantile);
    End end{q, side, {}, {}};
    end.threshold = is_of_table
                        ? critical_.of_table(q, side, innermost, failures.of_end)
                        : critical_.of_population(q, side, innermost, failures.of_end, noisy_records, failures.of_n);
    for (std::size_t i = 1; i <= cuts_.positions.size(); ++i) {
      end.margins.push_back(critical_.margin(q, side, innermost, i, margins));
    }
    return end;
  };
  std::vector<std::optional<End>> lower;
  std::vector<std::optional<End>> upper;
  for (const Rational& q : query_.quantiles) {
    lower.push_back(end_of(q, IntervalEnd::lower));
    upper.push_back(end_of(q, IntervalEnd::upper));
  }
  const std::vector<std::uint64_t> lower_ends = scan.lower_ends(lower);
  const std::vector<std::uint64_t> upper_ends = scan.upper_ends(upper);
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const auto [first, last] = std::minmax(lower_ends[i], upper_ends[i]);
    intervals.push_back({first, last, first == 0, last == lattice_.size() - 1});
  }
  return intervals;
}

}  // namespace fractile
