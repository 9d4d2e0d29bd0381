// Upper bounds of exp(rate x) and exp(-rate x), however large or small these are.
#pragma once

#include <cstdint>

#include "exact/uniform.hpp"
#include "fractile/exact.hpp"
#include "quantiles/joint/wide_real.hpp"

namespace fractile {

/// For a positive rate of at most 64, and x = whole + rest / parts with 0 <= whole <= 2^50 and rest < parts. Each bound is too
/// large by a factor of at most 1 + 2^-12, and of at most 1 + 2^-20 for x up to 2^40.
/// Proof: docs/proofs/joint_total.md, section "Powers".
class RatePowers {
 public:
  explicit RatePowers(const Exponent& rate);

  /// At least exp(-rate x).
  WideReal down(std::uint64_t whole, std::uint64_t rest = 0, std::uint64_t parts = 1) const;
  /// At least exp(rate x).
  WideReal up(std::uint64_t whole, std::uint64_t rest = 0, std::uint64_t parts = 1) const;

 private:
  // Bounds of rate / ln 2, in units of 2^-64.
  uint128 lower_;
  uint128 upper_;
};

}  // namespace fractile
