// The privacy vocabulary: who is a neighbor of whom, and what a release may cost.
#pragma once

#include <cstdint>
#include <string>

#include "fractile/exact.hpp"

namespace fractile {

/// When are two tables neighbors? add_remove: one record more or less. change_one: one record replaced (a record that is
/// dropped as null counts as absent, so a replacement may also add or remove one).
enum class Neighbors { add_remove, change_one };

/// The unit in which privacy loss is measured.
enum class Measure { pure, zcdp, approximate };

/// "add-remove", "change-one".
std::string to_string(Neighbors neighbors);
/// "pure", "zcdp", "approximate".
std::string to_string(Measure measure);

/// What a release may cost, exactly: epsilon (pure differential privacy), rho (zero-concentrated), or epsilon and delta
/// (approximate).
/// Thread-safety: a value; threads may share it while none changes it.
class Budget {
 public:
  /// Throws `usage` unless epsilon > 0.
  static Budget pure(Exponent epsilon);
  /// Throws `usage` unless rho > 0.
  static Budget zcdp(Rational rho);

  /// Throws `usage` unless epsilon > 0 and 0 < delta < 1.
  static Budget approximate(Exponent epsilon, Rational delta);

  /// Epsilon, or rho, times a factor > 0; delta as it is.
  Budget scaled(const Rational& factor) const;

  Measure measure() const { return measure_; }
  /// Only for pure and approximate budgets.
  const Exponent& epsilon() const;
  /// Only for zCDP budgets.
  const Rational& rho() const;
  /// Only for approximate budgets.
  const Rational& delta() const;
  /// "epsilon = 1", "rho = 1/2", "epsilon = 1, delta = 1/1000000".
  std::string to_string() const;

 private:
  Budget() = default;
  Measure measure_ = Measure::pure;
  Exponent epsilon_;
  Rational rho_;
  Rational delta_;
};

}  // namespace fractile
