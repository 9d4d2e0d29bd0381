#include "flow/refinement/elastic_program.hpp"

#include <coin/Clp_C_Interface.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace fractile::flow {
namespace {

struct Delete {
  void operator()(Clp_Simplex* model) const { Clp_deleteModel(model); }
};
struct DeleteOptions {
  void operator()(Clp_Solve* options) const { ClpSolve_delete(options); }
};

/// A sparse matrix, column after column.
struct ProgramColumns {
  std::vector<CoinBigIndex> starts{0};
  std::vector<int> rows;
  std::vector<double> entries;
  std::vector<double> costs;

  void entry(std::size_t row, double value) {
    if (value == 0) return;
    rows.push_back(static_cast<int>(row));
    entries.push_back(value);
  }
  void end(double cost) {
    starts.push_back(static_cast<CoinBigIndex>(rows.size()));
    costs.push_back(cost);
  }
};

double probability(const IntegerMatrix& matrix, std::size_t row, std::size_t column, const Rational& scale) {
  Rational value;
  fmpq_set_fmpz(flint_of(value), matrix.at(row, column));
  return (value / scale).to_double();
}

constexpr int basic = 1;  // of Clp's statuses

// An iteration takes about as long as the matrix has entries. The limit is one of work and never of time: the verdict is that of the
// channels, not of the machine.
constexpr std::size_t most_work = 4'000'000'000;
constexpr std::size_t fewest_iterations = 5'000;

/// Clp takes Ctrl-C for itself while it solves, unless it is told not to.
constexpr int interrupts = 2;
constexpr int left_alone = 1;

/// Of equations: columns x = right, x >= 0.
std::unique_ptr<Clp_Simplex, Delete> solved(const ProgramColumns& columns, const std::vector<double>& right) {
  std::unique_ptr<Clp_Simplex, Delete> model(Clp_newModel());
  Clp_setLogLevel(model.get(), 0);
  const std::vector<double> lower(columns.costs.size(), 0.0);
  const std::vector<double> upper(columns.costs.size(), 1e30);
  Clp_loadProblem(model.get(), static_cast<int>(columns.costs.size()), static_cast<int>(right.size()),
                  columns.starts.data(), columns.rows.data(), columns.entries.data(), lower.data(), upper.data(),
                  columns.costs.data(), right.data(), right.data());
  Clp_setPrimalTolerance(model.get(), 1e-9);
  Clp_setDualTolerance(model.get(), 1e-9);
  const std::size_t useful = 50 * (right.size() + columns.costs.size());
  const std::size_t affordable = std::max(fewest_iterations, most_work / columns.entries.size());
  Clp_setMaximumIterations(model.get(), static_cast<int>(std::min(useful, affordable)));
  const std::unique_ptr<Clp_Solve, DeleteOptions> options(ClpSolve_new());
  ClpSolve_setSpecialOption(options.get(), interrupts, left_alone, -1);
  Clp_initialSolveWithOptions(model.get(), options.get());
  return model;
}

}  // namespace

Suggestion suggest(const IntegerMatrix& from, const IntegerMatrix& to, const std::vector<Rational>& scales) {
  const std::size_t observations = from.columns();
  const std::size_t outputs = to.columns();
  const std::size_t equations = from.rows() * outputs;  // equation (x, z) is row x outputs + z; then a row a row of X

  ProgramColumns columns;
  for (std::size_t y = 0; y < observations; ++y) {
    for (std::size_t z = 0; z < outputs; ++z) {
      for (std::size_t x = 0; x < from.rows(); ++x) columns.entry(x * outputs + z, probability(from, x, y, scales[x]));
      columns.entry(equations + y, 1);
      columns.end(0);
    }
  }
  for (const double sign : {1.0, -1.0}) {
    for (std::size_t row = 0; row < equations; ++row) {
      columns.entry(row, sign);
      columns.end(1);
    }
  }
  std::vector<double> right;
  for (std::size_t x = 0; x < from.rows(); ++x) {
    for (std::size_t z = 0; z < outputs; ++z) right.push_back(probability(to, x, z, scales[x]));
  }
  right.insert(right.end(), observations, 1.0);

  const auto model = solved(columns, right);
  Suggestion suggestion;
  for (std::size_t y = 0; y < observations; ++y) {
    for (std::size_t z = 0; z < outputs; ++z) {
      if (Clp_getColumnStatus(model.get(), static_cast<int>(y * outputs + z)) == basic) {
        suggestion.support.emplace_back(y, z);
      }
    }
  }
  const double* prices = Clp_dualRowSolution(model.get());
  for (std::size_t x = 0; x < from.rows(); ++x) {
    suggestion.prices.emplace_back(prices + x * outputs, prices + (x + 1) * outputs);
  }
  return suggestion;
}

