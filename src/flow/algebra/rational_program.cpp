#include "flow/algebra/rational_program.hpp"

#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/flint.hpp"

namespace fractile::flow {
namespace {

/// Phase one of the simplex method: every equation has an artificial variable, which is basic at the start, and their sum is
/// minimized.
class Tableau {
 public:
  Tableau(std::vector<std::vector<Rational>> equations, const std::vector<Rational>& right)
      : rows_(std::move(equations)), variables_(rows_.front().size()), last_(variables_ + rows_.size()) {
    sum_.resize(last_ + 1);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].resize(last_ + 1);
      rows_[i][variables_ + i] = 1;
      rows_[i][last_] = right[i];
      basic_.push_back(variables_ + i);
      for (std::size_t j = 0; j <= last_; ++j) sum_[j] += rows_[i][j];
    }
  }

  Feasibility solve() {
    while (const std::optional<std::size_t> column = entering()) pivot(leaving(*column), *column);
    if (sum_[last_].sign() > 0) {
      const auto first = sum_.begin() + static_cast<std::ptrdiff_t>(variables_);
      return {false, {}, {first, first + static_cast<std::ptrdiff_t>(rows_.size())}};
    }
    Feasibility result{true, std::vector<Rational>(variables_), {}};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (basic_[i] < variables_) result.solution[basic_[i]] = rows_[i][last_];
    }
    return result;
  }

 private:
  /// The first variable that makes the sum of the artificial ones smaller.
  std::optional<std::size_t> entering() const {
    for (std::size_t j = 0; j < variables_; ++j) {
      if (sum_[j].sign() > 0) return j;
    }
    return {};
  }

  /// The row that limits the entering variable; among several, the one with the first variable. There is such a row, since
  /// otherwise the sum would fall below 0.
  std::size_t leaving(std::size_t column) const {
    std::optional<std::size_t> found;
    Rational least;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i][column].sign() <= 0) continue;
      const Rational ratio = rows_[i][last_] / rows_[i][column];
      if (!found || ratio < least || (ratio == least && basic_[i] < basic_[*found])) {
        found = i;
        least = ratio;
      }
    }
    return found.value();
  }

  void pivot(std::size_t row, std::size_t column) {
    const Rational divisor = rows_[row][column];
    for (Rational& entry : rows_[row]) entry /= divisor;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      checkpoint();
      if (i != row) reduce(rows_[i], row, column);
    }
    reduce(sum_, row, column);
    basic_[row] = column;
  }

  /// Makes the entry in the column 0.
  void reduce(std::vector<Rational>& entries, std::size_t row, std::size_t column) const {
    if (entries[column].sign() == 0) return;
    const Rational factor = entries[column];
    for (std::size_t j = 0; j <= last_; ++j) {
      if (rows_[row][j].sign() != 0) fmpq_submul(flint_of(entries[j]), flint_of(factor), flint_of(rows_[row][j]));
    }
  }

  std::vector<std::vector<Rational>> rows_;  // variables, artificial variables, right side
  std::size_t variables_;
  std::size_t last_;
  // The sum of the rows whose basic variable is artificial; its artificial columns have the prices.
  std::vector<Rational> sum_;
  std::vector<std::size_t> basic_;
};

}  // namespace

Feasibility solve_program(std::vector<std::vector<Rational>> equations, const std::vector<Rational>& right) {
  if (equations.empty()) return {true, {}, {}};
  return Tableau(std::move(equations), right).solve();
}

}  // namespace fractile::flow
