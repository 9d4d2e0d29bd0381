// What a person sees: tables on a terminal, progress and errors on standard error.
#pragma once

#include <chrono>
#include <string>

#include "fractile/error.hpp"

namespace fractile::cli {

/// Before anything is opened: no file may take the place of a closed standard stream, and a file that outgrows its
/// limit is an error to be told of, not a signal that ends the process.
void prepare_streams();

bool stdout_is_terminal();

/// Writes all of `text` to standard output; Error(data) with this hint when it cannot.
void print(const std::string& text, const std::string& hint = "nothing was released");

/// "fractile: what\n  hint".
void print_error(const std::string& what, const std::string& hint);

/// From now on Ctrl-C (SIGINT) and SIGTERM print this as print_error() does, and end the process with 128 and the signal's
/// number as its exit code: 130 for Ctrl-C. A signal that was held back takes effect now. Whoever started the program so
/// that it ignores them still has it ignore them.
void on_interrupt(const std::string& what, const std::string& hint);

/// Holds them back until on_interrupt() is called again, for what must not be cut in two.
void hold_interrupts();

/// A line on standard error that appears when work takes more than a second, and only on a terminal. It tells the time
/// that has passed, nothing of the data.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// `detail`: what else to tell.
  void tick(const std::string& detail = {});

 private:
  std::string what_;
  bool enabled_;
  long shown_seconds_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace fractile::cli
