#include "flow/local_count.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "flow/ellipse.hpp"
#include "flow/joint_weights.hpp"

namespace fractile::flow {
namespace {

constexpr double smallest_divisor = 0.25;  // of n |p'| / max(p, 1 - p); exact, and so is 1 less it
constexpr std::uint64_t largest_quotient = 4;

Enclosure times(const Enclosure& a, std::uint64_t factor) {
  Enclosure result;
  arb_mul_ui(result.arb(), a.arb(), factor, chebyshev_bits);
  return result;
}

/// Whether p, or 1 - p, is at least smallest_divisor for all of them.
bool is_far_from_an_end(const Enclosure& probabilities) {
  return probabilities.lower_double() >= smallest_divisor || probabilities.upper_double() <= 1 - smallest_divisor;
}

/// What the errors are made of. Places are the variable.
struct CountBounds {
  Enclosure law;           ///< on the ellipse, the moduli of all Q(y) together
  Enclosure loss;          ///< likewise, of all joint losses together, whatever the actions are
  Enclosure largest_loss;  ///< at real odds
  Enclosure
      slope_per_mass;  ///< of joint losses together, at real places, by the probability of their counts and two more on each side
};

/// Nothing when a bound is too large to be of use.
std::optional<CountBounds> bounds_of(const CountAmongKnown& count, const JointWeights& joint, const Cell& cell) {
  if (!is_right_of_zero(cell)) return {};
  std::vector<ProbabilityBounds> by_value;
  for (const Polynomial& counted : count.counted())
    by_value.push_back(bounds_about(counted, count.denominator(), cell));

  CountBounds result;
  std::vector<Enclosure> moduli;
  Enclosure steepness;  // sum of n |p'| / max(p, 1 - p)
  for (std::size_t value = 0; value < by_value.size(); ++value) {
    const ProbabilityBounds& bounds = by_value[value];
    moduli.push_back(bounds.modulus);
    const std::size_t others = count.histogram()[value];
    if (others == 0) continue;
    if (!is_far_from_an_end(bounds.range)) return {};
    steepness += times(bounds.slope, largest_quotient * others);
  }
  result.law = modulus_of_sum(moduli, count.histogram());
  if (!(result.law.upper_double() <= largest_modulus)) return {};

  Enclosure highest_slope;  // of what an action costs for a unit of probability
  for (std::size_t w = 0; w < joint.weights.columns(); ++w) {
    Enclosure cost;
    Enclosure slope;
    for (std::size_t x = 0; x < by_value.size(); ++x) {
      const Enclosure weight = Enclosure::of(joint.weights(x, w) / joint.common, chebyshev_bits);
      slope += weight * by_value[x].slope;
      cost += weight;
    }
    arb_max(result.largest_loss.arb(), result.largest_loss.arb(), cost.arb(), chebyshev_bits);
    arb_max(highest_slope.arb(), highest_slope.arb(), slope.arb(), chebyshev_bits);
  }
  result.loss = highest_losses(joint, moduli) * result.law;
  result.slope_per_mass = times(highest_slope, 2) + times(result.largest_loss * steepness, 4);
  if (arb_is_finite(result.loss.arb()) == 0 || arb_is_finite(result.slope_per_mass.arb()) == 0) return {};
  return result;
}

class LocalCount final : public LocalLoss {
 public:
  LocalCount(const CountAmongKnown& count, const Cell& cell, const CountBounds& bounds)
      : lines_(count.lines().lines),
        difference_error_(Interpolation::value_error(times(bounds.loss, 2)).upper_double()),
        most_mass_(63 * Interpolation::value_error(bounds.law).lower_double()),
        negligible_slope_(times(Interpolation::value_error(bounds.law), 64) * bounds.slope_per_mass),
        slope_error_(Interpolation::slope_error(bounds.loss)),
        largest_loss_(bounds.largest_loss) {
    for (const std::size_t people : count.histogram()) others_ += people;
    for (const Enclosure& odds : odds_at_nodes(cell)) {
      laws_.push_back(count.law_at(odds));
      lines_at_.push_back(count.lines_at(odds));
    }
  }

  std::vector<OpenActions> observations() const override {
    OpenActions all{0, others_ + 1, {}};
    for (std::size_t w = 0; w < lines_.size(); ++w) all.actions.push_back(w);
    return {all};
  }

  const FilteredPolynomial& slope(std::size_t first, std::size_t last, std::size_t action) override {
    const auto [place, is_new] = slopes_.try_emplace({first, last, action});
    if (is_new) place->second = FilteredPolynomial(sum(first, last, action).derivative());
    return place->second;
  }

