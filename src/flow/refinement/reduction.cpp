#include "flow/refinement/reduction.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <utility>

#include "exact/checkpoint.hpp"
#include "flow/algebra/ring.hpp"

namespace fractile::flow {
namespace {

/// The first row of every group of rows that are equal in both channels.
std::vector<std::size_t> distinct_rows(const Channel& from, const Channel& to) {
  std::vector<std::size_t> order = all_of(from.matrix().rows());
  const auto compared = [&](std::size_t a, std::size_t b) {
    for (const Matrix* matrix : {&from.matrix(), &to.matrix()}) {
      const auto here = std::lexicographical_compare_three_way(matrix->row(a).begin(), matrix->row(a).end(),
                                                               matrix->row(b).begin(), matrix->row(b).end());
      if (std::is_neq(here)) return here;
    }
    return std::strong_ordering::equal;
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return std::is_lt(compared(a, b)); });
  const auto equal = [&](std::size_t a, std::size_t b) { return std::is_eq(compared(a, b)); };
  order.erase(std::unique(order.begin(), order.end(), equal), order.end());
  std::ranges::sort(order);
  return order;
}

struct MergedColumns {
  std::vector<std::optional<Merged>> merged;
  Matrix matrix;  // the remaining rows, with merged columns
};

MergedColumns merge_columns(const Matrix& matrix, const std::vector<std::size_t>& rows) {
  MergedColumns result;
  std::map<std::vector<Rational>, std::size_t> directions;
  std::vector<Rational> totals;
  std::vector<std::vector<Rational>> columns;
  for (std::size_t j = 0; j < matrix.columns(); ++j) {
    checkpoint();
    std::vector<Rational> column;
    Rational first;
    for (const std::size_t x : rows) {
      if (first.sign() == 0) first = matrix(x, j);
      column.push_back(matrix(x, j));
    }
    if (first.sign() == 0) {
      result.merged.emplace_back();
      continue;
    }
    for (Rational& entry : column) entry /= first;
    const auto [at, is_new] = directions.try_emplace(column, directions.size());
    if (is_new) {
      totals.emplace_back();
      columns.push_back(std::move(column));
    }
    totals[at->second] += first;
    result.merged.emplace_back(Merged{at->second, first});
  }
  for (std::optional<Merged>& one : result.merged) {
    if (one) one->share /= totals[one->column];
  }
  result.matrix = Matrix(rows.size(), columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i) result.matrix(i, j) = columns[j][i] * totals[j];
  }
  return result;
}

void join_denominators(Rational& common, const Matrix& matrix, std::size_t row) {
  for (const Rational& entry : matrix.row(row)) {
    fmpz_lcm(fmpq_numref(flint_of(common)), fmpq_numref(flint_of(common)), fmpq_denref(flint_of(entry)));
  }
}

void copy_scaled(IntegerMatrix& integers, const Matrix& matrix, std::size_t row, const Rational& scale) {
  for (std::size_t j = 0; j < matrix.columns(); ++j) {
    const Rational entry = matrix(row, j) * scale;
    fmpz_set(integers.at(row, j), fmpq_numref(flint_of(entry)));
  }
}

}  // namespace

Reduction reduce(const Channel& from, const Channel& to) {
  std::vector<std::size_t> rows = distinct_rows(from, to);
  MergedColumns a = merge_columns(from.matrix(), rows);
  MergedColumns b = merge_columns(to.matrix(), rows);
  Reduction result{IntegerMatrix(rows.size(), a.matrix.columns()),
                   IntegerMatrix(rows.size(), b.matrix.columns()),
                   std::move(rows),
                   {},
                   std::move(a.merged),
                   std::move(b.merged)};
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    Rational scale = 1;
    join_denominators(scale, a.matrix, i);
    join_denominators(scale, b.matrix, i);
    copy_scaled(result.from, a.matrix, i, scale);
    copy_scaled(result.to, b.matrix, i, scale);
    result.scales.push_back(scale);
  }
  return result;
}

Channel reduced(const IntegerMatrix& rows, const std::vector<Rational>& scales) {
  Matrix probabilities(rows.rows(), rows.columns());
  for (std::size_t x = 0; x < rows.rows(); ++x) {
    for (std::size_t y = 0; y < rows.columns(); ++y) {
      probabilities(x, y) = rational_of(rows.at(x, y)) / scales[x];
    }
  }
  return Channel(probabilities);
}

Matrix expanded(const Matrix& witness, const Reduction& reduction) {
  Matrix result(reduction.from_columns.size(), reduction.to_columns.size());
  for (std::size_t y = 0; y < result.rows(); ++y) {
    checkpoint();
    const std::optional<Merged>& from = reduction.from_columns[y];
    if (!from) {  // never observed: any action is possible
      result(y, 0) = 1;
      continue;
    }
    for (std::size_t z = 0; z < result.columns(); ++z) {
      const std::optional<Merged>& to = reduction.to_columns[z];
      if (to) result(y, z) = witness(from->column, to->column) * to->share;
    }
  }
  return result;
}

}  // namespace fractile::flow
