#include "terminal.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string_view>
#include <system_error>
#include <utility>

#include "exact/wording.hpp"
#include "libraries/fmt.hpp"
#include "report/text/shown_text.hpp"

namespace fractile::cli {
namespace {

/// Writes to standard error, and ignores failures to write.
void say(const std::string& text) { std::fputs(text.c_str(), stderr); }

std::string error_text(const Words& what, const Words& hint) {
  const auto shown = [](const Words& words) { return shown_text(words.in(wording())) + "\n"; };
  return "fractile: " + shown(what) + (hint.empty() ? "" : "  " + shown(hint));
}

std::atomic<const std::string*> last_words = nullptr;  // nullptr while signals are held back
std::atomic<int> held_back = 0;                        // the signal that came while it was nullptr
std::atomic<bool> ends_with_its_reader = false;        // whether SIGPIPE ended the program before prepare_streams()

constexpr std::array interrupts{SIGINT, SIGTERM, SIGHUP};

[[noreturn]] void end_by(int signal, const std::string& words) {
  // A signal handler may call only functions such as write() and _exit().
  const ssize_t ignored = write(STDERR_FILENO, words.data(), words.size());
  static_cast<void>(ignored);
  _exit(128 + signal);
}

void interrupted(int signal) {
  const std::string* const words = last_words;
  if (words != nullptr) end_by(signal, *words);
  held_back = signal;
}

void handle(int signal) {
  struct sigaction now {};
  if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) return;
  struct sigaction ours {};
  ours.sa_handler = interrupted;
  ours.sa_flags = SA_RESTART;
  sigaction(signal, &ours, nullptr);
}

}  // namespace

void on_interrupt(const Words& what, const Words& hint) {
  static std::deque<std::string> said;  // a handler may still read older words
  said.push_back((isatty(STDERR_FILENO) == 1 ? "\n" : "") + error_text(what, hint));
  last_words = &said.back();
  for (const int signal : interrupts) handle(signal);
  if (held_back != 0) end_by(held_back, said.back());
}

void hold_interrupts() {
  last_words = nullptr;
  for (const int signal : interrupts) handle(signal);
}

bool is_interrupted() { return held_back != 0; }

void prepare_streams() {
  // These files are read-only, so printing on a stream that was closed fails, as it should.
  int file = 0;
  while (file >= 0 && file <= STDERR_FILENO) file = open("/dev/null", O_RDONLY);
  if (file > STDERR_FILENO) close(file);
  std::signal(SIGXFSZ, SIG_IGN);
  // A message on standard error that has no reader must not end a release that is charged.
  if (std::signal(SIGPIPE, SIG_IGN) == SIG_DFL) ends_with_its_reader = true;
  // No core file is written. A limit of one byte is smaller than any core file, and is the only limit that Linux obeys if cores are piped
  // to a program.
  rlimit core{};
  if (getrlimit(RLIMIT_CORE, &core) != 0 || core.rlim_max == 0) return;
  core.rlim_cur = 1;
  setrlimit(RLIMIT_CORE, &core);
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

std::size_t stdout_width() {
  constexpr std::size_t usual = 100, narrowest = 60, widest = 120;
  winsize size{};
  if (!stdout_is_terminal() || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return std::clamp<std::size_t>(size.ws_col, narrowest, widest);
}

Wording wording() {
  const char* const asked = std::getenv("FRACTILE_WORDING");
  return asked != nullptr && std::string_view(asked) == "r" ? Wording::r : Wording::program;
}

void print(const std::string& text, const Words& hint) {
  const std::string shown = stdout_is_terminal() ? shown_lines(text) : text;
  const bool written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size();
  if (written && std::fflush(stdout) == 0) return;
  const int reason = errno;
  if (reason == EPIPE && ends_with_its_reader) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  throw Error(ErrorCode::data, std::string("standard output could not be written: ") + std::strerror(reason), hint);
}

void print_error(const Words& what, const Words& hint) { say(error_text(what, hint)); }

namespace {

/// Starts a thread; returns none if the system cannot start one.
template <class Work>
std::thread thread_if_any(Work work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error&) {
    return {};
  }
}

}  // namespace

Deadline::Deadline(std::optional<std::chrono::seconds> limit, std::function<int()> finish)
    : limit_(limit), finish_(std::move(finish)) {
  if (!limit_) return;
  clock_ = thread_if_any([this] { wait(); });
  if (!clock_.joinable()) {
    throw Error(ErrorCode::internal, "the system gives no thread to keep the time",
                {"allow this program more threads, or leave out ", Field("within")});
  }
}

Deadline::~Deadline() {
  disarm();
  if (clock_.joinable()) clock_.join();
}

bool Deadline::is_near() const {
  return limit_ && std::chrono::steady_clock::now() - start_ > std::chrono::milliseconds(*limit_) * 9 / 10;
}

void Deadline::disarm() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  end_.notify_one();
}

void Deadline::wait() {
  std::unique_lock lock(mutex_);
  if (end_.wait_until(lock, start_ + *limit_, [this] { return over_; })) return;
  if (isatty(STDERR_FILENO) == 1) say("\r\033[K");  // erase the line that a Progress shows
  int code = static_cast<int>(ErrorCode::internal);
  try {
    code = finish_();
  } catch (const Error& error) {
    print_error(error.what_words(), error.hint_words());
    code = static_cast<int>(error.code());
  }
  std::_Exit(code);  // other threads still run
}

Progress::Progress(const std::string& what, bool is_piped) : what_(shown_text(what)) {
  if (isatty(STDERR_FILENO) == 1) {
    clock_ = thread_if_any([this] { show_time(); });
  } else if (is_piped) {
    clock_ = thread_if_any([this] { show_rarely(); });
  }
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

void Progress::show_rarely() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  for (std::int64_t seconds = 2;; seconds *= 2) {
    if (end_.wait_until(lock, start + std::chrono::seconds(seconds), [this] { return over_; })) return;
    say(fmt::format("fractile: still working on {} ({}{}{} s)\n", what_, detail_, detail_.empty() ? "" : ", ",
                    seconds));
  }
}

}  // namespace fractile::cli
