// Integer matrices (FLINT), with the operations that deciding refinement needs.
#pragma once

#include <flint/fmpz_mat.h>

#include <cstddef>
#include <vector>

#include "exact/flint.hpp"

namespace fractile::flow {

class IntegerMatrix {
 public:
  IntegerMatrix(std::size_t rows, std::size_t columns) {
    fmpz_mat_init(matrix_, static_cast<slong>(rows), static_cast<slong>(columns));
  }
  IntegerMatrix(const IntegerMatrix& other) { fmpz_mat_init_set(matrix_, other.matrix_); }
  IntegerMatrix(IntegerMatrix&& other) noexcept {
    fmpz_mat_init(matrix_, 0, 0);
    fmpz_mat_swap(matrix_, other.matrix_);
  }
  IntegerMatrix& operator=(IntegerMatrix other) noexcept {
    fmpz_mat_swap(matrix_, other.matrix_);
    return *this;
  }
  ~IntegerMatrix() { fmpz_mat_clear(matrix_); }

  std::size_t rows() const { return static_cast<std::size_t>(fmpz_mat_nrows(matrix_)); }
  std::size_t columns() const { return static_cast<std::size_t>(fmpz_mat_ncols(matrix_)); }
  fmpz* at(std::size_t row, std::size_t column) {
    return fmpz_mat_entry(matrix_, static_cast<slong>(row), static_cast<slong>(column));
  }
  const fmpz* at(std::size_t row, std::size_t column) const {
    return fmpz_mat_entry(matrix_, static_cast<slong>(row), static_cast<slong>(column));
  }
  fmpz_mat_struct* get() { return matrix_; }
  const fmpz_mat_struct* get() const { return matrix_; }

  IntegerMatrix transposed() const;
  /// The entries where these rows and columns cross.
  IntegerMatrix part(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns) const;

 private:
  fmpz_mat_t matrix_;
};

/// 0, 1, ..., size - 1.
std::vector<std::size_t> all_of(std::size_t size);

/// Equally many rows and columns; the matrix where they cross is certainly invertible. Their number is the rank, unless a 62-bit
/// prime divides a certain determinant.
struct Pivots {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> columns;
  std::size_t rank() const { return rows.size(); }
};
Pivots pivots_of(const IntegerMatrix& matrix);

/// square * numerators = denominator * right.
struct Solution {
  IntegerMatrix numerators;
  Integer denominator;  ///< positive
  Rational entry(std::size_t row, std::size_t column) const;
};
/// Solves square X = right; `square` must be invertible.
Solution solve(const IntegerMatrix& square, const IntegerMatrix& right);

}  // namespace fractile::flow
