// Discrete Laplace noise, exactly. Proof: docs/proofs/discrete_laplace.md
#pragma once

#include <cstdint>
#include <vector>

#include "exact/coin.hpp"
#include "exact/filter.hpp"
#include "fractile/exact.hpp"

namespace fractile {

/// An integer k with probability (1 - q)/(1 + q) q^|k|, q = exp(-rate), clamped to [-limit, limit]. About 0.1 us a draw.
/// Source: Canonne, Kamath and Steinke 2020, section 5 (two-part geometric), here with a power of two as the block size.
/// Proof: docs/proofs/discrete_laplace.md
class DiscreteLaplace {
 public:
  /// A caller that adds a draw to a count must clamp the sum to at most limit - |count|: larger sums would reveal the count.
  static constexpr std::int64_t limit = std::int64_t{1} << 62;

  /// Throws `usage` when rate is 0.
  explicit DiscreteLaplace(const Exponent& rate);
  std::int64_t operator()(RandomBits& bits, Filter filter = {}) const;

 private:
  /// A coin whose probability is a function of one exponent.
  struct FixedCoin {
    using Probability = Enclosure (*)(const Exponent& x, std::int64_t precision);
    FixedCoin(Exponent exponent, Probability probability);
    bool flip(RandomBits& bits, Filter filter) const;

    Exponent x;
    Probability p;
    Bounds first;
  };

  std::int64_t magnitude(RandomBits& bits, Filter filter) const;

  std::vector<FixedCoin> digits_;  // for the digits of the magnitude modulo the block
  FixedCoin next_block_;
};

}  // namespace fractile
