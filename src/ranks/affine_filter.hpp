// The nearest point of a regular lattice in double arithmetic, with a bound on the error: most records need nothing else. Many
// values at once are computed in vectors of the machine's width. Proof: docs/proofs/rank_profile.md
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "fractile/ranks.hpp"

namespace fractile {

class AffineFilter {
 public:
  /// Every position is uncertain where doubles could overflow or underflow, and most are where doubles cannot separate the points.
  AffineFilter(const Rational& lower, const Rational& upper, const Rational& step, std::uint64_t points);

  static constexpr Position uncertain = ~Position{0};

  /// position_of(value) or `uncertain`; always `uncertain` for NaN. Uses selections instead of branches, written so that NaN stays
  /// NaN.
  Position operator()(double value) const {
    double index = (value - terms_.lower) * terms_.per_step;
    index = index < 0 ? 0 : index;
    index = index > terms_.last ? terms_.last : index;
    if (terms_.is_unrounded) {
      const bool is_number = index >= 0;
      const auto halves = static_cast<Position>(is_number ? 2 * index : 0);
      return is_number ? (halves + 1) | 1 : uncertain;
    }
    const double shifted = index + to_wholes;
    const double distance = std::abs(index - (shifted - to_wholes));
    const bool certain = distance + (terms_.error + index * relative_error) < 0.5;
    return (2 * (std::bit_cast<Position>(shifted) - bits_of_to_wholes) + 1) | (certain ? Position{0} : uncertain);
  }
  /// The same for many values; returns whether any is uncertain.
  bool operator()(std::span<const double> values, Position* positions) const;

  // The constants of that arithmetic.
  static constexpr double relative_error = 0x1p-49;
  static constexpr double to_wholes = 0x1p52;  // added to a number of [0, 2^52), it rounds away the fraction
  static constexpr auto bits_of_to_wholes = std::bit_cast<Position>(to_wholes);
  struct Terms {
    double lower;
    double per_step;
    double last;        // the largest index
    double error;       // of an index near 0; from 1/2 on, every position is uncertain
    bool is_unrounded;  // an index is exact: all numbers are certain
  };
  const Terms& terms() const { return terms_; }

 private:
  Terms terms_;
};

}  // namespace fractile
