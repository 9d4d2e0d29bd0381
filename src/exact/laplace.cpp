#include "exact/laplace.hpp"

#include <algorithm>
#include <cmath>

#include "exact/coin.hpp"
#include "fractile/error.hpp"

namespace fractile {
namespace {

/// Uniform on 0 .. 2^count - 1.
Rational uniform_bits(RandomBits& bits, int count) {
  LazyUniform draw(std::uint64_t{0}, 0);
  for (int left = count; left > 0; left -= 64) draw.extend(bits, std::min(left, 64));
  Rational result;
  fmpz_set(fmpq_numref(flint_of(result)), draw.prefix().get());
  return result;
}

/// The least b >= 0 with 2^b * rate >= 1, or one off: any b gives the same law.
int block_bits(const Exponent& rate) {
  Enclosure logarithm = Enclosure::of(rate, 64).log() / Enclosure::of(Exponent::log(2), 64);
  return static_cast<int>(std::ceil(std::max(0.0, -logarithm.to_double())));
}

/// k >= 0 with probability (1 - exp(-rate)) exp(-rate k): k = 2^b * whole + part, the two independent.
Rational geometric(RandomBits& bits, const Exponent& rate) {
  const int b = block_bits(rate);
  Rational part = uniform_bits(bits, b);
  while (!bernoulli_exp(bits, rate * part)) part = uniform_bits(bits, b);
  const Rational block = Rational::dyadic(1, b);
  Rational whole = 0;
  while (bernoulli_exp(bits, rate * block)) whole += 1;
  return whole * block + part;
}

}  // namespace

Rational discrete_laplace(RandomBits& bits, const Exponent& rate) {
  if (rate.is_zero()) throw Error(ErrorCode::usage, "discrete Laplace noise needs a positive rate");
  for (;;) {
    Rational magnitude = geometric(bits, rate);
    const bool negative = (bits.next64() & 1) != 0;
    if (!negative) return magnitude;
    if (magnitude.sign() != 0) return -magnitude;  // -0 would count zero twice: draw again
  }
}

}  // namespace fractile
