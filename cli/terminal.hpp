// What a user sees: tables on a terminal, progress and errors on standard error.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "exact/uncopied.hpp"
#include "fractile/error.hpp"

namespace fractile::cli {

/// Must be called before anything is opened. Afterwards, no file can take the place of a closed standard stream. A file that outgrows its
/// limit is an error to report, not a signal that ends the process. A message without a reader is lost, and the program goes on; only
/// print() ends it when its output has no reader. Whatever ends the process, its memory, which may hold rows, is not written to a core file.
void prepare_streams();

bool stdout_is_terminal();
/// The width of text in columns: the terminal's width, but at least 60 and at most 120; 100 if standard output is not a terminal.
std::size_t stdout_width();

/// The syntax in which fields are named: the program's, or R's if FRACTILE_WORDING is r, which the R package sets.
Wording wording();

/// Writes all of `text` to standard output; throws `data` with this hint when the writing fails. On a terminal, shown_lines() escapes the
/// text first. Programs get the names and keys exactly as they were typed.
void print(const std::string& text, const Words& hint = "nothing was released");

/// Prints "fractile: what\n  hint". shown_text() keeps `what` and `hint` on one line each, whatever names they hold.
void print_error(const Words& what, const Words& hint);

/// From now on, Ctrl-C (SIGINT), SIGTERM and SIGHUP print this message as print_error() does, and end the process. The exit code is 128
/// plus the signal's number, 130 for Ctrl-C. A signal that was held back takes effect now. If the program was started so that it ignores
/// these signals, it still ignores them.
void on_interrupt(const Words& what, const Words& hint);

/// Holds these signals back until on_interrupt() is called again, for work that must not be interrupted.
void hold_interrupts();
/// Whether a signal was held back.
bool is_interrupted();

/// Ends the process in time. After `limit`, it calls `finish` on a separate thread and ends the process with the exit code that `finish`
/// returns, unless disarm() was called before. Without a limit, it does nothing.
class Deadline : Uncopied {
 public:
  Deadline(std::optional<std::chrono::seconds> limit, std::function<int()> finish);
  ~Deadline();
  /// Whether 9/10 of the time is over, so that work should stop and report what it has.
  bool is_near() const;
  /// From now on, the process has no time limit. Does not return if the time is over already.
  void disarm();

 private:
  void wait();

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<std::chrono::seconds> limit_;
  std::function<int()> finish_;
  bool over_ = false;
  std::mutex mutex_;
  std::condition_variable end_;
  std::thread clock_;
};

/// Shows a line on standard error while a task takes more than a second. If standard error is not a terminal, nothing is shown unless
/// `is_piped` is set: then there is a line after 2, 4, 8, ... seconds. A line shows the time that has passed, and nothing about the data. A
/// separate thread shows it, so work need not be divided into pieces to be visible.
class Progress : Uncopied {
 public:
  explicit Progress(const std::string& what, bool is_piped = false);
  ~Progress();
  /// Shows `detail`, too, from now on.
  void tick(const std::string& detail = {});

 private:
  void show_time();
  void show_rarely();

  std::string what_;
  std::string detail_;
  bool over_ = false;
  std::mutex mutex_;
  std::condition_variable end_;
  std::thread clock_;
};

}  // namespace fractile::cli
