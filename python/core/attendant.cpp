#include "attendant.hpp"

#include "module.hpp"

namespace fractile::python {

void SignalWatch::look() {
  const auto now = std::chrono::steady_clock::now();
  if (std::this_thread::get_id() != asker_ || now < next_) return;
  next_ = now + interval;
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() == 0) return;
  throw Interrupted();  // the error stays set for this thread
}

void raise_interrupted(const std::string& last_words) {
  nb::python_error error;
  if (!last_words.empty() && nb::hasattr(error.value(), "add_note")) error.value().attr("add_note")(last_words);
  throw error;
}

}  // namespace fractile::python
