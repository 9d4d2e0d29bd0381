// Does `auto` ever lose to a mechanism that could have been named? Small tables, little epsilon, wide bounds, heavy tails; told how many
// rows there are, not told, and told wrongly. Nothing of it is a private release.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/metrics.hpp"
#include "experiments/observer.hpp"
#include "experiments/output.hpp"
#include "experiments/populations.hpp"
#include "fractile/quantiles.hpp"

namespace fractile::experiments::auto_robustness {

/// `auto`, with what it is told of the rows, or a mechanism that could have been named in its place.
struct Contender {
  const char* name;
  Mechanism mechanism;
  double told = 0;                                ///< of automatic: times the number of rows; 0: nothing
  std::uint64_t quick_up_to = ~std::uint64_t{0};  ///< the largest m at which a release takes less than a second
};
const std::vector<Contender>& contenders();

/// What is to be run: every combination.
struct Plan {
  std::string data_folder;  ///< "" when no population needs a file
  std::string library;      ///< of the engine; "": where the system looks
  std::vector<const Population*> populations;
  std::vector<std::uint64_t> rows;
  std::vector<Rational> epsilons;
  std::vector<std::uint64_t> quantile_counts;  ///< m
  std::vector<std::uint64_t> factors;          ///< how many times too wide the bounds are
  std::uint64_t trials = 40;
  std::uint64_t seed = 1;
};

/// One contender in one combination, over all trials.
struct Result {
  const Contender* contender = nullptr;
  Estimate tie_rank;       ///< see Errors
  double tie_rank_95 = 0;  ///< the 95th percentile over the trials
  double tie_rank_99 = 0;
  Estimate value;  ///< the mean distance of a value from its quantile, in interquartile ranges
};

struct Cell {
  const Population* population = nullptr;
  std::uint64_t rows = 0;
  Rational epsilon = 1;
  std::uint64_t quantiles = 0;
  std::uint64_t factor = 1;
  std::vector<Result> results = {};  ///< of those contenders that were run
};

/// Runs the plan on two threads; all contenders see the same tables. What is returned depends on the plan alone. Throws as Table
/// does.
std::vector<Cell> run(const Plan& plan, const Observer& observer);

/// auto_robustness.csv, one line per contender and cell, and auto_robustness.txt: how often `auto` is more than 1.15 times the best
/// of the others, and where.
std::vector<TextFile> files_of(const Plan& plan, const std::vector<Cell>& cells);

}  // namespace fractile::experiments::auto_robustness
