// Who asks for a release, when that is a Python program.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fractile/publication.hpp"
#include "module.hpp"

namespace fractile::python {

/// The exception that a Python signal handler raised, Ctrl-C, or the fact that the caller's event was set. Not a std::exception, so
/// that no code on the way takes it for a failure of the library.
struct Interrupted {};

/// Looks for signals a few times a second, on the thread that asks and on no other, without the interpreter's lock in between.
class SignalWatch {
 public:
  SignalWatch() = default;
  /// Looks at `cancel`, too, which another thread may set: an object with is_set(), or None. The caller keeps it.
  explicit SignalWatch(nb::handle cancel) : cancel_(cancel) {}

  /// Throws Interrupted, with Python's error set.
  void look();
  /// The same, even when a check was made just before.
  void look_now();
  /// Whether a signal's handler raised or the event is set, with Python's error set then.
  bool has_seen();

 private:
  bool sees();

  nb::handle cancel_ = Py_None;
  std::thread::id asker_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + interval;
  static constexpr std::chrono::milliseconds interval{50};
};

/// Python's error, with what an interruption should say.
[[noreturn]] void raise_interrupted(const std::string& last_words = {});

/// Warns at once until records are read: where the program makes errors of warnings, nothing was spent. Keeps later warnings, for Python to
/// give them when the release is made.
class Caller : public Attendant {
 public:
  using Said = std::vector<std::pair<std::string, std::string>>;

  /// `cancel` as SignalWatch takes it.
  explicit Caller(nb::handle cancel) : watch_(cancel) {}

  void warn(const Words& what, const Words& hint) override;
  void at(const std::string& task) override;
  /// The last moment at which nothing is charged.
  void hold_interrupts() override {
    if (!is_begun_) watch_.look_now();
  }
  void tick() override { watch_.look(); }
  bool is_interrupted() override { return interrupted_ = interrupted_ || watch_.has_seen(); }
  /// Ends the request if is_interrupted() has said so, with these last words unless they are empty.
  void end_if_interrupted(const Words& words = {});
  void on_interrupt(const Words& what, const Words& hint) override {
    last_words = Words{what, "; ", hint}.in(Wording::python);
  }

  Said warnings;
  std::string last_words;  ///< what an interruption should say

 private:
  static Said::value_type said(const Words& what, const Words& hint) {
    return {what.in(Wording::python), hint.in(Wording::python)};
  }

  SignalWatch watch_;
  bool is_begun_ = false;
  bool interrupted_ = false;
};

/// Does `work` without the interpreter's lock. Where Ctrl-C ends it, Python's KeyboardInterrupt says the caller's last words.
void attended(Caller& caller, const std::function<void()>& work);

}  // namespace fractile::python
