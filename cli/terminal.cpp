#include "terminal.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

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
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw Error(ErrorCode::data, std::string("standard output could not be written: ") + std::strerror(errno), hint);
  }
}

void print_error(const std::string& what, const std::string& hint) {
  say("fractile: " + what + "\n");
  if (!hint.empty()) say("  " + hint + "\n");
}

Progress::Progress(std::string what) : what_(std::move(what)), enabled_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_seconds_ > 0) say("\r\033[K");
}

void Progress::tick(const std::string& detail) {
  if (!enabled_) return;
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_).count();
  if (seconds <= shown_seconds_) return;
  shown_seconds_ = seconds;
  say(fmt::format("\r{} ({}{}{} s)", what_, detail, detail.empty() ? "" : ", ", seconds));
}

}  // namespace fractile::cli
