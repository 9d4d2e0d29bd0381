// The experiments and worked examples of kronecker-utility 2023, run again: figures 3 and 4, and what appendices B to F
// print. All of it is exact or certainly enclosed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/kronecker_examples.hpp"
#include "experiments/loss_curve.hpp"
#include "experiments/observer.hpp"
#include "experiments/output.hpp"

namespace fractile::experiments::kronecker_utility {

/// What is to be run.
struct Plan {
  std::string data_folder;     ///< of compas_custody_status.csv; "": without figure 4
  std::string library;         ///< of the engine; "": where the system looks
  std::uint64_t points = 100;  ///< of a curve; of figure 4's, as many in each of its two parts
};

/// Largest epsilons: of figure 3, where the paper's text names none, and of figure 4 (a) and (b).
constexpr std::int64_t figure_3_epsilon = 5;
constexpr std::int64_t figure_4_epsilon = 20;
inline const Rational figure_4_detail{23, 10};

/// How many people have each custody status, 0 to 5.
using Population = std::vector<std::uint64_t>;
std::uint64_t people_of(const Population& population);

struct Results {
  std::vector<LossCurve> figure_3;       ///< by prior: all histograms, and those that leave no category out
  std::optional<Population> population;  ///< of figure 4; none: left out
  std::vector<LossCurve> figure_4 = {};  ///< by mechanism and prior
  LossCurve appendix_d1;                 ///< around its window, by logarithms
  std::vector<Table> tables = {};
  std::vector<Finding> findings = {};  ///< in the paper's order
};

/// Runs the plan on two threads. What is left out is noted. Throws `data` when the folder is not there or its file
/// holds something else than a public histogram of codes 0 to 5, and as Table does.
Results run(const Plan& plan, const Observer& observer);

/// kronecker_utility.csv (the findings) and .txt (what was run and found), figure_3.csv, figure_4.csv, appendix_d1.csv,
/// and the tables in tables/.
std::vector<TextFile> files_of(const Plan& plan, const Results& results);

/// How many findings agree with the paper, and which do not.
std::string summary(const Results& results);

}  // namespace fractile::experiments::kronecker_utility
