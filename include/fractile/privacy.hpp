// The privacy vocabulary: who is a neighbour of whom, and what a release may cost.
#pragma once

#include <cstdint>
#include <string>

#include "fractile/exact.hpp"

namespace fractile {

/// When are two tables neighbours? add_remove: one record more or less. change_one: one record replaced (a record that is
/// dropped as null counts as absent, so a replacement may also add or remove one).
enum class Neighbors { add_remove, change_one };

/// In what the privacy loss is measured.
enum class Measure { pure, zcdp };

/// "add-remove", "change-one".
std::string to_string(Neighbors neighbors);
/// "pure", "zcdp".
std::string to_string(Measure measure);

/// What a release may cost, exactly: epsilon (pure differential privacy) or rho (zero-concentrated).
class Budget {
 public:
  /// Error(usage) unless epsilon > 0.
  static Budget pure(Exponent epsilon);
  /// Error(usage) unless rho > 0.
  static Budget zcdp(Rational rho);

  Measure measure() const { return measure_; }
  /// Only for pure budgets.
  const Exponent& epsilon() const;
  /// Only for zCDP budgets.
  const Rational& rho() const;

 private:
  Budget() = default;
  Measure measure_ = Measure::pure;
  Exponent epsilon_;
  Rational rho_;
};

}  // namespace fractile
