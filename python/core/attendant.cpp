#include "attendant.hpp"

#include "module.hpp"

namespace fractile::python {

bool SignalWatch::has_seen() {
  const auto now = std::chrono::steady_clock::now();
  if (std::this_thread::get_id() != asker_ || now < next_) return false;
  next_ = now + interval;
  const nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;  // the error stays set for this thread
}

void SignalWatch::look() {
  if (has_seen()) throw Interrupted();
}

void Caller::end_if_interrupted(const Words& words) {
  if (!interrupted_) return;
  if (!words.empty()) last_words = words.in(Wording::python);
  throw Interrupted();
}

void raise_interrupted(const std::string& last_words) {
  nb::python_error error;
  if (!last_words.empty() && nb::hasattr(error.value(), "add_note")) error.value().attr("add_note")(last_words);
  throw error;
}

}  // namespace fractile::python
