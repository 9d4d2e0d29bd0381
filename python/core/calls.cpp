#include "calls.hpp"

#include <string>

#include "attendant.hpp"
#include "fractile/error.hpp"
#include "module.hpp"

namespace fractile::python {

void rethrow(nb::python_error& error) {
  const nb::module_ errors = nb::module_::import_("fractile._errors");
  if (error.matches(PyExc_KeyboardInterrupt) || error.matches(errors.attr("CanceledError"))) {
    error.restore();
    throw Interrupted();
  }
  const nb::object known = errors.attr("Error");
  if (!error.matches(known)) {
    throw Error(ErrorCode::internal, "counting failed: " + nb::cast<std::string>(error.type().attr("__name__")));
  }
  const auto text = [&](const char* name) { return nb::cast<std::string>(error.value().attr(name)); };
  constexpr int usage = 2;
  constexpr int data = 3;
  const int code = nb::cast<int>(error.value().attr("code"));
  throw Error(code == usage  ? ErrorCode::usage
              : code == data ? ErrorCode::data
                             : ErrorCode::internal,
              text("message"), text("hint"), text("field"));
}

}  // namespace fractile::python
