// FLINT and Arb, wherever this system keeps their headers (FLINT 3 contains Arb).
#pragma once

#include <flint/fmpq.h>
#include <flint/fmpz.h>
#if __has_include(<flint/arb.h>)
#include <flint/acb.h>
#include <flint/arb.h>
#include <flint/arb_fmpz_poly.h>
#include <flint/arb_poly.h>
#else
#include <acb.h>
#include <arb.h>
#include <arb_fmpz_poly.h>
#include <arb_poly.h>
#endif

#include "exact/own_environment.hpp"
#include "fractile/exact.hpp"

namespace fractile {

static_assert(sizeof(fmpq) == 2 * sizeof(std::int64_t), "Rational holds an fmpq in two machine words");
static_assert(COEFF_MAX == (std::int64_t{1} << 62) - 1 && COEFF_MIN == -COEFF_MAX,
              "Rational knows which words of FLINT hold their value");

struct detail::Flint {
  static void* words(Rational& value) { return value.words_; }
  static const void* words(const Rational& value) { return value.words_; }
};

inline fmpq* flint_of(Rational& value) { return static_cast<fmpq*>(detail::Flint::words(value)); }
inline const fmpq* flint_of(const Rational& value) { return static_cast<const fmpq*>(detail::Flint::words(value)); }

/// An fmpz that clears itself.
class Integer {
 public:
  Integer() {
    use_flint();
    fmpz_init(value_);
  }
  explicit Integer(std::uint64_t value) : Integer() { fmpz_set_ui(value_, value); }
  Integer(const Integer& other) : Integer() { fmpz_set(value_, other.value_); }
  Integer& operator=(const Integer& other) {
    fmpz_set(value_, other.value_);
    return *this;
  }
  ~Integer() { fmpz_clear(value_); }
  fmpz* get() { return value_; }
  const fmpz* get() const { return value_; }

 private:
  fmpz_t value_;
};

}  // namespace fractile
