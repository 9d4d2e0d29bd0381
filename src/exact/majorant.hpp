// Exact selection by an integer majorant: propose run k with probability W_k / sum W, W_k an integer upper bound of its
// weight, then accept with a lazy coin for the ratio. Only the one inequality W_k >= weight matters for the law.
// Proof: docs/proofs/selection.md, theorems 1 to 4.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

#include "exact/coin.hpp"
#include "exact/uniform.hpp"
#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/random.hpp"
#include "fractile/selection.hpp"

namespace fractile {

/// Consecutive members start .. start + length - 1 that share one score (lower is better).
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
  /// The same, kept from the last call on this thread when that was of the same rate.
  static RateBounds of(const Exponent& rate);

  /// W >= length * 2^53 * exp(-rate * gap), an integer below 2^116, and at most 1.0615 times that plus 1.
  uint128 majorant(std::uint64_t gap, std::uint64_t length) const {
    constexpr double last = 127 * 0x1p52;                               // from here on every product is shifted out
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

 private:
  double grid_;   // at most rate * log2(e) * 2^52, with room for two roundings in any rounding mode
  double lower_;  // at most rate * log2(e)
  double upper_;  // at least rate * log2(e)
};

/// The exact acceptance probability, for the coins that the bounds leave open.
Enclosure acceptance_enclosure(const Exponent& rate, std::uint64_t gap, std::uint64_t length, uint128 majorant,
                               std::int64_t precision);

/// What the acceptance probability is at least, when the majorant is RateBounds's or UnitMajorant's, so many units large.
inline double least_acceptance(uint128 units) { return units >= 1024 ? 0.9375 : 0; }

/// The coin of a proposal with that gap and so many members; true: keep it. `at_least` bounds its probability from below.
bool accept(const RateBounds& bounds, const Exponent& rate, std::uint64_t gap, std::uint64_t length, uint128 majorant,
            double at_least, RandomBits& bits, Filter filter, SelectionCost* cost);

/// The lowest score of a run that is not empty; Error(usage) when there is none.
template <RunCursor Cursor>
std::uint64_t best_score(Cursor cursor) {
  bool found = false;
  std::uint64_t best = ~std::uint64_t{0};
  for (Run run{}; cursor.next(run);) {
    if (run.length == 0) continue;
    found = true;
    best = std::min(best, run.score);
  }
  if (!found) throw Error(ErrorCode::usage, "nothing to select from");
  return best;
}

/// Draws a member with probability exactly proportional to exp(-rate * score of its run).
/// `bounds` are those of `rate`.
template <RunCursor Cursor>
std::uint64_t select_member(const Cursor& begin, const Exponent& rate, const RateBounds& bounds, RandomBits& bits,
                            Filter filter = {}, SelectionCost* cost = nullptr) {
  constexpr int block_runs = 512;
  struct Block {
    Cursor start;
    uint128 mass;
  };
  const std::uint64_t best = best_score(begin);
  const auto majorant = [&](const Run& run) {
    return run.length == 0 ? uint128{0} : bounds.majorant(run.score - best, run.length);
  };

  std::vector<Block> blocks;
  uint128 total = 0;
  Cursor cursor = begin;
  for (bool more = true; more;) {
    const Cursor start = cursor;
    uint128 mass = 0;
    Run run{};
    for (int i = 0; i < block_runs && (more = cursor.next(run)); ++i) mass += majorant(run);
    total += mass;
    blocks.push_back({start, mass});
  }

  for (;;) {
    if (cost != nullptr) ++cost->trials;
    uint128 target = uniform_below(bits, total);
    auto block = blocks.begin();
    for (; target >= block->mass; ++block) target -= block->mass;
    Cursor within = block->start;
    Run run{};
    within.next(run);
    for (uint128 mass = majorant(run); target >= mass; mass = majorant(run)) {
      target -= mass;
      within.next(run);
    }
    const uint128 mass = majorant(run);
    if (accept(bounds, rate, run.score - best, run.length, mass, least_acceptance(mass), bits, filter, cost)) {
      return run.start + uniform_below(bits, run.length);
    }
  }
}

template <RunCursor Cursor>
std::uint64_t select_member(const Cursor& begin, const Exponent& rate, RandomBits& bits, Filter filter = {},
                            SelectionCost* cost = nullptr) {
  return select_member(begin, rate, RateBounds::of(rate), bits, filter, cost);
}

/// A few runs, none of them empty: listed, weighed once, and drawn from. To be used again and again.
class ListedRuns {
 public:
  template <RunCursor Cursor>
  void list(Cursor cursor) {
    runs_.clear();
    for (Run run{}; cursor.next(run);) runs_.push_back(run);
  }
  /// A member, as select_member draws it.
  std::uint64_t draw(const Exponent& rate, const RateBounds& bounds, RandomBits& bits, Filter filter = {},
                     SelectionCost* cost = nullptr);

 private:
  std::vector<Run> runs_;
  std::vector<uint128> masses_;
};

}  // namespace fractile
