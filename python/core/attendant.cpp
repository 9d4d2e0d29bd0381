#include "attendant.hpp"

#include "fractile/error.hpp"
#include "interpreter.hpp"
#include "module.hpp"

namespace fractile::python {

bool SignalWatch::has_seen() {
  const auto now = std::chrono::steady_clock::now();
  if (std::this_thread::get_id() != asker_) return false;
  if (is_interpreter_ending()) return true;
  if (now < next_) return false;
  next_ = now + interval;
  const Locked gil;
  return PyErr_CheckSignals() != 0;  // the error stays set for this thread
}

void SignalWatch::look() {
  if (has_seen()) throw Interrupted();
}

void Caller::warn(const Words& what, const Words& hint) {
  auto pair = said(what, hint);
  if (is_begun_) {
    warnings.push_back(std::move(pair));
    return;
  }
  const Locked gil;
  try {
    nb::module_::import_("fractile._errors").attr("warn")(pair.first + "; " + pair.second);
  } catch (nb::python_error& raised) {
    raised.restore();
    throw Interrupted();
  }
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

void attended(Caller& caller, const std::function<void()>& work) {
  try {
    const Unlocked unlocked;
    try {
      work();
    } catch (const Error& error) {  // of a wait that the interruption ended, too
      caller.end_if_interrupted({error.what_words(), "; ", error.hint_words()});
      throw;
    }
    caller.end_if_interrupted();
  } catch (const Interrupted&) {
    raise_interrupted(caller.last_words);
  }
}

}  // namespace fractile::python
