#include "exact/law.hpp"

namespace fractile {

std::vector<Enclosure> softmax_law(const std::vector<Run>& runs, const Exponent& rate, std::int64_t precision) {
  std::vector<Enclosure> law;
  law.reserve(runs.size());
  Enclosure total = Enclosure::of(Rational(0), precision);
  std::uint64_t best = ~std::uint64_t{0};
  for (const Run& run : runs) best = std::min(best, run.score);
  for (const Run& run : runs) {
    law.push_back((-(Enclosure::of(rate, precision) * (run.score - best))).exp() * run.length);
    total += law.back();
  }
  for (Enclosure& p : law) p /= total;
  return law;
}

}  // namespace fractile
