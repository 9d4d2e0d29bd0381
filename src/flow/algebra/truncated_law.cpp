#include "flow/algebra/truncated_law.hpp"

#include <algorithm>
#include <utility>

namespace fractile::flow {
namespace {

constexpr int negligible_log = -180;  // base-2 logarithm of a negligible probability
constexpr double negligible = 0x1p-180;

/// number / 2^law_bits, with an error of at most error / 2^law_bits.
Enclosure ball_of(const Integer& number, const Integer& error) {
  Enclosure ball = Enclosure::of_whole(number);
  mag_set_fmpz(arb_radref(ball.arb()), error.get());  // rounded upwards
  return scaled(std::move(ball), -law_bits);
}

}  // namespace

Enclosure TruncatedLaw::mass(std::size_t i) const {
  Integer number;
  fmpz_poly_get_coeff_fmpz(number.get(), masses.get(), static_cast<slong>(i));
  return ball_of(number, error);
}

std::vector<Enclosure> TruncatedLaw::sums() const {
  std::vector<Enclosure> result(1);
  result.reserve(size + 1);
  Integer number;
  Integer sum;
  Integer off;
  for (std::size_t i = 0; i < size; ++i) {
    fmpz_poly_get_coeff_fmpz(number.get(), masses.get(), static_cast<slong>(i));
    fmpz_add(sum.get(), sum.get(), number.get());
    fmpz_add(off.get(), off.get(), error.get());
    result.push_back(ball_of(sum, off));
  }
  return result;
}

TruncatedLaw fixed_point(std::size_t first, const std::vector<Enclosure>& masses, const Enclosure& rest) {
  TruncatedLaw law{first, masses.size(), {}, Integer(1), rest};
  Integer number;
  Integer off;
  Enclosure scaled;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    arb_mul_2exp_si(scaled.arb(), masses[i].arb(), law_bits);
    arf_get_fmpz(number.get(), arb_midref(scaled.arb()), ARF_RND_NEAR);
    fmpz_poly_set_coeff_fmpz(law.masses.get(), static_cast<slong>(i), number.get());
    mag_get_fmpz(off.get(), arb_radref(scaled.arb()));  // rounded upwards
    fmpz_add_ui(off.get(), off.get(), 1);
    if (fmpz_cmp(off.get(), law.error.get()) > 0) fmpz_set(law.error.get(), off.get());
  }
  return law;
}

namespace {

/// Appends masses, each from the last one by a factor (n - j) / (j + 1) * odds with j = at, at + 1, ..., until the remaining ones
/// are negligible. The factors fall, so the remaining masses add up to at most a geometric series.
void extend(std::vector<Enclosure>& masses, Enclosure& rest, std::size_t n, std::size_t at, const Enclosure& odds) {
  for (std::size_t j = at; j < n; ++j) {
    Enclosure factor;
    arb_mul_ui(factor.arb(), odds.arb(), n - j, law_bits);
    arb_div_ui(factor.arb(), factor.arb(), j + 1, law_bits);
    if (masses.back().upper_double() < negligible && factor.upper_double() < 0.99) {
      const Enclosure less = Enclosure::difference(whole<Enclosure>(1), factor, law_bits);
      const Enclosure left = Enclosure::quotient(factor, less, law_bits);
      arb_addmul(rest.arb(), masses.back().arb(), left.arb(), law_bits);
      return;
    }
    masses.push_back(Enclosure::product(masses.back(), factor, law_bits));
  }
}

}  // namespace

TruncatedLaw nobody() { return fixed_point(0, {whole<Enclosure>(1)}, {}); }

