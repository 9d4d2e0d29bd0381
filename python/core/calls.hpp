// Calls Python from within a request, which runs without the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include "interpreter.hpp"

namespace fractile::python {

/// Throws what a Python function raised as the library's error; what a signal's handler raised stays what it is. The caller holds the
/// interpreter's lock.
[[noreturn]] void rethrow(nanobind::python_error& error);

/// Calls Python from a thread without the interpreter's lock, and returns the result.
template <class Call>
auto in_python(const Call& call) {
  const Locked gil;
  try {
    return call();
  } catch (nanobind::python_error& error) {
    rethrow(error);
  }
}

}  // namespace fractile::python
