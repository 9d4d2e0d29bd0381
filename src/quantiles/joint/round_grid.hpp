// Round numbers among the candidates of a lattice.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/ranks.hpp"

namespace fractile {

/// Candidates offset, offset + stride, ...: the multiples of a power of ten.
struct RoundGrid {
  std::uint64_t offset;
  std::uint64_t stride;

  /// The nearest of the grid's candidates among 0 .. candidates - 1.
  std::uint64_t nearest(std::uint64_t candidate, std::uint64_t candidates) const;
  /// The number of the grid's candidates among 0 .. candidates - 1.
  std::uint64_t size(std::uint64_t candidates) const { return (candidates - 1 - offset) / stride + 1; }
  bool contains(std::uint64_t candidate) const { return candidate >= offset && (candidate - offset) % stride == 0; }

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's 0
  friend auto operator<=>(const RoundGrid&, const RoundGrid&) = default;
};

/// The multiples of `unit` among the candidates of a regular lattice, when there are at least two of them and all between the
/// first and the last are candidates.
std::optional<RoundGrid> round_grid(const Lattice& lattice, const Rational& unit);

/// The grids of the powers of ten above the step of a regular lattice that have multiples on it, increasing, at most sixteen. For
/// timestamps and instants, the grids of milliseconds, seconds, minutes, hours and days. None for dates, for an explicit list, and
/// for more than 2^55 candidates.
std::vector<RoundGrid> round_grids(const Lattice& lattice);

/// What was found about a column's values: they lie on the grid, and many of them on the heaps, which are part of the grid.
struct RoundNumbers {
  std::optional<RoundGrid> grid = {};
  std::optional<RoundGrid> heaps = {};

  bool any() const { return grid || heaps; }

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's 0
  friend auto operator<=>(const RoundNumbers&, const RoundNumbers&) = default;
};

/// A candidate of the heaps is assumed to hold as many records as this many other candidates.
constexpr std::uint64_t heap_weight = 8;

}  // namespace fractile
