#include "quantiles/draws/odometer.hpp"

#include <algorithm>
#include <utility>

#include "fractile/error.hpp"

namespace fractile {

Share Share::take(const Rational& fraction) {
  if (fraction.sign() <= 0 || fraction > left_) {
    throw Error(ErrorCode::internal, "a part of a release asks for more of the budget than is left");
  }
  left_ -= fraction;
  const bool has_delta = budget_.measure() == Measure::approximate;
  return Share(has_delta ? Budget::pure(budget_.epsilon() * fraction) : budget_.scaled(fraction));
}

Share Share::take_rest() {
  Share rest(amount());
  left_ = 0;
  return rest;
}

GroupShares Share::for_groups(std::size_t groups) { return {take_rest().amount(), groups}; }

Share GroupShares::take() {
  for (std::size_t left = left_.load(); left > 0;) {
    if (left_.compare_exchange_weak(left, left - 1)) return Share(each_);
  }
  throw Error(ErrorCode::internal, "more groups than shares of the budget");
}

Budget Share::amount() const {
  if (left_.sign() == 0) throw Error(ErrorCode::internal, "a share of the budget is used twice");
  return left_ == Rational(1) ? budget_ : budget_.scaled(left_);
}

PersonSteps PersonSteps::in_groups(const QuantileQuery& query) {
  const std::uint64_t moves = query.neighbors == Neighbors::change_one ? 2 : 1;
  return {Neighbors::add_remove, moves * query.records_per_person};
}

namespace {

/// Epsilon, or rho.
Exponent level_of(const Budget& budget) {
  return budget.measure() == Measure::zcdp ? Exponent(budget.rho()) : budget.epsilon();
}

Rational times(std::uint64_t steps) { return steps; }

/// The zCDP cost of a bounded range (docs/proofs/conversions.md).
Exponent rho_of_range(const Exponent& range) { return zcdp_of_bounded_range(range); }

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::internal, what); }

}  // namespace

Odometer::Odometer(Budget budget, PersonSteps person) : budget_(std::move(budget)), person_(person) {
  if (person.steps == 0) refuse("a release without persons");
  parts_.reserve(4);  // as many as most releases have
}

Quote Odometer::quote(const SelectionPrice& price) {
  const auto cost = [&](const Rational& range) {
    const Exponent persons_range = price.rate * (range * times(person_.steps));
    return budget_.measure() == Measure::zcdp ? rho_of_range(persons_range) : persons_range;
  };
  return {cost(price.added), cost(price.changed), quotes_++};
}

Quote Odometer::quote(const NoisePrice& price) {
  if (budget_.measure() == Measure::approximate) refuse("noise under a budget that has no price for it");
  const auto cost = [&](const Rational& moved) {
    const Rational by_person = moved * times(person_.steps);
    return budget_.measure() == Measure::pure ? price.rate * by_person
                                              : Exponent(by_person * by_person / (Rational(2) * price.sigma_squared));
  };
  return {cost(price.added), cost(price.changed), quotes_++};
}

std::size_t Odometer::begin(std::string on, Share share) {
  return begin_composition(std::move(on), std::move(share), 0);
}

std::size_t Odometer::begin_composition(std::string on, Share share, std::size_t selections) {
  parts_.push_back({std::move(on), share.take_rest().amount()});
  parts_.back().selections_left = selections;
  return parts_.size() - 1;
}

bool Odometer::Level::add(const Quote& quote) {
  const std::uint64_t bit = quote.id < 64 ? std::uint64_t{1} << quote.id : 0;
  if ((twice & bit) != 0) return false;
  twice |= once & bit;
  once |= bit;
  bool grew = false;
  const auto raise = [&](Exponent& to, const Exponent& cost) {
    if (cost <= to) return false;
    to = cost;
    return grew = true;
  };
  raise(changed, quote.changed);
  const Exponent largest = added;
  if (raise(added, quote.added)) {
    second_added = largest;
  } else {
    raise(second_added, quote.added);
  }
  return grew;
}

/// A record is in one of the parallel draws. Replacing it changes it in that draw, or moves it from one draw to another.
EpsilonSum Odometer::cost(const Level& level) const {
  if (person_.relation == Neighbors::add_remove) return level.added;
  return std::max(EpsilonSum(level.changed), EpsilonSum(level.added) + EpsilonSum(level.second_added));
}

void Odometer::charge_next(std::size_t part, const Quote& quote, std::size_t draws) {
  if (draws == 0) return;
  Part& at = parts_.at(part);
  if (at.limit.measure() == Measure::approximate) return compose(at, quote);
  at.before += cost(at.level);
  at.level = {};
  at.level.add(quote);
  if (draws > 1) at.level.add(quote);
  require_covered(at);
}

void Odometer::charge_beside(std::size_t part, const Quote& quote) {
  Part& at = parts_.at(part);
  if (at.limit.measure() == Measure::approximate) refuse("selections chosen by outputs under (epsilon, delta)");
  if (at.level.add(quote)) require_covered(at);
}

/// The share is certified once, for the announced number of selections, and covers no further ones.
void Odometer::compose(Part& part, const Quote& quote) {
  const Exponent range = person_.relation == Neighbors::add_remove ? quote.added : std::max(quote.added, quote.changed);
  const bool first = part.range.is_zero();
  if (part.selections_left == 0 || (!first && range > part.range)) {
    refuse("a draw of '" + part.on + "' that was not announced");
  }
  if (first) {
    if (delta_of_bounded_range(range, part.selections_left, part.limit.epsilon()) > part.limit.delta()) {
      refuse("the draws of '" + part.on + "' cost more than their share of delta");
    }
    part.range = range;
    part.before = part.limit.epsilon();
    require_covered(part);
  }
  --part.selections_left;
}

void Odometer::require_covered(const Part& part) const {
  EpsilonSum whole;
  Rational delta;
  for (const Part& each : parts_) {
    whole += cost(each);
    if (each.limit.measure() == Measure::approximate) delta += each.limit.delta();
  }
  const bool has_delta = budget_.measure() == Measure::approximate;
  const bool covered = cost(part) <= level_of(part.limit) && whole <= level_of(budget_) &&
                       delta <= (has_delta ? budget_.delta() : Rational(0));
  if (!covered) refuse("the draws of '" + part.on + "' cost more than their share of the budget");
}

std::vector<PartCost> Odometer::spent() const {
  std::vector<PartCost> result;
  for (const Part& part : parts_) {
    const bool composed = part.limit.measure() == Measure::approximate && !part.range.is_zero();
    result.push_back({part.on, cost(part), composed ? part.limit.delta() : Rational(0)});
  }
  return result;
}

}  // namespace fractile
