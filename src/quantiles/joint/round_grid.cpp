#include "quantiles/joint/round_grid.hpp"

namespace fractile {

std::optional<RoundGrid> round_grid(const Lattice& lattice, const Rational& unit) {
  const Rational stride = unit / lattice.step();
  const Rational offset = ((lattice.lower() / unit).ceil() * unit - lattice.lower()) / lattice.step();
  if (!stride.is_integer() || !offset.is_integer()) return {};
  if (offset + stride >= Rational(lattice.size())) return {};
  return RoundGrid{offset.to_uint64(), stride.to_uint64()};
}

std::uint64_t RoundGrid::nearest(std::uint64_t candidate, std::uint64_t candidates) const {
  if (candidate <= offset) return offset;
  const std::uint64_t near = offset + (candidate - offset + stride / 2) / stride * stride;
  return near < candidates ? near : near - stride;
}

namespace {

/// Milliseconds, seconds, minutes, hours and days: each is a whole multiple of those before it. Nothing is rounder than a day.
std::vector<RoundGrid> round_times(const Lattice& lattice) {
  std::vector<RoundGrid> grids;
  if (lattice.kind() == ValueKind::date) return grids;
  for (const std::int64_t unit : {1'000LL, 1'000'000LL, 60'000'000LL, 3'600'000'000LL, 86'400'000'000LL}) {
    if (Rational(unit) <= lattice.step()) continue;
    if (const std::optional<RoundGrid> grid = round_grid(lattice, unit)) grids.push_back(*grid);
  }
  return grids;
}

}  // namespace

std::vector<RoundGrid> round_grids(const Lattice& lattice) {
  constexpr std::size_t most = 16;
  std::vector<RoundGrid> grids;
  if (!lattice.is_regular() || lattice.size() > std::uint64_t{1} << 55) return grids;
  if (lattice.kind() != ValueKind::number) return round_times(lattice);
  Rational unit = 1;
  while (unit > lattice.step()) unit /= Rational(10);
  while (unit <= lattice.step()) unit *= Rational(10);
  for (; unit <= lattice.upper() - lattice.lower() && grids.size() < most; unit *= Rational(10)) {
    if (const std::optional<RoundGrid> grid = round_grid(lattice, unit)) grids.push_back(*grid);
  }
  return grids;
}

}  // namespace fractile
