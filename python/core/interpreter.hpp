// The interpreter's lock, given back and taken again, also while the interpreter ends.
#pragma once

#include <nanobind/nanobind.h>

namespace fractile::python {

/// When the module is made, first of all: from the interpreter's end on, no thread takes its lock any more but the ending one. Throws for any
/// interpreter but the main one, which would take the types of all with it.
void bind_interpreter(nanobind::module_& module);

/// Whether the interpreter is ending: no thread waits for a result any more, and work that is under way stops soon.
bool is_interpreter_ending();

/// Without the interpreter's lock until the end of its scope. A thread that Python does not wait for (a daemon) never leaves it once the
/// interpreter ends: Python would end the thread there, which no C++ program survives. As nb::gil_scoped_release.
class Unlocked {
 public:
  Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked();

 private:
  bool was_counted_;
  PyThreadState* state_;
};

/// With it, on a thread that works without. As nb::gil_scoped_acquire; once the interpreter ends, other threads stand still here.
class Locked {
 public:
  Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked();

 private:
  PyGILState_STATE state_;
};

}  // namespace fractile::python
