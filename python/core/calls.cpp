#include "calls.hpp"

#include <string>

#include "attendant.hpp"
#include "fractile/error.hpp"
#include "module.hpp"

namespace fractile::python {
namespace {

bool is_of_a_signal(nb::python_error& error) {
  try {
    return nb::cast<bool>(nb::module_::import_("fractile._errors").attr("is_of_a_signal")(error.value()));
  } catch (nb::python_error& next) {  // of the next signal, which came meanwhile
    next.restore();
    throw Interrupted();
  }
}

}  // namespace

void rethrow(nb::python_error& error) {
  const nb::module_ errors = nb::module_::import_("fractile._errors");
  if (is_of_a_signal(error) || error.matches(errors.attr("CanceledError"))) {
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
