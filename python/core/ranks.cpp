// Binds lattices, the possible values.
#include "fractile/ranks.hpp"

#include <utility>

#include "arguments.hpp"
#include "module.hpp"
#include "requests/query.hpp"

namespace fractile::python {
namespace {

/// The lattice that --bounds and --step, or --candidates, describe.
Lattice lattice_of_words(Arguments words) { return requests::lattice_of({{}, {}, {}, std::move(words), {}}); }

}  // namespace

void bind_ranks(nb::module_& module) {
  nb::class_<Lattice>(module, "Lattice")
      .def_static(
          "regular",
          [](const Rational& lower, const Rational& upper, const Rational& step) {
            return Lattice::regular(lower, upper, step);
          },
          nb::arg("lower"), nb::arg("upper"), nb::arg("step"))
      .def_static(
          "of", [](std::vector<Rational> points) { return Lattice::explicit_points(std::move(points)); },
          nb::arg("candidates"))
      .def_static("of_words", &lattice_of_words, nb::arg("words"))
      .def_prop_ro("kind", [](const Lattice& lattice) { return to_string(lattice.kind()); })
      .def("text", &Lattice::text, nb::arg("index"))
      .def_prop_ro("step_text", [](const Lattice& lattice) { return distance_text(lattice.kind(), lattice.step()); })
      .def_prop_ro("size", &Lattice::size)
      .def_prop_ro("is_regular", &Lattice::is_regular)
      .def_prop_ro("lower", &Lattice::lower)
      .def_prop_ro("upper", &Lattice::upper)
      .def_prop_ro("step", [](const Lattice& lattice) { return Rational(lattice.step()); })
      .def("at", &Lattice::at, nb::arg("index"))
      .def(
          "equals", [](const Lattice& a, const Lattice& b) { return a == b; }, nb::arg("other"));
}

}  // namespace fractile::python
