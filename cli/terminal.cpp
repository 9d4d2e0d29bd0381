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

namespace {

/// Code points, which most terminals show as wide as a letter.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

}  // namespace

std::string columns(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const TableRow& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width_of(row[k]));
  }
  std::string text;
  for (const TableRow& row : rows) {
    const std::size_t last = row.size() - 1;
    for (std::size_t k = 0; k < last; ++k) text += row[k] + std::string(widths[k] - width_of(row[k]) + 2, ' ');
    text += std::string(widths[last] - width_of(row[last]), ' ') + row[last] + "\n";
  }
  return text;
}

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
