#include "terminal.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "fractile/text.hpp"

namespace fractile::cli {
namespace {

/// To standard error; whether anybody can read it changes nothing.
void say(const std::string& text) { std::fputs(text.c_str(), stderr); }

}  // namespace

void prepare_streams() {
  // Read-only: what is printed on a stream that was closed fails, as it should.
  int file = 0;
  while (file >= 0 && file <= STDERR_FILENO) file = open("/dev/null", O_RDONLY);
  if (file > STDERR_FILENO) close(file);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

void print(const std::string& text, const std::string& hint) {
  const std::string shown = stdout_is_terminal() ? shown_lines(text) : text;
  const bool written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size();
  if (!written || std::fflush(stdout) != 0) {
    throw Error(ErrorCode::data, std::string("standard output could not be written: ") + std::strerror(errno), hint);
  }
}

void print_error(const std::string& what, const std::string& hint) {
  say("fractile: " + shown_text(what) + "\n");
  if (!hint.empty()) say("  " + shown_text(hint) + "\n");
}

Progress::Progress(const std::string& what) : what_(shown_text(what)) {
  if (isatty(STDERR_FILENO) == 1) clock_ = std::thread([this] { show_time(); });
}

Progress::~Progress() {
  if (!clock_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  end_.notify_one();
  clock_.join();
}

void Progress::tick(const std::string& detail) {
  const std::lock_guard lock(mutex_);
  detail_ = detail;
}

void Progress::show_time() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  int seconds = 0;
  while (!end_.wait_until(lock, start + std::chrono::seconds(seconds + 1), [this] { return over_; })) {
    ++seconds;
    say(fmt::format("\r{} ({}{}{} s)", what_, detail_, detail_.empty() ? "" : ", ", seconds));
  }
  if (seconds > 0) say("\r\033[K");
}

}  // namespace fractile::cli
