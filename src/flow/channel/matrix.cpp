#include "exact/flint.hpp"
#include "fractile/error.hpp"
#include "fractile/flow.hpp"

namespace fractile::flow {

Matrix Matrix::of(const std::vector<std::vector<Rational>>& rows) {
  Matrix result(rows.size(), rows.empty() ? 0 : rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != result.columns()) {
      throw Error(ErrorCode::usage, "the rows of a matrix are not equally long", "give every row as many entries");
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

Matrix operator*(const Matrix& a, const Matrix& b) {
  if (a.columns() != b.rows()) throw Error(ErrorCode::usage, "matrices of these sizes have no product");
  Matrix product(a.rows(), b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.columns(); ++k) {
      if (a(i, k).sign() == 0) continue;
      for (std::size_t j = 0; j < b.columns(); ++j) {
        fmpq_addmul(flint_of(product(i, j)), flint_of(a(i, k)), flint_of(b(k, j)));
      }
    }
  }
  return product;
}

Matrix kronecker(const Matrix& a, const Matrix& b) {
  Matrix product(a.rows() * b.rows(), a.columns() * b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
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
