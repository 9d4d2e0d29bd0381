// The three kinds of numbers in which a pipeline's channel is computed: integers (at rational odds), polynomials in odds, and
// enclosures (at odds that are only enclosed). All computations add products.
#pragma once

#include <flint/fmpz_poly.h>
#include <flint/fmpz_poly_q.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/enclosure.hpp"
#include "exact/flint.hpp"

namespace fractile::flow {

/// An integer polynomial in odds.
class Polynomial {
 public:
  Polynomial() { fmpz_poly_init(value_); }
  explicit Polynomial(std::int64_t constant) : Polynomial() { fmpz_poly_set_si(value_, constant); }
  Polynomial(const Polynomial& other) : Polynomial() { fmpz_poly_set(value_, other.value_); }
  Polynomial(Polynomial&& other) noexcept : Polynomial() { fmpz_poly_swap(value_, other.value_); }
  Polynomial& operator=(const Polynomial& other) {
    fmpz_poly_set(value_, other.value_);
    return *this;
  }
  Polynomial& operator=(Polynomial&& other) noexcept {
    fmpz_poly_swap(value_, other.value_);
    return *this;
  }
  ~Polynomial() { fmpz_poly_clear(value_); }

  /// The same integer at all odds.
  static Polynomial constant(const Rational& integer) {
    Polynomial result;
    fmpz_poly_set_fmpz(result.value_, fmpq_numref(flint_of(integer)));
    return result;
  }
  /// odds^exponent.
  static Polynomial power(std::int64_t exponent) {
    Polynomial result;
    fmpz_poly_set_coeff_ui(result.value_, exponent, 1);
    return result;
  }
  friend Polynomial operator+(const Polynomial& a, const Polynomial& b) {
    Polynomial result;
    fmpz_poly_add(result.value_, a.value_, b.value_);
    return result;
  }
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b) {
    Polynomial result;
    fmpz_poly_sub(result.value_, a.value_, b.value_);
    return result;
  }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b) {
    Polynomial result;
    fmpz_poly_mul(result.value_, a.value_, b.value_);
    return result;
  }
  friend bool operator==(const Polynomial& a, const Polynomial& b) { return fmpz_poly_equal(a.value_, b.value_) != 0; }
  Polynomial derivative() const {
    Polynomial result;
    fmpz_poly_derivative(result.value_, value_);
    return result;
  }
  bool is_zero() const { return fmpz_poly_is_zero(value_) != 0; }
  std::int64_t degree() const { return fmpz_poly_degree(value_); }
  Rational at(const Rational& odds) const {
    Rational result;
    fmpz_poly_evaluate_fmpq(flint_of(result), value_, flint_of(odds));
    return result;
  }
  Enclosure at(const Enclosure& odds, std::int64_t bits) const {
    Enclosure result;
    arb_fmpz_poly_evaluate_arb(result.arb(), value_, odds.arb(), bits);
    return result;
  }
  fmpz_poly_struct* get() { return value_; }
  const fmpz_poly_struct* get() const { return value_; }

 private:
  fmpz_poly_t value_;
};

/// A quotient of integer polynomials in one variable, in lowest terms.
class RationalFunction {
 public:
  RationalFunction() { fmpz_poly_q_init(value_); }
  RationalFunction(const RationalFunction& other) : RationalFunction() { fmpz_poly_q_set(value_, other.value_); }
  RationalFunction(RationalFunction&& other) noexcept : RationalFunction() { fmpz_poly_q_swap(value_, other.value_); }
  RationalFunction& operator=(RationalFunction other) noexcept {
    fmpz_poly_q_swap(value_, other.value_);
    return *this;
  }
  ~RationalFunction() { fmpz_poly_q_clear(value_); }

