// The powers of a polynomial in t whose coefficients are probabilities, in fixed point, updated as terms are added to it.
// Proof: docs/proofs/noisy_argmax.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/flint.hpp"

namespace fractile::flow {

/// 1, f, f^2, ... for f = sum over x of p_x t^x with 0 <= p_x <= 1: whole numbers of units of 2^-fraction_bits, never too large. If
/// every p_x that was given is too small by at most e units, the coefficient of t^n in f^j is too small by at most j (e + 1) units
/// for each way to write n as a sum of j of the x.
class FixedPowers {
 public:
  /// Begins with f = 0. Keeps this many powers, including f^0, up to t^degree.
  FixedPowers(std::size_t count, std::size_t degree, std::int64_t fraction_bits);

  /// Adds p t^x to f. Each x must be larger than the one before.
  void add_term(const Integer& p, std::size_t x);
  /// Drops terms above t^degree.
  void truncate(std::size_t degree);

  /// The coefficient of t^n in a^i b^j, in units of 2^(-2 fraction_bits); where n is at most both degrees. It is too small by at
  /// most (i + j)(e + 1) 2^fraction_bits units for each way to write n as a sum of i + j of the x (of either).
  friend Integer coefficient(const FixedPowers& a, std::size_t i, const FixedPowers& b, std::size_t j, std::size_t n);

 private:
  void add_to_power(std::size_t j, const std::vector<Integer>& powers_of_p, std::size_t x);

  std::vector<std::vector<Integer>> powers_;  // coefficients by exponent; coefficients that are left out are zero
  std::size_t degree_;
  std::int64_t fraction_bits_;
};

}  // namespace fractile::flow
