// The experiments of approximate-quantiles 2021, section 4, run again: how far from the true quantiles each mechanism's
// are, and how long it takes. Nothing of it is a private release: bits are reproducible and errors are told as they are.
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

/// Records of a sample.
inline constexpr std::uint64_t sample_size = 1000;

/// Under what the mechanisms are compared: epsilon = 1 and rho = 1/2.
struct StudiedBudget {
  const char* name;   ///< "pure", "zcdp"
  const char* title;  ///< for figures
  Budget budget;
};
const std::vector<StudiedBudget>& studied_budgets();

/// What is to be run.
struct Plan {
  std::string data_folder;  ///< "" when no set needs a file
  std::string library;      ///< of the engine; "": where the system looks
  std::vector<const StudiedSet*> sets;
  std::vector<const StudiedMechanism*> mechanisms;
  std::vector<std::uint64_t> quantile_counts;  ///< m, increasing
  bool only_quick = false;                     ///< leave out mechanisms where they take a second or more a release
  std::uint64_t trials = 100;
  std::uint64_t seed = 1;
};

/// The paper's range of m, thinned out.
const std::vector<std::uint64_t>& default_quantile_counts();

/// The times of releases of profiles that are already counted. Other work on the machine moves the median less than the mean.
struct Times {
  double mean = 0;
  double median = 0;
};

/// One mechanism on one set at one m under one budget, over all trials.
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

/// Runs the plan on two threads. All but the times depends on the plan alone. All mechanisms see the same samples of a set
/// at an m. Sets whose file is not there and mechanisms that refuse a query are left out, with a note.
/// Throws `data` when the folder is not there or no set is left, and as Table does.
std::vector<Row> run(const Plan& plan, const Observer& observer);

/// approximate_quantiles.csv, one line per row under a heading, and approximate_quantiles.txt: what was run, in words.
std::vector<TextFile> files_of(const Plan& plan, const std::vector<Row>& rows);

/// A note that nothing in it is private.
inline constexpr const char* disclaimer =
    "An experiment: nothing in it is a private release of the files' records. Random bits are reproducible, and errors "
    "are printed as they are.";

}  // namespace fractile::experiments::approximate_quantiles
