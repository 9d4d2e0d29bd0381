#include "flow/windows/local_count.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "exact/workers.hpp"
#include "flow/algebra/bernstein_ellipse.hpp"
#include "flow/windows/tilted_moduli.hpp"

namespace fractile::flow {
namespace {

constexpr double smallest_divisor = 0.25;  // for n |p'| / max(p, 1 - p); it is exact in doubles, and so is 1 minus it
constexpr std::uint64_t largest_quotient = 4;

/// Whether p, or 1 - p, is at least smallest_divisor for all probabilities p in the ball.
bool is_far_from_an_end(const Enclosure& probabilities) {
  return probabilities.lower_double() >= smallest_divisor || probabilities.upper_double() <= 1 - smallest_divisor;
}

/// The components of the errors, in a view's units, as functions of the place.
struct CountBounds {
  Enclosure law;   ///< on the ellipse, a bound of the sum of the moduli of all Q(y) of the view
  Enclosure loss;  ///< likewise for all joint losses together, for any actions
  /// At real places: slope of joint losses together, per probability of their counts and two more on each side.
  Enclosure slope_per_mass;
};

/// Bounds for the probability of being counted, by value; nothing where the bounds for unlikely counts do not hold.
std::optional<std::vector<ProbabilityBounds>> probabilities_about(const TargetTotal& count, const Cell& cell) {
  if (!is_right_of_zero(cell)) return {};
  std::vector<ProbabilityBounds> by_value;
  for (std::size_t value = 0; value < count.laws().size(); ++value) {
    by_value.push_back(bounds_about(count.laws()[value][1], count.denominator(), cell));
    if (count.others()[value] > 0 && !is_far_from_an_end(by_value.back().range)) return {};
  }
  return by_value;
}

/// Nothing when a bound is too large to be useful. `answers`: a bound, on the ellipse, of the joint losses for a law that is
/// concentrated at one count.
std::optional<CountBounds> count_bounds_in(const TiltedCounts& view, const TargetTotal& count,
                                           const std::vector<ProbabilityBounds>& by_value, const Enclosure& answers,
                                           const Cell& cell) {
  std::vector<Enclosure> slopes;
  Enclosure steepness;  // sum of n |p'| / max(p, 1 - p)
  for (std::size_t value = 0; value < by_value.size(); ++value) {
    slopes.push_back(by_value[value].slope);
    steepness += times(by_value[value].slope, largest_quotient * count.others()[value]);
  }
  CountBounds result;
  result.law = product_of_powers(tilted_moduli(view.ratio, count, cell), count.others()) / view.expectation;
  if (!(result.law.upper_double() <= largest_modulus)) return {};

  result.loss = answers * result.law;
  result.slope_per_mass =
      times(highest_losses(count.joint(), slopes), 2) + times(largest_loss(count.joint()) * steepness, 4);
  if (!result.loss.is_finite() || !result.slope_per_mass.is_finite()) return {};
  return result;
}

/// A view on a cell.
class LocalView {
 public:
  LocalView(const TiltedCounts& view, const TargetTotal& count, const Cell& cell, const CountBounds& bounds)
      : view_(view),
        difference_error_(Interpolation::value_error(times(bounds.loss, 2)).upper_double()),
        most_mass_(63 * Interpolation::value_error(bounds.law).lower_double()),
        negligible_slope_(times(Interpolation::value_error(bounds.law), 64) * bounds.slope_per_mass * view.share),
        slope_error_(Interpolation::slope_error(times(bounds.loss, 2)) * view.share),
        laws_(Interpolation::nodes) {
    const std::vector<Enclosure> odds = odds_at_nodes(cell);
    share_among_threads(threads_of_machine(), odds.size(),
                        [&](std::size_t i) { laws_[i] = tilted_count_law(count, view, odds[i]); });
  }

  std::size_t first() const { return view_.first; }
  std::size_t last() const { return view_.last; }
  /// The view's unit, in units of slopes.
  const Enclosure& share() const { return view_.share; }
  bool matters(std::size_t y) const { return view_.matters(y); }
  /// The count that is likeliest in the view.
  std::size_t mode(const Places& places) const {
    const double right = (places.middle() + 1) / 2;
    const auto middle = [](const RunningLaw& law) { return static_cast<double>(law.first() + law.last() + 1) / 2; };
    const double likely = middle(laws_.back()) * (1 - right) + middle(laws_.front()) * right;
    return static_cast<std::size_t>(
        std::clamp(std::max(likely, 0.0), static_cast<double>(view_.first), static_cast<double>(view_.last)));
  }
  const RunningLaw& law(std::size_t node) const { return laws_[node]; }
  /// The error of a difference of two actions' joint losses after a count.
  double difference_error() const { return difference_error_; }
  double most_mass() const { return most_mass_; }
  const Enclosure& negligible_slope() const { return negligible_slope_; }
  const Enclosure& slope_error() const { return slope_error_; }