  /// Away from the most likely count by ever longer steps, so that a decision where the law is large is made for all beyond.
  std::size_t parting(std::size_t first, std::size_t last, const Places& places) const override {
    const double right = (places.middle() + 1) / 2;
    const double likely = middle_of(laws_.back()) * (1 - right) + middle_of(laws_.front()) * right;
    const auto mode = static_cast<std::size_t>(std::clamp(likely, 0.0, static_cast<double>(others_)));
    const std::size_t half = first + (last - first) / 2;
    if (first > mode) return std::min(half, first + (first - mode));
    if (last <= mode) return std::max(half, last - std::min(last, mode - last + 1));
    return mode;
  }

  bool is_no_worse(std::size_t action, std::size_t other, std::size_t observation, const Places& places) override {
    if (observation == 0 && lines_[action].absent == lines_[other].absent) return true;
    if (observation == others_ + 1 && lines_[action].present == lines_[other].present) return true;
    const auto [place, is_new] = differences_.try_emplace({observation, action, other});
    if (is_new) place->second = FilteredPolynomial(difference(observation, action, other));
    return place->second.is_at_most(-difference_error_, places);
  }

  bool is_negligible(std::size_t first, std::size_t last, const Places& places) override {
    const auto [place, is_new] = masses_.try_emplace({first, last});
    if (is_new) {
      place->second = FilteredPolynomial(
          through_nodes([&](std::size_t i) { return laws_[i].between(first < 2 ? 0 : first - 2, last + 2); }));
    }
    return place->second.is_at_most(most_mass_, places);
  }
  const Enclosure& negligible_slope() const override { return negligible_slope_; }
  const Enclosure& slope_error() const override { return slope_error_; }
  const Enclosure& largest_loss() const override { return largest_loss_; }

 private:
  static double middle_of(const CountLaw& law) { return static_cast<double>(law.first() + law.last()) / 2; }

  /// An action's joint losses after first .. last together.
  const LocalPolynomial& sum(std::size_t first, std::size_t last, std::size_t action) {
    const auto [place, is_new] = sums_.try_emplace({first, last, action});
    if (is_new) {
      place->second = through_nodes([&](std::size_t i) {
        Enclosure value;
        add_product(value, lines_at_[i][action].absent, laws_[i].between(first, last + 1));
        add_product(value, lines_at_[i][action].present, laws_[i].between(first == 0 ? 0 : first - 1, last));
        return value;
      });
    }
    return place->second;
  }

  /// Has the sign of an action's joint loss less another's. After 0 all of the law is in Q(0), and after all in Q(others): a factor
  /// that is left out.
  LocalPolynomial difference(std::size_t observation, std::size_t action, std::size_t other) {
    if (observation == 0) return difference(action, other, &Line<Enclosure>::absent);
    if (observation == others_ + 1) return difference(action, other, &Line<Enclosure>::present);
    return sum(observation, observation, action) - sum(observation, observation, other);
  }
  LocalPolynomial difference(std::size_t action, std::size_t other, Enclosure Line<Enclosure>::*part) const {
    return through_nodes([&](std::size_t i) {
      Enclosure result;
      arb_sub(result.arb(), (lines_at_[i][action].*part).arb(), (lines_at_[i][other].*part).arb(), enclosure_bits);
      return result;
    });
  }

  using Key = std::tuple<std::size_t, std::size_t, std::size_t>;

  std::size_t others_ = 0;
  std::vector<Line<Polynomial>> lines_;
  double difference_error_;
  double most_mass_;  // that is negligible, less its own error
  Enclosure negligible_slope_;
  Enclosure slope_error_;
  Enclosure largest_loss_;
  std::vector<CountLaw> laws_;                          // by node
  std::vector<std::vector<Line<Enclosure>>> lines_at_;  // by node and action
  std::map<Key, LocalPolynomial> sums_;
  std::map<Key, FilteredPolynomial> slopes_;
  std::map<Key, FilteredPolynomial> differences_;
  std::map<std::pair<std::size_t, std::size_t>, FilteredPolynomial> masses_;
};

}  // namespace

std::unique_ptr<LocalLoss> local_count(const Pipeline& pipeline, const Analyst& analyst, const Cell& cell) {
  const CountAmongKnown count(pipeline, analyst);
  const JointWeights joint = joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline));
  const std::optional<CountBounds> bounds = bounds_of(count, joint, cell);
  if (!bounds) return nullptr;
  return std::make_unique<LocalCount>(count, cell, *bounds);
}

}  // namespace fractile::flow
