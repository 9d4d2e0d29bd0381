#include "exact/laplace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fractile/error.hpp"

namespace fractile {
namespace {

void require_positive(const Exponent& rate) {
  if (rate.is_zero()) throw Error(ErrorCode::usage, "discrete Laplace noise needs a positive rate");
}

/// The least b >= 0 with 2^b * rate >= 1, perhaps off by one: any b gives the same law.
int block_bits(const Exponent& rate) {
  Enclosure logarithm = Enclosure::of(rate, 64).log() / Enclosure::of(Exponent::log(2), 64);
  return static_cast<int>(std::ceil(std::max(0.0, -logarithm.to_double())));
}

/// exp(-x).
Enclosure success(const Exponent& x, std::int64_t precision) {
  return (Enclosure::of(Rational(0), precision) - Enclosure::of(x, precision)).exp();
}

/// exp(-x) / (1 + exp(-x)).
Enclosure share_of_one(const Exponent& x, std::int64_t precision) {
  const Enclosure odds = success(x, precision);
  return odds / (Enclosure::of(Rational(1), precision) + odds);
}

constexpr int limit_bits = 62;
static_assert(DiscreteLaplace::limit == std::int64_t{1} << limit_bits);

}  // namespace

DiscreteLaplace::FixedCoin::FixedCoin(Exponent exponent, Probability probability)
    : x(std::move(exponent)), p(probability), first{} {
  const Enclosure known = p(x, Enclosure::default_precision);
  first = {std::max(0.0, known.lower_double()), known.upper_double()};
}

bool DiscreteLaplace::FixedCoin::flip(RandomBits& bits, Filter filter) const {
  return lazy_coin(
      bits, first, [this](std::int64_t precision) { return p(x, precision); }, filter);
}

DiscreteLaplace::DiscreteLaplace(const Exponent& rate) : next_block_(rate, success) {
  require_positive(rate);
  const int block = std::min(block_bits(rate), limit_bits);
  for (int i = 0; i < block; ++i) digits_.emplace_back(rate * Rational::dyadic(1, i), share_of_one);
  next_block_ = FixedCoin(rate * Rational::dyadic(1, block), success);
}

/// Geometric, or `limit` if that is less.
std::int64_t DiscreteLaplace::magnitude(RandomBits& bits, Filter filter) const {
  std::int64_t part = 0;
  for (std::size_t i = 0; i < digits_.size(); ++i) part |= std::int64_t{digits_[i].flip(bits, filter)} << i;
  const std::int64_t most = limit >> digits_.size();  // this many blocks reach the limit
  std::int64_t blocks = 0;
  while (blocks < most && next_block_.flip(bits, filter)) ++blocks;
  return blocks == most ? limit : (blocks << digits_.size()) + part;
}

std::int64_t DiscreteLaplace::operator()(RandomBits& bits, Filter filter) const {
  for (;;) {
    const std::int64_t size = magnitude(bits, filter);
    const bool negative = (bits.next64() & 1) != 0;
    if (!negative) return size;
    if (size != 0) return -size;  // -0 would count zero twice: draw again
  }
}

}  // namespace fractile
