// For the tests of lattices: the definition in rationals, and the doubles at which an inexact position would show.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "fractile/ranks.hpp"

namespace fractile::ranks_test {

inline Lattice regular(const char* lower, const char* upper, const char* step) {
  return Lattice::regular(Rational::parse(lower), Rational::parse(upper), Rational::parse(step));
}

/// The nearest point, clamped; the upper one of two equally near points.
inline std::uint64_t nearest(const Lattice& lattice, const Rational& value) {
  const Rational index = ((value - lattice.lower()) / lattice.step() + Rational(1, 2)).floor();
  if (index.sign() < 0) return 0;
  return index < Rational(lattice.size()) ? index.to_uint64() : lattice.size() - 1;
}

inline Position defined_position(const Lattice& lattice, const Rational& value) {
  if (lattice.is_regular()) return 2 * nearest(lattice, value) + 1;
  Position position = 0;
  for (std::uint64_t i = 0; i < lattice.size(); ++i) {
    if (lattice.at(i) == value) return 2 * i + 1;
    if (lattice.at(i) < value) position = 2 * i + 2;
  }
  return position;
}

inline Position defined_position(const Lattice& lattice, double value) {
  if (std::isinf(value) && lattice.is_regular()) return value > 0 ? 2 * lattice.size() - 1 : 1;
  if (lattice.is_regular()) return defined_position(lattice, Rational::from_double(value));
  Position position = 0;
  for (std::uint64_t i = 0; i < lattice.size(); ++i) {
    const double point = lattice.at(i).to_double();
    if (point == value) return 2 * i + 1;
    if (point < value) position = 2 * i + 2;
  }
  return position;
}

/// The least double that is at least `value`.
inline double double_at_or_above(const Rational& value) {
  const double nearest = value.to_double();
  if (std::isinf(nearest)) return nearest > 0 ? nearest : -std::numeric_limits<double>::max();
  return Rational::from_double(nearest) < value ? std::nextafter(nearest, std::numeric_limits<double>::infinity())
                                                : nearest;
}

/// The smallest double that enters at position `p` or above, p in 1 .. 2 size: value >= threshold(p) if and only if
/// position_of(value) >= p. Infinity when there is none.
inline double double_threshold(const Lattice& lattice, Position p) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::uint64_t index = p / 2;
  if (lattice.is_regular()) {
    if (index == 0) return -infinity;
    if (index >= lattice.size()) return infinity;
    return double_at_or_above(lattice.at(index) - lattice.step() * Rational(1, 2));
  }
  if (p == 0) return -infinity;
  if (p % 2 == 1) return lattice.at(index).to_double();
  return std::nextafter(lattice.at(index - 1).to_double(), infinity);
}

inline std::vector<Lattice> telling_regular_lattices() {
  return {regular("0", "125", "1"),
          regular("-7", "9", "2"),
          regular("0", "20", "0.5"),
          regular("0", "4096", "0.0625"),
          regular("0", "1048576", "0.01"),
          regular("-100", "100", "0.00001"),
          regular("0.05", "5", "0.01"),
          regular("-1e300", "1e300", "1e299"),
          regular("-1e308", "1e308", "1e307"),
          regular("0", "4611686018427387903", "1"),
          regular("-2251799813685248", "2251799813685248", "0.5"),
          regular("1e15", "1000000000000001", "0.01"),
          regular("100000000.01", "100000100.01", "0.0001"),
          regular("1e-310", "4e-310", "1e-311"),
          regular("0", "1e-300", "1e-309"),
          regular("3", "3", "0.000000000000000001"),
          regular("0", "1", "0.000000000000000001"),
          regular("0", "1e-10", "0.00000000000000000000000001"),
          regular("1000000000000000000000", "1000000000000000000100", "0.5"),
          regular("-9223372036854775808", "9223372036854775806", "18446744073709551614"),
          regular("-4611686018427387904", "4611686018427387903", "9223372036854775807"),
          regular("-9223372036854775807", "-1", "3"),
          regular("5", "5", "9223372036854775807")};
}

inline std::vector<Lattice> telling_lists() {
  std::vector<Rational> even;
  std::vector<Rational> powers;
  std::vector<Rational> crowded{Rational(-1000000)};
  for (int i = 0; i < 300; ++i) {
    even.push_back(Rational(i - 150, 10));
    powers.push_back(Rational(10).pow(i - 150));
    crowded.push_back(Rational::dyadic(i, -40));
  }
  crowded.emplace_back(2000000);
  return {
      Lattice::explicit_points(even),
      Lattice::explicit_points(powers),
      Lattice::explicit_points(crowded),
      Lattice::explicit_points({0}),
      Lattice::explicit_points({Rational::parse("-1.7976931348623157e308"), Rational::parse("1.7976931348623157e308")}),
      Lattice::explicit_points({Rational::parse("-5e-324"), 0, Rational::parse("5e-324"), Rational::parse("1e-323")}),
      Lattice::explicit_points({Rational::parse("0.1"), Rational::parse("1.00000000000000000001"), 2,
                                Rational::parse("9007199254740993"), Rational::parse("9223372036854775807")}),
      Lattice::explicit_points({Rational::parse("-9007199254740993"), Rational::parse("0.5"), 7}),
      Lattice::explicit_points({7, Rational::parse("9007199254740991.6")})};
}

/// Points and thresholds, at random indices and both ends, with the doubles next to them; and the extremes.
inline std::vector<double> telling_doubles(const Lattice& lattice, std::mt19937_64& random, int indices) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> doubles{0.0,
                              -0.0,
                              infinity,
                              -infinity,
                              5e-324,
                              -5e-324,
                              0x1p-1022,
                              1.7976931348623157e308,
                              -1.7976931348623157e308,
                              0x1p52,
                              0x1p53 + 2,
                              0x1p63,
                              -0x1p63,
                              0x1p64};
  const auto add_around = [&](const Rational& value) {
    const double x = value.to_double();
    for (const double near : {std::nextafter(x, -infinity), x, std::nextafter(x, infinity)}) doubles.push_back(near);
  };
  const Rational half = lattice.is_regular() ? lattice.step() * Rational(1, 2) : Rational(1, 2);
  for (int k = 0; k < indices; ++k) {
    const std::uint64_t index = k == 0 ? 0 : k == 1 ? lattice.size() - 1 : random() % lattice.size();
    add_around(lattice.at(index));
    add_around(lattice.at(index) - half);
    add_around(lattice.at(index) + half);
    const double any = std::bit_cast<double>(random());
    if (!std::isnan(any)) doubles.push_back(any);
  }
  return doubles;
}

}  // namespace fractile::ranks_test
