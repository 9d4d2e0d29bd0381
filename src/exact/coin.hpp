// Lazy coins: exact comparisons of a uniform number, whose bits are drawn as needed, with a probability that is only
// known by enclosures. Proof: docs/proofs/coin.md
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>

#include "exact/enclosure.hpp"
#include "exact/filter.hpp"
#include "fractile/exact.hpp"

namespace fractile {

/// A uniform number in [0, 1) whose first bits are known: it lies in the cell [prefix, prefix + 1] / 2^length.
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

enum class Verdict { yes, no, undecided };

/// The first bits of a coin's uniform U.
class FirstBits {
 public:
  FirstBits(RandomBits& bits, Filter filter) : prefix_(bits.next64() >> (64 - filter.prefix_bits)), filter_(filter) {}
  /// Whether U < p, from these bits alone. If the bounds leave it undecided, the caller may try closer ones.
  Verdict below(Bounds p) const {
    const double end = power_of_two(filter_.prefix_bits);
    // Scaling by a power of two is exact, and where it overflows, infinity compares rightly.
    const double lower = p.lower * (1 - filter_.slack) * end;
    if (lower >= end || (lower >= 1 && prefix_ < static_cast<std::uint64_t>(lower))) return Verdict::yes;
    const double upper = p.upper * (1 + filter_.slack) * end;
    return upper < end && prefix_ >= rounded_up(upper) ? Verdict::no : Verdict::undecided;
  }
  std::uint64_t prefix() const { return prefix_; }
  int length() const { return filter_.prefix_bits; }

 private:
  static double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
  }
  /// For a double from 0 to below 2^64.
  static std::uint64_t rounded_up(double x) {
    const auto whole = static_cast<std::uint64_t>(x);
    return whole + (static_cast<double>(whole) < x ? 1 : 0);
  }

  std::uint64_t prefix_;
  Filter filter_;
};

/// Encloses p with a relative width of about 2^-precision, for any precision asked for.
using Enclose = std::function<Enclosure(std::int64_t precision)>;

/// True with probability exactly p, p in [0, 1], after a first look that left the comparison undecided.
bool settled_coin(RandomBits& bits, const FirstBits& first, const Enclose& enclose, SelectionCost* cost = nullptr);

/// True with probability exactly p, p in [0, 1]. The first look compares `filter.prefix_bits` bits with `first`; `enclose`, an Enclose,
/// is called only when those do not decide, with ever higher precision.
template <std::convertible_to<Enclose> Function>
bool lazy_coin(RandomBits& bits, Bounds first, const Function& enclose, Filter filter = {},
               SelectionCost* cost = nullptr) {
  const FirstBits u(bits, filter);
  const Verdict quick = u.below(first);
  return quick == Verdict::undecided ? settled_coin(bits, u, enclose, cost) : quick == Verdict::yes;
}

/// True with probability exactly exp(-x).
bool bernoulli_exp(RandomBits& bits, const Exponent& x, Filter filter = {});

}  // namespace fractile
