#include "flow/loss/target_sum.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "flow/pipeline/additions.hpp"
#include "flow/pipeline/rows.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

/// What an action costs for a unit of probability after each step together, whatever it is.
Enclosure highest_cost(const StepCosts& costs) {
  Enclosure all;
  for (std::size_t s = 0; s < costs.front().size(); ++s) {
    Enclosure highest;
    for (const std::vector<Enclosure>& cost : costs) {
      arb_max(highest.arb(), highest.arb(), cost[s].arb(), enclosure_bits);
    }
    arb_add(all.arb(), all.arb(), highest.arb(), enclosure_bits);
  }
  return all;
}

}  // namespace

bool TargetSum::fits(const Pipeline& pipeline) {
  return pipeline.perturber.is_shared() && pipeline.perturber.root_degree() == 1 &&
         pipeline.secret.kind == Secret::Kind::target && pipeline.post.kind == PostProcessor::Kind::sum;
}

TargetSum::TargetSum(const Pipeline& pipeline, const Analyst& analyst)
    : pipeline_(pipeline),
      joint_(joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline))),
      steps_(additions_of(pipeline).steps),
      longest_step_(*std::ranges::max_element(steps_)),
      others_(known_composition(pipeline)) {
  for (std::size_t w = 0; w < joint_.weights.columns(); ++w) {
    weights_.emplace_back();
    for (std::size_t x = 0; x < joint_.weights.rows(); ++x) {
      weights_.back().push_back(Enclosure::of(joint_.weights(x, w) / joint_.common, enclosure_bits));
    }
  }
}

double TargetSum::range() const {
  return static_cast<double>(longest_step_) * static_cast<double>(pipeline_.participants);
}

