#include "exact/exp_bounds.hpp"

#include <cmath>

namespace fractile {

// Taylor's series of exp(-f ln 2) to degree 16 (remainder below 2^-57 relative), by Horner in double: 32 roundings of at
// most 2^-52 of sums at most 2.
double exp2_minus(double f) {
  constexpr double ln2 = 0.693147180559945309417;
  const double x = -f * ln2;
  double sum = 1;
  for (int k = 16; k >= 1; --k) sum = 1 + sum * x / k;
  return sum;
}

// Below 1000 bits, two roundings move y log2(e) by less than 1000 * 2^-51 < 2^-41. `room` lowers it by more, so the result is never
// too large.
double exp_minus_upper(double y) {
  constexpr double log2_e = 1.44269504088896340736;
  constexpr double room = 0x1p-50;
  if (!(y < 690)) return 0x1p-995;
  const double bits = y * log2_e * (1 - room);
  const double whole = std::floor(bits);
  return std::ldexp(exp2_minus(bits - whole) * (1 + 0x1p-44), -static_cast<int>(whole));
}

}  // namespace fractile
