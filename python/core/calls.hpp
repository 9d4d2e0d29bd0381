// Calls of Python from within a request, which runs without the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include "interpreter.hpp"

namespace fractile::python {

/// What a Python function threw, as the library's error; an interruption stays one. The interpreter's lock is held.
[[noreturn]] void rethrow(nanobind::python_error& error);

/// What a call of Python gives, on a thread without the interpreter's lock.
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
