// The nearest point of a regular lattice in whole numbers of 128 bits: exact, if the lower bound and the step have a common scale
// that fits.
// Proof: docs/proofs/rank_profile.md
#pragma once

#include <cstdint>
#include <optional>

#include "exact/wide_integers.hpp"
#include "fractile/exact.hpp"

namespace fractile {

class WholeGrid {
 public:
  /// Nothing unless lower = first / scale and step = stride / scale with 63 bits for each of these.
  static std::optional<WholeGrid> of(const Rational& lower, const Rational& step);

  /// floor((value - lower) / step + 1/2).
  int128 nearest_index(std::int64_t value) const;
  /// The same for sum / count; the count is not 0.
  int128 nearest_index_of_mean(std::int64_t sum, std::uint64_t count) const;
  /// The same; nothing for an infinite value and for one of 2^63 or more.
  std::optional<int128> nearest_index(double value) const;

 private:
  WholeGrid(std::int64_t scale, std::int64_t first, std::int64_t stride)
      : scale_(scale), first_(first), stride_(stride) {}
  int128 index_of(int128 doubled) const;
  std::int64_t scale_;
  std::int64_t first_;
  std::int64_t stride_;
};

}  // namespace fractile
