#include "source/files/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "source/files/foreign_format.hpp"
#include "source/files/nameless_file.hpp"

namespace fractile::source_detail {
namespace {

[[noreturn]] void fail(ErrorCode code, const std::string& what, int error, const std::string& hint) {
  throw Error(code, what + ": " + std::strerror(error), hint);
}

int spool(int from, const std::string& display_name) {
  NamelessFile file("the input");
  std::vector<char> buffer(std::size_t{1} << 20);
  for (;;) {
    const ssize_t count = read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(ErrorCode::data, display_name + " cannot be read", errno, {});
    if (count == 0) return file.release();
    file.append(std::span(buffer).first(static_cast<std::size_t>(count)));
  }
}

/// Closes unless released.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

int open_path(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(ErrorCode::data, "cannot open " + path, errno, hint_for_missing(path));
  struct stat status {};
  if (fstat(file.get(), &status) != 0) fail(ErrorCode::data, "cannot open " + path, errno, {});
  if (S_ISDIR(status.st_mode)) {
    throw Error(ErrorCode::data, path + " is a directory, not a file",
                {"name one file in it, or put several together with ", Field("sql"), ", ", Field("table"), " and ",
                 Field("sql_stability")});
  }
  return S_ISREG(status.st_mode) ? file.release() : spool(file.get(), path);
}

}  // namespace

InputFile::InputFile(int descriptor, std::string display_name)
    : descriptor_(descriptor), display_name_(std::move(display_name)) {}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), display_name_(std::move(other.display_name_)) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

InputFile InputFile::open(const std::string& path) {
  if (path == "-") return {spool(STDIN_FILENO, "standard input"), "standard input"};
  return {open_path(path), path};
}

std::string InputFile::path() const {
#ifdef __linux__
  return "/proc/self/fd/" + std::to_string(descriptor_);
#else
  return "/dev/fd/" + std::to_string(descriptor_);
#endif
}

std::size_t InputFile::size() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) fail(ErrorCode::data, display_name_ + " cannot be read", errno, {});
  return static_cast<std::size_t>(status.st_size);
}

bool InputFile::is_gzip() const { return head(2) == "\x1f\x8b"; }

std::size_t InputFile::read(std::size_t offset, std::span<char> bytes) const {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got =
        pread(descriptor_, bytes.data() + filled, bytes.size() - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorCode::data, display_name_ + " cannot be read", errno, "check the disk it is on");
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

std::string InputFile::head(std::size_t count) const {
  std::string bytes(count, '\0');
  bytes.resize(read(0, bytes));
  return bytes;
}

}  // namespace fractile::source_detail
