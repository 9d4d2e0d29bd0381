// The check of certificates, on purpose without anything that finds them.
#include "fractile/flow.hpp"

namespace fractile::flow {

bool verify(const Channel& from, const Channel& to, const Witness& witness) {
  const Matrix& w = witness.matrix;
  if (w.rows() != from.observations().size() || w.columns() != to.observations().size()) return false;
  for (std::size_t y = 0; y < w.rows(); ++y) {
    Rational sum;
    for (const Rational& p : w.row(y)) {
      if (p.sign() < 0) return false;
      sum += p;
    }
    if (sum != 1) return false;
  }
  return from.matrix() * w == to.matrix();
}

bool verify(const Channel& from, const Channel& to, const Counterexample& counterexample) {
  const Rational one = expected_loss(counterexample.prior, from, counterexample.loss);
  const Rational other = expected_loss(counterexample.prior, to, counterexample.loss);
  return one == counterexample.loss_from && other == counterexample.loss_to && other < one;
}

}  // namespace fractile::flow