namespace {

/// Columns as what is believed after them, and how likely they are, all rows together.
struct Beliefs {
  std::vector<std::vector<double>> directions;  // which add up to 1
  std::vector<double> masses;
};

Beliefs beliefs_of(const IntegerMatrix& matrix, const std::vector<Rational>& scales) {
  Beliefs result;
  for (std::size_t y = 0; y < matrix.columns(); ++y) {
    result.directions.emplace_back();
    double mass = 0;
    for (std::size_t x = 0; x < matrix.rows(); ++x) {
      result.directions.back().push_back(probability(matrix, x, y, scales[x]));
      mass += result.directions.back().back();
    }
    for (double& entry : result.directions.back()) entry /= mass;
    result.masses.push_back(mass);
  }
  return result;
}

}  // namespace

// X_yz = W_yz mass_z / mass_y, so that W says which columns of A a column of B consists of. Then all of A X = B is of ordinary size, and so
// are rows of X, but for entries that the row is far too unlikely for. One column of X is what is left of 1: A X = B holds there, too.
std::optional<Inside> suggest_inside(const IntegerMatrix& from, const IntegerMatrix& to,
                                     const std::vector<Rational>& scales, double largest_ratio) {
  constexpr double least_column = 1e-250;
  constexpr double least_ratio = 1e-10;  // less is not seen
  const Beliefs a = beliefs_of(from, scales);
  const Beliefs b = beliefs_of(to, scales);
  for (const Beliefs* beliefs : {&a, &b}) {
    if (std::ranges::min(beliefs->masses) < least_column) return {};
  }
  const std::size_t observations = from.columns();
  const std::size_t outputs = to.columns();
  const auto rest = static_cast<std::size_t>(std::ranges::max_element(b.masses) - b.masses.begin());
  const std::size_t equations = from.rows() * (outputs - 1);  // then a row a row of X
  const auto place = [&](std::size_t z) { return (z < rest ? z : z - 1) * from.rows(); };

  ProgramColumns columns;
  std::vector<std::pair<std::size_t, std::size_t>> entries;
  std::vector<double> together(equations + observations);  // of what is taken of all entries
  for (std::size_t y = 0; y < observations; ++y) {
    for (std::size_t z = 0; z < outputs; ++z) {
      const double ratio = b.masses[z] / a.masses[y];
      if (z == rest || ratio > largest_ratio) continue;
      const double least = std::min(1.0, 1 / ratio);
      for (std::size_t x = 0; x < from.rows(); ++x) {
        columns.entry(place(z) + x, a.directions[y][x]);
        together[place(z) + x] += least * a.directions[y][x];
      }
      if (ratio > least_ratio) columns.entry(equations + y, ratio);
      together[equations + y] += least * ratio;
      columns.end(0);
      entries.emplace_back(y, z);
    }
  }
  for (std::size_t y = 0; y < observations; ++y) {  // what is left of 1
    columns.entry(equations + y, 1);
    columns.end(0);
    together[equations + y] += 1;
  }
  for (std::size_t row = 0; row < together.size(); ++row) columns.entry(row, together[row]);
  columns.end(-1);
  std::vector<double> right;
  for (std::size_t z = 0; z < outputs; ++z) {
    if (z != rest) right.insert(right.end(), b.directions[z].begin(), b.directions[z].end());
  }
  right.insert(right.end(), observations, 1.0);

  const auto model = solved(columns, right);
  constexpr double narrow = 1e-6;
  const double* const values = Clp_primalColumnSolution(model.get());
  const double least = values[entries.size() + observations];
  if (!(least > narrow)) return {};
  Inside inside{std::vector<std::vector<double>>(observations, std::vector<double>(outputs)), rest};
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto& [y, z] = entries[k];
    const double ratio = b.masses[z] / a.masses[y];
    inside.entries[y][z] = (least * std::min(1.0, 1 / ratio) + std::max(values[k], 0.0)) * ratio;
  }
  return inside;
}

}  // namespace fractile::flow
