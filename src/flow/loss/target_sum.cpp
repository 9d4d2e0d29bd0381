#include "flow/loss/target_sum.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "flow/loss/joint_weights.hpp"
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

std::vector<std::vector<Enclosure>> step_laws(const Pipeline& pipeline, const Enclosure& odds) {
  const Noise<Enclosure> noise = noise_at(pipeline.perturber.noise(), odds);
  const std::vector<std::size_t> steps = additions_of(pipeline).steps;
  std::vector<std::vector<Enclosure>> laws;
  laws.reserve(noise.values());
  for (const std::vector<Enclosure>& row : noise.numerators) {
    std::vector<Enclosure> law(*std::ranges::max_element(steps) + 1);
    for (std::size_t answer = 0; answer < row.size(); ++answer) {
      Enclosure p;
      arb_div(p.arb(), row[answer].arb(), noise.denominator.arb(), enclosure_bits);
      arb_add(law[steps[answer]].arb(), law[steps[answer]].arb(), p.arb(), enclosure_bits);
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

bool adds_known_others(const Pipeline& pipeline) {
  return pipeline.perturber.release() == nullptr && pipeline.secret.kind == Secret::Kind::target &&
         pipeline.post.kind == PostProcessor::Kind::sum;
}

namespace {

StepCosts costs_of(const JointWeights& joint, const std::vector<std::vector<Enclosure>>& laws) {
  StepCosts costs;
  for (std::size_t w = 0; w < joint.weights.columns(); ++w) {
    std::vector<Enclosure> cost(laws.front().size());
    for (std::size_t x = 0; x < laws.size(); ++x) {
      const Enclosure weight = Enclosure::of(joint.weights(x, w) / joint.common, enclosure_bits);
      for (std::size_t s = 0; s < cost.size(); ++s) add_product(cost[s], weight, laws[x][s]);
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

/// The numbers p_0, p_1 ratio, p_2 ratio^2 ..
std::vector<std::vector<Enclosure>> tilted(std::vector<std::vector<Enclosure>> laws, const Rational& ratio) {
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
Enclosure expectation_of(const std::vector<std::vector<Enclosure>>& tilted, const Composition& people) {
  Enclosure result = whole<Enclosure>(1);
  Enclosure power;
  for (std::size_t value = 0; value < people.size(); ++value) {
    arb_pow_ui(power.arb(), sum_of(tilted[value]).arb(), people[value], enclosure_bits);
    arb_mul(result.arb(), result.arb(), power.arb(), enclosure_bits);
  }
  return result;
}

Composition others_of(const Pipeline& pipeline) {
  return composition_of(pipeline.secret.known, pipeline.values.size());
}

}  // namespace

StepCosts step_costs(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds) {
  return costs_of(joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline)), step_laws(pipeline, odds));
}

TiltedUnit::TiltedUnit(const Pipeline& pipeline, const Enclosure& odds, Rational of)
    : ratio(std::move(of)),
      expectation(expectation_of(tilted(step_laws(pipeline, odds), ratio), others_of(pipeline))) {}

Enclosure TiltedUnit::after(std::size_t total) const {
  Enclosure result = Enclosure::of(ratio, enclosure_bits);
  arb_pow_ui(result.arb(), result.arb(), total, enclosure_bits);
  arb_div(result.arb(), expectation.arb(), result.arb(), enclosure_bits);
  return result;
}

KnownSum::KnownSum(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds, const Rational& ratio)
    : others(nobody()) {
  std::vector<std::vector<Enclosure>> laws = tilted(step_laws(pipeline, odds), ratio);
  const Composition people = others_of(pipeline);
  costs = costs_of(joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline)), laws);
  expectation = expectation_of(laws, people);
  for (std::size_t value = 0; value < people.size(); ++value) {
    const Enclosure sum = sum_of(laws[value]);
    for (Enclosure& p : laws[value]) arb_div(p.arb(), p.arb(), sum.arb(), enclosure_bits);
    others = convolved(others, power(fixed_point(0, laws[value], {}), people[value]));
  }
  left_out = from_zero_to(product(highest_cost(costs), others.rest));
}

Enclosure KnownSum::loss(std::size_t action, std::size_t total) const {
  const std::vector<Enclosure>& cost = costs[action];
  Enclosure sum;
  for (std::size_t s = 0; s < cost.size() && s <= total; ++s) {
    const std::size_t below = total - s;
    if (below < others.first || below >= others.first + others.size) continue;
    add_product(sum, cost[s], others.mass(below - others.first));
  }
  return sum;
}

Enclosure losses_beyond(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds, const Rational& ratio,
                        std::size_t total) {
  const TiltedUnit unit(pipeline, odds, ratio);
  return product(highest_cost(tilted(step_costs(pipeline, analyst, odds), ratio)), unit.after(total));
}

Enclosure loss_of_sum_among_known(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds) {
  pipeline.validate();
  const KnownSum sum(pipeline, analyst, odds);
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
  Noise<Integer> noise = noise_at(pipeline.perturber.noise(), odds);
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

bool has_short_loss(const Pipeline& pipeline, const Rational& odds) {
  constexpr double most_bits = 1e10;
  const std::vector<std::size_t> steps = additions_of(pipeline).steps;
  const auto people = static_cast<double>(pipeline.participants);
  const auto bits = static_cast<double>(fmpz_bits(short_noise_at(pipeline, odds).denominator.get()));
  return people * bits * people * static_cast<double>(*std::ranges::max_element(steps)) <= most_bits;
}

Rational exact_loss_of_sum_among_known(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds) {
  pipeline.validate();
  if (!has_short_loss(pipeline, odds)) {
    throw Error(ErrorCode::usage, "the losses of so many people's sums are too long to be written down",
                "30 digits are certified without; or take a shorter exp(epsilon)");
  }
  const Noise<Integer> noise = short_noise_at(pipeline, odds);
  const std::vector<std::size_t> steps = additions_of(pipeline).steps;
  const std::vector<Polynomial> laws = step_numerators(noise, steps);
  const Composition histogram = others_of(pipeline);
  Polynomial others(1);
  Polynomial power;
  for (std::size_t value = 0; value < laws.size(); ++value) {
    fmpz_poly_pow(power.get(), laws[value].get(), histogram[value]);
    others = others * power;
  }
  const JointWeights joint = joint_weights(prior_of(analyst, pipeline), loss_of(analyst, pipeline));
  std::vector<Polynomial> losses(joint.weights.columns());  // by total
  for (std::size_t action = 0; action < losses.size(); ++action) {
    Polynomial cost;
    for (std::size_t x = 0; x < laws.size(); ++x) {
      add_product(cost, Polynomial::constant(joint.weights(x, action)), laws[x]);
    }
    losses[action] = cost * others;
  }
  Integer all;
  fmpz_pow_ui(all.get(), noise.denominator.get(), pipeline.participants);
  Rational loss;
  fmpq_set_fmpz_frac(flint_of(loss), sum_of_least(losses).get(), all.get());
  return loss / joint.common;
}

}  // namespace fractile::flow
