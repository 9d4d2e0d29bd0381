#include "exact/coin.hpp"

#include <algorithm>
#include <utility>

namespace fractile {
namespace {

/// Decides U < p by ball arithmetic.
Verdict careful_look(const LazyUniform& u, const Enclosure& p) {
  const Enclosure wanted = scaled(p, u.length());
  Integer next = u.prefix();
  fmpz_add_ui(next.get(), next.get(), 1);
  const Enclosure low = Enclosure::of_whole(u.prefix());
  const Enclosure high = Enclosure::of_whole(next);
  if (certainly_at_most(high, wanted)) return Verdict::yes;
  if (certainly_at_most(wanted, low)) return Verdict::no;
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
  Integer middle = prefix_;
  fmpz_mul_2exp(middle.get(), middle.get(), 1);
  fmpz_add_ui(middle.get(), middle.get(), 1);
  Enclosure result = Enclosure::of_whole(middle);
  mag_one(arb_radref(result.arb()));
  return scaled(std::move(result), -(length_ + 1));
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

bool bernoulli_exp(RandomBits& bits, const Exponent& x, Filter filter) {
  if (x.is_zero()) return true;
  const Enclose enclose = [&x](std::int64_t precision) {
    return (Enclosure::of(Rational(0), precision) - Enclosure::of(x, precision)).exp();
  };
  const Enclosure p = enclose(64);
  return lazy_coin(bits, {std::max(0.0, p.lower_double()), p.upper_double()}, enclose, filter);
}

}  // namespace fractile
