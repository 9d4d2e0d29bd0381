// Where a loss rises with epsilon. Proofs: docs/proofs/stability.md, "Windows", and docs/proofs/windows.md.
#include "fractile/windows.hpp"

#include <algorithm>
#include <utility>

#include "exact/workers.hpp"
#include "flow/algebra/real_roots.hpp"
#include "flow/loss/joint_weights.hpp"
#include "flow/loss/noisy_argmax.hpp"
#include "flow/loss/target_count.hpp"
#include "flow/loss/target_sum.hpp"
#include "flow/pipeline/pipeline_rows.hpp"
#include "flow/pipeline/rows.hpp"
#include "flow/windows/local_argmax.hpp"
#include "flow/windows/local_count.hpp"
#include "flow/windows/local_sum.hpp"
#include "flow/windows/monotone_pieces.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

/// The analyst's expected loss as a function of base: sum over y of the least of some polynomials, over a common denominator.
class LossCurve {
 public:
  LossCurve(const Pipeline& pipeline, const Analyst& analyst) {
    const Frame frame = frame_of(pipeline);
    const Rows<Polynomial> rows = symbolic_rows(pipeline, frame);
    const Matrix weights = joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline)).weights;
    denominator_ = rows.denominator;
    for (std::size_t y = 0; y < frame.observation_names.size(); ++y) {
      choices_.emplace_back();
      for (std::size_t w = 0; w < weights.columns(); ++w) {
        Polynomial sum;
        for (std::size_t x = 0; x < weights.rows(); ++x) {
          add_product(sum, rows.numerators[x][y], Polynomial::constant(weights(x, w)));
        }
        if (std::ranges::find(choices_.back(), sum) == choices_.back().end()) choices_.back().push_back(std::move(sum));
      }
    }
  }

  /// Where some best action may change.
  std::vector<RealBounds> crossings(const Rational& from, const Rational& to) const {
    std::vector<RealBounds> result;
    for (const std::vector<Polynomial>& choices : choices_) {
      for (std::size_t i = 0; i < choices.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
          std::ranges::move(real_roots(choices[i] - choices[j], from, to), std::back_inserter(result));
      }
    }
    return result;
  }

  /// A polynomial with the sign of the loss's derivative, wherever the best actions are those at `base`.
  Polynomial slope_near(const Rational& base) const {
    Polynomial numerator;
    for (const std::vector<Polynomial>& choices : choices_) {
      const Polynomial* least = nullptr;
      Rational value;
      for (const Polynomial& choice : choices) {
        const Rational here = choice.at(base);
        if (least != nullptr && here >= value) continue;
        least = &choice;
        value = here;
      }
      numerator = numerator + *least;
    }
    return numerator.derivative() * denominator_ - numerator * denominator_.derivative();
  }

 private:
  std::vector<std::vector<Polynomial>> choices_;  // by observation: different ones
  Polynomial denominator_;
};

/// In order, those whose bounds meet joined into one.
std::vector<RealBounds> joined(std::vector<RealBounds> points) {
  std::ranges::sort(points, {}, &RealBounds::lower);
  std::vector<RealBounds> result;
  for (RealBounds& point : points) {
    if (result.empty() || result.back().upper < point.lower) {
      result.push_back(std::move(point));
    } else {
      result.back().upper = std::max(result.back().upper, point.upper);
    }
  }
  return result;
}

Rational middle(const Rational& a, const Rational& b) { return (a + b) / 2; }

