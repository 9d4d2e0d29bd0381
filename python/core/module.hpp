// What the bindings share. Each file binds one public header or one file of requests/. The documented Python interface is in
// python/fractile.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "fractile/exact.hpp"

namespace fractile::python {

namespace nb = nanobind;

void bind_constructors(nb::module_& module);
void bind_counted(nb::module_& module);
void bind_error(nb::module_& module);
void bind_flow(nb::module_& module);
void bind_frames(nb::module_& module);
void bind_ledger(nb::module_& module);
void bind_program(nb::module_& module);
void bind_publications(nb::module_& module);
void bind_ranks(nb::module_& module);
void bind_report(nb::module_& module);
void bind_requests(nb::module_& module);

}  // namespace fractile::python

/// Converts between Rational and Python's fractions.Fraction. An int is accepted as a Fraction, too.
template <>
struct nanobind::detail::type_caster<fractile::Rational> {
  NB_TYPE_CASTER(fractile::Rational, const_name("fractions.Fraction"))

  bool from_python(handle source, uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    try {
      const object fraction = module_::import_("fractions").attr("Fraction");
      if (!nanobind::isinstance<nanobind::int_>(source) && !nanobind::isinstance(source, fraction)) return false;
      value = fractile::Rational::parse(nanobind::cast<std::string>(nanobind::str(source)));
      return true;
    } catch (...) {
      PyErr_Clear();
      return false;
    }
  }
  static handle from_cpp(const fractile::Rational& value, rv_policy /*policy*/, cleanup_list* /*cleanup*/) noexcept {
    try {
      const object fraction = module_::import_("fractions").attr("Fraction");
      const fractile::Rational numerator = value.numerator();
      const fractile::Rational denominator = value.denominator();
      if (!numerator.fits_int64() || !denominator.fits_int64()) return fraction(value.to_string()).release();
      if (value.is_integer()) return fraction(numerator.to_int64()).release();
      return fraction(numerator.to_int64(), denominator.to_int64()).release();  // Fraction need not parse a text
    } catch (...) {
      return {};
    }
  }
};
