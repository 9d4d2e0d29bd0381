// Lazy coins: exact comparisons of a uniform number, whose bits are drawn as needed, with a probability that is only
// known by enclosures. Proof: docs/proofs/coin.md
#pragma once

#include <cstdint>
#include <functional>

#include "exact/enclosure.hpp"
#include "fractile/random.hpp"
#include "fractile/selection.hpp"

namespace fractile {

/// A uniform number of [0, 1) of which the first bits are known: it lies in the cell [prefix, prefix + 1] / 2^length.
class LazyUniform {
 public:
  LazyUniform(RandomBits& bits, int first_bits);
  /// Continues from bits already drawn.
  LazyUniform(std::uint64_t prefix, int length) : prefix_(prefix), length_(length) {}
  /// Draws `more` further bits, 1..64.
  void extend(RandomBits& bits, int more = 64);
  std::int64_t length() const { return length_; }
  const Integer& prefix() const { return prefix_; }
  /// The cell as a ball.
  Enclosure cell() const;

 private:
  Integer prefix_;
  std::int64_t length_ = 0;
};

/// Certified bounds lower <= p <= upper, 0 <= lower, upper any double or infinity.
struct Bounds {
  double lower;
  double upper;
};

/// Encloses p within relative 2^-precision or so, for any precision asked for.
using Enclose = std::function<Enclosure(std::int64_t precision)>;

/// True with probability exactly p, p in [0, 1]. The first look compares `filter.prefix_bits` bits with `first`; only when
/// those do not decide is `enclose` called, with ever higher precision.
bool lazy_coin(RandomBits& bits, Bounds first, const Enclose& enclose, Filter filter = {},
               SelectionCost* cost = nullptr);

/// True with probability exactly exp(-x).
bool bernoulli_exp(RandomBits& bits, const Exponent& x, Filter filter = {});

}  // namespace fractile