/// Windows between two bases.
std::vector<UnstableWindow> windows_within(const LossCurve& curve, const Rational& from, const Rational& to) {
  std::vector<UnstableWindow> windows;
  std::vector<RealBounds> points = curve.crossings(from, to);
  points.push_back({from, from});
  points.push_back({to, to});
  const std::vector<RealBounds> pieces = joined(std::move(points));
  bool rises = false;  // up to where the next part begins
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    const Polynomial slope = curve.slope_near(middle(pieces[i].upper, pieces[i + 1].lower));
    std::vector<RealBounds> turns = real_roots(slope, pieces[i].upper, pieces[i + 1].lower);
    turns.push_back(pieces[i]);
    turns.push_back(pieces[i + 1]);
    turns = joined(std::move(turns));
    for (std::size_t j = 0; j + 1 < turns.size(); ++j) {
      const bool rises_here = slope.at(middle(turns[j].upper, turns[j + 1].lower)).sign() > 0;
      if (rises_here && rises) windows.back().to = turns[j + 1];
      if (rises_here && !rises) windows.push_back({turns[j], turns[j + 1]});
      rises = rises_here;
    }
  }
  return windows;
}

RealBounds power_of(const RealBounds& base, std::int64_t degree) {
  return {base.lower.pow(degree), base.upper.pow(degree)};
}

/// Windows can be isolated.
bool has_short_polynomials(const Pipeline& pipeline) {
  constexpr double longest = 300;
  return symbolic_degree(pipeline) <= longest;
}

// --- Proofs ----------------------------------------------------------------------------------------------------------

/// Exact losses of more people take seconds each, and of more still, minutes.
constexpr std::size_t most_people_exactly = 1000;
constexpr std::size_t most_counted_exactly = 20'000;

/// Whether seconds are enough.
bool has_exact_loss(const Pipeline& pipeline, const Rational& odds) {
  if (counts_with_known_others(pipeline)) return pipeline.participants <= most_counted_exactly;
  return adds_known_others(pipeline) ? has_short_loss(pipeline, odds) : has_short_polynomials(pipeline);
}

/// Near the ends of a range; nothing when the losses do not tell.
template <class LossAt>
std::optional<Rise> rise_near(const Rational& from, const Rational& to, std::int64_t part, std::int64_t degree,
                              const LossAt& loss_at) {
  const Rational middle_of_both = middle(from, to);
  const Rational reach = (to - from) / part;
  const Rational low = short_rational(from, from, middle_of_both, reach).pow(degree);
  const Rational high = short_rational(to, middle_of_both, to, reach).pow(degree);
  Rise rise{low, high, loss_at(low), loss_at(high)};
  if (rise.loss_from.upper >= rise.loss_to.lower) return {};
  return rise;
}

/// Between two bases, near them; nothing when none is found.
std::optional<Rise> rise_between(const Pipeline& pipeline, const Analyst& analyst, const Rational& from,
                                 const Rational& to) {
  const auto enclosed = [&](const Rational& odds) { return utility_bounds(pipeline, analyst, Exponent::log(odds)); };
  const auto exact = [&](const Rational& odds) {
    if (!has_exact_loss(pipeline, odds)) return enclosed(odds);
    const Rational loss = utility(pipeline, analyst, odds);
    return RealBounds{loss, loss};
  };
  const std::int64_t degree = pipeline.perturber.root_degree();
  std::optional<Rise> rise;
  if (pipeline.participants > most_people_exactly) {
    for (std::int64_t part = 4; part <= 4096 && !rise; part *= 4) rise = rise_near(from, to, part, degree, enclosed);
  }
  for (std::int64_t part = 4; part <= 4096 && !rise; part *= 4) rise = rise_near(from, to, part, degree, exact);
  return rise;
}

// --- Scans -----------------------------------------------------------------------------------------------------------

/// Losses of one pipeline and analyst, enclosed.
class Scan {
 public:
  Scan(const Pipeline& pipeline, const Analyst& analyst) : pipeline_(pipeline), analyst_(analyst) {}

  struct Point {
    Rational odds;
    RealBounds loss;
  };
  Point at(Rational odds) const {
    RealBounds loss = utility_bounds(pipeline_, analyst_, Exponent::log(odds));
    return {std::move(odds), std::move(loss)};
  }

