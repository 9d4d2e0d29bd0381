// Exactly uniform integers from uniform bits. Proof: docs/proofs/uniform.md
#pragma once

#include <cstdint>

#include "exact/wide_integers.hpp"
#include "fractile/exact.hpp"

namespace fractile {

/// a * b, with as many bits as both factors have together.
template <class Word>
struct Product {
  Word high;
  Word low;
};

inline Product<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  const uint128 whole = uint128{a} * b;
  return {static_cast<std::uint64_t>(whole >> 64), static_cast<std::uint64_t>(whole)};
}

inline Product<uint128> product(uint128 a, uint128 b) {
  const auto a_low = static_cast<std::uint64_t>(a);
  const auto b_low = static_cast<std::uint64_t>(b);
  const auto a_high = static_cast<std::uint64_t>(a >> 64);
  const auto b_high = static_cast<std::uint64_t>(b >> 64);
  const uint128 low = uint128{a_low} * b_low;
  const uint128 cross = uint128{a_high} * b_low + (low >> 64);  // at most (2^64 - 1)^2 + 2^64 - 1
  const uint128 middle = uint128{a_low} * b_high + static_cast<std::uint64_t>(cross);
  return {uint128{a_high} * b_high + (cross >> 64) + (middle >> 64), (middle << 64) | static_cast<std::uint64_t>(low)};
}

/// The same for bytes, for tests that try all of them.
inline Product<std::uint8_t> product(std::uint8_t a, std::uint8_t b) {
  const unsigned whole = unsigned{a} * b;
  return {static_cast<std::uint8_t>(whole >> 8), static_cast<std::uint8_t>(whole)};
}

/// Uniform on 0 .. n-1, n >= 1, from words that are uniform: the high word of word * n, rejected if the low word is below 2^bits
/// mod n. (Lemire, Fast random integer generation in an interval, 2019, algorithm 5.)
template <class Word, class NextWord>
Word uniform_by_product(Word n, NextWord next_word) {
  Product<Word> drawn = product(next_word(), n);
  if (drawn.low < n) {
    const auto rejected = static_cast<Word>(static_cast<Word>(Word{0} - n) % n);
    while (drawn.low < rejected) drawn = product(next_word(), n);
  }
  return drawn.high;
}

/// Uniform on 0 .. n-1, n >= 1; fewer than two draws expected.
inline std::uint64_t uniform_below(RandomBits& bits, std::uint64_t n) {
  return n == 1 ? 0 : uniform_by_product(n, [&] { return bits.next64(); });
}
inline uint128 uniform_below(RandomBits& bits, uint128 n) {
  if (n >> 64 == 0) return uniform_below(bits, static_cast<std::uint64_t>(n));
  return uniform_by_product(n, [&] {
    const uint128 high = bits.next64();
    return (high << 64) | bits.next64();
  });
}

}  // namespace fractile
