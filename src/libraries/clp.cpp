#include "libraries/clp.hpp"

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"

namespace fractile::libraries {
namespace {

// FRACTILE_CLP: the name by which the system finds the shared library. Where it is not defined, Clp is linked.
#ifdef FRACTILE_CLP
void* opened() {
  if (void* const library = dlopen(FRACTILE_CLP, RTLD_NOW | RTLD_LOCAL); library != nullptr) return library;
  throw Error(ErrorCode::usage, fmt::format("Clp, which solves linear programs, was not found ({})", FRACTILE_CLP),
              "install it (Debian and Ubuntu: apt install coinor-libclp1)");
}
#define FRACTILE_OF_CLP(name) \
  { library, #name }
#else
#define FRACTILE_OF_CLP(name) Found<decltype(name)>(&name)
#endif

Clp functions() {
#ifdef FRACTILE_CLP
  const Loaded library{opened(), "Clp 1.16 or later"};
#endif
  return {FRACTILE_OF_CLP(Clp_newModel),
          FRACTILE_OF_CLP(Clp_deleteModel),
          FRACTILE_OF_CLP(Clp_setLogLevel),
          FRACTILE_OF_CLP(Clp_loadProblem),
          FRACTILE_OF_CLP(Clp_setPrimalTolerance),
          FRACTILE_OF_CLP(Clp_setDualTolerance),
          FRACTILE_OF_CLP(Clp_setMaximumIterations),
          FRACTILE_OF_CLP(ClpSolve_new),
          FRACTILE_OF_CLP(ClpSolve_delete),
          FRACTILE_OF_CLP(ClpSolve_setSpecialOption),
          FRACTILE_OF_CLP(Clp_initialSolveWithOptions),
          FRACTILE_OF_CLP(Clp_getColumnStatus),
          FRACTILE_OF_CLP(Clp_dualRowSolution),
          FRACTILE_OF_CLP(Clp_objectiveValue)};
}

}  // namespace

const Clp& clp() {
  static const Clp found = functions();
  return found;
}

}  // namespace fractile::libraries
