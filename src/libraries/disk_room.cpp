#include "libraries/disk_room.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "libraries/fmt.hpp"

namespace fractile {
namespace {

/// Opens a file without a name. Where the file system has no such files, a named file is opened and unlinked at once.
int open_nameless(const std::string& folder) {
  const int file = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) return file;
  std::string name = folder + "/.fractile-room-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

DiskRoom::DiskRoom(const std::string& folder, std::uint64_t bytes) {
  if (bytes == 0) return;
  file_ = open_nameless(folder);
  if (file_ < 0) return;
  const int reason = posix_fallocate(file_, 0, static_cast<off_t>(bytes));
  if (reason != ENOSPC && reason != EFBIG && reason != EDQUOT) return;
  close(std::exchange(file_, -1));
  missing_ = fmt::format("{} bytes may be needed for this release, and its disk does not have them: {}", bytes,
                         std::strerror(reason));
}

DiskRoom::~DiskRoom() {
  if (file_ >= 0) close(file_);
}

bool write_synced(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return fsync(file) == 0;
}

bool sync_folder(const std::string& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool synced = fsync(file) == 0;
  const int reason = errno;
  close(file);
  errno = reason;
  return synced;
}

}  // namespace fractile