 private:
  TiltedCounts view_;
  double difference_error_;
  double most_mass_;  // the largest negligible mass, minus its own error
  Enclosure negligible_slope_;
  Enclosure slope_error_;
  std::vector<RunningLaw> laws_;  // one per node
};

class LocalCount final : public LocalLoss {
 public:
  /// `answers`: as above.
  LocalCount(const TargetTotal& count, const Cell& cell, std::size_t baseline, std::vector<LocalView> views,
             const Enclosure& answers)
      : others_(count.other_people()),
        costs_(count.costs()),
        baseline_(baseline),
        views_(std::move(views)),
        end_error_(Interpolation::value_error(times(answers, 2)).upper_double()) {
    for (const Enclosure& odds : odds_at_nodes(cell)) costs_at_.push_back(count.step_costs(odds));
    for (const LocalView& view : views_) {
      slope_error_ += view.slope_error();
      arb_max(negligible_slope_.arb(), negligible_slope_.arb(), view.negligible_slope().arb(), chebyshev_bits);
    }
  }

  /// Whether the baseline is best after all counts that are in no view. This holds if it is best after the counts next to these.
  bool is_usual_elsewhere() {
    const bool is_whole = views_.size() == 1 && views_.front().first() == 0 && views_.front().last() == others_ + 1;
    if (is_whole) return true;
    const std::size_t from = starts_with_view() ? views_.front().last() : 0;
    const std::size_t to = ends_with_view() ? views_.back().first() : others_ + 1;
    if (from >= to) return false;
    for (std::size_t w = 0; w < costs_.size(); ++w) {
      if (w == baseline_) continue;
      if (!is_usual(w, from) || !is_usual(w, to)) return false;
    }
    return true;
  }

  std::vector<OpenActions> observations() const override {
    std::vector<OpenActions> all;
    std::size_t next = 0;
    for (const LocalView& view : views_) {
      if (next < view.first()) all.push_back({next, view.first() - 1, {baseline_}});
      all.push_back({view.first(), view.last(), {}});
      for (std::size_t w = 0; w < costs_.size(); ++w) all.back().actions.push_back(w);
      next = view.last() + 1;
    }
    if (next <= others_ + 1) all.push_back({next, others_ + 1, {baseline_}});
    return all;
  }

  std::optional<std::size_t> baseline() const override { return baseline_; }

  const FilteredPolynomial& slope(std::size_t first, std::size_t last, std::size_t action) override {
    if (action == baseline_) return nothing_;
    const auto [place, is_new] = slopes_.try_emplace({first, last, action});
    if (is_new) {
      const LocalPolynomial more = sum(first, last, action) - sum(first, last, baseline_);
      place->second = FilteredPolynomial(more.derivative().times(view_of(first).share()));
    }
    return place->second;
  }

  /// Divides at ever longer steps away from the most likely count, so that one decision holds for all counts beyond.
  std::size_t parting(std::size_t first, std::size_t last, const Places& places) const override {
    const std::size_t mode = view_of(first).mode(places);
    const std::size_t half = first + (last - first) / 2;
    if (first > mode) return std::min(half, first + (first - mode));
    if (last <= mode) return std::max(half, last - std::min(last, mode - last + 1));
    return mode;
  }

  bool is_no_worse(std::size_t action, std::size_t other, std::size_t observation, const Places& places) override {
    return are_equal(observation, action, other) ||
           compared(observation, action, other).is_at_most(-difference_error(observation), places);
  }

  bool is_negligible(std::size_t first, std::size_t last, const Places& places) override {
    const LocalView& view = view_of(first);
    const std::size_t before = first < 2 ? 0 : first - 2;
    if (!view.matters(before) || !view.matters(last + 1)) return false;
    const auto [place, is_new] = masses_.try_emplace({first, last});
    if (is_new) {
      place->second =
          FilteredPolynomial(through_nodes([&](std::size_t i) { return view.law(i).between(before, last + 2); }));
    }
    return place->second.is_at_most(view.most_mass(), places);
  }
  const Enclosure& negligible_slope() const override { return negligible_slope_; }
  Enclosure slope_error() const override { return slope_error_; }

 private:
  /// Whether the baseline is certainly no worse than another action throughout the cell.
  bool is_usual(std::size_t other, std::size_t observation) {
    return are_equal(observation, baseline_, other) ||
           compared(observation, baseline_, other).is_at_most_everywhere(-difference_error(observation));
  }

  bool starts_with_view() const { return !views_.empty() && views_.front().first() == 0; }
  bool ends_with_view() const { return !views_.empty() && views_.back().last() == others_ + 1; }
  const LocalView& view_of(std::size_t observation) const {
    return observation <= views_.front().last() ? views_.front() : views_.back();
  }

