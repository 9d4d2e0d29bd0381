#include "exact/law.hpp"

namespace fractile {

std::vector<Enclosure> softmax_law(const std::vector<Run>& runs, const Exponent& rate, std::int64_t precision) {
  std::vector<Enclosure> law;
  law.reserve(runs.size());
  Enclosure total = Enclosure::of(Rational(0), precision);
  std::uint64_t best = ~std::uint64_t{0};
  for (const Run& run : runs) best = std::min(best, run.score);
  for (const Run& run : runs) {
    Enclosure exponent = Enclosure::of(rate, precision);
    arb_mul_ui(exponent.arb(), exponent.arb(), run.score - best, precision);
    arb_neg(exponent.arb(), exponent.arb());
    Enclosure weight = exponent.exp();
    arb_mul_ui(weight.arb(), weight.arb(), run.length, precision);
    total += weight;
    law.push_back(std::move(weight));
  }
  for (Enclosure& p : law) p /= total;
  return law;
}

}  // namespace fractile
