// Checks certificates. On purpose, this file uses no code that finds them.
#include "fractile/flow.hpp"

namespace fractile::flow {
namespace {

Matrix ones(std::size_t rows) {
  Matrix result(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) result(i, 0) = 1;
  return result;
}

/// Whether every row is a probability distribution.
bool is_stochastic(const Matrix& matrix) {
  for (std::size_t y = 0; y < matrix.rows(); ++y) {
    for (const Rational& p : matrix.row(y)) {
      if (p.sign() < 0) return false;
    }
  }
  return matrix * ones(matrix.columns()) == ones(matrix.rows());
}

/// The expected loss under a secret of acting in this randomized way on a channel's observations.
Rational cost_of(const Loss& loss, const Channel& channel, const Matrix& randomized, std::size_t secret) {
  Rational cost;
  for (std::size_t y = 0; y < randomized.rows(); ++y) {
    for (std::size_t w = 0; w < randomized.columns(); ++w) {
      cost += channel(secret, y) * randomized(y, w) * loss.matrix()(secret, w);
    }
  }
  return cost;
}

/// Goes to the next way to act, with the last observation's action changing fastest; returns false after the last way.
bool advance(std::vector<std::size_t>& way, std::size_t actions) {
  for (std::size_t y = way.size(); y-- > 0;) {
    if (++way[y] < actions) return true;
    way[y] = 0;
  }
  return false;
}

}  // namespace

bool verify(const Channel& from, const Channel& to, const Witness& witness) {
  const Matrix& w = witness.matrix;
  if (w.rows() != from.observations().size() || w.columns() != to.observations().size()) return false;
  return is_stochastic(w) && from.matrix() * w == to.matrix();
}

bool verify(const Channel& from, const Channel& to, const Counterexample& counterexample) {
  const Rational one = expected_loss(counterexample.prior, from, counterexample.loss);
  const Rational other = expected_loss(counterexample.prior, to, counterexample.loss);
  return one == counterexample.loss_from && other == counterexample.loss_to && other < one;
}

bool verify(const Loss& loss, const Channel& from, const Channel& to, const Remaps& remaps) {
  const std::size_t secrets = loss.matrix().rows();
  const std::size_t actions = loss.matrix().columns();
  if (from.secrets().size() != secrets || to.secrets().size() != secrets || actions == 0) return false;
  std::vector<std::size_t> way(to.observations().size());
  std::size_t number = 0;
  bool is_over = false;
  for (; !is_over; ++number, is_over = !advance(way, actions)) {
    if (number >= remaps.randomized.size()) return false;
    const Matrix& randomized = remaps.randomized[number];
    if (randomized.rows() != from.observations().size() || randomized.columns() != actions) return false;
    if (!is_stochastic(randomized)) return false;
    Matrix certain(way.size(), actions);
    for (std::size_t y = 0; y < way.size(); ++y) certain(y, way[y]) = 1;
    for (std::size_t x = 0; x < secrets; ++x) {
      if (cost_of(loss, from, randomized, x) > cost_of(loss, to, certain, x)) return false;
    }
  }
  return number == remaps.randomized.size();
}

}  // namespace fractile::flow
