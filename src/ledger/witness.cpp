#include "ledger/witness.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "exact/digest.hpp"
#include "exact/shell_word.hpp"
#include "fractile/error.hpp"
#include "ledger/chain.hpp"
#include "ledger/sqlite.hpp"
#include "libraries/disk_room.hpp"
#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

constexpr const char* format_name = "fractile witness 1";

std::string text_of(const Seen& seen) {
  const std::string fields =
      field_text(format_name) + field_text(std::to_string(seen.line)) + field_text(seen.hash) + field_text(seen.sums);
  return fields + field_text(sha256(fields));
}

/// The contents of a line; `nullopt` when the line is not whole.
std::optional<Seen> seen_in(std::string_view line) {
  const auto fields = fields_in(line);
  if (!fields || fields->size() != 5) return {};
  Seen seen{number_in((*fields)[1]), (*fields)[2], (*fields)[3]};
  if (seen.line < 0 || text_of(seen) != line) return {};
  return seen;
}

/// The last whole line in the end of a file; `begins` says that `text` is the whole file.
std::optional<Seen> last_in(std::string_view text, bool begins) {
  std::size_t end = text.rfind('\n');
  while (end != std::string_view::npos) {
    const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    if (before == std::string_view::npos && !begins) return {};
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    if (std::optional<Seen> seen = seen_in(text.substr(start, end - start))) return seen;
    end = before;
  }
  return {};
}

std::string named(const std::string& ledger, const std::string& path) {
  return fmt::format("the witness '{}' of the ledger '{}'", path, ledger);
}

void require_made(bool is_made, const std::string& ledger, const std::string& path) {
  if (is_made) return;
  throw Error(ErrorCode::ledger, fmt::format("{} cannot be created: {}", named(ledger, path), std::strerror(errno)),
              "choose a folder that exists and that you may write to");
}

}  // namespace

bool has_seen(const Store& store, const Seen& seen) {
  if (seen.line == 0) return true;
  const std::optional<Fields> row = store.find(Table::events, seen.line);
  return row && (*row)[6] == seen.hash;
}

Witness::Witness(const Store* store, std::string ledger, const std::string& path, For use)
    : store_(store), ledger_(std::move(ledger)), path_(path) {
  const int how = use == For::reading ? O_RDONLY : O_RDWR | O_APPEND;
  file_ = open(path.c_str(), how | O_CLOEXEC | O_NONBLOCK);  // does not wait for a pipe
  if (file_ < 0 && errno == ENOENT) {
    fail("is not there",
         fmt::format("make its disk available; if the file is lost for good, docs/ledger.md says when fractile ledger "
                     "witness {} --accept may make a new one",
                     shell_path(ledger_)));
  }
  if (file_ < 0) {
    fail(fmt::format("cannot be used: {}", std::strerror(errno)),
         "all who release must be able to read it and to write at its end");
  }
  struct stat there {};
  if (fstat(file_, &there) == 0 && S_ISREG(there.st_mode)) return;
  close(file_);
  fail("is not a file", "name a file for it");
}

Witness::~Witness() { close(file_); }

void Witness::fail(const std::string& what, const std::string& hint) const {
  throw Error(ErrorCode::ledger, fmt::format("{} {}", named(ledger_, path_), what), hint);
}

bool Witness::is_there(const std::string& path) {
  struct stat there {};
  return lstat(path.c_str(), &there) == 0;
}

void Witness::require_possible(const std::string& ledger, const std::string& path) {
  if (is_there(path)) {
    static_cast<void>(Witness(nullptr, ledger, path, For::writing).last());
    return;
  }
  require_no_companion(path, "witness");
  const std::string folder = std::filesystem::path(path).parent_path().string();
  require_made(access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0, ledger, path);
}

void Witness::create(const Store& store, const std::string& path, const Seen& seen) {
  require_no_companion(path, "witness");
  const auto require = [&](bool done) { require_made(done, store.name(), path); };
  std::string unfinished = path + ".XXXXXX";
  const int file = mkostemp(unfinished.data(), O_CLOEXEC);
  require(file >= 0);
  const bool written = write_synced(file, text_of(seen) + "\n");
  int reason = errno;
  close(file);
  const bool named = written && renameat2(AT_FDCWD, unfinished.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0;
  if (written && !named) reason = errno;
  if (!named) unlink(unfinished.c_str());
  errno = reason;
  require(named);
  require(sync_folder(std::filesystem::path(path).parent_path().string()));
}

Seen Witness::last() const {
  struct stat there {};
  if (fstat(file_, &there) != 0)
    fail(fmt::format("cannot be read: {}", std::strerror(errno)), "see what is wrong there");
  const auto size = static_cast<std::size_t>(there.st_size);
  for (std::size_t wanted = std::size_t{1} << 16;; wanted *= 4) {
    std::string text(std::min(size, wanted), '\0');
    const ssize_t got = pread(file_, text.data(), text.size(), static_cast<off_t>(size - text.size()));
    if (got < 0) fail(fmt::format("cannot be read: {}", std::strerror(errno)), "see what is wrong there");
    const bool begins = text.size() == size;
    text.resize(static_cast<std::size_t>(got));
    if (std::optional<Seen> seen = last_in(text, begins)) return *seen;
    if (!begins) continue;
    fail("holds no line of a ledger", "put the file back that fractile ledger init made, or name another one");
  }
}

void Witness::require_known() const {
  const Seen seen = last();
  if (has_seen(*store_, seen)) return;
  throw Error(
      ErrorCode::ledger,
      fmt::format("the ledger '{}' is behind its witness '{}': it does not have line {} as the witness has seen "
                  "it, so it was put back to an earlier state, or is another ledger",
                  ledger_, path_, seen.line),
      fmt::format("put the latest state back if there is one; otherwise fractile ledger witness {} --accept "
                  "charges again what is missing",
                  shell_path(ledger_)));
}

/// Reserves blocks behind the file's end for two lines with longer sums, if the file system can do this.
void Witness::take_room(const Seen& now) const {
  constexpr std::size_t block = 4096;
  struct stat there {};
  if (fstat(file_, &there) != 0) return;
  const std::size_t wanted = 2 * text_of(now).size() + block;
  rlimit longest{};
  // fallocate does not report that the process may not write files of this length.
  const auto end = static_cast<rlim_t>(there.st_size) + wanted;
  if (getrlimit(RLIMIT_FSIZE, &longest) == 0 && longest.rlim_cur < end) {
    errno = EFBIG;
  } else if (fallocate(file_, FALLOC_FL_KEEP_SIZE, there.st_size, static_cast<off_t>(wanted)) == 0) {
    return;
  }
  if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG) return;
  fail(fmt::format("could not be written: {} bytes may be needed, and its disk does not have them: {}", wanted,
                   std::strerror(errno)),
       "make room for it");
}

void Witness::append(const Seen& seen) const {
  struct stat there {};
  char end = '\n';
  const bool known = fstat(file_, &there) == 0 && (there.st_size == 0 || pread(file_, &end, 1, there.st_size - 1) == 1);
  const std::string text = (end == '\n' ? "" : "\n") + text_of(seen) + "\n";
  if (known && write_synced(file_, text)) return;
  fail(fmt::format("could not be written: {}", std::strerror(errno)),
       "see that there is room, and that it may be written");
}

}  // namespace fractile::ledger_detail
