#include <algorithm>
#include <map>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "flow/algebra/real_roots.hpp"
#include "flow/leakage/promise.hpp"
#include "flow/leakage/worlds.hpp"
#include "flow/loss/loss_model.hpp"
#include "flow/pipeline/pipeline_rows.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {
namespace {

constexpr std::size_t most_exact_participants = 1000;
constexpr double most_exact_entries = 20'000;

Rational number_of(const Rational& value, const Rational& /*like*/) { return value; }
Enclosure number_of(const Rational& value, const Enclosure& /*like*/) { return Enclosure::of(value, enclosure_bits); }

template <class Number>
struct Found {
  Number after;
  Number capacity;
};

/// A world, its outline, and the columns of its observations among those of all worlds.
struct Shown {
  World world;
  Outline outline;
  std::vector<std::size_t> columns;
};

std::vector<std::vector<Rational>> probabilities_of(const Shown& shown, const Rational& odds) {
  const Matrix matrix = matrix_at(shown.world.pipeline, shown.outline, odds);
  return tabulated(matrix.rows(),
                   [&](std::size_t x) { return std::vector<Rational>(matrix.row(x).begin(), matrix.row(x).end()); });
}

std::vector<std::vector<Enclosure>> probabilities_of(const Shown& shown, const Enclosure& odds) {
  ScaledRows<Enclosure> rows = rows_at(shown.world.pipeline, shown.outline, odds);
  for (std::vector<Enclosure>& row : rows.numerators) {
    for (Enclosure& p : row) arb_div(p.arb(), p.arb(), rows.denominator.arb(), enclosure_bits);
  }
  return std::move(rows.numerators);
}

/// Computes leakage from all rows of the worlds' channels.
class ListedWorlds {
 public:
  explicit ListedWorlds(std::vector<World> worlds) {
    std::map<std::string, std::size_t> columns;
    for (World& world : worlds) {
      Outline outline = outline_of(world.pipeline);
      std::vector<std::size_t> places = mapped(outline.observation_names, [&](const std::string& name) {
        return columns.try_emplace(name, columns.size()).first->second;
      });
      entries_ += static_cast<double>(outline.secrets.size()) * static_cast<double>(places.size()) *
                  static_cast<double>(world.gains.columns());
      shown_.push_back({std::move(world), std::move(outline), std::move(places)});
    }
    observations_ = columns.size();
  }

  template <class Number>
  Found<Number> at(const Number& odds) const {
    const std::size_t guesses = shown_.front().world.gains.columns();
    std::vector<std::vector<Number>> joint(guesses, std::vector<Number>(observations_));
    std::vector<Number> highest(observations_);
    for (const Shown& shown : shown_) {
      const auto rows = probabilities_of(shown, odds);
      for (std::size_t x = 0; x < rows.size(); ++x) {
        checkpoint();
        for (std::size_t w = 0; w < guesses; ++w) {
          const Rational weight = shown.world.prior[x] * shown.world.gains(x, w);
          if (weight.sign() == 0) continue;
          const Number factor = number_of(weight, odds);
          for (std::size_t y = 0; y < rows[x].size(); ++y) joint[w][shown.columns[y]] += factor * rows[x][y];
        }
        if (!is_counted(shown, x)) continue;
        for (std::size_t y = 0; y < rows[x].size(); ++y) raise_to(highest[shown.columns[y]], rows[x][y]);
      }
    }
    Found<Number> found;
    for (std::size_t y = 0; y < observations_; ++y) {
      checkpoint();
      Number most = joint.front()[y];
      for (const std::vector<Number>& guess : joint) raise_to(most, guess[y]);
      found.after += most;
      found.capacity += highest[y];
    }
    return found;
  }

  bool is_soon_exact(const Rational& odds) const {
    return entries_ <= most_exact_entries && std::ranges::all_of(shown_, [&](const Shown& shown) {
             return is_exact_at(shown.world.pipeline, Odds(odds)) &&
                    shown.world.pipeline.participants <= most_exact_participants;
           });
  }

 private:
  /// Whether a row is possible. If the others are known, they are one row of the world without the target, and its other rows are
  /// impossible.
  bool is_counted(const Shown& shown, std::size_t row) const {
    const bool is_of_others = shown_.size() == 2 && &shown == &shown_.back();
    const bool are_known = shown.world.pipeline.secret.kind == Secret::Kind::target;
    return !is_of_others || !are_known || shown.world.prior[row].sign() > 0;
  }

