#include "report/text/durable.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "exact/digest.hpp"
#include "exact/own_environment.hpp"
#include "exact/uncopied.hpp"
#include "fractile/error.hpp"
#include "ledger/sqlite.hpp"

namespace fractile {
namespace {

std::string reason() { return std::strerror(errno); }

std::string folder_of(const std::string& path) {
  const OwnEnvironment own;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// A new file without a name in the folder of `path`, which vanishes unless it is given that name. Whatever stops the process, either the
/// whole file stands at `path` or no file does. On a file system without such files, a file with a temporary name next to `path` is used
/// instead. It stays behind if the process is killed.
class NewFile : Uncopied {
 public:
  NewFile(const std::string& path, Readers readers) : path_(path), folder_(folder_of(path)) {
    const mode_t mode = readers == Readers::owner ? 0600 : 0666;  // the process's umask removes some of these bits
    file_ = open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (file_ >= 0 && access(name_of_descriptor().c_str(), F_OK) == 0) return;
    if (file_ >= 0) close(file_);  // without /proc, the file could not be given a name
    temporary_ = path + ".XXXXXX";
    file_ = mkostemp(temporary_.data(), O_CLOEXEC);
  }
  ~NewFile() {
    if (file_ < 0) return;
    close(file_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
  }

  bool created() const { return file_ >= 0; }

  bool write_all(std::string_view text) const { return write_synced(file_, text); }

  /// Fails with EEXIST rather than replacing a file or following a link.
  bool give_name() const {
    // The link goes through /proc, because linking a descriptor itself (AT_EMPTY_PATH) takes a privilege.
    const std::string now = temporary_.empty() ? name_of_descriptor() : temporary_;
    if (linkat(AT_FDCWD, now.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) != 0) return false;
    if (sync_folder(folder_)) return true;
    const int reason_to_tell = errno;
    take_name();
    errno = reason_to_tell;
    return false;
  }

  void take_name() const { unlink(path_.c_str()); }

 private:
  std::string name_of_descriptor() const { return "/proc/self/fd/" + std::to_string(file_); }

  std::string path_;
  std::string folder_;
  std::string temporary_;  // empty when the file has no name
  int file_ = -1;
};

bool is_regular(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(std::filesystem::symlink_status(path, ignored));
}

void refuse_companion(const std::string& path, const std::string& what) {
  for (const std::string_view suffix : ledger_detail::companions) {
    if (!path.ends_with(suffix)) continue;
    const std::string database = path.substr(0, path.size() - suffix.size());
    struct stat there {};
    if (lstat(database.c_str(), &there) != 0) continue;
    std::string words = "the ";
    words.append(what).append(" '").append(path).append("' would stand where a database in '");
    words.append(database).append("' keeps its own file");
    throw Error(ErrorCode::usage, words, "choose another name");
  }
}

[[noreturn]] void refuse_unwritten(const std::string& path, const std::string& what) {
  const char* const hint = errno == EEXIST ? "choose another name, or move the old one away"
                           : errno == ENOSPC || errno == EDQUOT || errno == EFBIG
                               ? "free some space or choose another place"
                               : "choose another place";
  throw Error(ErrorCode::data, "the " + what + " '" + path + "' could not be written: " + reason(), hint);
}

}  // namespace

void require_named(const std::string& path, const std::string& what) {
  if (path != "-") return;
  throw Error(ErrorCode::usage, "the " + what + " goes to a file, and '-' names none",
              "name a file; ./- is a file of this name");
}

void require_writable(const std::string& path, const std::string& what) {
  const OwnEnvironment own;
  refuse_companion(path, what);
  struct stat there {};
  require_named(path, what);
  if (lstat(path.c_str(), &there) == 0) {  // this finds a dangling link, too
    throw Error(ErrorCode::usage, "the " + what + " '" + path + "' already exists",
                "choose another name, or move the old one away");
  }
  // Creating a file without a name does not show that the name is too long.
  if (errno != ENOENT || !NewFile(path, Readers::owner).created()) {
    throw Error(ErrorCode::usage, "the " + what + " '" + path + "' cannot be created: " + reason(),
                "choose a folder that exists and that you may write to");
  }
}

void require_own_folder(const std::string& folder) {
  std::filesystem::path made;
  std::error_code unknown;
  for (const std::filesystem::path& part : std::filesystem::path(folder)) {
    if (part.empty() || part == ".") continue;
    made /= part;
    if (!std::filesystem::exists(made, unknown)) refuse_companion(made.string(), "folder");
  }
}

std::string canonical_new_file(const std::string& path) {
  const OwnEnvironment own;
  std::error_code unknown;
  const std::filesystem::path file = std::filesystem::absolute(path, unknown);
  if (unknown) return path;  // the folder of this process is gone
  const std::filesystem::path folder = std::filesystem::canonical(file.parent_path(), unknown);
  return unknown ? file.string() : (folder / file.filename()).string();
}

RoomForFile::RoomForFile(const std::string& path, std::uint64_t bytes, const std::string& what)
    : room_(folder_of(path), bytes) {
  if (room_.missing().empty()) return;
  throw Error(ErrorCode::data, "the " + what + " '" + path + "' could not be written: " + room_.missing(),
              "free some space or choose another place");
}

std::string content_sha256(const std::string& contents) { return sha256(contents); }

bool is_written(const std::string& path, const std::string& text) {
  const OwnEnvironment own;
  if (!is_regular(path)) return false;  // reading a pipe would wait
  std::ifstream file(path, std::ios::binary);
  const std::string found{std::istreambuf_iterator<char>(file), {}};
  return file && found == text;
}

void write_durably(const std::string& path, const std::string& text, const std::string& what, Readers readers) {
  const OwnEnvironment own;
  write_all_durably({{path, text}}, what, readers);
}

void write_all_durably(const std::vector<FileToWrite>& files, const std::string& what, Readers readers) {
  const OwnEnvironment own;
  std::deque<NewFile> written;  // a deque, since a NewFile cannot be moved
  for (const FileToWrite& file : files) {
    refuse_companion(file.path, what);
    const NewFile& next = written.emplace_back(file.path, readers);
    if (!next.created() || !next.write_all(file.text)) refuse_unwritten(file.path, what);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (written[i].give_name()) continue;
    const int reason_to_tell = errno;
    for (std::size_t j = 0; j < i; ++j) written[j].take_name();
    errno = reason_to_tell;
    refuse_unwritten(files[i].path, what);
  }
}

}  // namespace fractile