TruncatedLaw binomial(const Enclosure& p, std::size_t n) {
  const Enclosure absent = Enclosure::difference(whole<Enclosure>(1), p, law_bits);
  const Enclosure odds = Enclosure::quotient(p, absent, law_bits);
  const Enclosure inverse = Enclosure::quotient(absent, p, law_bits);
  const auto mode = static_cast<std::size_t>(std::clamp(p.to_double(), 0.0, 1.0) * static_cast<double>(n));

  Enclosure highest;
  arb_bin_uiui(highest.arb(), n, mode, law_bits);
  highest = Enclosure::product(highest, Enclosure::power(p, mode, law_bits), law_bits);
  highest = Enclosure::product(highest, Enclosure::power(absent, n - mode, law_bits), law_bits);

  std::vector<Enclosure> masses{highest};
  Enclosure rest;
  extend(masses, rest, n, n - mode, inverse);  // downwards: the number of those not counted grows
  std::ranges::reverse(masses);
  const std::size_t first = mode + 1 - masses.size();
  extend(masses, rest, n, mode, odds);
  return fixed_point(first, masses, rest);
}

namespace {

/// The sum of the masses' absolute values.
Integer absolute_sum(const TruncatedLaw& law) {
  Integer sum;
  Integer number;
  for (std::size_t i = 0; i < law.size; ++i) {
    fmpz_poly_get_coeff_fmpz(number.get(), law.masses.get(), static_cast<slong>(i));
    fmpz_abs(number.get(), number.get());
    fmpz_add(sum.get(), sum.get(), number.get());
  }
  return sum;
}

/// The error of a sum of products: error(a) sum |b| + error(b) sum |a| + terms error(a) error(b), plus 1 for rounding.
Integer product_error(const TruncatedLaw& a, const TruncatedLaw& b) {
  Integer error;
  Integer both;
  fmpz_mul(error.get(), a.error.get(), absolute_sum(b).get());
  fmpz_addmul(error.get(), b.error.get(), absolute_sum(a).get());
  fmpz_mul(both.get(), a.error.get(), b.error.get());
  fmpz_addmul_ui(error.get(), both.get(), std::min(a.size, b.size));
  fmpz_cdiv_q_2exp(error.get(), error.get(), law_bits);
  fmpz_add_ui(error.get(), error.get(), 1);
  return error;
}

/// Leaves out the negligible masses at both ends.
void trim(TruncatedLaw& law) {
  Integer least;
  fmpz_one(least.get());
  fmpz_mul_2exp(least.get(), least.get(), law_bits + negligible_log);
  Integer highest;
  Integer left_out;
  const auto leave_out = [&](std::size_t i) {
    fmpz_poly_get_coeff_fmpz(highest.get(), law.masses.get(), static_cast<slong>(i));
    fmpz_add(highest.get(), highest.get(), law.error.get());
    if (fmpz_cmp(highest.get(), least.get()) >= 0) return false;
    fmpz_add(left_out.get(), left_out.get(), highest.get());
    return true;
  };
  std::size_t begin = 0;
  while (begin + 1 < law.size && leave_out(begin)) ++begin;
  while (begin + 1 < law.size && leave_out(law.size - 1)) --law.size;
  fmpz_poly_truncate(law.masses.get(), static_cast<slong>(law.size));
  fmpz_poly_shift_right(law.masses.get(), law.masses.get(), static_cast<slong>(begin));
  law.first += begin;
  law.size -= begin;
  law.rest = Enclosure::sum(law.rest, ball_of(left_out, Integer()), law_bits);
}

}  // namespace

TruncatedLaw convolved(const TruncatedLaw& a, const TruncatedLaw& b) {
  const Enclosure rest = Enclosure::sum(a.rest, b.rest, law_bits);
  TruncatedLaw result{a.first + b.first, a.size + b.size - 1, a.masses * b.masses, product_error(a, b), rest};
  fmpz_poly_scalar_fdiv_2exp(result.masses.get(), result.masses.get(), law_bits);
  trim(result);
  return result;
}

TruncatedLaw power(const TruncatedLaw& law, std::size_t count) {
  TruncatedLaw result = nobody();
  TruncatedLaw doubled = law;
  for (std::size_t left = count; left > 0; left /= 2) {
    if (left % 2 == 1) result = convolved(result, doubled);
    if (left > 1) doubled = convolved(doubled, doubled);
  }
  return result;
}

}  // namespace fractile::flow
