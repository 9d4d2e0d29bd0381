// Refinement for one loss and any prior. Proof: docs/proofs/refinement.md, "One loss, any prior".
#include <set>
#include <utility>
#include <vector>

#include "exact/checkpoint.hpp"
#include "exact/own_environment.hpp"
#include "flow/algebra/rational_program.hpp"
#include "fractile/error.hpp"
#include "fractile/flow.hpp"

namespace fractile::flow {
namespace {

constexpr std::size_t most_entries = 500'000;  // in the tableaus of all programs together: some seconds

/// An action for every observation.
using Way = std::vector<std::size_t>;

/// The number of ways to act on this many observations; nothing when it exceeds `most`.
std::optional<std::size_t> ways_to_act(std::size_t actions, std::size_t observations, std::size_t most) {
  std::size_t ways = 1;
  for (std::size_t y = 0; y < observations; ++y) {
    if (actions > 0 && ways > most / actions) return {};  // a loss has at least one action
    ways *= actions;
  }
  return ways;
}

class Programs {
 public:
  Programs(const Loss& loss, const Channel& from, const Channel& to)
      : loss_(loss),
        from_(from),
        to_(to),
        secrets_(loss.matrix().rows()),
        actions_(loss.matrix().columns()),
        observations_(from.observations().size()) {}

  std::size_t equations() const { return observations_ * actions_ + 1; }
  std::size_t variables() const { return secrets_ + observations_ + observations_ * actions_; }
  /// The number of programs that are affordable.
  std::size_t affordable() const { return most_entries / (equations() * (variables() + equations())); }

  /// Variables: weights of secrets, bounds h_y of the cost after each observation, and slacks. Equations: sum over the secrets of
  /// weight C l(w) = h_y + slack_yw, and the h_y together exceed the weighted costs of the way by 1.
  Feasibility solve(const std::vector<Rational>& costs) const {
    std::vector<std::vector<Rational>> rows(equations(), std::vector<Rational>(variables()));
    for (std::size_t y = 0; y < observations_; ++y) {
      for (std::size_t w = 0; w < actions_; ++w) {
        std::vector<Rational>& row = rows[y * actions_ + w];
        for (std::size_t x = 0; x < secrets_; ++x) row[x] = -(from_(x, y) * loss_.matrix()(x, w));
        row[secrets_ + y] = 1;
        row[secrets_ + observations_ + y * actions_ + w] = 1;
      }
    }
    std::vector<Rational>& excess = rows.back();
    for (std::size_t x = 0; x < secrets_; ++x) excess[x] = -costs[x];
    for (std::size_t y = 0; y < observations_; ++y) excess[secrets_ + y] = 1;
    std::vector<Rational> right(equations());
    right.back() = 1;
    return solve_program(std::move(rows), right);
  }

  /// By secret: the cost of acting in this way on the observations of `to`.
  std::vector<Rational> costs_of(const Way& way) const {
    std::vector<Rational> costs(secrets_);
    for (std::size_t y = 0; y < way.size(); ++y) {
      for (std::size_t x = 0; x < secrets_; ++x) costs[x] += to_(x, y) * loss_.matrix()(x, way[y]);
    }
    return costs;
  }

  Way way_of(std::size_t number) const {
    Way way(to_.observations().size());
    for (std::size_t y = way.size(); y-- > 0; number /= actions_) way[y] = number % actions_;
    return way;
  }

  /// The ways that are optimal under the uniform prior, and under priors with two equally likely secrets.
  std::set<Way> likely_ways() const {
    std::set<Way> ways{optimal_actions(Prior::uniform(secrets_), to_, loss_)};
    for (std::size_t x = 1; x < secrets_; ++x) {
      for (std::size_t other = 0; other < x && ways.size() < affordable(); ++other) {
        std::vector<Rational> half(secrets_);
        half[x] = half[other] = Rational(1, 2);
        ways.insert(optimal_actions(Prior(half), to_, loss_));
      }
    }
    return ways;
  }

  Counterexample example(const std::vector<Rational>& solution) const {
    Rational sum;
    for (std::size_t x = 0; x < secrets_; ++x) sum += solution[x];
    std::vector<Rational> prior;
    for (std::size_t x = 0; x < secrets_; ++x) prior.push_back(solution[x] / sum);
    Counterexample found{Prior(std::move(prior)), loss_, {}, {}};
    found.loss_from = expected_loss(found.prior, from_, loss_);
    found.loss_to = expected_loss(found.prior, to_, loss_);
    return found;
  }

  /// The randomized actions, from the prices of a program without a solution.
  Matrix randomized(const std::vector<Rational>& prices) const {
    Matrix actions(observations_, actions_);
    for (std::size_t y = 0; y < observations_; ++y) {
      Rational sum;
      for (std::size_t w = 0; w < actions_; ++w) sum -= prices[y * actions_ + w];
      for (std::size_t w = 0; w < actions_; ++w) actions(y, w) = -prices[y * actions_ + w] / sum;
    }
    return actions;
  }

 private:
  const Loss& loss_;
  const Channel& from_;
  const Channel& to_;
  std::size_t secrets_;
  std::size_t actions_;
  std::size_t observations_;
};

}  // namespace

LossRefinement refines_for(const Loss& loss, const Channel& from, const Channel& to) {
  const OwnEnvironment own;
  const std::size_t secrets = loss.matrix().rows();
  if (from.secrets().size() != secrets || to.secrets().size() != secrets) {
    throw Error(ErrorCode::usage, "the loss and the channels do not have the same number of secrets");
  }
  const Programs programs(loss, from, to);
  if (programs.affordable() == 0) {
    return {Undecided{"there are too many secrets and actions for exact linear programs"}};
  }
  const auto refuted = [&](const Feasibility& answer) -> LossRefinement {
    Counterexample found = programs.example(answer.solution);
    if (!verify(from, to, found)) throw Error(ErrorCode::internal, "a prior does not refute");
    return {std::move(found)};
  };
  const std::optional<std::size_t> ways =
      ways_to_act(loss.matrix().columns(), to.observations().size(), programs.affordable());
  if (!ways) {
    for (const Way& way : programs.likely_ways()) {
      checkpoint();
      const Feasibility answer = programs.solve(programs.costs_of(way));
      if (answer.is_feasible) return refuted(answer);
    }
    return {Undecided{"there are too many ways to act on what is observed, and the likeliest do not refute"}};
  }
  Remaps remaps;
  for (std::size_t number = 0; number < *ways; ++number) {
    checkpoint();
    const Feasibility answer = programs.solve(programs.costs_of(programs.way_of(number)));
    if (answer.is_feasible) return refuted(answer);
    remaps.randomized.push_back(programs.randomized(answer.prices));
  }
  if (!verify(loss, from, to, remaps)) throw Error(ErrorCode::internal, "randomized actions do not hold");
  return {std::move(remaps)};
}

}  // namespace fractile::flow
