#include "flow/windows/local_loss.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "flow/algebra/ring.hpp"

namespace fractile::flow {
namespace {

using Direction = MonotonePiece::Direction;

constexpr int first_parts = 64;        // parts of a cell at first; wider parts decide nothing
constexpr double narrowest = 0x1p-33;  // width of a part; all places together have width 2

/// What is decided on a range of places.
struct Known {
  LocalPolynomial slope;  ///< sum over the observations whose best action is known
  double neglected = 0;   ///< bound of the slope of the observations that are left out
  std::vector<OpenActions> open;
  std::set<std::size_t> taken;  ///< the known best actions

  /// Whether one action is best after all observations.
  bool is_constant() const { return open.empty() && neglected == 0 && taken.size() == 1; }
};

class Bisection {
 public:
  Bisection(LocalLoss& loss, const Cell& cell)
      : loss_(loss),
        cell_(cell),
        slope_error_(loss.slope_error().upper_double()),
        negligible_slope_(loss.negligible_slope().upper_double()),
        flat_(loss.flat_slope()) {}

  std::vector<MonotonePiece> pieces() {
    Known nothing;
    nothing.open = loss_.observations();
    for (int i = 0; i < first_parts; ++i) add({2.0 * i / first_parts - 1, 2.0 * (i + 1) / first_parts - 1}, nothing);
    return std::move(pieces_);
  }

 private:
  void add(const Places& places, const Known& before) {
    Known known{before.slope, before.neglected, {}, before.taken};
    for (const OpenActions& open : before.open) settle(open, places, known);
    if (known.is_constant()) return append(places, Direction::falls);
    const Slope slope = slope_over(known, places);
    if (slope.lower > 0) return append(places, Direction::rises);
    if (slope.upper <= 0 || leaves_the_baseline_falling(known, places)) return append(places, Direction::falls);
    const double lost = std::max(8 * error_of(known), flat_);
    const bool is_lost = slope.upper <= lost && slope.lower >= -lost;
    if (is_lost || places.to - places.from <= narrowest) return append(places, Direction::unknown);
    add({places.from, places.middle()}, known);
    add({places.middle(), places.to}, known);
  }

  /// Keeps the actions that may be best somewhere on the places.
  void settle(OpenActions open, const Places& places, Known& known) {
    for (std::size_t i = 0; i < open.actions.size(); ++i) {
      const std::size_t kept = open.actions[i];
      std::erase_if(open.actions,
                    [&](std::size_t other) { return other != kept && is_no_worse(kept, other, open, places); });
      i = static_cast<std::size_t>(std::ranges::find(open.actions, kept) - open.actions.begin());
    }
    if (open.actions.size() == 1) {
      known.taken.insert(open.actions.front());
      known.slope += loss_.slope(open.first, open.last, open.actions.front()).exact;
    } else if (loss_.is_negligible(open.first, open.last, places)) {
      known.neglected += negligible_slope_ * (1 + 0x1p-40);
    } else if (open.first == open.last) {
      known.open.push_back(std::move(open));
    } else {
      const std::size_t middle = loss_.parting(open.first, open.last, places);
      settle({open.first, middle, open.actions}, places, known);
      settle({middle + 1, open.last, std::move(open.actions)}, places, known);
    }
  }

  bool is_no_worse(std::size_t action, std::size_t other, const OpenActions& open, const Places& places) {
    return loss_.is_no_worse(action, other, open.first, places) &&
           (open.first == open.last || loss_.is_no_worse(action, other, open.last, places));
  }

  /// Whether the loss falls wherever it changes: only the baseline is known to be taken, and the loss of every other action falls.
  bool leaves_the_baseline_falling(const Known& known, const Places& places) {
    const std::optional<std::size_t> baseline = loss_.baseline();
    if (!baseline || known.neglected > 0) return false;
    if (std::ranges::any_of(known.taken, [&](std::size_t action) { return action != *baseline; })) return false;
    const auto falls = [&](const OpenActions& open, std::size_t action) {
      return action == *baseline || loss_.slope(open.first, open.last, action).is_at_most(-slope_error_, places);
    };
    return std::ranges::all_of(known.open, [&](const OpenActions& open) {
      return std::ranges::all_of(open.actions, [&](std::size_t action) { return falls(open, action); });
    });
  }

  double error_of(const Known& known) const { return (slope_error_ + known.neglected) * (1 + 0x1p-40); }

  /// Bounds of the loss's derivative wherever it has one, and so of its changes.
  struct Slope {
    double lower;
    double upper;
  };
  Slope slope_over(const Known& known, const Places& places) {
    const FilteredPolynomial settled(known.slope);
    const QuickBall quick = quick_slope(settled.quick, known, places);
    if (quick.lower() > 0 || quick.upper() <= 0 || quick.is_wide()) return {quick.lower(), quick.upper()};
    Enclosure slope = settled.over(places);
    for (const OpenActions& open : known.open) {
      Enclosure any = loss_.slope(open.first, open.last, open.actions.front()).over(places);
      for (const std::size_t action : open.actions) {
        const Enclosure one = loss_.slope(open.first, open.last, action).over(places);
        arb_union(any.arb(), any.arb(), one.arb(), chebyshev_bits);
      }
      arb_add(slope.arb(), slope.arb(), any.arb(), chebyshev_bits);
    }
    arb_add_error(slope.arb(), Enclosure::of_double(error_of(known)).arb());
    return {slope.lower_double(), slope.upper_double()};
  }

  QuickBall quick_slope(const QuickPolynomial& settled, const Known& known, const Places& places) {
    QuickBall slope = settled.over(places) + QuickBall{0, 0, error_of(known)};
    for (const OpenActions& open : known.open) {
      QuickBall any = loss_.slope(open.first, open.last, open.actions.front()).quick.over(places);
      for (const std::size_t action : open.actions) {
        any = hull(any, loss_.slope(open.first, open.last, action).quick.over(places));
      }
      slope = slope + any;
    }
    return slope;
  }

  void append(const Places& places, Direction direction) {
    const auto odds = [&](double place) { return cell_.odds_at(Rational::from_double(place)); };
    append_piece(pieces_, {odds(places.from), odds(places.to), direction});
  }

  LocalLoss& loss_;
  const Cell& cell_;
  double slope_error_;
  double negligible_slope_;
  double flat_;  // a slope that is not examined further
  std::vector<MonotonePiece> pieces_;
};

}  // namespace

void append_piece(std::vector<MonotonePiece>& pieces, MonotonePiece next) {
  if (!pieces.empty() && pieces.back().direction == next.direction) {
    pieces.back().to = std::move(next.to);
  } else {
    pieces.push_back(std::move(next));
  }
}

std::vector<MonotonePiece> pieces_of(LocalLoss& loss, const Cell& cell) { return Bisection(loss, cell).pieces(); }

}  // namespace fractile::flow
