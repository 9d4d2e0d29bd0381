// Raises errors in Python: each code has a class in fractile._errors.
#include "fractile/error.hpp"

#include "attendant.hpp"
#include "exact/wording.hpp"
#include "module.hpp"

namespace fractile::python {
namespace {

const char* class_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return "UsageError";
    case ErrorCode::data:
      return "DataError";
    case ErrorCode::budget_refused:
      return "BudgetError";
    case ErrorCode::ledger:
      return "LedgerError";
    default:
      return "InternalError";
  }
}

void raise(const Error& error) {
  try {
    const nb::object type = nb::module_::import_("fractile._errors").attr(class_of(error.code()));
    const nb::object raised = type(error.what_words().in(Wording::python), error.hint_words().in(Wording::python),
                                   error.field().empty() ? "" : Field(error.field()).in(Wording::python));
    PyErr_SetObject(type.ptr(), raised.ptr());
  } catch (nb::python_error& failure) {
    failure.restore();
  }
}

}  // namespace

void bind_error(nb::module_& /*module*/) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise(error);
    } catch (const Interrupted&) {  // Python's error is set already
    }
  });
}

}  // namespace fractile::python
