// The papers' constructors, for rows of doubles and of 64-bit integers, and how they are chained. Overloading refuses types that do not
// fit, and the library refuses values.
#include <nanobind/operators.h>

#include <type_traits>
#include <utility>

#include "fractile/measurements.hpp"
#include "interpreter.hpp"
#include "module.hpp"

namespace fractile::python {
namespace {

using Metric = SymmetricDistance;
using Selectable = Scores<std::uint64_t>;

std::string shown(const Exponent& distance) { return distance.to_string(); }
std::string shown(const Rational& distance) { return distance.to_string(); }
std::string shown(std::uint64_t distance) { return std::to_string(distance); }

/// Binds the domains at both ends, the output metric and the map. chain_with() binds `Left` >> this, as a method of `Left`.
template <class DI, class MI, class DO, class MO>
auto bind_transformation(nb::module_& module, const char* name) {
  using Bound = Transformation<DI, MI, DO, MO>;
  return nb::class_<Bound>(module, name)
      .def_prop_ro("output_domain", [](const Bound& t) { return t.output_domain(); })
      .def_prop_ro("output_metric", [](const Bound& t) { return t.output_metric(); })
      .def(
          "map", [](const Bound& t, const typename MI::Distance& d_in) { return shown(t.map(d_in)); }, nb::arg("d_in"));
}

template <class DI, class MI, class Output, class Measure>
auto bind_measurement(nb::module_& module, const char* name) {
  using Bound = Measurement<DI, MI, Output, Measure>;
  return nb::class_<Bound>(module, name)
      .def(
          "map", [](const Bound& m, const typename MI::Distance& d_in) { return shown(m.map(d_in)); }, nb::arg("d_in"))
      .def(
          "invoke",
          [](const Bound& m, const typename DI::Carrier& data) {
            const Unlocked unlocked;
            if (!m.input_domain().contains(data)) {
              throw Error(ErrorCode::usage,
                          "data: the records are not of the chain's input domain, " + m.input_domain().to_string(),
                          "begin the chain with make_drop_null(vector_domain(float)) if the rows may hold NaN", "data");
            }
            RandomBits bits = RandomBits::system();
            return m.invoke(data, bits);
          },
          nb::arg("data"));
}

/// Binds `Bound` >> `Right` as the method then() of `Bound`.
template <class Right, class Bound>
void chain_with(nb::class_<Bound>& bound) {
  bound.def(
      "then", [](const Bound& left, const Right& right) { return left >> right; }, nb::arg("right"));
}

/// Binds everything that ends in a selection, in one measure. `suffix` ends the names of the classes.
template <class T, class Measure>
void bind_selections(nb::module_& module, nb::class_<Transformation<Rows<T>, Metric, Rows<T>, Metric>>& rows,
                     nb::class_<Transformation<Rows<T>, Metric, Selectable, LInfDistance>>& scores,
                     const std::string& suffix) {
  auto indices = bind_measurement<Rows<T>, Metric, std::size_t, Measure>(module, ("Selection" + suffix).c_str());
  auto values = bind_measurement<Rows<T>, Metric, T, Measure>(module, ("SelectionOfValues" + suffix).c_str());
  using Bound = Measurement<Rows<T>, Metric, std::size_t, Measure>;
  indices.def(
      "index_into",
      [](const Bound& left, std::vector<T> candidates) { return left >> index_into(std::move(candidates)); },
      nb::arg("candidates"));
  chain_with<Measurement<Selectable, LInfDistance, std::size_t, Measure>>(scores);
  chain_with<Measurement<Rows<T>, Metric, std::size_t, Measure>>(rows);
  chain_with<Measurement<Rows<T>, Metric, T, Measure>>(rows);
}

template <class T>
void bind_rows(nb::module_& module, const std::string& suffix) {
  using Domain = Rows<T>;
  nb::class_<Domain>(module, ("Rows" + suffix).c_str())
      .def_prop_ro("nullable", [](const Domain& domain) { return domain.element.nullable(); })
      .def("__str__", &Domain::to_string);
  auto rows = bind_transformation<Domain, Metric, Domain, Metric>(module, ("RowTransformation" + suffix).c_str());
  auto scores =
      bind_transformation<Domain, Metric, Selectable, LInfDistance>(module, ("ScoreTransformation" + suffix).c_str());
  auto quantile = bind_measurement<Domain, Metric, Rational, MaxDivergence>(module, ("Quantile" + suffix).c_str());
  chain_with<Transformation<Domain, Metric, Domain, Metric>>(rows);
  chain_with<Transformation<Domain, Metric, Selectable, LInfDistance>>(rows);
  chain_with<Measurement<Domain, Metric, Rational, MaxDivergence>>(rows);
  bind_selections<T, MaxDivergence>(module, rows, scores, suffix);
  bind_selections<T, ZeroConcentratedDivergence>(module, rows, scores, suffix + "Zcdp");
  module.def(("rows_" + suffix).c_str(),
             [](bool nullable) { return Domain{nullable ? AtomDomain<T>::all() : AtomDomain<T>::non_null()}; },
             nb::arg("nullable"));
  if constexpr (std::is_floating_point_v<T>) {
    module.def(
        "make_drop_null", [](const Domain& domain) { return make_drop_null(domain, Metric{}); }, nb::arg("domain"));
    module.def(
        "make_impute_constant",
        [](const Domain& domain, T constant) { return make_impute_constant(domain, Metric{}, constant); },
        nb::arg("domain"), nb::arg("constant"));
  }
  module.def(
      "make_clamp", [](const Domain& domain, T lower, T upper) { return make_clamp(domain, Metric{}, lower, upper); },
      nb::arg("domain"), nb::arg("lower"), nb::arg("upper"));
  module.def(
      "make_quantile_score_candidates",
      [](const Domain& domain, const std::vector<T>& candidates, const Rational& alpha) {
        return make_quantile_score_candidates(domain, Metric{}, candidates, alpha);
      },
      nb::arg("domain"), nb::arg("candidates"), nb::arg("alpha"));
  module.def(
      "make_quantile",
      [](const Domain& domain, const Lattice& lattice, const Rational& alpha, const std::string& epsilon) {
        return make_quantile(domain, lattice, alpha, Exponent::parse(epsilon));
      },
      nb::arg("domain"), nb::arg("lattice"), nb::arg("alpha"), nb::arg("epsilon"));
}

Optimize optimize_of(bool minimize) { return minimize ? Optimize::minimize : Optimize::maximize; }

template <class Measure>
void bind_gumbel_max(nb::module_& module, const char* name) {
  module.def(
      name,
      [](const Selectable& domain, const LInfDistance& metric, const Rational& temperature, bool minimize) {
        return make_gumbel_max(domain, metric, temperature, optimize_of(minimize), Measure{});
      },
      nb::arg("domain"), nb::arg("metric"), nb::arg("temperature"), nb::arg("minimize"));
}

}  // namespace

void bind_constructors(nb::module_& module) {
  nb::class_<Selectable>(module, "Scores").def("__str__", &Selectable::to_string);
  nb::class_<LInfDistance>(module, "LInfDistance").def("__str__", &LInfDistance::to_string);
  nb::class_<Metric>(module, "SymmetricDistance").def("__str__", [](const Metric&) { return Metric::to_string(); });
  bind_measurement<Selectable, LInfDistance, std::size_t, MaxDivergence>(module, "SelectionOfScores");
  bind_measurement<Selectable, LInfDistance, std::size_t, ZeroConcentratedDivergence>(module, "SelectionOfScoresZcdp");
  bind_rows<double>(module, "float");
  bind_rows<std::int64_t>(module, "int");
  bind_gumbel_max<MaxDivergence>(module, "make_gumbel_max");
  bind_gumbel_max<ZeroConcentratedDivergence>(module, "make_gumbel_max_zcdp");
  module.def(
      "make_permute_and_flip",
      [](const Selectable& domain, const LInfDistance& metric, const Rational& temperature, bool minimize) {
        return make_permute_and_flip(domain, metric, temperature, optimize_of(minimize));
      },
      nb::arg("domain"), nb::arg("metric"), nb::arg("temperature"), nb::arg("minimize"));
}

}  // namespace fractile::python
