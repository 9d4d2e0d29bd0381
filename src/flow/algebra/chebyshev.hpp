// Functions on a range of odds as polynomials, with a proven bound of the difference.
// Proof: docs/proofs/windows_interpolation.md
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "exact/enclosure.hpp"
#include "exact/flint.hpp"
#include "exact/lists.hpp"
#include "exact/uncopied.hpp"
#include "fractile/exact.hpp"

namespace fractile::flow {

constexpr std::int64_t chebyshev_bits = 192;

/// Odds from centre - radius to centre + radius. Within it, a place is t in -1 .. 1: odds = centre + radius t.
struct Cell {
  Rational centre;
  Rational radius;

  Rational odds_at(const Rational& place) const { return centre + radius * place; }
};

/// A real number in doubles: it differs from the centre by at most reach + rounding, where reach comes from the width of a range.
struct QuickBall {
  double centre = 0;
  double reach = 0;
  double rounding = 0;

  double upper() const;
  double lower() const;
  /// Whether more precision would hardly narrow it.
  bool is_wide() const { return reach > 8 * rounding; }
  friend QuickBall operator+(const QuickBall& a, const QuickBall& b);
  friend QuickBall operator-(const QuickBall& a, const QuickBall& b) {
    return a + QuickBall{-b.centre, b.reach, b.rounding};
  }
  /// Holds both.
  friend QuickBall hull(const QuickBall& a, const QuickBall& b);
};

/// Places from .. to, in -1 .. 1 and exact in doubles.
struct Places {
  double from;
  double to;
  double middle() const { return (from + to) / 2; }
};

/// A polynomial in a place, with doubles as coefficients.
class QuickPolynomial {
 public:
  explicit QuickPolynomial(const arb_poly_struct* polynomial);
  QuickBall over(const Places& places) const;

 private:
  std::vector<double> coefficients_;
  double value_rounding_ = 0;
  double slope_rounding_ = 0;
  double bend_ = 0;  // upper bound of the second derivative's modulus
};

/// A polynomial in a place, with enclosed coefficients.
class LocalPolynomial {
 public:
  LocalPolynomial() { arb_poly_init(value_); }
  LocalPolynomial(const LocalPolynomial& other) : LocalPolynomial() { arb_poly_set(value_, other.value_); }
  LocalPolynomial(LocalPolynomial&& other) noexcept : LocalPolynomial() { arb_poly_swap(value_, other.value_); }
  LocalPolynomial& operator=(LocalPolynomial other) noexcept {
    arb_poly_swap(value_, other.value_);
    return *this;
  }
  ~LocalPolynomial() { arb_poly_clear(value_); }

  LocalPolynomial& operator+=(const LocalPolynomial& other) {
    arb_poly_add(value_, value_, other.value_, chebyshev_bits);
    return *this;
  }
  friend LocalPolynomial operator-(const LocalPolynomial& a, const LocalPolynomial& b) {
    LocalPolynomial result;
    arb_poly_sub(result.value_, a.value_, b.value_, chebyshev_bits);
    return result;
  }
  LocalPolynomial times(const Enclosure& factor) const {
    LocalPolynomial result;
    arb_poly_scalar_mul(result.value_, value_, factor.arb(), chebyshev_bits);
    return result;
  }
  LocalPolynomial derivative() const {
    LocalPolynomial result;
    arb_poly_derivative(result.value_, value_, chebyshev_bits);
    return result;
  }
  /// The polynomials that differ from this one by at most `error` everywhere.
  LocalPolynomial within(const Enclosure& error) const {
    LocalPolynomial result(*this);
    Enclosure constant;
    arb_poly_get_coeff_arb(constant.arb(), value_, 0);
    arb_add_error(constant.arb(), error.arb());
    arb_poly_set_coeff_arb(result.value_, 0, constant.arb());
    return result;
  }
  /// About the error that within() was called with.
  double error() const {
    return arb_poly_length(value_) == 0 ? 0 : mag_get_d(arb_radref(arb_poly_get_coeff_ptr(value_, 0)));
  }
  Enclosure at(double place) const;
  arb_poly_struct* get() { return value_; }
  const arb_poly_struct* get() const { return value_; }

 private:
  arb_poly_t value_;
};

/// A polynomial that is evaluated in doubles where these are precise enough, and otherwise in balls.
struct FilteredPolynomial {
  FilteredPolynomial() : quick(exact.get()) {}
  explicit FilteredPolynomial(LocalPolynomial polynomial) : exact(std::move(polynomial)), quick(exact.get()) {}
  /// Whether it is certainly at most `limit` throughout the places.
  bool is_at_most(double limit, const Places& places) const;
  /// The same for all places, tested on ever shorter places, so that it is found if it holds.
  bool is_at_most_everywhere(double limit) const;
  /// A ball that holds all of its values on the places, by the mean value theorem: narrow ranges give narrow balls.
  Enclosure over(const Places& places) const;

  LocalPolynomial exact;
  QuickPolynomial quick;
};

/// An array of balls, for Arb's loops.
class BallArray : Uncopied {
 public:
  explicit BallArray(std::size_t size) : balls_(_arb_vec_init(static_cast<slong>(size))), size_(size) {}
  ~BallArray() { _arb_vec_clear(balls_, static_cast<slong>(size_)); }
  arb_ptr at(std::size_t i) { return balls_ + i; }
  arb_srcptr at(std::size_t i) const { return balls_ + i; }

 private:
  arb_ptr balls_;
  std::size_t size_;
};

/// Polynomials through values at the nodes, which are the roots of a Chebyshev polynomial.
class Interpolation {
 public:
  static constexpr std::size_t nodes = 48;
  /// Functions must be analytic on and inside the Bernstein ellipse in the plane of complex places: its foci are -1 and 1, and its
  /// half axes add up to this.
  static constexpr std::int64_t bernstein_parameter = 5;

  /// The only instance.
  static const Interpolation& instance();

  /// The node's place, in -1 .. 1.
  const Enclosure& node(std::size_t i) const { return nodes_[i]; }
  LocalPolynomial through(const std::vector<Enclosure>& values) const;

  /// A bound of the distance, on -1 .. 1, between a function whose modulus on the ellipse is at most `largest` and the polynomial
  /// through its values at the nodes; and a bound of the distance between their derivatives.
  static Enclosure value_error(const Enclosure& largest);
  static Enclosure slope_error(const Enclosure& largest);
  /// A bound of the slope, on -1 .. 1, of a polynomial through values at the nodes whose moduli are at most `largest`.
  static Enclosure slope_within(const Enclosure& largest);

 private:
  Interpolation();

  std::vector<Enclosure> nodes_;
  BallArray weights_{nodes * nodes};  // row after row: a power of the place; column: a node
};

/// The polynomial through values at the nodes, at_node(0), at_node(1), ..
template <class AtNode>
LocalPolynomial through_nodes(AtNode at_node) {
  return Interpolation::instance().through(tabulated(Interpolation::nodes, [&](std::size_t i) { return at_node(i); }));
}

/// The nodes of a cell, as odds.
std::vector<Enclosure> odds_at_nodes(const Cell& cell);

/// A ball about 0 with this radius.
Enclosure within(const Enclosure& radius);

}  // namespace fractile::flow