StepLaws TargetSum::step_laws(const Enclosure& odds) const {
  const Noise<Enclosure> noise = noise_at(noise_of(pipeline_.perturber), odds);
  StepLaws laws;
  laws.reserve(noise.values());
  for (const std::vector<Enclosure>& row : noise.numerators) {
    std::vector<Enclosure> law(longest_step_ + 1);
    for (std::size_t answer = 0; answer < row.size(); ++answer) {
      Enclosure p;
      arb_div(p.arb(), row[answer].arb(), noise.denominator.arb(), enclosure_bits);
      arb_add(law[steps_[answer]].arb(), law[steps_[answer]].arb(), p.arb(), enclosure_bits);
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

StepCosts TargetSum::step_costs(const StepLaws& laws) const {
  StepCosts costs;
  for (const std::vector<Enclosure>& weights : weights_) {
    std::vector<Enclosure> cost(laws.front().size());
    for (std::size_t x = 0; x < laws.size(); ++x) {
      for (std::size_t s = 0; s < cost.size(); ++s) add_product(cost[s], weights[x], laws[x][s]);
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

namespace {

/// The numbers p_0, p_1 ratio, p_2 ratio^2 ..
StepLaws tilted(StepLaws laws, const Rational& ratio) {
  const Enclosure factor = Enclosure::of(ratio, enclosure_bits);
  for (std::vector<Enclosure>& law : laws) {
    Enclosure power = whole<Enclosure>(1);
    for (Enclosure& p : law) {
      arb_mul(p.arb(), p.arb(), power.arb(), enclosure_bits);
      arb_mul(power.arb(), power.arb(), factor.arb(), enclosure_bits);
    }
  }
  return laws;
}

Enclosure sum_of(const std::vector<Enclosure>& numbers) {
  Enclosure sum;
  for (const Enclosure& number : numbers) arb_add(sum.arb(), sum.arb(), number.arb(), enclosure_bits);
  return sum;
}

/// The product of the sums, each to the power of how many there are.
Enclosure expectation_of(const StepLaws& tilted, const Composition& people) {
  Enclosure result = whole<Enclosure>(1);
  Enclosure power;
  for (std::size_t value = 0; value < people.size(); ++value) {
    arb_pow_ui(power.arb(), sum_of(tilted[value]).arb(), people[value], enclosure_bits);
    arb_mul(result.arb(), result.arb(), power.arb(), enclosure_bits);
  }
  return result;
}

}  // namespace

TiltedUnit::TiltedUnit(const TargetSum& sum, const Enclosure& odds, Rational of)
    : ratio(std::move(of)), expectation(expectation_of(tilted(sum.step_laws(odds), ratio), sum.others())) {}

Enclosure TiltedUnit::after(std::size_t total) const {
  Enclosure result = Enclosure::of(ratio, enclosure_bits);
  arb_pow_ui(result.arb(), result.arb(), total, enclosure_bits);
  arb_div(result.arb(), expectation.arb(), result.arb(), enclosure_bits);
  return result;
}

TiltedSum::TiltedSum(const TargetSum& sum, const Enclosure& odds, const Rational& ratio) : others(nobody()) {
  StepLaws laws = tilted(sum.step_laws(odds), ratio);
  const Composition& people = sum.others();
  costs = sum.step_costs(laws);
  expectation = expectation_of(laws, people);
  for (std::size_t value = 0; value < people.size(); ++value) {
    const Enclosure all = sum_of(laws[value]);
    for (Enclosure& p : laws[value]) arb_div(p.arb(), p.arb(), all.arb(), enclosure_bits);
    others = convolved(others, power(fixed_point(0, laws[value], {}), people[value]));
  }
  left_out = from_zero_to(product(highest_cost(costs), others.rest));
}

Enclosure TiltedSum::loss(std::size_t action, std::size_t total) const {
  const std::vector<Enclosure>& cost = costs[action];
  Enclosure sum;
  for (std::size_t s = 0; s < cost.size() && s <= total; ++s) {
    const std::size_t below = total - s;
    if (below < others.first || below >= others.first + others.size) continue;
    add_product(sum, cost[s], others.mass(below - others.first));
  }
  return sum;
}

Enclosure losses_beyond(const TargetSum& sum, const Enclosure& odds, const Rational& ratio, std::size_t total) {
  const TiltedUnit unit(sum, odds, ratio);
  return product(highest_cost(tilted(sum.step_costs(sum.step_laws(odds)), ratio)), unit.after(total));
}

Enclosure TargetSum::loss(const Enclosure& odds) const {
  const TiltedSum sum(*this, odds);
  Enclosure loss = sum.left_out;
  for (std::size_t total = sum.first(); total < sum.end(); ++total) {
    Enclosure least = sum.loss(0, total);
    for (std::size_t action = 1; action < sum.costs.size(); ++action) {
      arb_min(least.arb(), least.arb(), sum.loss(action, total).arb(), enclosure_bits);
    }
    arb_add(loss.arb(), loss.arb(), least.arb(), enclosure_bits);
  }
  return loss;
}

namespace {

/// By value: coefficient s is the numerator of the probability of adding s steps.
std::vector<Polynomial> step_numerators(const Noise<Integer>& noise, const std::vector<std::size_t>& steps) {
  std::vector<Polynomial> laws(noise.values());
  Integer sum;
  for (std::size_t value = 0; value < laws.size(); ++value) {
    for (std::size_t answer = 0; answer < steps.size(); ++answer) {
      const auto step = static_cast<slong>(steps[answer]);
      fmpz_poly_get_coeff_fmpz(sum.get(), laws[value].get(), step);
      fmpz_add(sum.get(), sum.get(), noise.numerators[value][answer].get());
      fmpz_poly_set_coeff_fmpz(laws[value].get(), step, sum.get());
    }
  }
  return laws;
}

/// Numerators without a common factor.
Noise<Integer> short_noise_at(const Pipeline& pipeline, const Rational& odds) {
  Noise<Integer> noise = noise_at(noise_of(pipeline.perturber), odds);
  Integer common = noise.denominator;
  for (const auto& row : noise.numerators) {
    for (const Integer& p : row) fmpz_gcd(common.get(), common.get(), p.get());
  }
  fmpz_divexact(noise.denominator.get(), noise.denominator.get(), common.get());
  for (auto& row : noise.numerators) {
    for (Integer& p : row) fmpz_divexact(p.get(), p.get(), common.get());
  }
  return noise;
}

/// The sum over exponents of the least of the polynomials' coefficients.
Integer sum_of_least(const std::vector<Polynomial>& polynomials) {
  std::int64_t degree = 0;
  for (const Polynomial& one : polynomials) degree = std::max(degree, one.degree());
  Integer sum;
  Integer least;
  Integer other;
  for (slong exponent = 0; exponent <= degree; ++exponent) {
    fmpz_poly_get_coeff_fmpz(least.get(), polynomials.front().get(), exponent);
    for (const Polynomial& one : polynomials) {
      fmpz_poly_get_coeff_fmpz(other.get(), one.get(), exponent);
      if (fmpz_cmp(other.get(), least.get()) < 0) fmpz_swap(least.get(), other.get());
    }
    fmpz_add(sum.get(), sum.get(), least.get());
  }
  return sum;
}

}  // namespace

bool TargetSum::is_soon_exact(const Rational& odds) const {
  constexpr double most_bits = 1e10;
  const auto people = static_cast<double>(pipeline_.participants);
  const auto bits = static_cast<double>(fmpz_bits(short_noise_at(pipeline_, odds).denominator.get()));
  return people * bits * people * static_cast<double>(longest_step_) <= most_bits;
}

Rational TargetSum::exact_loss(const Rational& odds) const {
  if (!is_soon_exact(odds)) {
    throw Error(ErrorCode::usage, "the losses of so many people's sums are too long to be written down",
                "30 digits are certified without; or take a shorter exp(epsilon)");
  }
  const Noise<Integer> noise = short_noise_at(pipeline_, odds);
  const std::vector<Polynomial> laws = step_numerators(noise, steps_);
  Polynomial others(1);
  Polynomial power;
  for (std::size_t value = 0; value < laws.size(); ++value) {
    fmpz_poly_pow(power.get(), laws[value].get(), others_[value]);
    others = others * power;
  }
  std::vector<Polynomial> losses(joint_.weights.columns());  // by total
  for (std::size_t action = 0; action < losses.size(); ++action) {
    Polynomial cost;
    for (std::size_t x = 0; x < laws.size(); ++x) {
      add_product(cost, Polynomial::constant(joint_.weights(x, action)), laws[x]);
    }
    losses[action] = cost * others;
  }
  Integer all;
  fmpz_pow_ui(all.get(), noise.denominator.get(), pipeline_.participants);
  Rational loss;
  fmpq_set_fmpz_frac(flint_of(loss), sum_of_least(losses).get(), all.get());
  return loss / joint_.common;
}

}  // namespace fractile::flow