  /// Odds between which a least loss lies, or with `peak` a highest one: closer together, from three of which the middle one's loss
  /// is certainly beyond the others'.
  RealBounds turn(Point left, Point middle, Point right, bool peak) const {
    const auto beyond = [&](const Point& a, const Point& b) {
      return peak ? a.loss.lower > b.loss.upper : a.loss.upper < b.loss.lower;
    };
    for (int step = 0; step < most_steps && beyond(middle, left) && beyond(middle, right); ++step) {
      if (right.odds - left.odds < left.odds * closest) break;
      const bool to_the_left = middle.odds - left.odds > right.odds - middle.odds;
      const Rational& end = to_the_left ? left.odds : right.odds;
      const Rational aim = middle.odds + (end - middle.odds) * Rational(2, 5);
      const Rational reach = (right.odds - left.odds) / 100;
      Point next = at(short_rational(aim, left.odds, right.odds, reach));
      Point& outer = to_the_left ? left : right;
      if (beyond(next, middle)) {
        (to_the_left ? right : left) = std::exchange(middle, std::move(next));
      } else if (beyond(middle, next)) {
        outer = std::move(next);
      } else {
        break;
      }
    }
    return {left.odds, right.odds};
  }

 private:
  static constexpr int most_steps = 100;
  static inline const Rational closest = Rational(1, 1'000'000'000);
  const Pipeline& pipeline_;
  const Analyst& analyst_;
};

}  // namespace

std::vector<UnstableWindow> unstable_windows(const Pipeline& pipeline, const Analyst& analyst, const Rational& from,
                                             const Rational& to) {
  if (from < 1 || to < from) throw Error(ErrorCode::usage, "a range of odds goes from 1 or more upwards");
  if (!has_short_polynomials(pipeline)) {
    throw Error(ErrorCode::usage, "too many participants to isolate where the loss rises",
                "compare it at the epsilons of a sweep");
  }
  if (!pipeline.perturber.depends_on_epsilon() || from == to) return {};
  std::vector<UnstableWindow> windows =
      windows_within(LossCurve(pipeline, analyst), base_bounds(pipeline, from).lower, base_bounds(pipeline, to).upper);
  const std::int64_t degree = pipeline.perturber.root_degree();
  for (UnstableWindow& window : windows) {
    std::optional<Rise> proof = rise_between(pipeline, analyst, window.from.upper, window.to.lower);
    window = {power_of(window.from, degree), power_of(window.to, degree), std::move(proof)};
  }
  return windows;
}

namespace {

/// What encloses the loss on cells; nothing where that is not known.
LossOnCell loss_on_cells(const Pipeline& pipeline, const Analyst& analyst) {
  if (counts_with_known_others(pipeline)) {
    return [&](const Cell& cell) { return local_count(pipeline, analyst, cell); };
  }
  if (adds_known_others(pipeline) && has_listable_sums(pipeline)) {
    return [&](const Cell& cell) { return local_sum(pipeline, analyst, cell); };
  }
  if (guesses_the_mode(pipeline, analyst)) {
    return [&](const Cell& cell) { return local_argmax(pipeline, cell); };
  }
  return {};
}

/// Pairs of losses; all windows are known to rise without.
void prove(const Pipeline& pipeline, const Analyst& analyst, std::vector<UnstableWindow>& windows) {
  share_among_threads(threads_of_machine(), windows.size(), [&](std::size_t i) {
    windows[i].proof = rise_between(pipeline, analyst, windows[i].from.upper, windows[i].to.lower);
  });
}

}  // namespace

