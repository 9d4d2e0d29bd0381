#include "fractile/accounting.hpp"
#include "fractile/error.hpp"

namespace fractile {
namespace {

std::string described(const Budget& budget) {
  return budget.measure() == Measure::pure ? "epsilon " + budget.epsilon().to_string()
                                           : "rho " + budget.rho().to_string();
}

Rational rho_of(const Budget& cost) {
  return cost.measure() == Measure::zcdp ? cost.rho() : zcdp_of_pure_tight(cost.epsilon());
}

std::string approximately(const Rational& value) {
  const std::string exact = value.to_string();
  return exact.size() <= 24 ? exact : "about " + std::to_string(value.to_double());
}

}  // namespace

bool PrivacyFilter::can_spend(const Budget& cost) const {
  if (budget_.measure() == Measure::zcdp) return rho_ + rho_of(cost) <= budget_.rho();
  if (cost.measure() == Measure::pure) return epsilon_ + cost.epsilon() <= EpsilonSum(budget_.epsilon());
  throw Error(ErrorCode::usage, "a cost of " + described(cost) + " has no epsilon, and the budget is one of epsilon",
              "state the budget in rho, or use mechanisms that are pure");
}

void PrivacyFilter::spend(const Budget& cost) {
  if (!can_spend(cost)) {
    throw Error(ErrorCode::budget_refused,
                "a cost of " + described(cost) + " exceeds what remains, " + approximately(remaining()) +
                    " of a budget of " + described(budget_),
                "spend at most what remains");
  }
  if (budget_.measure() == Measure::pure) {
    epsilon_ += cost.epsilon();
  } else {
    rho_ += rho_of(cost);
  }
}

const EpsilonSum& PrivacyFilter::spent_epsilon() const {
  if (budget_.measure() != Measure::pure) throw Error(ErrorCode::internal, "a zCDP filter spends no epsilon");
  return epsilon_;
}

const Rational& PrivacyFilter::spent_rho() const {
  if (budget_.measure() != Measure::zcdp) throw Error(ErrorCode::internal, "a pure filter spends no rho");
  return rho_;
}

Rational PrivacyFilter::remaining() const {
  return budget_.measure() == Measure::pure ? epsilon_.left_of(budget_.epsilon()) : budget_.rho() - rho_;
}

}  // namespace fractile
