// The attendant of a release that a Python program asks for.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exact/wording.hpp"
#include "fractile/exact.hpp"
#include "fractile/publication.hpp"
#include "interpreter.hpp"
#include "module.hpp"

namespace fractile::python {

/// Thrown when a Python signal handler raised an exception, as for Ctrl-C, or when the caller's event was set. It is not a std::exception,
/// so no code on the way takes it for a failure of the library.
struct Interrupted {};

/// Looks for signals at most 20 times a second, and only on the thread that asks for the release. Between two looks, the thread does not
/// hold the interpreter's lock.
class SignalWatch {
 public:
  SignalWatch() = default;
  /// Also looks at `cancel`, an object with is_set() that another thread may set, or None. The caller keeps the object alive.
  explicit SignalWatch(nb::handle cancel) : cancel_(cancel) {}

  /// Looks if it is time. Throws Interrupted, with Python's error set, if there was a signal or the event is set.
  void look();
  /// Does the same as look(), but looks even if it has just looked.
  void look_now();
  /// Whether a signal's handler raised an exception or the event is set. In both cases, Python's error is set.
  bool has_seen();

 private:
  bool sees();

  nb::handle cancel_ = Py_None;
  std::thread::id asker_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + interval;
  static constexpr std::chrono::milliseconds interval{50};
};

/// Throws Python's error, and adds the last words to it.
[[noreturn]] void raise_interrupted(const std::string& last_words = {});

/// Does work(signals) without the interpreter's lock. The work ends at Ctrl-C where it looks for signals, or where the library does.
template <class Work>
auto interruptible(const Work& work) {
  try {
    const Unlocked unlocked;
    SignalWatch signals;
    const Checkpoints checkpoints([&signals] { signals.look(); });
    return work(signals);
  } catch (const Interrupted&) {
    raise_interrupted();
  }
}

/// Gives warnings at once until records are read: if the program turns warnings into errors, nothing has been spent by then. Keeps later
/// warnings, which Python gives when the release is made.
class Caller : public Attendant {
 public:
  using Said = std::vector<std::pair<std::string, std::string>>;

  /// `cancel` is as in SignalWatch.
  explicit Caller(nb::handle cancel) : watch_(cancel) {}

  void warn(const Words& what, const Words& hint) override;
  void at(const std::string& task) override;
  /// This is the last moment at which nothing is charged, so it looks for signals.
  void hold_interrupts() override {
    if (!is_begun_) watch_.look_now();
  }
  void tick() override { watch_.look(); }
  bool is_interrupted() override { return interrupted_ = interrupted_ || watch_.has_seen(); }
  /// Ends the request by throwing Interrupted if is_interrupted() has returned true. Unless `words` is empty, it becomes the last words.
  void end_if_interrupted(const Words& words = {});
  void on_interrupt(const Words& what, const Words& hint) override {
    last_words = Words{what, "; ", hint}.in(Wording::python);
  }

  Said warnings;
  std::string last_words;  ///< what the error of an interruption should say

 private:
  static Said::value_type said(const Words& what, const Words& hint) {
    return {what.in(Wording::python), hint.in(Wording::python)};
  }

  SignalWatch watch_;
  bool is_begun_ = false;
  bool interrupted_ = false;
};

/// Does `work` without the interpreter's lock. If Ctrl-C ends the work, Python's KeyboardInterrupt says the caller's last words.
void attended(Caller& caller, const std::function<void()>& work);

}  // namespace fractile::python