EnclosedWindows enclosed_windows(const Pipeline& pipeline, const Analyst& analyst, const Rational& from,
                                 const Rational& to, const std::function<void(const Rational& odds)>& progress) {
  pipeline.validate();
  if (from < 1 || to < from) throw Error(ErrorCode::usage, "a range of odds goes from 1 or more upwards");
  const LossOnCell loss = loss_on_cells(pipeline, analyst);
  if (!loss) throw Error(ErrorCode::usage, "windows of this pipeline cannot be enclosed");
  if (!pipeline.perturber.depends_on_epsilon() || from == to) return {};
  using enum LossPiece::Direction;
  static const Rational narrow(1, 1'000'000'000);  // of ends
  std::vector<LossPiece> pieces = pieces_between(loss, from, to, progress);
  if (!guesses_the_mode(pipeline, analyst)) pieces = looked_at_again(pieces, loss, narrow);  // whose cells take seconds
  EnclosedWindows result;
  const auto end_at = [&](std::size_t i, const Rational& otherwise) {
    return i < pieces.size() && pieces[i].direction == unknown ? RealBounds{pieces[i].from, pieces[i].to}
                                                               : RealBounds{otherwise, otherwise};
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const LossPiece& piece = pieces[i];
    if (piece.direction == rises) {
      result.windows.push_back({end_at(i - 1, piece.from), end_at(i + 1, piece.to)});
    } else if (piece.direction == unknown) {
      const bool ends_a_window =
          (i > 0 && pieces[i - 1].direction == rises) || (i + 1 < pieces.size() && pieces[i + 1].direction == rises);
      const bool is_narrow = piece.to - piece.from < piece.from * narrow;
      if (!ends_a_window || !is_narrow) result.undecided.push_back({piece.from, piece.to});
    }
  }
  prove(pipeline, analyst, result.windows);
  return result;
}

namespace {

/// Those of a noisy argmax of dozens, or of a sum of half a dozen people, whose windows are enclosed in a tenth of the time that isolation
/// takes.
bool has_many_polynomials(const Pipeline& pipeline) {
  constexpr double most_coefficients = 2e6;
  constexpr double most_of_sums = 1500;
  if (adds_known_others(pipeline)) return range_of_sum(pipeline) * symbolic_degree(pipeline) > most_of_sums;
  if (pipeline.secret.kind != Secret::Kind::histogram) return false;
  const auto columns = static_cast<double>(pipeline.values.size());
  return secret_count(pipeline).to_double() * columns * symbolic_degree(pipeline) > most_coefficients;
}

}  // namespace

WindowSearch window_search(const Pipeline& pipeline, const Analyst& analyst) {
  const bool can_isolate = has_short_polynomials(pipeline);
  if (loss_on_cells(pipeline, analyst) && (!can_isolate || has_many_polynomials(pipeline)))
    return WindowSearch::enclosed;
  return can_isolate ? WindowSearch::isolated : WindowSearch::none;
}

EnclosedWindows find_windows(const Pipeline& pipeline, const Analyst& analyst, const Rational& from, const Rational& to,
                             const std::function<void(const Rational& odds)>& progress) {
  pipeline.validate();
  if (window_search(pipeline, analyst) == WindowSearch::enclosed) {
    return enclosed_windows(pipeline, analyst, from, to, progress);
  }
  return {unstable_windows(pipeline, analyst, from, to), {}};
}

std::vector<UnstableWindow> windows_among(const Pipeline& pipeline, const Analyst& analyst,
                                          const std::vector<Rational>& odds) {
  const Scan scan(pipeline, analyst);
  std::vector<Scan::Point> points;
  points.reserve(odds.size());
  for (const Rational& here : odds) points.push_back(scan.at(here));
  const auto rises_to = [&](std::size_t i) { return points[i - 1].loss.upper < points[i].loss.lower; };
  std::vector<UnstableWindow> windows;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (!rises_to(i)) continue;
    const std::size_t first = i - 1;
    while (i + 1 < points.size() && rises_to(i + 1)) ++i;
    const auto end = [&](std::size_t at, bool peak) {
      if (at == 0 || at + 1 == points.size()) return RealBounds{points[at].odds, points[at].odds};
      return scan.turn(points[at - 1], points[at], points[at + 1], peak);
    };
    UnstableWindow window{end(first, false), end(i, true)};
    const RealBounds low = base_bounds(pipeline, points[first].odds);
    const RealBounds high = base_bounds(pipeline, points[i].odds);
    window.proof = rise_between(pipeline, analyst, low.upper, high.lower);
    windows.push_back(std::move(window));
  }
  return windows;
}

}  // namespace fractile::flow
