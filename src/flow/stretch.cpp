#include "flow/stretch.hpp"

#include <arb_poly.h>

#include <algorithm>
#include <utility>

#include "flow/ring.hpp"

namespace fractile::flow {
namespace {

constexpr double negligible = 0x1p-180;

/// Goes on from the last mass by factors (n - j) / (j + 1) * odds, j = steps taken from `at` on, until what is left is
/// negligible: the factors only fall, so it is at most a geometric series.
void extend(std::vector<Enclosure>& masses, Enclosure& rest, std::size_t n, std::size_t at, const Enclosure& odds) {
  for (std::size_t j = at; j < n; ++j) {
    Enclosure factor;
    arb_mul_ui(factor.arb(), odds.arb(), n - j, law_bits);
    arb_div_ui(factor.arb(), factor.arb(), j + 1, law_bits);
    if (masses.back().upper_double() < negligible && factor.upper_double() < 0.99) {
      Enclosure left = whole<Enclosure>(1);
      arb_sub(left.arb(), left.arb(), factor.arb(), law_bits);
      arb_div(left.arb(), factor.arb(), left.arb(), law_bits);
      arb_addmul(rest.arb(), masses.back().arb(), left.arb(), law_bits);
      return;
    }
    Enclosure next;
    arb_mul(next.arb(), masses.back().arb(), factor.arb(), law_bits);
    masses.push_back(std::move(next));
  }
}

}  // namespace

Stretch nobody() { return {0, {whole<Enclosure>(1)}, {}}; }

Stretch binomial(const Enclosure& p, std::size_t n) {
  Enclosure absent;
  arb_sub(absent.arb(), whole<Enclosure>(1).arb(), p.arb(), law_bits);
  Enclosure odds;
  arb_div(odds.arb(), p.arb(), absent.arb(), law_bits);
  Enclosure inverse;
  arb_div(inverse.arb(), absent.arb(), p.arb(), law_bits);
  const auto mode = static_cast<std::size_t>(std::clamp(p.to_double(), 0.0, 1.0) * static_cast<double>(n));

  Enclosure highest;
  Enclosure power;
  arb_bin_uiui(highest.arb(), n, mode, law_bits);
  arb_pow_ui(power.arb(), p.arb(), mode, law_bits);
  arb_mul(highest.arb(), highest.arb(), power.arb(), law_bits);
  arb_pow_ui(power.arb(), absent.arb(), n - mode, law_bits);
  arb_mul(highest.arb(), highest.arb(), power.arb(), law_bits);

  Stretch stretch;
  stretch.masses.push_back(highest);
  extend(stretch.masses, stretch.rest, n, n - mode, inverse);  // downwards: what is not counted goes up
  std::ranges::reverse(stretch.masses);
  stretch.first = mode + 1 - stretch.masses.size();
  extend(stretch.masses, stretch.rest, n, mode, odds);
  return stretch;
}

Stretch convolved(const Stretch& a, const Stretch& b) {
  arb_poly_t first;
  arb_poly_t second;
  const auto load = [](arb_poly_t polynomial, const Stretch& stretch) {
    arb_poly_init2(polynomial, static_cast<slong>(stretch.masses.size()));
    for (std::size_t i = 0; i < stretch.masses.size(); ++i) {
      arb_poly_set_coeff_arb(polynomial, static_cast<slong>(i), stretch.masses[i].arb());
    }
  };
  load(first, a);
  load(second, b);
  arb_poly_mul(first, first, second, law_bits);
  Stretch result{a.first + b.first, std::vector<Enclosure>(a.masses.size() + b.masses.size() - 1), a.rest};
  for (std::size_t i = 0; i < result.masses.size(); ++i) {
    arb_poly_get_coeff_arb(result.masses[i].arb(), first, static_cast<slong>(i));
  }
  arb_add(result.rest.arb(), result.rest.arb(), b.rest.arb(), law_bits);
  arb_poly_clear(first);
  arb_poly_clear(second);
  return result;
}

namespace {

/// Leaves out what is negligible at both ends.
Stretch trimmed(Stretch law) {
  std::size_t begin = 0;
  std::size_t end = law.masses.size();
  const auto leave_out = [&](std::size_t i) {
    if (law.masses[i].upper_double() >= negligible) return false;
    arb_add(law.rest.arb(), law.rest.arb(), law.masses[i].arb(), law_bits);
    return true;
  };
  while (begin + 1 < end && leave_out(begin)) ++begin;
  while (begin + 1 < end && leave_out(end - 1)) --end;
  const auto at = [&](std::size_t i) { return law.masses.begin() + static_cast<std::ptrdiff_t>(i); };
  return {law.first + begin, {at(begin), at(end)}, std::move(law.rest)};
}

}  // namespace

Stretch power(const Stretch& law, std::size_t count) {
  Stretch result = nobody();
  Stretch doubled = law;
  for (std::size_t left = count; left > 0; left /= 2) {
    if (left % 2 == 1) result = trimmed(convolved(result, doubled));
    if (left > 1) doubled = trimmed(convolved(doubled, doubled));
  }
  return result;
}

}  // namespace fractile::flow
