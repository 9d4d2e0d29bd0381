// What a person sees: tables on a terminal, progress and errors on standard error.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "fractile/error.hpp"

namespace fractile::cli {

/// Before anything is opened: no file may take the place of a closed standard stream, and a file that outgrows its limit is an
/// error to report, not a signal that ends the process. And whatever ends the process, what it has in memory is written to no file:
/// rows among it.
void prepare_streams();

bool stdout_is_terminal();
/// Columns for what is read: the terminal's, but 60 at least and 120 at most; 100 where it is none.
std::size_t stdout_width();

/// The syntax in which fields are named: the program's, or R's where FRACTILE_WORDING is r, as the R package sets it.
Wording wording();

/// Writes all of `text` to standard output; throws `data` with this hint when it cannot. A terminal gets it as
/// shown_lines has it, since tables for programs hold the very names and keys that were typed.
void print(const std::string& text, const Words& hint = "nothing was released");

/// "fractile: what\n  hint", each as shown_text has it: whatever names they hold, they are one line.
void print_error(const Words& what, const Words& hint);

/// From now on Ctrl-C (SIGINT), SIGTERM and SIGHUP print this as print_error() does, and end the process with 128 and the
/// signal's number as its exit code: 130 for Ctrl-C. A signal that was held back takes effect now. A program that was started so
/// that it ignores them still ignores them.
void on_interrupt(const Words& what, const Words& hint);

/// Holds them back until on_interrupt() is called again, for what must not be cut in two.
void hold_interrupts();
/// Whether one was held back.
bool is_interrupted();

/// Ends the process in time: after this many seconds it calls `finish` on a thread of its own, and ends with the exit code that it
/// returns, unless disarm() came first. Without a limit it does nothing.
class Deadline {
 public:
  Deadline(std::optional<std::chrono::seconds> limit, std::function<int()> finish);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  /// Whether so much of the time is over that work should stop and report what it has.
  bool is_near() const;
  /// From now on the process may go on for ever. Does not return when the time is over already.
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

/// A line on standard error while something takes more than a second, on a terminal only unless `is_piped`: then another line after 2,
/// 4, 8, ... seconds, each twice as late, where it is no terminal. It shows the time that has passed, and nothing about the data. A
/// separate clock shows it, so that work need not be cut into pieces to be visible.
class Progress {
 public:
  explicit Progress(const std::string& what, bool is_piped = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// `detail`: what else to show from now on.
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
