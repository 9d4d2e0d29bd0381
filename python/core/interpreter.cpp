#include "interpreter.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "module.hpp"

namespace fractile::python {
namespace {

std::atomic<bool> is_ending = false;
std::atomic<int> working = 0;      // threads that work without the lock
std::atomic<int> coming_back = 0;  // threads that wait for the lock
std::atomic<int> standing = 0;     // threads that will never get the lock
std::thread::id ending;            // the thread that ends the interpreter; set before is_ending
thread_local bool is_counted = false;

/// Calls `take`, which waits for the lock. Once the interpreter ends, this never returns on any thread other than the ending one. The
/// ending thread waits for the threads that have passed this check.
template <class Take>
void come_back(const Take& take) {
  ++coming_back;
  if (is_ending && std::this_thread::get_id() != ending) {
    ++standing;
    --coming_back;
    if (is_counted) --working;
    while (true) pause();
  }
  take();
  --coming_back;
}

/// Python calls this with the lock held, before it takes anything apart. It waits up to a second for work under way, which checks
/// is_interpreter_ending() now and then: no code of the library should run while the process is taken apart.
void end() {
  using std::chrono::steady_clock;
  ending = std::this_thread::get_id();
  is_ending = true;
  const auto latest = steady_clock::now() + std::chrono::seconds(1);
  PyThreadState* const state = PyEval_SaveThread();
  while (coming_back > 0 || (working > 0 && steady_clock::now() < latest)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  PyEval_RestoreThread(state);
  // What threads hold that never run again, in this library or in Python, is never freed.
  const bool are_alone = nb::cast<int>(nb::module_::import_("threading").attr("active_count")()) == 1;
  if (standing > 0 || working > 0 || !are_alone) nb::set_leak_warnings(false);
}

/// After a fork, the child has only the thread that forked.
void in_child() {
  working = is_counted ? 1 : 0;
  coming_back = 0;
}

}  // namespace

bool is_interpreter_ending() { return is_ending && std::this_thread::get_id() != ending; }

Unlocked::Unlocked() : was_counted_(std::exchange(is_counted, true)), state_(PyEval_SaveThread()) {
  if (!was_counted_) ++working;
}

Unlocked::~Unlocked() {
  come_back([this] { PyEval_RestoreThread(state_); });
  is_counted = was_counted_;
  if (!was_counted_) --working;
}

Locked::Locked() {
  come_back([this] { state_ = PyGILState_Ensure(); });
}

Locked::~Locked() { PyGILState_Release(state_); }

void bind_interpreter(nb::module_& module) {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    throw std::runtime_error(
        "fractile works in a process's main interpreter alone: import it there, or start a process");
  }
  module.def("_at_end", &end);
  module.def("_in_child", &in_child);
  nb::module_::import_("atexit").attr("register")(module.attr("_at_end"));
  nb::module_::import_("os").attr("register_at_fork")(nb::arg("after_in_child") = module.attr("_in_child"));
}

}  // namespace fractile::python
