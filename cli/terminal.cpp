#include "terminal.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace fractile::cli {

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

std::string two_columns(const std::pair<std::string, std::string>& heading,
                        const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t first = heading.first.size();
  std::size_t second = heading.second.size();
  for (const auto& [a, b] : rows) {
    first = std::max(first, a.size());
    second = std::max(second, b.size());
  }
  std::string text = fmt::format("{:<{}}  {:>{}}\n", heading.first, first, heading.second, second);
  for (const auto& [a, b] : rows) text += fmt::format("{:<{}}  {:>{}}\n", a, first, b, second);
  return text;
}

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw Error(ErrorCode::data, std::string("standard output could not be written: ") + std::strerror(errno),
                "the release was made and counts as spent; with --receipt it would have been kept");
  }
}

void print_error(const std::string& what, const std::string& hint) {
  fmt::print(stderr, "fractile: {}\n", what);
  if (!hint.empty()) fmt::print(stderr, "  {}\n", hint);
}

Progress::Progress(std::string what) : what_(std::move(what)), enabled_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_seconds_ > 0) fmt::print(stderr, "\r\033[K");
}

void Progress::tick() {
  if (!enabled_) return;
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_).count();
  if (seconds <= shown_seconds_) return;
  shown_seconds_ = seconds;
  fmt::print(stderr, "\r{} ({} s)", what_, seconds);
  std::fflush(stderr);
}

}  // namespace fractile::cli
