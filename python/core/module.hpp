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

namespace fractile::python {

/// A whole number as Python's int. It is read piece by piece: a process limits the digits that Python reads at once, to 640 or more.
inline nb::object whole_number(const Rational& whole) {
  constexpr std::size_t at_once = 600;
  if (whole.fits_int64()) return nb::int_(whole.to_int64());
  const nb::object read = nb::module_::import_("builtins").attr("int");
  const std::string digits = (whole.sign() < 0 ? -whole : whole).to_string();
  nb::object value = nb::int_(0);
  for (std::size_t at = 0; at < digits.size(); at += at_once) {
    const std::string piece = digits.substr(at, at_once);
    value = value * read("1" + std::string(piece.size(), '0')) + read(piece);
  }
  return whole.sign() < 0 ? -value : value;
}

}  // namespace fractile::python

/// Reads a Rational from its text, or from an int, and returns it as a fractions.Fraction. A Fraction is not read: this would run Python's
/// code, in which a signal's handler may raise an exception, such as KeyboardInterrupt, which nanobind would lose.
template <>
struct nanobind::detail::type_caster<fractile::Rational> {
  NB_TYPE_CASTER(fractile::Rational, io_name("str | int", "fractions.Fraction"))

  bool from_python(handle source, uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    try {
      object text = borrow(source);
      if (nanobind::isinstance<nanobind::int_>(source)) text = steal(PyNumber_ToBase(source.ptr(), 10));
      Py_ssize_t size = 0;
      const char* const digits = text.is_valid() ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
      if (digits != nullptr) {
        value = fractile::Rational::parse(std::string(digits, static_cast<std::size_t>(size)));
        return true;
      }
    } catch (const std::exception&) {  // no number
    }
    PyErr_Clear();
    return false;
  }
  static handle from_cpp(const fractile::Rational& value, rv_policy /*policy*/, cleanup_list* /*cleanup*/) noexcept {
    try {
      const object fraction = module_::import_("fractions").attr("Fraction");
      const object numerator = fractile::python::whole_number(value.numerator());
      if (value.is_integer()) return fraction(numerator).release();
      return fraction(numerator, fractile::python::whole_number(value.denominator())).release();
    } catch (python_error& raised) {
      raised.restore();  // nanobind lets an error pass that is set
    } catch (...) {
    }
    return {};
  }
};
