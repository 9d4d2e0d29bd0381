#include "quantiles/stages/interpolation.hpp"

#include <algorithm>
#include <cstddef>

namespace fractile {

std::vector<std::uint64_t> interpolated(const std::vector<Rational>& quantiles, const std::vector<Rational>& released,
                                        const std::vector<std::uint64_t>& places, std::uint64_t highest) {
  const auto at = [](std::uint64_t place) { return Rational(place); };
  std::vector<std::uint64_t> result;
  std::size_t k = 0;
  for (const Rational& q : quantiles) {
    while (k + 2 < released.size() && released[k + 1] <= q) ++k;
    const Rational share = (q - released[k]) / (released[k + 1] - released[k]);
    const Rational place = (at(places[k]) + share * (at(places[k + 1]) - at(places[k]))).floor();
    result.push_back(std::clamp(place, Rational(0), at(highest)).to_uint64());
  }
  return result;
}

}  // namespace fractile