  /// The sum of an action's joint losses after first .. last.
  const LocalPolynomial& sum(std::size_t first, std::size_t last, std::size_t action) {
    const auto [place, is_new] = sums_.try_emplace({first, last, action});
    if (is_new) {
      const LocalView& view = view_of(first);
      place->second = through_nodes([&](std::size_t i) {
        Enclosure value;
        add_product(value, costs_at_[i][action][0], view.law(i).between(first, last + 1));
        add_product(value, costs_at_[i][action][1], view.law(i).between(first == 0 ? 0 : first - 1, last));
        return value;
      });
    }
    return place->second;
  }

  /// Whether both actions have equal losses after a count at an end, where only one step matters.
  bool are_equal(std::size_t observation, std::size_t action, std::size_t other) const {
    return (observation == 0 && costs_[action][0] == costs_[other][0]) ||
           (observation == others_ + 1 && costs_[action][1] == costs_[other][1]);
  }
  const FilteredPolynomial& compared(std::size_t observation, std::size_t action, std::size_t other) {
    const auto [place, is_new] = differences_.try_emplace({observation, action, other});
    if (is_new) place->second = FilteredPolynomial(difference(observation, action, other));
    return place->second;
  }

  /// A function with the sign of one action's joint loss minus another's. After count 0, the law only enters by Q(0), and after the
  /// largest count only by Q(others): such a factor is left out.
  LocalPolynomial difference(std::size_t observation, std::size_t action, std::size_t other) {
    if (observation == 0) return difference_for(action, other, 0);
    if (observation == others_ + 1) return difference_for(action, other, 1);
    return sum(observation, observation, action) - sum(observation, observation, other);
  }
  double difference_error(std::size_t observation) const {
    return observation == 0 || observation == others_ + 1 ? end_error_ : view_of(observation).difference_error();
  }
  LocalPolynomial difference_for(std::size_t action, std::size_t other, std::size_t step) const {
    return through_nodes([&](std::size_t i) {
      return Enclosure::difference(costs_at_[i][action][step], costs_at_[i][other][step], enclosure_bits);
    });
  }

  using Key = std::tuple<std::size_t, std::size_t, std::size_t>;

  std::size_t others_;
  std::vector<std::vector<Polynomial>> costs_;
  std::size_t baseline_;
  std::vector<LocalView> views_;
  double end_error_;
  Enclosure negligible_slope_;
  Enclosure slope_error_;
  std::vector<StepCosts> costs_at_;  // one per node
  FilteredPolynomial nothing_;
  std::map<Key, LocalPolynomial> sums_;
  std::map<Key, FilteredPolynomial> slopes_;
  std::map<Key, FilteredPolynomial> differences_;
  std::map<std::pair<std::size_t, std::size_t>, FilteredPolynomial> masses_;
};

/// Whether only unlikely counts matter, so that only the tails are examined.
bool are_unlikely(const DecisiveCounts& views) { return views.unit.upper_double() < 0x1p-16; }

}  // namespace

std::unique_ptr<LocalLoss> local_in_counts(const DecisiveCounts& views, const TargetTotal& count, const Cell& cell) {
  constexpr double widest_spread = 16;
  if (views.spread > widest_spread) return nullptr;
  const std::optional<std::vector<ProbabilityBounds>> by_value = probabilities_about(count, cell);
  if (!by_value) return nullptr;
  std::vector<Enclosure> moduli;
  for (const ProbabilityBounds& bounds : *by_value) moduli.push_back(bounds.modulus);
  const Enclosure answers = highest_losses(count.joint(), moduli);
  std::vector<LocalView> here;
  for (const TiltedCounts& view : views.views) {
    const std::optional<CountBounds> bounds = count_bounds_in(view, count, *by_value, answers, cell);
    if (!bounds) return nullptr;
    here.emplace_back(view, count, cell, *bounds);
  }
  auto loss = std::make_unique<LocalCount>(count, cell, views.baseline, std::move(here), answers);
  if (!loss->is_usual_elsewhere()) return nullptr;
  return loss;
}

std::unique_ptr<LocalLoss> local_count(const TargetTotal& count, const Cell& cell) {
  const std::optional<DecisiveCounts> tails = tail_counts(count, cell);
  if (tails && are_unlikely(*tails)) {
    static const Rational narrow = Rational::dyadic(1, -24);  // the search stops here if no cell is narrow enough
    std::unique_ptr<LocalLoss> loss = local_in_counts(*tails, count, cell);
    if (loss != nullptr || cell.radius > cell.centre * narrow) return loss;
  }
  return local_in_counts(all_counts(count, cell), count, cell);
}

}  // namespace fractile::flow
