#include "flow/stability/pairs.hpp"

#include "flow/algebra/real_roots.hpp"

namespace fractile::flow {

Pairs pairs_within(const Rational& from, const Rational& to) {
  Pairs pairs;
  for (std::int64_t parts = 1; parts <= 8; parts *= 2) {
    const auto point = [&](std::int64_t i) {
      return short_rational(from + (to - from) / parts * i, from, to, (to - from) / 20);
    };
    for (std::int64_t i = 0; i < parts; ++i) pairs.emplace_back(point(i + 1), point(i));
  }
  return pairs;
}

}  // namespace fractile::flow
