#include "fractile/error.hpp"
#include "fractile/privacy.hpp"

namespace fractile {
namespace {

Rational rho_of(const Budget& cost) {
  return cost.measure() == Measure::zcdp ? cost.rho() : zcdp_of_pure_tight(cost.epsilon());
}

std::string approximately(const Rational& value) {
  const std::string exact = value.to_string();
  return exact.size() <= 24 ? exact : "about " + std::to_string(value.to_double());
}

}  // namespace

PrivacyFilter::PrivacyFilter(Budget budget) : budget_(std::move(budget)) {
  if (budget_.measure() == Measure::approximate) {
    throw Error(ErrorCode::usage, "a filter has a budget of epsilon or of rho, without a delta",
                "state the budget in rho: largest_zcdp(epsilon, delta)");
  }
}

bool PrivacyFilter::can_spend(const Budget& cost) const {
  if (cost.measure() == Measure::approximate) {
    throw Error(ErrorCode::usage, "a cost of " + cost.to_string() + " has a delta, which a filter does not count",
                "use mechanisms that are pure or zero-concentrated");
  }
  if (budget_.measure() == Measure::zcdp) return rho_ + rho_of(cost) <= budget_.rho();
  if (cost.measure() == Measure::pure) return epsilon_ + cost.epsilon() <= EpsilonSum(budget_.epsilon());
  throw Error(ErrorCode::usage, "a cost of " + cost.to_string() + " has no epsilon, and the budget is one of epsilon",
              "state the budget in rho, or use mechanisms that are pure");
}

void PrivacyFilter::spend(const Budget& cost) {
  if (!can_spend(cost)) {
    throw Error(ErrorCode::budget_refused,
                "a cost of " + cost.to_string() + " exceeds what remains, " + approximately(remaining()) +
                    " of a budget of " + budget_.to_string(),
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
