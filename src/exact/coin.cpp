#include "exact/coin.hpp"

#include <algorithm>

namespace fractile {
namespace {

/// Decides U < p by ball arithmetic.
Verdict careful_look(const LazyUniform& u, const Enclosure& p) {
  Enclosure scaled = p;
  arb_mul_2exp_si(scaled.arb(), scaled.arb(), u.length());
  Integer next = u.prefix();
  fmpz_add_ui(next.get(), next.get(), 1);
  Enclosure low;
  Enclosure high;
  arb_set_fmpz(low.arb(), u.prefix().get());
  arb_set_fmpz(high.arb(), next.get());
  if (certainly_at_most(high, scaled)) return Verdict::yes;
  if (certainly_at_most(scaled, low)) return Verdict::no;
  return Verdict::undecided;
}

std::uint64_t top_bits(std::uint64_t word, int count) { return word >> (64 - count); }

}  // namespace

LazyUniform::LazyUniform(RandomBits& bits, int first_bits) { extend(bits, first_bits); }

void LazyUniform::extend(RandomBits& bits, int more) {
  fmpz_mul_2exp(prefix_.get(), prefix_.get(), static_cast<flint_bitcnt_t>(more));
  fmpz_add_ui(prefix_.get(), prefix_.get(), top_bits(bits.next64(), more));
  length_ += more;
}

Enclosure LazyUniform::cell() const {
  // Center (2 prefix + 1) / 2^(length + 1), radius 2^-(length + 1): exact in Arb.
  Enclosure result;
  Integer middle = prefix_;
  fmpz_mul_2exp(middle.get(), middle.get(), 1);
  fmpz_add_ui(middle.get(), middle.get(), 1);
  arb_set_fmpz(result.arb(), middle.get());
  mag_one(arb_radref(result.arb()));
  arb_mul_2exp_si(result.arb(), result.arb(), -(length_ + 1));
  return result;
}

bool settled_coin(RandomBits& bits, const FirstBits& first, const Enclose& enclose, SelectionCost* cost) {
  if (cost != nullptr) ++cost->slow_coins;
  LazyUniform u(first.prefix(), first.length());
  for (;;) {
    const Verdict verdict = careful_look(u, enclose(u.length() + 64));
    if (verdict != Verdict::undecided) return verdict == Verdict::yes;
    u.extend(bits);
  }
}

bool lazy_coin(RandomBits& bits, Bounds first, const Enclose& enclose, Filter filter, SelectionCost* cost) {
  const FirstBits u(bits, filter);
  const Verdict quick = u.below(first);
  return quick == Verdict::undecided ? settled_coin(bits, u, enclose, cost) : quick == Verdict::yes;
}

bool bernoulli_exp(RandomBits& bits, const Exponent& x, Filter filter) {
  if (x.is_zero()) return true;
  const Enclose enclose = [&x](std::int64_t precision) {
    return (Enclosure::of(Rational(0), precision) - Enclosure::of(x, precision)).exp();
  };
  const Enclosure p = enclose(64);
  return lazy_coin(bits, {std::max(0.0, p.lower_double()), p.upper_double()}, enclose, filter);
}

}  // namespace fractile
