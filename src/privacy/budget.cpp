#include "fractile/error.hpp"
#include "fractile/privacy.hpp"

namespace fractile {

std::string to_string(Neighbors neighbors) { return neighbors == Neighbors::add_remove ? "add-remove" : "change-one"; }

std::string to_string(Measure measure) { return measure == Measure::pure ? "pure" : "zcdp"; }

Budget Budget::pure(Exponent epsilon) {
  if (epsilon.is_zero()) {
    throw Error(ErrorCode::usage, "epsilon must be positive", "write for example --epsilon 1");
  }
  Budget budget;
  budget.epsilon_ = std::move(epsilon);
  return budget;
}

Budget Budget::zcdp(Rational rho) {
  if (rho.sign() <= 0) throw Error(ErrorCode::usage, "rho must be positive", "write for example --rho 1/2");
  Budget budget;
  budget.measure_ = Measure::zcdp;
  budget.rho_ = std::move(rho);
  return budget;
}

const Exponent& Budget::epsilon() const {
  if (measure_ != Measure::pure) throw Error(ErrorCode::internal, "a zCDP budget has no epsilon");
  return epsilon_;
}

const Rational& Budget::rho() const {
  if (measure_ != Measure::zcdp) throw Error(ErrorCode::internal, "a pure budget has no rho");
  return rho_;
}

}  // namespace fractile
