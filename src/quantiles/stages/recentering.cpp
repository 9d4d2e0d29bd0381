#include "quantiles/stages/recentering.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "quantiles/stages/brackets.hpp"

namespace fractile {
namespace {

/// A cut, or an end of the range: a place up to which records were counted.
struct Knot {
  Rational place;       ///< in candidates
  Rational below;       ///< the noisy count of records below it
  Rational quantile;    ///< the quantile that was expected there
  std::size_t cuts;     ///< the number of counts up to it
  std::size_t at_once;  ///< the number of cuts at this place; no candidate lies between them
};

Rational rational_of(int128 count) {
  constexpr int128 most = int128{1} << 62;
  return static_cast<std::int64_t>(std::clamp(count, -most, most));
}

/// A cut's place: half a step before or after a candidate, where no record is.
Rational place_of(Position cut) { return (Rational(cut) - Rational(cut % 2 == 0 ? 1 : 2)) / Rational(2); }

/// The number of records below each place, estimated from the counts: linear in each cell.
class CountedCurve {
 public:
  CountedCurve(const Lattice& lattice, const Brackets& brackets, const PlacedCuts& cuts,
               const std::vector<int128>& below) {
    knots_.push_back({Rational(-1, 2), 0, 0, 0, 1});
    for (std::size_t i = 0; i < cuts.positions.size(); ++i) {
      const Rational place = place_of(cuts.positions[i]);
      const Rational count = rational_of(below[i + 1]);
      Knot& last = knots_.back();
      if (i > 0 && place == last.place) {
        last.below = (last.below * Rational(last.at_once) + count) / Rational(last.at_once + 1);
        ++last.at_once;
      } else {
        knots_.push_back({place, count, brackets.cuts[cuts.targets[i]].quantile, i + 1, 1});
      }
    }
    knots_.push_back({Rational(lattice.size()) - Rational(1, 2), rational_of(below.back()), 1, below.size() - 1, 1});
  }

  std::size_t cells() const { return knots_.size() - 1; }
  const Rational& records() const { return knots_.back().below; }
  /// The number of counts below a cell, which is numbered from 0.
  std::size_t counts_below(std::size_t cell) const { return knots_[cell].cuts; }

  /// The first cell whose end is at or beyond the place.
  std::size_t cell_of(const Rational& place) const {
    std::size_t cell = 0;
    while (cell + 1 < cells() && knots_[cell + 1].place < place) ++cell;
    return cell;
  }
  /// Whether a cell holds between half and twice the records that were expected in it, and the cells next to it between a fourth and four
  /// times as many. More suggest a tie, and fewer a gap; linear interpolation in such cells does not show where their records lie.
  bool is_as_expected(std::size_t cell) const {
    return holds_expected(cell, 2) && (cell == 0 || holds_expected(cell - 1, 4)) &&
           (cell + 1 == cells() || holds_expected(cell + 1, 4));
  }
  /// The number of records below a place in the cell.
  Rational below(std::size_t cell, const Rational& place) const {
    const Knot& from = knots_[cell];
    const Knot& to = knots_[cell + 1];
    return from.below + (place - from.place) / (to.place - from.place) * (to.below - from.below);
  }
  /// The place with this many records below it, in the cell or near it.
  Rational place(std::size_t cell, const Rational& wanted) const {
    while (cell + 1 < cells() && knots_[cell + 1].below < wanted) ++cell;
    while (cell > 0 && knots_[cell].below > wanted) --cell;
    const Knot& from = knots_[cell];
    const Knot& to = knots_[cell + 1];
    if (to.below <= from.below) return to.place;
    return from.place + (wanted - from.below) / (to.below - from.below) * (to.place - from.place);
  }

 private:
  /// Whether a cell holds the expected records up to a factor of `times`.
  bool holds_expected(std::size_t cell, int times) const {
    const Rational expected = records() * (knots_[cell + 1].quantile - knots_[cell].quantile);
    const Rational found = knots_[cell + 1].below - knots_[cell].below;
    return found.sign() > 0 && found * Rational(times) >= expected && found <= expected * Rational(times);
  }

  std::vector<Knot> knots_;
};

/// The part of an apparent error that is expected to come from the selection, and not from the counts.
class ErrorShare {
 public:
  ErrorShare(const QuantileQuery& query, const Brackets& brackets, std::size_t counts)
      : of_point_(deviation_of_points(query, brackets.shares)),
        of_count_(deviation_of_counts(query, brackets.shares)),
        counts_(static_cast<double>(counts)) {}

  struct Expected {
    Rational own;     ///< the selection's part of the apparent error, in multiples of 1/1024
    Rational widest;  ///< the largest plausible apparent error, in records
  };
  Expected at(const Rational& quantile, std::size_t counts_below) const {
    constexpr double widest = 4;  // deviations
    const double q = quantile.to_double();
    const auto i = static_cast<double>(counts_below);
    const double noise = of_count_ * of_count_ * (q * q * (counts_ - i) + (1 - q) * (1 - q) * i);
    const double own = of_point_ * of_point_;
    return {Rational(static_cast<std::int64_t>(1024 * own / (own + noise)), 1024),
            static_cast<std::int64_t>(std::min(widest * std::sqrt(own + noise), 0x1p60))};
  }

 private:
  double of_point_;
  double of_count_;
  double counts_;
};

std::uint64_t nearest_candidate(const Rational& place, const Lattice& lattice) {
  const Rational nearest = (place + Rational(1, 2)).floor();
  return std::clamp(nearest, Rational(0), Rational(lattice.size() - 1)).to_uint64();
}

}  // namespace

std::vector<std::uint64_t> recentered(const std::vector<std::uint64_t>& points, const QuantileQuery& query,
                                      const Lattice& lattice, const Brackets& brackets, const PlacedCuts& cuts,
                                      const std::vector<int128>& below) {
  // Moving a single point by the few cells around it gained nothing, and among few records it made errors larger.
  if (points.size() < 2 || !lattice.is_regular()) return points;
  const CountedCurve curve(lattice, brackets, cuts, below);
  const ErrorShare share(query, brackets, below.size() - 1);
  const auto moved = [&](const Rational& quantile, std::uint64_t point) {
    const Rational place = point;
    const std::size_t cell = curve.cell_of(place);
    if (!curve.is_as_expected(cell)) return point;
    const Rational seen = curve.below(cell, place) - quantile * curve.records();
    const ErrorShare::Expected expected = share.at(quantile, curve.counts_below(cell));
    if (std::max(seen, -seen) > expected.widest) return point;
    const Rational wanted = quantile * curve.records() + seen * (Rational(1) - expected.own);
    const std::uint64_t there = nearest_candidate(curve.place(cell, wanted), lattice);
    return cuts.grid ? cuts.grid->nearest(there, lattice.size()) : there;
  };
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::uint64_t there = moved(query.quantiles[i], points[i]);
    result.push_back(result.empty() ? there : std::max(there, result.back()));
  }
  return result;
}

}  // namespace fractile
