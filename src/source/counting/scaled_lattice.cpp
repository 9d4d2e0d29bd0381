#include "source/counting/scaled_lattice.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "fractile/error.hpp"

namespace fractile::source_detail {

Lattice in_units(const Lattice& lattice, int scale, const std::string& column, const std::string& type) {
  constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const Rational unit = Rational(10).pow(-scale);
  if (lattice.upper() / unit >= Rational(largest) || lattice.lower() / unit <= Rational(smallest)) {
    throw Error(
        ErrorCode::usage,
        fmt::format("column '{}' is {}, and the bounds are beyond what 64 bits hold of its units", column, type),
        "choose narrower bounds, or convert the column to doubles");
  }
  if (scale == 0) return lattice;
  if (lattice.is_regular()) {
    return Lattice::regular(lattice.lower() / unit, lattice.upper() / unit, lattice.step() / unit);
  }
  std::vector<Rational> points;
  points.reserve(lattice.size());
  for (std::uint64_t i = 0; i < lattice.size(); ++i) points.push_back(lattice.at(i) / unit);
  return Lattice::explicit_points(std::move(points));
}

}  // namespace fractile::source_detail