  static RationalFunction variable() {
    RationalFunction result;
    fmpz_poly_set_coeff_ui(fmpz_poly_q_numref(result.value_), 1, 1);
    return result;
  }
  static RationalFunction constant(std::uint64_t value) {
    RationalFunction result;
    fmpz_poly_set_ui(fmpz_poly_q_numref(result.value_), value);
    return result;
  }
  /// The same at all odds.
  static RationalFunction of(const Rational& value) {
    RationalFunction result;
    fmpz_poly_q_set_si(result.value_, 1);
    fmpz_poly_set_fmpz(fmpz_poly_q_numref(result.value_), fmpq_numref(flint_of(value)));
    fmpz_poly_set_fmpz(fmpz_poly_q_denref(result.value_), fmpq_denref(flint_of(value)));
    return result;
  }
  bool is_zero() const { return fmpz_poly_q_is_zero(value_) != 0; }
  friend RationalFunction operator+(const RationalFunction& a, const RationalFunction& b) {
    RationalFunction result;
    fmpz_poly_q_add(result.value_, a.value_, b.value_);
    return result;
  }
  friend RationalFunction operator-(const RationalFunction& a, const RationalFunction& b) {
    RationalFunction result;
    fmpz_poly_q_sub(result.value_, a.value_, b.value_);
    return result;
  }
  friend RationalFunction operator*(const RationalFunction& a, const RationalFunction& b) {
    RationalFunction result;
    fmpz_poly_q_mul(result.value_, a.value_, b.value_);
    return result;
  }
  friend RationalFunction operator/(const RationalFunction& a, const RationalFunction& b) {
    RationalFunction result;
    fmpz_poly_q_div(result.value_, a.value_, b.value_);
    return result;
  }
  const fmpz_poly_struct* numerator() const { return fmpz_poly_q_numref(value_); }
  const fmpz_poly_struct* denominator() const { return fmpz_poly_q_denref(value_); }
  fmpz_poly_q_struct* get() { return value_; }
  const fmpz_poly_q_struct* get() const { return value_; }

 private:
  fmpz_poly_q_t value_;
};

constexpr std::int64_t enclosure_bits = 320;

inline void add_product(Integer& sum, const Integer& a, const Integer& b) { fmpz_addmul(sum.get(), a.get(), b.get()); }
inline void add_product(Polynomial& sum, const Polynomial& a, const Polynomial& b) { sum = sum + a * b; }
inline void add_product(Enclosure& sum, const Enclosure& a, const Enclosure& b) {
  arb_addmul(sum.arb(), a.arb(), b.arb(), enclosure_bits);
}

inline bool is_zero(const Integer& value) { return fmpz_is_zero(value.get()) != 0; }
inline bool is_zero(const Polynomial& value) { return value.is_zero(); }
inline bool is_zero(const Enclosure& value) { return value.is_zero(); }

template <class Ring>
Ring whole(std::int64_t value);
template <>
inline Integer whole(std::int64_t value) {
  return Integer(static_cast<std::uint64_t>(value));
}
template <>
inline Polynomial whole(std::int64_t value) {
  return Polynomial(value);
}
template <>
inline Enclosure whole(std::int64_t value) {
  Enclosure result;
  arb_set_si(result.arb(), value);
  return result;
}

inline Enclosure times(const Enclosure& number, std::uint64_t count) {
  Enclosure result;
  arb_mul_ui(result.arb(), number.arb(), count, enclosure_bits);
  return result;
}

/// The product of the bases, each raised to its power.
inline Enclosure product_of_powers(const std::vector<Enclosure>& bases, const std::vector<std::size_t>& powers) {
  Enclosure result = whole<Enclosure>(1);
  for (std::size_t i = 0; i < bases.size(); ++i) {
    result = Enclosure::product(result, Enclosure::power(bases[i], powers[i], enclosure_bits), enclosure_bits);
  }
  return result;
}

inline Rational rational_of(const fmpz* integer) {
  Rational result;
  fmpq_set_fmpz(flint_of(result), integer);
  return result;
}
inline Rational fraction_of(const Integer& numerator, const Integer& denominator) {
  Rational result;
  fmpq_set_fmpz_frac(flint_of(result), numerator.get(), denominator.get());
  return result;
}

/// Throws `usage` when epsilon is above 10,000, or exp(epsilon) a fraction of more than a million bits.
void require_usual(const Exponent& epsilon);

/// exp(epsilon), exactly if it is rational. Throws as require_usual().
Enclosure odds_at(const Exponent& epsilon, std::int64_t precision = enclosure_bits);

/// A ball that holds 0, the number, and everything between.
inline Enclosure from_zero_to(const Enclosure& number) {
  Enclosure result;
  arb_union(result.arb(), result.arb(), number.arb(), enclosure_bits);
  return result;
}

template <class Ring>
Ring product(const Ring& a, const Ring& b) {
  Ring result;
  add_product(result, a, b);
  return result;
}

}  // namespace fractile::flow
