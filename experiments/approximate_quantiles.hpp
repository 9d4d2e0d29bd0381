// Repeats the experiments of approximate-quantiles 2021, section 4: how far each mechanism's quantiles are from the true ones, and how long
// the mechanism takes. No result is a private release: random bits are reproducible, and errors are printed as they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/mechanisms.hpp"
#include "experiments/metrics.hpp"
#include "experiments/observer.hpp"
#include "experiments/output.hpp"
#include "experiments/sets.hpp"

namespace fractile::experiments::approximate_quantiles {

/// The number of records in a sample.
inline constexpr std::uint64_t sample_size = 1000;

/// A budget under which the mechanisms are compared: epsilon = 1 or rho = 1/2.
struct StudiedBudget {
  const char* name;   ///< "pure" or "zcdp"
  const char* title;  ///< for figures
  Budget budget;
};
const std::vector<StudiedBudget>& studied_budgets();

/// What is to be run.
struct Plan {
  std::string data_folder;  ///< "" when no set needs a file
  std::string library;      ///< the path of the engine; "" for where the system looks
  std::vector<const StudiedSet*> sets;
  std::vector<const StudiedMechanism*> mechanisms;
  std::vector<std::uint64_t> quantile_counts;  ///< m, in increasing order
  bool only_quick = false;  ///< whether to leave out mechanisms where a release takes a second or more
  std::uint64_t trials = 100;
  std::uint64_t seed = 1;
};

/// A selection from the paper's range of m.
const std::vector<std::uint64_t>& default_quantile_counts();

/// The times of releases of profiles that are already counted. Other work on the machine moves the median less than it moves the mean.
struct Times {
  double mean = 0;
  double median = 0;
};

/// One mechanism on one set, for one m and one budget, over all trials.
struct Row {
  const StudiedBudget* budget = nullptr;
  const StudiedSet* set = nullptr;
  const StudiedMechanism* mechanism = nullptr;
  std::uint64_t quantiles = 0;
  std::uint64_t trials = 0;
  Estimate gap;       ///< see Errors
  Estimate missed;    ///< see Errors
  Estimate tie_rank;  ///< see Errors
  Times microseconds;
};

/// Runs the plan on two threads. All results except the times depend on the plan alone. For one set and one m, all mechanisms see the same
/// samples. Sets whose file is missing and mechanisms that refuse a query are left out, with a note. Throws `data` when the folder is
/// missing or no set is left, and whatever Table throws.
std::vector<Row> run(const Plan& plan, const Observer& observer);

/// approximate_quantiles.csv, with a heading and one line per row, and approximate_quantiles.txt, which says in words what was run.
std::vector<TextFile> files_of(const Plan& plan, const std::vector<Row>& rows);

/// States that no result is private.
inline constexpr const char* disclaimer =
    "An experiment: nothing in it is a private release of the files' records. Random bits are reproducible, and errors "
    "are printed as they are.";

}  // namespace fractile::experiments::approximate_quantiles
