// Bounds of functions of odds at complex odds around a cell: on the Bernstein ellipse of Interpolation.
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

/// Whether all odds on and inside the ellipse have a positive real part.
bool is_right_of_zero(const Cell& cell);

/// An upper bound of a function on and inside the ellipse, if `at` is an upper bound in a box of odds. The function must be the
/// modulus of a function that is analytic there and real at real odds, or a sum of such moduli.
Enclosure largest_on_ellipse(const Cell& cell, const std::function<Enclosure(const ComplexBox&)>& at);

/// The tighter of two upper bounds, each a ball that holds its bound: the ball whose upper end is lower.
inline Enclosure tighter_bound(const Enclosure& a, const Enclosure& b) {
  return b.upper_double() <= a.upper_double() ? b : a;
}

/// Bounds a sum of moduli of quotients with the same denominator, on and inside the ellipse. The bound is tight where the quotients
/// are nearly real and positive.
Enclosure largest_sum_of_moduli(const std::vector<Polynomial>& numerators, const Polynomial& denominator,
                                const Cell& cell);

/// The largest useful modulus: if a modulus is larger, the cell is too wide.
constexpr double largest_modulus = 0x1p20;

/// Bounds for a probability p = numerator / denominator, as a function of the place.
struct ProbabilityBounds {
  Enclosure slope;    ///< upper bound of its derivative's modulus on and inside the ellipse
  Enclosure modulus;  ///< upper bound of |p| + |1 - p| there
  Enclosure range;    ///< p at real odds of the cell
};
ProbabilityBounds bounds_about(const Polynomial& numerator, const Polynomial& denominator, const Cell& cell);

}  // namespace fractile::flow
