#include "flow/algebra/integer_matrix.hpp"

#include <flint/nmod_mat.h>

#include <numeric>

#include "exact/uncopied.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

/// A matrix modulo a prime.
class Residues : Uncopied {
 public:
  Residues(const IntegerMatrix& matrix, std::uint64_t prime) {
    nmod_mat_init(matrix_, static_cast<slong>(matrix.rows()), static_cast<slong>(matrix.columns()), prime);
    fmpz_mat_get_nmod_mat(matrix_, matrix.get());
  }
  ~Residues() { nmod_mat_clear(matrix_); }

  /// The columns that are independent of those before them.
  std::vector<std::size_t> independent_columns() {
    const auto rank = static_cast<std::size_t>(nmod_mat_rref(matrix_));
    std::vector<std::size_t> columns;
    std::size_t column = 0;
    for (std::size_t row = 0; row < rank; ++row) {
      while (nmod_mat_entry(matrix_, row, column) == 0) ++column;
      columns.push_back(column);
    }
    return columns;
  }

 private:
  nmod_mat_t matrix_;
};

constexpr std::uint64_t prime = 4611686018427387847;  // 2^62 - 57

}  // namespace

std::vector<std::size_t> all_of(std::size_t size) {
  std::vector<std::size_t> result(size);
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
}

IntegerMatrix IntegerMatrix::transposed() const {
  IntegerMatrix result(columns(), rows());
  fmpz_mat_transpose(result.get(), matrix_);
  return result;
}

IntegerMatrix IntegerMatrix::part(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns) const {
  IntegerMatrix result(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) fmpz_set(result.at(i, j), at(rows[i], columns[j]));
  }
  return result;
}

Pivots pivots_of(const IntegerMatrix& matrix) {
  Pivots pivots;
  pivots.rows = Residues(matrix.transposed(), prime).independent_columns();
  pivots.columns = Residues(matrix.part(pivots.rows, all_of(matrix.columns())), prime).independent_columns();
  return pivots;
}

Rational Solution::entry(std::size_t row, std::size_t column) const {
  Rational result;
  fmpq_set_fmpz_frac(flint_of(result), numerators.at(row, column), denominator.get());
  return result;
}

Solution solve(const IntegerMatrix& square, const IntegerMatrix& right) {
  Solution solution{IntegerMatrix(square.columns(), right.columns()), Integer()};
  if (square.rows() == 0) {
    fmpz_one(solution.denominator.get());
    return solution;
  }
  if (fmpz_mat_solve(solution.numerators.get(), solution.denominator.get(), square.get(), right.get()) == 0) {
    throw Error(ErrorCode::internal, "a matrix that was invertible is not");
  }
  if (fmpz_sgn(solution.denominator.get()) < 0) {
    fmpz_neg(solution.denominator.get(), solution.denominator.get());
    fmpz_mat_neg(solution.numerators.get(), solution.numerators.get());
  }
  return solution;
}

}  // namespace fractile::flow
