#include "source/counting/real_sum.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "exact/wide_integers.hpp"

namespace fractile::source_detail {
namespace {

constexpr int word_bits = 64;
constexpr int fraction_bits = 52;  // the stored bits of a double's significand
constexpr std::uint64_t exponents = 0x7ff;
constexpr std::uint64_t infinity_bits = exponents << fraction_bits;

/// Bits `from` .. `from` + 63 of a number.
std::uint64_t bits_from(std::span<const std::uint64_t> number, int from) {
  const auto word = static_cast<std::size_t>(from / word_bits);
  const int shift = from % word_bits;
  const std::uint64_t low = word < number.size() ? number[word] >> shift : 0;
  if (shift == 0 || word + 1 >= number.size()) return low;
  return low | number[word + 1] << (word_bits - shift);
}

bool any_below(std::span<const std::uint64_t> number, int bit) {
  const auto whole = static_cast<std::size_t>(bit / word_bits);
  if (std::any_of(number.begin(), number.begin() + static_cast<std::ptrdiff_t>(whole), [](auto w) { return w != 0; })) {
    return true;
  }
  const int rest = bit % word_bits;
  return rest > 0 && (number[whole] & ((std::uint64_t{1} << rest) - 1)) != 0;
}

/// The bits of the double nearest to number 2^-64 (and a little more where `is_more`) in units of 2^-1074.
std::uint64_t nearest_bits(std::span<const std::uint64_t> number, bool is_more) {
  std::size_t top = number.size();
  while (top > 0 && number[top - 1] == 0) --top;
  if (top == 0) return 0;  // less than half a unit, even with the remainder
  const int length = static_cast<int>(top) * word_bits - std::countl_zero(number[top - 1]);
  const int last =
      std::max(length - (fraction_bits + 1), word_bits);  // the bit of the number that becomes the double's last bit
  const std::uint64_t kept = length > last ? bits_from(number, last) : 0;
  const bool half = (bits_from(number, last - 1) & 1) != 0;
  const bool beyond_half = is_more || any_below(number, last - 1);
  const std::uint64_t rounded = kept + (half && (beyond_half || (kept & 1) != 0) ? 1U : 0U);
  const auto steps = static_cast<std::uint64_t>(last - word_bits);  // how far the last bit is above that of 2^-1074
  if (steps >= exponents) return infinity_bits;
  return std::min((steps << fraction_bits) + rounded, infinity_bits);
}

}  // namespace

void RealSum::add_at(std::size_t word, std::uint64_t low, std::uint64_t high) {
  uint128 carried = uint128{sum_[word]} + low;
  sum_[word] = static_cast<std::uint64_t>(carried);
  carried = (carried >> word_bits) + sum_[word + 1] + high;
  sum_[word + 1] = static_cast<std::uint64_t>(carried);
  bool carry = carried >> word_bits != 0;
  for (std::size_t k = word + 2; carry && k < words; ++k) carry = ++sum_[k] == 0;
}

void RealSum::take_at(std::size_t word, std::uint64_t low, std::uint64_t high) {
  uint128 left = uint128{sum_[word]} - low;
  sum_[word] = static_cast<std::uint64_t>(left);
  const auto borrowed = static_cast<std::uint64_t>(left >> word_bits) & 1;
  left = uint128{sum_[word + 1]} - high - borrowed;
  sum_[word + 1] = static_cast<std::uint64_t>(left);
  bool borrow = left >> word_bits != 0;
  for (std::size_t k = word + 2; borrow && k < words; ++k) borrow = sum_[k]-- == 0;
}

void RealSum::add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool is_negative = bits >> (word_bits - 1) != 0;
  const std::uint64_t exponent = (bits >> fraction_bits) & exponents;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  if (exponent == exponents) {
    (is_negative ? has_negative_infinity_ : has_positive_infinity_) = true;
    return;
  }
  const std::uint64_t size = exponent == 0 ? fraction : fraction | std::uint64_t{1} << fraction_bits;
  const std::uint64_t shift = exponent == 0 ? 0 : exponent - 1;
  const std::uint64_t within = shift % word_bits;
  const std::uint64_t low = size << within;
  const std::uint64_t high = within == 0 ? 0 : size >> (word_bits - within);
  is_negative ? take_at(shift / word_bits, low, high) : add_at(shift / word_bits, low, high);
}

double RealSum::mean(std::uint64_t count) const {
  if (has_positive_infinity_ || has_negative_infinity_) {
    if (has_positive_infinity_ && has_negative_infinity_) return std::numeric_limits<double>::quiet_NaN();
    return has_positive_infinity_ ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  }
  const bool is_negative = sum_.back() >> (word_bits - 1) != 0;
  std::array<std::uint64_t, words + 1> number{};  // |sum / count|, in units of 2^-1138
  bool carry = true;
  for (std::size_t k = 0; k < words; ++k) {
    number[k + 1] = is_negative ? ~sum_[k] + (carry ? 1U : 0U) : sum_[k];
    carry = carry && sum_[k] == 0;
  }
  uint128 rest = 0;
  for (std::size_t k = number.size(); count != 1 && k-- > 0;) {
    rest = rest << word_bits | number[k];
    number[k] = static_cast<std::uint64_t>(rest / count);
    rest %= count;
  }
  const std::uint64_t sign = is_negative ? std::uint64_t{1} << (word_bits - 1) : 0;
  return std::bit_cast<double>(sign | nearest_bits(number, rest != 0));
}

}  // namespace fractile::source_detail
