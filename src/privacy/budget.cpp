#include "fractile/error.hpp"
#include "fractile/privacy.hpp"

namespace fractile {

std::string to_string(Neighbors neighbors) { return neighbors == Neighbors::add_remove ? "add-remove" : "change-one"; }

std::string to_string(Measure measure) {
  switch (measure) {
    case Measure::pure:
      return "pure";
    case Measure::zcdp:
      return "zcdp";
    case Measure::approximate:
      return "approximate";
  }
  return {};
}

Budget Budget::pure(Exponent epsilon) {
  if (epsilon.is_zero()) {
    const Field field("epsilon");
    throw Error(ErrorCode::usage, {field, " must be positive"}, {"write for example ", field.number(1)});
  }
  Budget budget;
  budget.epsilon_ = std::move(epsilon);
  return budget;
}

Budget Budget::zcdp(Rational rho) {
  if (rho.sign() <= 0) {
    const Field field("rho");
    throw Error(ErrorCode::usage, {field, " must be positive"}, {"write for example ", field.number("1/2")});
  }
  Budget budget;
  budget.measure_ = Measure::zcdp;
  budget.rho_ = std::move(rho);
  return budget;
}

Budget Budget::approximate(Exponent epsilon, Rational delta) {
  Budget budget = pure(std::move(epsilon));
  if (delta.sign() <= 0 || delta >= Rational(1)) {
    const Field field("delta");
    throw Error(ErrorCode::usage, {field, " must lie between 0 and 1"}, {"write for example ", field.number("1e-6")});
  }
  budget.measure_ = Measure::approximate;
  budget.delta_ = std::move(delta);
  return budget;
}

Budget Budget::scaled(const Rational& factor) const {
  switch (measure_) {
    case Measure::pure:
      return pure(epsilon_ * factor);
    case Measure::zcdp:
      return zcdp(rho_ * factor);
    case Measure::approximate:
      return approximate(epsilon_ * factor, delta_);
  }
  throw Error(ErrorCode::internal, "a measure that does not exist");
}

const Exponent& Budget::epsilon() const {
  if (measure_ == Measure::zcdp) throw Error(ErrorCode::internal, "a zCDP budget has no epsilon");
  return epsilon_;
}

const Rational& Budget::rho() const {
  if (measure_ != Measure::zcdp) throw Error(ErrorCode::internal, "a budget of epsilon has no rho");
  return rho_;
}

const Rational& Budget::delta() const {
  if (measure_ != Measure::approximate) throw Error(ErrorCode::internal, "only approximate budgets have a delta");
  return delta_;
}

std::string Budget::to_string() const {
  if (measure_ == Measure::zcdp) return "rho = " + rho_.to_string();
  const std::string text = "epsilon = " + epsilon_.to_string();
  return measure_ == Measure::pure ? text : text + ", delta = " + delta_.to_string();
}

}  // namespace fractile
