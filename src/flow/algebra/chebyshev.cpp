#include "flow/algebra/chebyshev.hpp"

#include <algorithm>
#include <cmath>

#include "flow/algebra/ring.hpp"

namespace fractile::flow {
namespace {

constexpr std::int64_t evaluation_bits = 160;
constexpr std::int64_t setup_bits = 2 * chebyshev_bits;

/// Coefficients of T_0 .. T_(count - 1), as rows.
std::vector<std::vector<Integer>> chebyshev_polynomials(std::size_t count) {
  std::vector<std::vector<Integer>> rows(count, std::vector<Integer>(count));
  for (std::size_t k = 0; k < count; ++k) {
    Polynomial polynomial;
    fmpz_poly_chebyshev_t(polynomial.get(), k);
    for (std::size_t i = 0; i <= k; ++i) {
      fmpz_poly_get_coeff_fmpz(rows[k][i].get(), polynomial.get(), static_cast<slong>(i));
    }
  }
  return rows;
}

/// cos(pi numerator / denominator).
Enclosure cosine_of_pi(std::size_t numerator, std::size_t denominator) {
  Enclosure result;
  const Rational argument(numerator, denominator);
  arb_cos_pi_fmpq(result.arb(), flint_of(argument), setup_bits);
  return result;
}

constexpr double unit = 0x1p-52;         // twice the error of rounding to nearest, which also covers products of errors
constexpr double underflow = 0x1p-1000;  // covers underflow

}  // namespace

double QuickBall::upper() const { return centre + (reach + rounding) + unit * (std::abs(centre) + reach + rounding); }
double QuickBall::lower() const { return centre - (reach + rounding) - unit * (std::abs(centre) + reach + rounding); }

QuickBall operator+(const QuickBall& a, const QuickBall& b) {
  QuickBall sum{a.centre + b.centre, a.reach + b.reach, a.rounding + b.rounding};
  sum.rounding += 2 * unit * (std::abs(sum.centre) + sum.reach + sum.rounding);
  return sum;
}

QuickBall hull(const QuickBall& a, const QuickBall& b) {
  const double low = std::min(a.centre - a.reach, b.centre - b.reach);
  const double high = std::max(a.centre + a.reach, b.centre + b.reach);
  QuickBall result{(low + high) / 2, (high - low) / 2, std::max(a.rounding, b.rounding)};
  result.rounding += 4 * unit * (std::abs(low) + std::abs(high)) + underflow;
  return result;
}

QuickPolynomial::QuickPolynomial(const arb_poly_struct* polynomial) {
  double values = 0;  // sum of |c_k|
  double slopes = 0;  // sum of k |c_k|
  double value_error = 0;
  double slope_error = 0;
  for (slong k = 0; k < arb_poly_length(polynomial); ++k) {
    const arb_srcptr coefficient = arb_poly_get_coeff_ptr(polynomial, k);
    const double c = arf_get_d(arb_midref(coefficient), ARF_RND_NEAR);
    const double radius = mag_get_d(arb_radref(coefficient)) + unit * std::abs(c) + underflow;
    const auto power = static_cast<double>(k);
    coefficients_.push_back(c);
    values += std::abs(c);
    slopes += power * std::abs(c);
    bend_ += power * std::max(0.0, power - 1) * (std::abs(c) + radius);
    value_error += radius;
    slope_error += power * radius;
  }
  // Horner's rule: 2 n roundings of numbers that are at most the sum of moduli; 4 more for the sums here.
  const double roundings = unit * (2 * static_cast<double>(coefficients_.size()) + 4);
  value_rounding_ = (value_error + roundings * values + underflow) * (1 + roundings);
  slope_rounding_ = (slope_error + roundings * slopes + underflow) * (1 + roundings);
  bend_ *= 1 + roundings;
}

QuickBall QuickPolynomial::over(const Places& places) const {
  const double middle = places.middle();
  const double radius = (places.to - places.from) / 2;
  double value = 0;
  double slope = 0;
  for (std::size_t k = coefficients_.size(); k-- > 0;) {
    slope = slope * middle + value;
    value = value * middle + coefficients_[k];
  }
  const double reach = radius * (std::abs(slope) + slope_rounding_ + radius * bend_);
  return {value, reach * (1 + 8 * unit), value_rounding_};
}

Enclosure LocalPolynomial::at(double place) const {
  Enclosure result;
  arb_poly_evaluate_horner(result.arb(), value_, Enclosure::of_double(place).arb(), evaluation_bits);
  return result;
}

Enclosure FilteredPolynomial::over(const Places& places) const {
  Enclosure result = exact.at(places.middle());
  arb_add_error(result.arb(), Enclosure::of_double(quick.over(places).reach).arb());
  return result;
}

bool FilteredPolynomial::is_at_most(double limit, const Places& places) const {
  const QuickBall ball = quick.over(places);
  if (ball.upper() <= limit) return true;
  if (ball.lower() > limit || ball.is_wide()) return false;
  return over(places).upper_double() <= limit;
}

bool FilteredPolynomial::is_at_most_everywhere(double limit) const {
  constexpr double shortest = 0x1p-8;
  const auto holds = [&](const auto& on, const Places& places) -> bool {
    if (is_at_most(limit, places)) return true;
    return places.to - places.from > shortest && on(on, {places.from, places.middle()}) &&
           on(on, {places.middle(), places.to});
  };
  return holds(holds, {-1, 1});
}

// The interpolant is sum over k of c_k T_k with c_k = (2 - [k = 0]) / n sum over nodes j of value_j T_k(node_j), and T_k(node_j) =
// cos(k (2 j + 1) pi / (2 n)).
Interpolation::Interpolation() {
  nodes_.reserve(nodes);
  for (std::size_t j = 0; j < nodes; ++j) nodes_.push_back(cosine_of_pi(2 * j + 1, 2 * nodes));
  const std::vector<std::vector<Integer>> powers = chebyshev_polynomials(nodes);
  for (std::size_t j = 0; j < nodes; ++j) {
    for (std::size_t k = 0; k < nodes; ++k) {
      Enclosure weight = cosine_of_pi(k * (2 * j + 1), 2 * nodes);
      arb_mul_ui(weight.arb(), weight.arb(), k == 0 ? 1 : 2, setup_bits);
      arb_div_ui(weight.arb(), weight.arb(), nodes, setup_bits);
      for (std::size_t i = 0; i <= k; ++i) {
        arb_addmul_fmpz(weights_.at(i * nodes + j), weight.arb(), powers[k][i].get(), setup_bits);
      }
    }
  }
}

const Interpolation& Interpolation::instance() {
  static const Interpolation value;
  return value;
}

LocalPolynomial Interpolation::through(const std::vector<Enclosure>& values) const {
  BallArray at_nodes(nodes);
  for (std::size_t j = 0; j < nodes; ++j) arb_set(at_nodes.at(j), values[j].arb());
  LocalPolynomial result;
  Enclosure sum;
  for (std::size_t i = nodes; i-- > 0;) {
    arb_dot(sum.arb(), nullptr, 0, weights_.at(i * nodes), 1, at_nodes.at(0), 1, static_cast<slong>(nodes),
            chebyshev_bits);
    arb_poly_set_coeff_arb(result.get(), static_cast<slong>(i), sum.arb());
  }
  return result;
}

namespace {

/// factor * largest / ellipse^nodes.
Enclosure tail(const Enclosure& largest, const Rational& factor) {
  const Rational decay =
      Rational(Interpolation::bernstein_parameter).pow(-static_cast<std::int64_t>(Interpolation::nodes));
  return Enclosure::of(factor * decay, chebyshev_bits) * largest;
}

}  // namespace

// 4 M r^-n / (1 - 1/r).
Enclosure Interpolation::value_error(const Enclosure& largest) {
  return tail(largest, Rational(4) / (Rational(1) - Rational(1, bernstein_parameter)));
}

// 4 M n^2 r^-n / (1 - q), where q = ((n + 1) / n)^2 / r.
Enclosure Interpolation::slope_error(const Enclosure& largest) {
  const Rational n = nodes;
  const Rational ratio = ((n + 1) / n).pow(2) / Rational(bernstein_parameter);
  return tail(largest, Rational(4) * n.pow(2) / (Rational(1) - ratio));
}

// Coefficients of T_k are at most twice the largest value, and |T_k'| <= k^2.
Enclosure Interpolation::slope_within(const Enclosure& largest) {
  const auto n = static_cast<std::int64_t>(nodes);
  return Enclosure::of(Rational(n * n * n), chebyshev_bits) * largest;
}

std::vector<Enclosure> odds_at_nodes(const Cell& cell) {
  const Enclosure centre = Enclosure::of(cell.centre, enclosure_bits);
  const Enclosure radius = Enclosure::of(cell.radius, enclosure_bits);
  std::vector<Enclosure> result(Interpolation::nodes, centre);
  for (std::size_t i = 0; i < result.size(); ++i) add_product(result[i], radius, Interpolation::instance().node(i));
  return result;
}

Enclosure within(const Enclosure& radius) {
  Enclosure result;
  arb_add_error(result.arb(), radius.arb());
  return result;
}

}  // namespace fractile::flow
