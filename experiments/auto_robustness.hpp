// Does `auto` ever lose to a mechanism that could have been named? The study has small tables, small epsilons, wide bounds and heavy tails.
// `auto` gets the number of rows, no number, or a wrong one. No result is a private release.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/metrics.hpp"
#include "experiments/observer.hpp"
#include "experiments/output.hpp"
#include "experiments/populations.hpp"
#include "fractile/release.hpp"

namespace fractile::experiments::auto_robustness {

/// `auto`, with or without a number of rows, or a mechanism that could have been named in its place.
struct Contender {
  const char* name;
  Mechanism mechanism;
  double told = 0;  ///< for `auto`: the number that it gets, divided by the true number of rows; 0 if it gets none
  std::uint64_t quick_up_to = ~std::uint64_t{0};  ///< the largest m at which a release takes less than a second
};
const std::vector<Contender>& contenders();

/// What is to be run: every combination of these.
struct Plan {
  std::string data_folder;  ///< "" when no population needs a file
  std::string library;      ///< the path of the engine; "" for where the system looks
  std::vector<const Population*> populations;
  std::vector<std::uint64_t> rows;
  std::vector<Rational> epsilons;
  std::vector<std::uint64_t> quantile_counts;  ///< m
  std::vector<std::uint64_t> factors;          ///< the factors by which the bounds are too wide
  std::uint64_t trials = 40;
  std::uint64_t seed = 1;
};

/// One contender in one combination, over all trials.
struct Result {
  const Contender* contender = nullptr;
  Estimate tie_rank;       ///< see Errors
  double tie_rank_95 = 0;  ///< the 95th percentile over the trials
  double tie_rank_99 = 0;
  Estimate value;  ///< the mean distance of a value from its quantile, in interquartile ranges of the population
};

struct Cell {
  const Population* population = nullptr;
  std::uint64_t rows = 0;
  Rational epsilon = 1;
  std::uint64_t quantiles = 0;
  std::uint64_t factor = 1;
  std::vector<Result> results = {};  ///< of the contenders that were run
};

/// Runs the plan on two threads. All contenders see the same tables. The results depend on the plan alone. Throws whatever Table throws.
std::vector<Cell> run(const Plan& plan, const Observer& observer);

/// auto_robustness.csv, with one line per contender and cell, and auto_robustness.txt, which says how often and where the error of `auto`
/// exceeds 1.15 times the best of the others.
std::vector<TextFile> files_of(const Plan& plan, const std::vector<Cell>& cells);

}  // namespace fractile::experiments::auto_robustness
