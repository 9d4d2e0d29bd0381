#include "source/counting/scaled_lattice.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "libraries/fmt.hpp"

namespace fractile::source_detail {

Lattice in_units(const Lattice& lattice, int scale, const std::string& column, const std::string& type) {
  constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const Rational unit = Rational(10).pow(-scale);
  if (lattice.upper() / unit >= Rational(largest) || lattice.lower() / unit <= Rational(smallest)) {
    throw Error(
        ErrorCode::usage,
        fmt::format("column '{}' is {}, and the bounds are beyond what 64 bits with a sign hold of its units", column,
                    type),
        "choose narrower bounds, round the column to fewer decimals, or subtract the same number from the column and "
        "from the bounds");
  }
  if (scale == 0) return lattice;
  if (lattice.is_regular()) {
    return Lattice::regular(lattice.lower() / unit, lattice.upper() / unit, lattice.step() / unit);
  }
  return Lattice::explicit_points(tabulated(lattice.size(), [&](std::uint64_t i) { return lattice.at(i) / unit; }));
}

UnitLattice unit_lattice(const Lattice& lattice, int digits, int scale, const std::string& column,
                         const std::string& type) {
  constexpr int most_digits = 18;  // 64 bits hold this many
  if (digits == 0 || digits > most_digits || !lattice.is_regular()) return {in_units(lattice, scale, column, type)};
  const Rational unit = Rational(10).pow(-scale);
  const Rational step = lattice.step() / unit;
  const Rational reach = Rational(10).pow(most_digits) + step;  // one step beyond every number
  const Rational lower = lattice.lower() / unit;
  const Rational last(static_cast<std::int64_t>(lattice.size() - 1));
  const auto index_at = [&](const Rational& units) {
    return std::clamp((units - lower) / step, Rational(0), last).floor().to_uint64();
  };
  const std::uint64_t first = index_at(Rational(0) - reach);
  const Lattice near = lattice.between(first, index_at(reach));
  return {in_units(near, scale, column, type), first};
}

RankProfile UnitLattice::back_on(const Lattice& lattice, RankProfile profile) const {
  if (counted_on.size() == lattice.size()) return relabeled(std::move(profile), lattice);
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    positions.push_back(profile.position(k) + 2 * left_out);
    counts.push_back(profile.count(k));
  }
  return {lattice, std::move(positions), counts};
}

}  // namespace fractile::source_detail
