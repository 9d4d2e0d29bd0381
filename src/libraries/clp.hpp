// The functions of Clp that Fractile calls. Where Clp is a shared library, it is loaded when a linear program is first solved: linking it,
// and the LAPACK that it needs, would take a fifth of the time of a small release.
#pragma once

#include <coin/Clp_C_Interface.h>

#include "libraries/found.hpp"

namespace fractile::libraries {

/// Clp 1.16 or later.
struct Clp {
  Found<decltype(Clp_newModel)> new_model;
  Found<decltype(Clp_deleteModel)> delete_model;
  Found<decltype(Clp_setLogLevel)> set_log_level;
  Found<decltype(Clp_loadProblem)> load_problem;
  Found<decltype(Clp_setPrimalTolerance)> set_primal_tolerance;
  Found<decltype(Clp_setDualTolerance)> set_dual_tolerance;
  Found<decltype(Clp_setMaximumIterations)> set_maximum_iterations;
  Found<decltype(ClpSolve_new)> new_options;
  Found<decltype(ClpSolve_delete)> delete_options;
  Found<decltype(ClpSolve_setSpecialOption)> set_special_option;
  Found<decltype(Clp_initialSolveWithOptions)> solve;
  Found<decltype(Clp_getColumnStatus)> column_status;
  Found<decltype(Clp_dualRowSolution)> prices;
  Found<decltype(Clp_objectiveValue)> objective_value;
};

/// Throws `usage` where Clp is not found.
const Clp& clp();

}  // namespace fractile::libraries
