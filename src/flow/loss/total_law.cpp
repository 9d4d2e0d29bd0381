#include "flow/loss/total_law.hpp"

#include <algorithm>

#include "exact/lists.hpp"

namespace fractile::flow {
namespace {

Enclosure sum_of(const std::vector<Enclosure>& numbers) {
  Enclosure sum;
  for (const Enclosure& number : numbers) arb_add(sum.arb(), sum.arb(), number.arb(), enclosure_bits);
  return sum;
}

}  // namespace

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

Enclosure expectation_of(const StepLaws& tilted, const Composition& people) {
  return product_of_powers(mapped(tilted, sum_of), people);
}

TruncatedLaw total_law(const StepLaws& tilted, const Composition& people) {
  TruncatedLaw total = nobody();
  for (std::size_t value = 0; value < people.size(); ++value) {
    if (people[value] == 0) continue;
    std::vector<Enclosure> law = tilted[value];
    const Enclosure all = sum_of(law);
    for (Enclosure& p : law) arb_div(p.arb(), p.arb(), all.arb(), enclosure_bits);
    const bool is_counted = law.size() == 2 && !is_zero(law[0]) && !is_zero(law[1]);
    total =
        convolved(total, is_counted ? binomial(law[1], people[value]) : power(fixed_point(0, law, {}), people[value]));
  }
  return total;
}

Enclosure RunningLaw::between(std::size_t from, std::size_t to) const {
  const auto index = [&](std::size_t total) { return std::clamp(total, first(), last() + 1) - first(); };
  Enclosure result = Enclosure::difference(sums_[index(to)], sums_[index(from)], law_bits);
  arb_add(result.arb(), result.arb(), rest_.arb(), law_bits);
  return result;
}

}  // namespace fractile::flow
