// Exact selection by an integer majorant: propose run k with probability W_k / sum W, where W_k is an integer upper bound of the
// run's weight; then accept with a lazy coin whose probability is weight / W_k. The law depends only on the inequality W_k >=
// weight.
// Proof: docs/proofs/selection.md, theorems 1 to 4.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

#include "exact/coin.hpp"
#include "exact/filter.hpp"
#include "exact/uniform.hpp"
#include "fractile/exact.hpp"

namespace fractile {

/// Consecutive members, start .. start + length - 1, that share one score (lower is better).
struct Run {
  std::uint64_t start;
  std::uint64_t length;
  std::uint64_t score;
};

/// A forward pass over runs, copyable so that a pass can be resumed anywhere. The lengths add up to less than 2^63.
template <class C>
concept RunCursor = std::copyable<C> && requires(C cursor, Run& run) {
  { cursor.next(run) } -> std::same_as<bool>;
};

/// The rate of the law in double precision, with certified bounds.
class RateBounds {
 public:
  explicit RateBounds(const Exponent& rate);
  /// The same, reused if one of the last calls on this thread had the same rate.
  static RateBounds of(const Exponent& rate);

  /// W >= length * 2^53 * exp(-rate * gap), an integer below 2^116, and at most 1.0615 times that plus 1. Always inlined, since loops
  /// over runs call it, in which the compiler would count it as too large.
  [[gnu::always_inline]] uint128 majorant(std::uint64_t gap, std::uint64_t length) const {
    constexpr double last = 127 * 0x1p52;                               // from here on the shift makes every product 0
    const double y = std::min(static_cast<double>(gap) * grid_, last);  // at most gap * rate * log2(e) * 2^52
    const auto fixed = static_cast<std::uint64_t>(static_cast<std::int64_t>(y));  // signed: one instruction
    const std::uint64_t halvings = fixed >> 52;
    const std::uint64_t chord = (std::uint64_t{1} << 53) - (fixed & ((std::uint64_t{1} << 52) - 1));
    if (halvings == 0 && chord == std::uint64_t{1} << 53) return uint128{length} << 53;
    return ((uint128{chord} * length) >> halvings) + 1;
  }

  /// Bounds of length * 2^53 * exp(-rate * gap) / majorant, relative width about 2^-37.
  Bounds acceptance(std::uint64_t gap, std::uint64_t length, uint128 majorant) const;

  /// A certified lower bound of rate * log2(e), at most 2^900.
  double bits_per_unit() const { return lower_; }
  /// A certified upper bound of rate * log2(e).
  double most_bits_per_unit() const { return upper_; }

 private:
  double grid_;   // at most rate * log2(e) * 2^52, with room for two roundings in any rounding mode
  double lower_;  // at most rate * log2(e)
  double upper_;  // at least rate * log2(e)
};

/// The exact acceptance probability, for the coins that the bounds leave undecided.
Enclosure acceptance_enclosure(const Exponent& rate, std::uint64_t gap, std::uint64_t length, uint128 majorant,
                               std::int64_t precision);

/// A lower bound of the acceptance probability for a majorant of this many units that RateBounds, UnitMajorant or RunMajorant
/// computed.
inline double least_acceptance(uint128 units) { return units >= 1024 ? 0.9375 : 0; }

/// Tosses the coin of a proposal with this gap and length; true: keep the proposal. `at_least` bounds its probability from below.
bool accept(const RateBounds& bounds, const Exponent& rate, std::uint64_t gap, std::uint64_t length, uint128 majorant,
            double at_least, RandomBits& bits, Filter filter, SelectionCost* cost);

/// A few runs, none of them empty, that are listed, weighed once, and drawn from. One object can be filled again and again.
class ListedRuns {
 public:
  template <RunCursor Cursor>
  void list(Cursor cursor) {
    // The cursor writes where the run stays: copying a run that was just written by parts makes the processor wait.
    runs_.clear();
    best_ = ~std::uint64_t{0};
    for (;;) {
      Run& run = runs_.emplace_back();
      if (!cursor.next(run)) break;
      best_ = std::min(best_, run.score);
    }
    runs_.pop_back();
  }
  /// A member, with probability exactly proportional to exp(-rate * score of its run).
  std::uint64_t draw(const Exponent& rate, const RateBounds& bounds, RandomBits& bits, Filter filter = {},
                     SelectionCost* cost = nullptr);

 private:
  std::vector<Run> runs_;
  std::uint64_t best_ = 0;  // the lowest score
  std::vector<uint128> masses_;
};

}  // namespace fractile
