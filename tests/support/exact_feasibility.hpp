// Shared by tests: decides whether a stochastic matrix leads from one channel to another. It uses the simplex method in
// rationals, for small instances, and none of the deciders of src/flow.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "fractile/flow.hpp"

namespace fractile::testing {

/// Phase one of the simplex method for equations x = right, x >= 0. Every equation has an artificial variable that starts
/// at the right side. The sum of the artificial variables is minimized, by Bland's rule, so that the method ends.
class FeasibilityTableau {
 public:
  /// No entry of `right` is negative.
  FeasibilityTableau(std::vector<std::vector<Rational>> equations, const std::vector<Rational>& right)
      : rows_(std::move(equations)), variables_(rows_.empty() ? 0 : rows_.front().size()) {
    gains_.resize(variables_ + 1);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].push_back(right[i]);
      for (std::size_t j = 0; j <= variables_; ++j) gains_[j] += rows_[i][j];
      basic_.push_back(variables_ + i);  // the artificial variable; once it leaves, it stays 0 and needs no column
    }
  }

  /// Whether all artificial variables can become 0.
  bool is_feasible() {
    while (const std::optional<std::size_t> entering = first_gain()) pivot(leaving_for(*entering), *entering);
    return gains_[variables_].sign() == 0;
  }

 private:
  /// The first variable that makes the sum of the artificial variables smaller when it grows.
  std::optional<std::size_t> first_gain() const {
    for (std::size_t j = 0; j < variables_; ++j) {
      if (gains_[j].sign() > 0) return j;
    }
    return {};
  }

  /// The row whose basic variable is the first to become 0; if there are several, the row with the first variable. Such a
  /// row exists, because the sum cannot fall below 0.
  std::size_t leaving_for(std::size_t entering) const {
    std::size_t found = rows_.size();
    Rational least;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i][entering].sign() <= 0) continue;
      const Rational ratio = rows_[i][variables_] / rows_[i][entering];
      if (found == rows_.size() || ratio < least || (ratio == least && basic_[i] < basic_[found])) {
        found = i;
        least = ratio;
      }
    }
    return found;
  }

  void pivot(std::size_t row, std::size_t entering) {
    const Rational divisor = rows_[row][entering];
    for (Rational& entry : rows_[row]) entry /= divisor;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i != row) subtract(rows_[i], rows_[i][entering], rows_[row]);
    }
    subtract(gains_, gains_[entering], rows_[row]);
    basic_[row] = entering;
  }

  static void subtract(std::vector<Rational>& from, const Rational factor, const std::vector<Rational>& row) {
    if (factor.sign() == 0) return;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j].sign() != 0) from[j] -= factor * row[j];
    }
  }

  std::vector<std::vector<Rational>> rows_;  ///< the last column is the right side
  std::size_t variables_;
  std::vector<Rational> gains_;     ///< decrease of the sum per unit of each variable; the last entry is the sum
  std::vector<std::size_t> basic_;  ///< the basic variable of each row
};

/// Whether some W >= 0 has rows that add up to 1, and from W = to.
inline bool leads_to(const flow::Matrix& from, const flow::Matrix& to) {
  const std::size_t variables = from.columns() * to.columns();  // W(y, z) is variable y to.columns() + z
  std::vector<std::vector<Rational>> equations;
  std::vector<Rational> right;
  for (std::size_t x = 0; x < from.rows(); ++x) {
    for (std::size_t z = 0; z < to.columns(); ++z) {
      equations.emplace_back(variables);
      for (std::size_t y = 0; y < from.columns(); ++y) equations.back()[y * to.columns() + z] = from(x, y);
      right.push_back(to(x, z));
    }
  }
  for (std::size_t y = 0; y < from.columns(); ++y) {
    equations.emplace_back(variables);
    for (std::size_t z = 0; z < to.columns(); ++z) equations.back()[y * to.columns() + z] = 1;
    right.emplace_back(1);
  }
  return FeasibilityTableau(std::move(equations), right).is_feasible();
}

}  // namespace fractile::testing
