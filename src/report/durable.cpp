#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "fractile/error.hpp"
#include "fractile/report.hpp"

namespace fractile {
namespace {

std::string reason() { return std::strerror(errno); }

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool sync_folder(const std::string& path) {
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  const bool synced = fsync(folder) == 0;
  close(folder);
  return synced;
}

/// A new file under a temporary name beside `path`, removed again unless it was given its name.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path), temporary_(path + ".XXXXXX") {
    file_ = mkstemp(temporary_.data());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (file_ < 0) return;
    close(file_);
    unlink(temporary_.c_str());
  }

  bool created() const { return file_ >= 0; }

  bool write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = write(file_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return fsync(file_) == 0;
  }

  /// Fails with EEXIST rather than replacing a file.
  bool give_name() const {
    if (link(temporary_.c_str(), path_.c_str()) != 0) return false;
    if (sync_folder(folder_of(path_))) return true;
    const int reason_to_tell = errno;
    unlink(path_.c_str());
    errno = reason_to_tell;
    return false;
  }

 private:
  std::string path_;
  std::string temporary_;
  int file_ = -1;
};

}  // namespace

void require_writable(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {  // a dangling link is there, too
    throw Error(ErrorCode::usage, "the receipt '" + path + "' exists already",
                "choose another name, or move the old one away");
  }
  if (!NewFile(path).created()) {
    throw Error(ErrorCode::usage, "the receipt '" + path + "' cannot be created: " + reason(),
                "choose a folder that exists and that you may write to");
  }
}

void write_durably(const std::string& path, const std::string& text) {
  const NewFile file(path);
  if (!file.created() || !file.write_all(text) || !file.give_name()) {
    throw Error(ErrorCode::data, "the receipt '" + path + "' could not be written: " + reason(),
                "nothing was published; free some space or choose another place");
  }
}

}  // namespace fractile
