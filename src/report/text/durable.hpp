// Files that are written once and never changed: receipts and profiles.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libraries/disk_room.hpp"

namespace fractile {

/// Who may read a new file: its owner alone, or everyone whom the process's umask allows.
enum class Readers { owner, all };

/// Throws `usage` for "-", for which the program reads standard input elsewhere. `what` is the file's name in messages.
void require_named(const std::string& path, const std::string& what);

/// Throws `usage` unless a new file can be created at `path`. Leaves nothing behind. `path` must not be a name that SQLite may use for an
/// existing database (with -journal, -wal or -shm after the database's name), and not "-". `what` is the file's name in messages.
void require_writable(const std::string& path, const std::string& what = "receipt");

/// Throws `usage` if making this folder, with those above it, would make one at a name that SQLite may use for an existing database.
void require_own_folder(const std::string& folder);

/// The path of a file that may not exist yet, in a folder that exists: absolute, without links and dots.
std::string canonical_new_file(const std::string& path);

/// Reserves room on the disk for a file of at most this many bytes. Throws `data`, with the number of bytes, if there is no room.
class RoomForFile {
 public:
  RoomForFile(const std::string& path, std::uint64_t bytes, const std::string& what = "receipt");

 private:
  DiskRoom room_;
};

/// Whether a regular file with exactly this text stands at `path`.
bool is_written(const std::string& path, const std::string& text);

/// SHA-256 of a text in lower-case hexadecimal digits, by which a file's contents are declared.
std::string content_sha256(const std::string& contents);

/// Creates `path` with `text` durably: the file is written and synced without a name, and then given its name. Never replaces a file or
/// follows a link. Throws `data` when that fails, and leaves nothing behind.
void write_durably(const std::string& path, const std::string& text, const std::string& what = "receipt",
                   Readers readers = Readers::owner);

struct FileToWrite {
  std::string path;
  std::string text;
};

/// Creates all of the files, each as write_durably() does, or none.
void write_all_durably(const std::vector<FileToWrite>& files, const std::string& what, Readers readers);

}  // namespace fractile
