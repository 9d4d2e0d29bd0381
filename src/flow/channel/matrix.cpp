#include "exact/checkpoint.hpp"
#include "exact/flint.hpp"
#include "flow/algebra/cleared.hpp"
#include "fractile/error.hpp"
#include "fractile/flow.hpp"

namespace fractile::flow {

std::size_t Matrix::count(std::size_t rows, std::size_t columns) {
  if (columns != 0 && rows > most_entries / columns) {
    throw Error(
        ErrorCode::usage,
        "a matrix of " + std::to_string(rows) + " rows and " + std::to_string(columns) + " columns is too large",
        "take at most 2^28 entries");
  }
  return rows * columns;
}

Matrix Matrix::of(const std::vector<std::vector<Rational>>& rows) {
  Matrix result(rows.size(), rows.empty() ? 0 : rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != result.columns()) {
      throw Error(ErrorCode::usage, "the rows of a matrix are not of the same length",
                  "give every row as many entries");
    }
    for (std::size_t j = 0; j < rows[i].size(); ++j) result(i, j) = rows[i][j];
  }
  return result;
}

Matrix Matrix::identity(std::size_t size) {
  Matrix result(size, size);
  for (std::size_t i = 0; i < size; ++i) result(i, i) = 1;
  return result;
}

// Every entry is reduced to lowest terms once, not after each of its summands.
Matrix operator*(const Matrix& a, const Matrix& b) {
  if (a.columns() != b.rows()) throw Error(ErrorCode::usage, "matrices of these sizes have no product");
  Matrix product(a.rows(), b.columns());
  std::vector<Cleared> rows(a.rows());
  std::vector<std::vector<Integer>> left;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (const Rational& entry : a.row(i)) rows[i].add(entry);
    left.push_back(rows[i].numerators());
  }
  Integer sum;
  Integer denominator;
  for (std::size_t j = 0; j < b.columns(); ++j) {
    Cleared column;
    for (std::size_t k = 0; k < b.rows(); ++k) column.add(b(k, j));
    const std::vector<Integer> right = column.numerators();
    for (std::size_t i = 0; i < a.rows(); ++i) {
      checkpoint();
      fmpz_zero(sum.get());
      for (std::size_t k = 0; k < right.size(); ++k) fmpz_addmul(sum.get(), left[i][k].get(), right[k].get());
      fmpz_mul(denominator.get(), rows[i].denominator().get(), column.denominator().get());
      fmpq_set_fmpz_frac(flint_of(product(i, j)), sum.get(), denominator.get());
    }
  }
  return product;
}

Matrix kronecker(const Matrix& a, const Matrix& b) {
  Matrix product(a.rows() * b.rows(), a.columns() * b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    checkpoint();
    for (std::size_t j = 0; j < a.columns(); ++j) {
      for (std::size_t k = 0; k < b.rows(); ++k) {
        for (std::size_t l = 0; l < b.columns(); ++l) {
          product(i * b.rows() + k, j * b.columns() + l) = a(i, j) * b(k, l);
        }
      }
    }
  }
  return product;
}

}  // namespace fractile::flow
