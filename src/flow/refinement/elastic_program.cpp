#include "flow/refinement/elastic_program.hpp"

#include <algorithm>
#include <memory>

#include "libraries/clp.hpp"

namespace fractile::flow {
namespace {

using libraries::clp;

struct Delete {
  void operator()(Clp_Simplex* model) const { clp().delete_model(model); }
};
struct DeleteOptions {
  void operator()(Clp_Solve* options) const { clp().delete_options(options); }
};

/// A sparse matrix, column after column.
struct ProgramColumns {
  std::vector<CoinBigIndex> starts{0};
  std::vector<int> rows;
  std::vector<double> entries;
  std::vector<double> costs;
  std::vector<double> most;

  void entry(std::size_t row, double value) {
    if (value == 0) return;
    rows.push_back(static_cast<int>(row));
    entries.push_back(value);
  }
  void end(double cost, double at_most = unlimited) {
    starts.push_back(static_cast<CoinBigIndex>(rows.size()));
    costs.push_back(cost);
    most.push_back(at_most);
  }
  /// Adds variables for the shortage and the excess of each equation, at a cost of 1 each.
  void may_miss(std::size_t equations) {
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t row = 0; row < equations; ++row) {
        entry(row, sign);
        end(1);
      }
    }
  }
};

constexpr int basic = 1;  // Clp's status of a basic variable

// An iteration takes time about proportional to the matrix's entries. The limit is in work and not in time, so the verdict depends
// on the channels and not on the machine.
constexpr std::size_t most_work = 4'000'000'000;
constexpr std::size_t fewest_iterations = 5'000;

/// Without this option, Clp handles Ctrl-C itself while it solves.
constexpr int interrupts = 2;
constexpr int left_alone = 1;

/// Solves the program of the equations columns x = right, 0 <= x <= most.
std::unique_ptr<Clp_Simplex, Delete> solved(const ProgramColumns& columns, const std::vector<double>& right) {
  std::unique_ptr<Clp_Simplex, Delete> model(clp().new_model());
  clp().set_log_level(model.get(), 0);
  const std::vector<double> lower(columns.costs.size(), 0.0);
  clp().load_problem(model.get(), static_cast<int>(columns.costs.size()), static_cast<int>(right.size()),
                     columns.starts.data(), columns.rows.data(), columns.entries.data(), lower.data(),
                     columns.most.data(), columns.costs.data(), right.data(), right.data());
  clp().set_primal_tolerance(model.get(), 1e-9);
  clp().set_dual_tolerance(model.get(), 1e-9);
  const std::size_t useful = 50 * (right.size() + columns.costs.size());
  const std::size_t affordable = std::max(fewest_iterations, most_work / columns.entries.size());
  clp().set_maximum_iterations(model.get(), static_cast<int>(std::min(useful, affordable)));
  const std::unique_ptr<Clp_Solve, DeleteOptions> options(clp().new_options());
  clp().set_special_option(options.get(), interrupts, left_alone, -1);
  clp().solve(model.get(), options.get());
  return model;
}

}  // namespace

Suggestion suggest(const RoughRows& from, const RoughRows& to) {
  const std::size_t observations = from.front().size();
  const std::size_t outputs = to.front().size();
  // Equation (x, z) is row x outputs + z; after these, there is one equation for each row of X.
  const std::size_t equations = from.size() * outputs;

  ProgramColumns columns;
  for (std::size_t y = 0; y < observations; ++y) {
    for (std::size_t z = 0; z < outputs; ++z) {
      for (std::size_t x = 0; x < from.size(); ++x) columns.entry(x * outputs + z, from[x][y]);
      columns.entry(equations + y, 1);
      columns.end(0);
    }
  }
  columns.may_miss(equations);
  std::vector<double> right;
  for (const std::vector<double>& row : to) right.insert(right.end(), row.begin(), row.end());
  right.insert(right.end(), observations, 1.0);

  const auto model = solved(columns, right);
  Suggestion suggestion;
  for (std::size_t y = 0; y < observations; ++y) {
    for (std::size_t z = 0; z < outputs; ++z) {
      if (clp().column_status(model.get(), static_cast<int>(y * outputs + z)) == basic) {
        suggestion.support.emplace_back(y, z);
      }
    }
  }
  const double* prices = clp().prices(model.get());
  for (std::size_t x = 0; x < from.size(); ++x) {
    suggestion.prices.emplace_back(prices + x * outputs, prices + (x + 1) * outputs);
  }
  return suggestion;
}

Mixture nearest_mixture(const std::vector<std::vector<double>>& parts, const std::vector<double>& most,
                        const std::vector<double>& wanted) {
  ProgramColumns columns;
  for (std::size_t y = 0; y < parts.size(); ++y) {
    for (std::size_t x = 0; x < wanted.size(); ++x) columns.entry(x, parts[y][x]);
    columns.end(0, most[y]);
  }
  columns.may_miss(wanted.size());
  const auto model = solved(columns, wanted);
  const double* prices = clp().prices(model.get());
  return {clp().objective_value(model.get()), {prices, prices + wanted.size()}};
}

}  // namespace fractile::flow
