#include <algorithm>
#include <utility>

#include "flow/channel/names.hpp"
#include "fractile/error.hpp"
#include "fractile/flow.hpp"

namespace fractile::flow {

Prior::Prior(std::vector<Rational> probabilities) : probabilities_(std::move(probabilities)) {
  Rational sum;
  for (const Rational& p : probabilities_) {
    if (p.sign() < 0) throw Error(ErrorCode::usage, "a prior has a negative probability");
    sum += p;
  }
  if (sum != 1) throw Error(ErrorCode::usage, "a prior adds up to " + sum.to_string() + ", not to 1");
}

Prior Prior::uniform(std::size_t secrets) {
  if (secrets == 0) throw Error(ErrorCode::usage, "a prior needs at least one secret");
  if (secrets > Matrix::most_entries) throw Error(ErrorCode::usage, "a prior has more than 2^28 secrets", "take fewer");
  return Prior(std::vector<Rational>(secrets, Rational(1, secrets)));
}

Loss::Loss(Matrix losses, std::vector<std::string> actions) : matrix_(std::move(losses)), actions_(std::move(actions)) {
  if (matrix_.rows() == 0) throw Error(ErrorCode::usage, "a loss needs at least one secret and one action");
  if (actions_.size() != matrix_.columns()) throw Error(ErrorCode::usage, "a loss needs one column per action");
  for (std::size_t x = 0; x < matrix_.rows(); ++x) {
    for (const Rational& loss : matrix_.row(x)) {
      if (loss.sign() < 0)
        throw Error(ErrorCode::usage, "a loss is negative", "add the same number to all losses of a row");
    }
  }
}

namespace {

/// Sum over x of prior(x) channel(x, y) loss(x, w).
Rational joint_loss(const Prior& prior, const Channel& channel, const Loss& loss, std::size_t y, std::size_t w) {
  Rational sum;
  for (std::size_t x = 0; x < prior.size(); ++x) {
    if (channel(x, y).sign() == 0 || loss.matrix()(x, w).sign() == 0) continue;
    sum += prior[x] * channel(x, y) * loss.matrix()(x, w);
  }
  return sum;
}

void require_same_secrets(const Prior& prior, const Channel& channel, const Loss& loss) {
  if (prior.size() != channel.secrets().size() || prior.size() != loss.matrix().rows()) {
    throw Error(ErrorCode::usage, "the prior, the channel and the loss do not have the same number of secrets");
  }
}

struct Choice {
  std::size_t action;
  Rational loss;
};

Choice best_choice(const Prior& prior, const Channel& channel, const Loss& loss, std::size_t y) {
  Choice best{0, joint_loss(prior, channel, loss, y, 0)};
  for (std::size_t w = 1; w < loss.actions().size(); ++w) {
    const Rational here = joint_loss(prior, channel, loss, y, w);
    if (here < best.loss) best = {w, here};
  }
  return best;
}

}  // namespace

Loss::Loss(const Matrix& losses) : Loss(losses, numbered(losses.columns())) {}

Loss Loss::scaled(const Rational& factor) const {
  Matrix matrix = matrix_;
  for (std::size_t x = 0; x < matrix.rows(); ++x) {
    for (std::size_t w = 0; w < matrix.columns(); ++w) matrix(x, w) *= factor;
  }
  return {std::move(matrix), actions_};
}

Loss bayes_risk(std::size_t secrets) { return Loss(discrete_metric(secrets)); }

namespace {

/// The loss when the action is to guess one of the values.
template <class Cost>
Loss of_guesses(const std::vector<Rational>& values, const Cost& cost) {
  Matrix losses(values.size(), values.size());
  for (std::size_t x = 0; x < values.size(); ++x) {
    for (std::size_t w = 0; w < values.size(); ++w) losses(x, w) = cost(values[x] - values[w]);
  }
  return {std::move(losses), names_of(values)};
}

}  // namespace

Loss linear_error(const std::vector<Rational>& values) {
  return of_guesses(values, [](const Rational& miss) { return std::max(miss, -miss); });
}

Loss squared_error(const std::vector<Rational>& values) {
  return of_guesses(values, [](const Rational& miss) { return miss.pow(2); });
}

Rational expected_loss(const Prior& prior, const Loss& loss) {
  const Matrix nothing_shown = Matrix::of(std::vector<std::vector<Rational>>(prior.size(), {Rational(1)}));
  return expected_loss(prior, Channel(nothing_shown), loss);
}

Rational expected_loss(const Prior& prior, const Channel& channel, const Loss& loss) {
  require_same_secrets(prior, channel, loss);
  Rational sum;
  for (std::size_t y = 0; y < channel.observations().size(); ++y) sum += best_choice(prior, channel, loss, y).loss;
  return sum;
}

std::vector<std::size_t> optimal_actions(const Prior& prior, const Channel& channel, const Loss& loss) {
  require_same_secrets(prior, channel, loss);
  std::vector<std::size_t> actions;
  for (std::size_t y = 0; y < channel.observations().size(); ++y) {
    actions.push_back(best_choice(prior, channel, loss, y).action);
  }
  return actions;
}

Rational remapped_loss(const Prior& prior, const Channel& channel, const Loss& loss,
                       const std::vector<std::size_t>& remap) {
  require_same_secrets(prior, channel, loss);
  if (remap.size() != channel.observations().size()) {
    throw Error(ErrorCode::usage, "a remap needs one action per observation");
  }
  Rational sum;
  for (std::size_t y = 0; y < remap.size(); ++y) {
    if (remap[y] >= loss.actions().size()) throw Error(ErrorCode::usage, "a remap names an action that does not exist");
    sum += joint_loss(prior, channel, loss, y, remap[y]);
  }
  return sum;
}

}  // namespace fractile::flow
