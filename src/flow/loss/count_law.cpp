#include "flow/loss/count_law.hpp"

#include <algorithm>
#include <utility>

namespace fractile::flow {

CountLaw::CountLaw(const std::vector<Enclosure>& counted, const std::vector<std::size_t>& histogram)
    : truncated_(nobody()) {
  for (std::size_t value = 0; value < counted.size(); ++value) {
    if (histogram[value] == 0) continue;
    truncated_ = convolved(truncated_, binomial(counted[value], histogram[value]));
    others_ += histogram[value];
  }
  truncated_.rest = from_zero_to(truncated_.rest);
  sums_ = truncated_.sums();
}

Enclosure CountLaw::at(std::size_t y) const {
  Enclosure result = y <= others_ ? truncated_.rest : Enclosure();
  if (y < first() || y > last()) return result;
  arb_add(result.arb(), result.arb(), truncated_.mass(y - first()).arb(), law_bits);
  return result;
}

Enclosure CountLaw::between(std::size_t from, std::size_t to) const {
  const auto index = [&](std::size_t y) { return std::clamp(y, first(), last() + 1) - first(); };
  Enclosure result;
  arb_sub(result.arb(), sums_[index(to)].arb(), sums_[index(from)].arb(), law_bits);
  arb_add(result.arb(), result.arb(), truncated_.rest.arb(), law_bits);
  return result;
}

}  // namespace fractile::flow
