// Releases and takes the interpreter's lock, also while the interpreter ends.
#pragma once

#include <nanobind/nanobind.h>

namespace fractile::python {

/// Must be called first when the module is made. Once the interpreter ends, only the ending thread takes its lock. Throws for any
/// interpreter other than the main one, because the end of such an interpreter would destroy the types of all interpreters.
void bind_interpreter(nanobind::module_& module);

/// Whether the interpreter is ending on another thread. Then no thread waits for a result any more, and work under way should stop soon.
bool is_interpreter_ending();

/// Releases the interpreter's lock until the end of the scope, as nb::gil_scoped_release does. Once the interpreter ends, a daemon thread,
/// for which Python does not wait, never leaves the scope: Python would end the thread there, and no C++ program survives that.
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

/// Takes the interpreter's lock on a thread that works without it, as nb::gil_scoped_acquire does. Once the interpreter ends, all threads
/// other than the ending one stop here for good.
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
