#include "flow/algebra/fixed_powers.hpp"

#include <algorithm>

namespace fractile::flow {
namespace {

Integer one_in_units(std::int64_t fraction_bits) {
  Integer result(1);
  fmpz_mul_2exp(result.get(), result.get(), static_cast<ulong>(fraction_bits));
  return result;
}

/// 1, p, p^2, ..., rounded down.
std::vector<Integer> powers_of_number(const Integer& p, std::size_t count, std::int64_t fraction_bits) {
  std::vector<Integer> result;
  result.reserve(count);
  result.push_back(one_in_units(fraction_bits));
  while (result.size() < count) {
    Integer next;
    fmpz_mul(next.get(), result.back().get(), p.get());
    fmpz_fdiv_q_2exp(next.get(), next.get(), static_cast<ulong>(fraction_bits));
    result.push_back(next);
  }
  return result;
}

}  // namespace

FixedPowers::FixedPowers(std::size_t count, std::size_t degree, std::int64_t fraction_bits)
    : powers_(count), degree_(degree), fraction_bits_(fraction_bits) {
  for (std::vector<Integer>& power : powers_) power.reserve(degree + 1);
  powers_[0].push_back(one_in_units(fraction_bits));
}

void FixedPowers::add_term(const Integer& p, std::size_t x) {
  if (x > degree_) return;
  const std::vector<Integer> powers_of_p = powers_of_number(p, powers_.size(), fraction_bits_);
  // From the highest power down, since a power is computed from lower ones without the new term.
  for (std::size_t j = powers_.size() - 1; j > 0; --j) add_to_power(j, powers_of_p, x);
}

// (f + p t^x)^j - f^j = sum over i = 1 .. j of C(j, i) p^i t^(i x) f^(j - i), rounded down once.
void FixedPowers::add_to_power(std::size_t j, const std::vector<Integer>& powers_of_p, std::size_t x) {
  std::vector<Integer> factors(j + 1);
  for (std::size_t i = 1; i <= j; ++i) {
    fmpz_bin_uiui(factors[i].get(), j, i);
    fmpz_mul(factors[i].get(), factors[i].get(), powers_of_p[i].get());
  }
  std::vector<Integer>& power = powers_[j];
  power.resize(std::min(degree_, j * x) + 1);
  Integer sum;
  for (std::size_t n = x; n < power.size(); ++n) {
    fmpz_zero(sum.get());
    for (std::size_t i = 1; i <= j && i * x <= n; ++i) {
      const std::vector<Integer>& lower = powers_[j - i];
      if (n - i * x < lower.size()) fmpz_addmul(sum.get(), factors[i].get(), lower[n - i * x].get());
    }
    fmpz_fdiv_q_2exp(sum.get(), sum.get(), static_cast<ulong>(fraction_bits_));
    fmpz_add(power[n].get(), power[n].get(), sum.get());
  }
}

void FixedPowers::truncate(std::size_t degree) {
  degree_ = degree;
  for (std::vector<Integer>& power : powers_) {
    if (power.size() > degree + 1) power.resize(degree + 1);
  }
}

Integer coefficient(const FixedPowers& a, std::size_t i, const FixedPowers& b, std::size_t j, std::size_t n) {
  const std::vector<Integer>& left = a.powers_[i];
  const std::vector<Integer>& right = b.powers_[j];
  Integer sum;
  const std::size_t from = n < right.size() ? 0 : n + 1 - right.size();
  for (std::size_t k = from; k <= n && k < left.size(); ++k) {
    fmpz_addmul(sum.get(), left[k].get(), right[n - k].get());
  }
  return sum;
}

}  // namespace fractile::flow