  std::vector<Shown> shown_;
  std::size_t observations_ = 0;
  double entries_ = 0;
};

Analyst guesser(const World& world) {
  Analyst analyst;
  analyst.prior = Prior(world.prior);
  analyst.goal = Analyst::Goal::matrix;
  analyst.losses = Matrix(world.gains.rows(), world.gains.columns());
  for (std::size_t x = 0; x < world.gains.rows(); ++x) {
    for (std::size_t w = 0; w < world.gains.columns(); ++w) (*analyst.losses)(x, w) = Rational(1) - world.gains(x, w);
  }
  return analyst;
}

/// A world whose release is a count or a sum with one target: a guess is right exactly when the analyst's loss is 0.
class CountedWorld {
 public:
  static bool fits(const std::vector<World>& worlds) {
    const Pipeline& pipeline = worlds.front().pipeline;
    return worlds.size() == 1 && TargetTotal::fits(pipeline);
  }
  explicit CountedWorld(const World& world)
      : guess_(world.pipeline, guesser(world)),
        any_(world.pipeline, Analyst{}),
        values_(static_cast<std::int64_t>(world.pipeline.values.size())) {}

  Found<Rational> at(const Rational& odds) const {
    return {Rational(1) - guess_.exact_loss(odds), (Rational(1) - any_.exact_loss(odds)) * values_};
  }
  Found<Enclosure> at(const Enclosure& odds) const {
    const Enclosure one = Enclosure::of(Rational(1), enclosure_bits);
    return {one - guess_.loss(odds), (one - any_.loss(odds)) * Enclosure::of(values_, enclosure_bits)};
  }
  bool is_soon_exact(const Rational& odds) const {
    return guess_.pipeline().participants <= most_exact_participants && guess_.is_soon_exact(odds);
  }

 private:
  LossModel guess_;
  LossModel any_;
  Rational values_;
};

/// A question that is prepared once for all epsilons.
class LeakageModel {
 public:
  explicit LeakageModel(const LeakageQuestion& question)
      : guesses_(possibilities_of(question)),
        promise_(question),
        perturber_(question.pipeline.perturber),
        kind_(kind_of(question)) {}

  Leakage enclosed(const Exponent& epsilon) const {
    return answer(epsilon, odds_at(looked_at(perturber_, epsilon)),
                  [](const Enclosure& number) { return bounds_of(number); });
  }

  /// Exact where that takes seconds at most, otherwise enclosed.
  Leakage exact_if_soon(const Exponent& epsilon) const {
    const Exponent at = looked_at(perturber_, epsilon);
    if (!at.has_rational_exponential()) return enclosed(epsilon);
    const Rational odds = at.exponential();
    if (!std::visit([&](const auto& kind) { return kind.is_soon_exact(odds); }, kind_)) return enclosed(epsilon);
    return answer(epsilon, odds, [](const Rational& number) { return RealBounds{number, number}; });
  }

 private:
  using Kind = std::variant<CountedWorld, ListedWorlds>;
  static Kind kind_of(const LeakageQuestion& question) {
    std::vector<World> worlds = worlds_of(question);
    if (CountedWorld::fits(worlds)) return CountedWorld(worlds.front());
    return ListedWorlds(std::move(worlds));
  }

  template <class Number, class Bounds>
  Leakage answer(const Exponent& epsilon, const Number& odds, const Bounds& bounds) const {
    const Found<Number> found = std::visit([&](const auto& kind) { return kind.at(odds); }, kind_);
    const Rational before = *std::ranges::max_element(guesses_.priors);
    Leakage leakage{epsilon, RealBounds{before, before}, bounds(found.after), bounds(found.capacity)};
    if (const auto allowed = promise_.allowed(guesses_, odds)) leakage.allowed = bounds(*allowed);
    if (const auto allowed = promise_.capacity(odds)) leakage.capacity_allowed = bounds(*allowed);
    return leakage;
  }

  Possibilities guesses_;
  Promise promise_;
  Perturber perturber_;
  Kind kind_;
};

}  // namespace

Leakage leakage(const LeakageQuestion& question, const Exponent& epsilon) {
  const OwnEnvironment own;
  return LeakageModel(question).exact_if_soon(epsilon);
}

std::vector<Leakage> leakage_curve(const LeakageQuestion& question, const std::vector<Exponent>& epsilons,
                                   const std::function<void(std::size_t done)>& progress) {
  const OwnEnvironment own;
  const LeakageModel model(question);
  std::vector<Leakage> curve;
  curve.reserve(epsilons.size());
  for (const Exponent& epsilon : epsilons) {
    curve.push_back(model.enclosed(epsilon));
    if (progress) progress(curve.size());
  }
  return curve;
}

}  // namespace fractile::flow
