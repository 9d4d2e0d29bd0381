#include "flow/stability/infinitesimal_generator.hpp"

#include <flint/fmpz_poly_mat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "exact/checkpoint.hpp"
#include "exact/uncopied.hpp"
#include "flow/algebra/integer_matrix.hpp"
#include "flow/algebra/real_roots.hpp"
#include "flow/pipeline/pipeline_rows.hpp"

namespace fractile::flow {
namespace {

constexpr std::size_t most_columns = 8;
constexpr std::size_t most_rows = 200;
constexpr double longest = 150;  // degree

class PolynomialMatrix : Uncopied {
 public:
  PolynomialMatrix(std::size_t rows, std::size_t columns) {
    fmpz_poly_mat_init(value_, static_cast<slong>(rows), static_cast<slong>(columns));
  }
  ~PolynomialMatrix() { fmpz_poly_mat_clear(value_); }

  void set(std::size_t row, std::size_t column, const Polynomial& entry) {
    fmpz_poly_set(fmpz_poly_mat_entry(value_, static_cast<slong>(row), static_cast<slong>(column)), entry.get());
  }
  Polynomial at(std::size_t row, std::size_t column) const {
    Polynomial entry;
    fmpz_poly_set(entry.get(), fmpz_poly_mat_entry(value_, static_cast<slong>(row), static_cast<slong>(column)));
    return entry;
  }
  fmpz_poly_mat_struct* get() { return value_; }

 private:
  fmpz_poly_mat_t value_;
};

using PolynomialRows = std::vector<std::vector<Polynomial>>;

PolynomialRows different(PolynomialRows rows) {
  PolynomialRows result;
  for (std::vector<Polynomial>& row : rows) {
    if (std::ranges::find(result, row) == result.end()) result.push_back(std::move(row));
  }
  return result;
}

/// As many independent rows as there are columns; empty if there are fewer.
std::vector<std::size_t> independent_rows(const PolynomialRows& rows, const Rational& base) {
  const std::size_t columns = rows.front().size();
  IntegerMatrix values(rows.size(), columns);
  for (std::size_t x = 0; x < rows.size(); ++x) {
    checkpoint();
    Rational common = 1;
    for (const Polynomial& entry : rows[x]) common *= (common * entry.at(base)).denominator();
    for (std::size_t y = 0; y < columns; ++y) {
      fmpz_set(values.at(x, y), fmpq_numref(flint_of(rows[x][y].at(base) * common)));
    }
  }
  const Pivots pivots = pivots_of(values);
  return pivots.rank() == columns ? pivots.rows : std::vector<std::size_t>{};
}

/// rows * numerators = denominator * (the rows' derivatives).
struct Generator {
  PolynomialRows numerators;
  Polynomial denominator;
};

std::optional<Generator> generator_of(const PolynomialRows& rows, const std::vector<std::size_t>& independent) {
  const std::size_t size = independent.size();
  PolynomialMatrix square(size, size);
  PolynomialMatrix slopes(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    checkpoint();
    for (std::size_t y = 0; y < size; ++y) {
      square.set(i, y, rows[independent[i]][y]);
      slopes.set(i, y, rows[independent[i]][y].derivative());
    }
  }
  PolynomialMatrix solution(size, size);
  Generator result;
  if (fmpz_poly_mat_solve(solution.get(), result.denominator.get(), square.get(), slopes.get()) == 0) return {};
  for (std::size_t y = 0; y < size; ++y) {
    result.numerators.emplace_back();
    for (std::size_t z = 0; z < size; ++z) result.numerators.back().push_back(solution.at(y, z));
  }
  return result;
}

/// Whether the equation also holds for a row that was not used to solve for the generator.
bool moves(const std::vector<Polynomial>& row, const Generator& generator) {
  for (std::size_t z = 0; z < row.size(); ++z) {
    Polynomial sum;
    for (std::size_t y = 0; y < row.size(); ++y) add_product(sum, row[y], generator.numerators[y][z]);
    if (!(sum == generator.denominator * row[z].derivative())) return false;
  }
  return true;
}

/// The ends, and a point between any two neighboring roots.
std::vector<Rational> probes(const Polynomial& polynomial, const Rational& from, const Rational& to) {
  std::vector<Rational> result{from, to};
  std::vector<RealBounds> points = real_roots(polynomial, from, to);
  points.insert(points.begin(), {from, from});
  points.push_back({to, to});
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    if (points[i].upper < points[i + 1].lower) result.push_back((points[i].upper + points[i + 1].lower) / 2);
  }
  return result;
}

/// A base at which an off-diagonal entry of the generator is positive. The denominator must keep its sign.
std::optional<Rational> positive_at(const Generator& generator, const Rational& from, const Rational& to) {
  const int sign = generator.denominator.at(from).sign();
  const std::size_t size = generator.numerators.size();
  for (std::size_t i = 0; i < size * size; ++i) {
    checkpoint();
    if (i / size == i % size) continue;
    const Polynomial& entry = generator.numerators[i / size][i % size];
    for (const Rational& base : probes(entry, from, to)) {
      if (entry.at(base).sign() * sign > 0) return base;
    }
  }
  return {};
}

}  // namespace

StepsVerdict check_steps(const Pipeline& pipeline, const Rational& from, const Rational& to) {
  StepsVerdict verdict;
  if (symbolic_degree(pipeline) > longest || secret_count(pipeline) > Rational(most_rows)) {
    return verdict;
  }
  const Outline outline = outline_of(pipeline);
  if (outline.observation_names.size() > most_columns) return verdict;
  const PolynomialRows rows = different(symbolic_rows(pipeline, outline).numerators);
  const Rational inside = (from + to) / 2;
  const std::vector<std::size_t> independent = independent_rows(rows, inside);
  if (independent.empty()) return verdict;
  const std::optional<Generator> generator = generator_of(rows, independent);
  if (!generator) return verdict;
  if (!std::ranges::all_of(rows, [&](const std::vector<Polynomial>& row) { return moves(row, *generator); })) {
    verdict.fails_at = inside;
    return verdict;
  }
  if (generator->denominator.at(from).sign() == 0 || generator->denominator.at(to).sign() == 0 ||
      !real_roots(generator->denominator, from, to).empty()) {
    return verdict;
  }
  verdict.fails_at = positive_at(*generator, from, to);
  verdict.only_add_noise = !verdict.fails_at;
  return verdict;
}

}  // namespace fractile::flow
