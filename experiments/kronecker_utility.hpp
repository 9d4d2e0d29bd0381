// Repeats the experiments and worked examples of kronecker-utility 2023: figures 3 and 4, and what appendices B to F print. All results are
// exact or have certified bounds.
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
  std::string data_folder;     ///< of compas_custody_status.csv; if "", figure 4 is left out
  std::string library;         ///< the path of the engine; "" for where the system looks
  std::uint64_t points = 100;  ///< of each curve; figure 4 has as many in each of its two parts
};

/// The largest epsilons of figure 3, for which the paper's text names none, and of figure 4 (a) and (b).
constexpr std::int64_t figure_3_epsilon = 5;
constexpr std::int64_t figure_4_epsilon = 20;
inline const Rational figure_4_detail{23, 10};

/// How many people have each custody status, 0 to 5.
using Population = std::vector<std::uint64_t>;
std::uint64_t people_of(const Population& population);

struct Results {
  std::vector<LossCurve> figure_3;       ///< one curve for all histograms, and one for those without empty categories
  std::optional<Population> population;  ///< of figure 4; none if it is left out
  std::vector<LossCurve> figure_4 = {};  ///< one curve per mechanism and prior
  LossCurve appendix_d1;                 ///< around the window, with logarithms as epsilons
  std::vector<Table> tables = {};
  std::vector<Finding> findings = {};  ///< in the paper's order
};

/// Runs the plan on two threads. A note names what is left out. Throws `data` when the folder is missing or its file holds anything but a
/// public histogram of codes 0 to 5, and whatever Table throws.
Results run(const Plan& plan, const Observer& observer);

/// kronecker_utility.csv (the findings) and .txt (what was run and found), figure_3.csv, figure_4.csv, appendix_d1.csv,
/// and the tables in tables/.
std::vector<TextFile> files_of(const Plan& plan, const Results& results);

/// How many findings agree with the paper, and which ones do not.
std::string summary(const Results& results);

}  // namespace fractile::experiments::kronecker_utility
