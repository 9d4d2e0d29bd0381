// What functions of odds can be at complex odds about a cell: on the Bernstein ellipse of Interpolation.
// Proof: docs/proofs/windows_interpolation.md, "On the ellipse"
#pragma once

#include <functional>
#include <vector>

#include "exact/enclosure.hpp"
#include "exact/flint.hpp"
#include "flow/algebra/chebyshev.hpp"
#include "flow/algebra/ring.hpp"

namespace fractile::flow {

/// Complex numbers known to lie in a box.
class ComplexBox {
 public:
  ComplexBox() { acb_init(value_); }
  ComplexBox(const ComplexBox& other) : ComplexBox() { acb_set(value_, other.value_); }
  ComplexBox& operator=(const ComplexBox& other) {
    acb_set(value_, other.value_);
    return *this;
  }
  ~ComplexBox() { acb_clear(value_); }
  acb_ptr get() { return value_; }
  acb_srcptr get() const { return value_; }
  Enclosure modulus() const {
    Enclosure result;
    acb_abs(result.arb(), value_, chebyshev_bits);
    return result;
  }

 private:
  acb_t value_;
};

/// Whether all odds on the ellipse and within have a positive real part.
bool is_right_of_zero(const Cell& cell);

/// No less than a function takes anywhere on the ellipse and within, when `at` is no less than what it takes in a box of odds. It is the
/// modulus of one that is analytic there and real at real odds; or a sum of such moduli.
Enclosure largest_on_ellipse(const Cell& cell, const std::function<Enclosure(const ComplexBox&)>& at);

/// The tighter of two upper bounds, each a ball that holds its bound: the ball whose upper end is lower.
inline Enclosure tighter_bound(const Enclosure& a, const Enclosure& b) {
  return b.upper_double() <= a.upper_double() ? b : a;
}

/// Bounds a sum of moduli of quotients with the same denominator, on the ellipse and within. (Tight where they are nearly real and
/// positive there.)
Enclosure largest_sum_of_moduli(const std::vector<Polynomial>& numerators, const Polynomial& denominator,
                                const Cell& cell);

/// At most so large are moduli of any use: with more, a cell is too wide.
constexpr double largest_modulus = 0x1p20;

/// Bounds for a probability p = numerator / denominator, as a function of the place.
struct ProbabilityBounds {
  Enclosure slope;    ///< its derivative's modulus is at most this on the ellipse and within
  Enclosure modulus;  ///< |p| + |1 - p| is at most this there
  Enclosure range;    ///< p at real odds of the cell
};
ProbabilityBounds bounds_about(const Polynomial& numerator, const Polynomial& denominator, const Cell& cell);

}  // namespace fractile::flow
