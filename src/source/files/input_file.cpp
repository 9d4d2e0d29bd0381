#include "source/files/input_file.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "exact/uncopied.hpp"
#include "fractile/error.hpp"
#include "source/files/foreign_format.hpp"
#include "source/files/nameless_file.hpp"

namespace fractile::source_detail {
namespace {

[[noreturn]] void fail_to_read(ErrorCode code, const std::string& what, int error, const std::string& hint) {
  throw Error(code, what + ": " + std::strerror(error), hint);
}

enum class Place { same, another };

/// Whether a file is unchanged, by its size and its times. If its place or name has changed meanwhile, the time of its status is
/// ignored.
bool is_as_it_was(const struct stat& before, const struct stat& now, Place place) {
  const auto is_same = [](const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
  };
  return now.st_size == before.st_size && is_same(now.st_mtim, before.st_mtim) &&
         (is_same(now.st_ctim, before.st_ctim) || place == Place::another || now.st_nlink != before.st_nlink);
}

[[noreturn]] void refuse_changed(const std::string& display_name) {
  throw Error(ErrorCode::data, display_name + " was changed while it was read",
              "what was read does not belong to one moment, and was not used; do not write to a file while it is read: "
              "write a new file beside it, and rename that");
}

int spool(int from, const std::string& display_name) {
  NamelessFile file("the input");
  struct stat before {};
  const bool is_file = fstat(from, &before) == 0 && S_ISREG(before.st_mode);
  std::vector<char> buffer(std::size_t{1} << 20);
  for (;;) {
    const ssize_t count = read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_read(ErrorCode::data, display_name + " cannot be read", errno, {});
    if (count == 0) break;
    file.append(std::span(buffer).first(static_cast<std::size_t>(count)));
  }
  struct stat now {};
  if (is_file && (fstat(from, &now) != 0 || !is_as_it_was(before, now, Place::same))) refuse_changed(display_name);
  return file.release();
}

/// Closes unless released.
class Descriptor : Uncopied {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

struct Opened {
  int descriptor;
  bool by_process_link;  // through a link of /proc to what some process has open
};

/// Opens a path, and reports whether it leads through a link of /proc/PID, which may lead out of this process's file system.
Opened open_following(const std::string& path) {
  constexpr int flags = O_RDONLY | O_CLOEXEC;
#ifdef SYS_openat2
  struct {  // open_how of <linux/openat2.h>
    std::uint64_t flags;
    std::uint64_t mode;
    std::uint64_t resolve;
  } how{flags, 0, 0x02};  // RESOLVE_NO_MAGICLINKS
  const auto opened = static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how));
  if (opened >= 0) return {opened, false};
  if (errno == ELOOP) return {::open(path.c_str(), flags), true};
#endif
  // On an older kernel: the path of the opened file is searched for all the same.
  return {::open(path.c_str(), flags), false};
}

/// The path under which this process finds the file of a descriptor; empty if there is another file at this path, or none.
std::string path_of(int descriptor, [[maybe_unused]] const std::string& name) {
  std::error_code failed;
#ifdef __linux__
  const std::filesystem::path path =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), failed);
#else
  const std::filesystem::path path = std::filesystem::canonical(name, failed);
#endif
  struct stat opened {};
  struct stat there {};
  if (failed || !path.is_absolute() || fstat(descriptor, &opened) != 0 || lstat(path.c_str(), &there) != 0) return {};
  const bool is_same = opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
  return is_same && S_ISREG(there.st_mode) ? path.string() : std::string();
}

struct OpenedPath {
  int descriptor;
  OpenedFile opened;
};

OpenedPath open_path(const std::string& path) {
  const Opened opened = open_following(path);
  Descriptor file(opened.descriptor);
  if (file.get() < 0) {
    fail_to_read(ErrorCode::data, "cannot open " + path, errno,
                 errno == EMFILE ? "allow this process more open files: ulimit -n 4096" : hint_for_missing(path));
  }
  struct stat status {};
  if (fstat(file.get(), &status) != 0) fail_to_read(ErrorCode::data, "cannot open " + path, errno, {});
  if (S_ISDIR(status.st_mode)) {
    throw Error(ErrorCode::data, path + " is a directory, not a file", "name one file in it");
  }
  if (S_ISCHR(status.st_mode) && isatty(file.get()) == 0) {  // /dev/zero never ends
    throw Error(ErrorCode::data, path + " is a device, not a file", "name a file");
  }
  if (!S_ISREG(status.st_mode)) return {spool(file.get(), path), {path, {}}};
  const std::string real = opened.by_process_link ? std::string() : path_of(file.get(), path);
  return {file.release(), {path, real}};
}

}  // namespace

InputFile::InputFile(int descriptor, std::string display_name, OpenedFile opened, TextEncoding encoding)
    : descriptor_(descriptor), display_name_(std::move(display_name)), opened_(std::move(opened)), encoding_(encoding) {
  if (fstat(descriptor_, &as_opened_) != 0) fail_to_read(ErrorCode::data, "cannot open " + display_name_, errno, {});
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      display_name_(std::move(other.display_name_)),
      opened_(std::move(other.opened_)),
      as_opened_(other.as_opened_),
      encoding_(other.encoding_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

InputFile InputFile::open(const std::string& path, TextEncoding encoding) {
  if (path == "-") return {spool(STDIN_FILENO, "standard input"), "standard input", {path, {}}, encoding};
  OpenedPath file = open_path(path);
  return {file.descriptor, path, std::move(file.opened), encoding};
}

std::string InputFile::path() const { return path_of_descriptor(descriptor_); }

std::size_t InputFile::size() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) fail_to_read(ErrorCode::data, display_name_ + " cannot be read", errno, {});
  return static_cast<std::size_t>(status.st_size);
}

void InputFile::require_unchanged() const {
  struct stat now {};
  if (fstat(descriptor_, &now) != 0) fail_to_read(ErrorCode::data, display_name_ + " cannot be read", errno, {});
  const bool is_there = opened_.path.empty() || path_of(descriptor_, display_name_) == opened_.path;
  if (!is_as_it_was(as_opened_, now, is_there ? Place::same : Place::another)) refuse_changed(display_name_);
}

void InputFile::require_moment(const FileMoment& moment) const {
  const bool is_same = as_opened_.st_dev == moment.st_dev && as_opened_.st_ino == moment.st_ino;
  if (!is_same || !is_as_it_was(moment, as_opened_, Place::same)) refuse_changed(display_name_);
}

const Packing* InputFile::packing() const { return packing_of(head(longest_mark)); }

std::size_t InputFile::read(std::size_t offset, std::span<char> bytes) const {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got =
        pread(descriptor_, bytes.data() + filled, bytes.size() - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(ErrorCode::data, display_name_ + " cannot be read", errno, "check the disk it is on");
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
