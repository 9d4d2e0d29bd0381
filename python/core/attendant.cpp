#include "attendant.hpp"

#include "exact/wording.hpp"
#include "fractile/error.hpp"

namespace fractile::python {

bool SignalWatch::has_seen() {
  if (std::this_thread::get_id() != asker_) return false;
  if (is_interpreter_ending()) return true;
  return std::chrono::steady_clock::now() >= next_ && sees();
}

bool SignalWatch::sees() {
  next_ = std::chrono::steady_clock::now() + interval;
  const Locked gil;
  if (PyErr_CheckSignals() != 0) return true;  // the error stays set for this thread
  if (cancel_.is_none()) return false;
  try {
    nb::module_::import_("fractile._errors").attr("look_at")(cancel_);
    return false;
  } catch (nb::python_error& raised) {
    raised.restore();
    return true;
  }
}

void SignalWatch::look() {
  if (has_seen()) throw Interrupted();
}

void SignalWatch::look_now() {
  if (is_interpreter_ending() || sees()) throw Interrupted();
}

void Caller::at(const std::string& task) {
  is_begun_ = is_begun_ || task.starts_with("reading");
  if (!task.empty()) watch_.look_now();  // tick() may never be called if little is read
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
  if (last_words.empty()) throw error;
  const nb::module_ errors = nb::module_::import_("fractile._errors");
  const nb::object canceled = errors.attr("CanceledError");
  if (error.matches(canceled)) {
    PyErr_SetObject(canceled.ptr(), errors.attr("canceled")(last_words).ptr());
    throw nb::python_error();
  }
  if (nb::hasattr(error.value(), "add_note")) error.value().attr("add_note")(last_words);
  throw error;
}

void attended(Caller& caller, const std::function<void()>& work) {
  try {
    const Unlocked unlocked;
    try {
      work();
    } catch (const Error& error) {  // the interruption may have ended a wait with an error
      caller.end_if_interrupted({error.what_words(), "; ", error.hint_words()});
      throw;
    }
    caller.end_if_interrupted();
  } catch (const Interrupted&) {
    raise_interrupted(caller.last_words);
  }
}

}  // namespace fractile::python
