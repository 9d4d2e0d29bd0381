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

  /// The nearest of them among 0 .. candidates - 1.
  std::uint64_t nearest(std::uint64_t candidate, std::uint64_t candidates) const;
  /// How many of them are among 0 .. candidates - 1.
  std::uint64_t size(std::uint64_t candidates) const { return (candidates - 1 - offset) / stride + 1; }
  bool contains(std::uint64_t candidate) const { return candidate >= offset && (candidate - offset) % stride == 0; }

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's 0
  friend auto operator<=>(const RoundGrid&, const RoundGrid&) = default;
};

/// The multiples of `unit` among the candidates of a regular lattice, when there are at least two of them and all between the
/// first and the last are candidates.
std::optional<RoundGrid> round_grid(const Lattice& lattice, const Rational& unit);

/// The powers of ten above the step of a regular lattice that have multiples in it, increasing, at most sixteen of them; of timestamps
/// and instants milliseconds, seconds, minutes, hours and days. None of dates, of an explicit list or of more than 2^55 candidates.
std::vector<RoundGrid> round_grids(const Lattice& lattice);

/// What was found of a column's values: they lie on the grid, and many of them on the heaps, which lie on the grid, too.
struct RoundNumbers {
  std::optional<RoundGrid> grid = {};
  std::optional<RoundGrid> heaps = {};

  bool any() const { return grid || heaps; }

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's 0
  friend auto operator<=>(const RoundNumbers&, const RoundNumbers&) = default;
};

/// A candidate of the heaps is taken to hold as many records as this many others.
constexpr std::uint64_t heap_weight = 8;

}  // namespace fractile
