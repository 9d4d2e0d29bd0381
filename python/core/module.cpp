#include "module.hpp"

#include "fractile/source.hpp"
#include "fractile/version.hpp"
#include "interpreter.hpp"

NB_MODULE(_core, module) {
  using namespace fractile::python;
  module.doc() = "The C++ half of fractile; use the package's own functions.";
  module.attr("version") = fractile::version;
  module.def("set_default_engine", &fractile::set_default_engine, nb::arg("path"));
  bind_interpreter(module);
  bind_error(module);
  bind_frames(module);
  bind_report(module);
  bind_ledger(module);
  bind_requests(module);
  bind_publications(module);
  bind_ranks(module);
  bind_counted(module);
  bind_flow(module);
  bind_constructors(module);
  bind_program(module);
}
