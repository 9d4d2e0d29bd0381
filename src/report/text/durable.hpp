// Files that are written once and for good: receipts, profiles.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libraries/disk_room.hpp"

namespace fractile {

/// Who may read a new file: its owner alone, or everyone whom the process's umask allows.
enum class Readers { owner, all };

/// Throws `usage` unless a new file can be created at `path`; leaves nothing behind. A name that SQLite may use beside an existing
/// database (with -journal, -wal or -shm after it) cannot be used. `what`: how messages call it.
void require_writable(const std::string& path, const std::string& what = "receipt");

/// The path of a file that may not be there yet, in a folder that is: absolute, without links and dots.
std::string canonical_new_file(const std::string& path);

/// Reserves room on the disk for a file of at most this many bytes. Throws `data`, which says how many there must be.
class RoomForFile {
 public:
  RoomForFile(const std::string& path, std::uint64_t bytes, const std::string& what = "receipt");

 private:
  DiskRoom room_;
};

/// Is a regular file with exactly this text at `path`?
bool is_written(const std::string& path, const std::string& text);

/// SHA-256 of a text in lower-case hexadecimal digits, by which a file's contents are declared.
std::string content_sha256(const std::string& contents);

/// Creates `path` with `text` durably: a file without a name, synced, then given its name; never replaces a file or follows a
/// link. Throws `data` when that fails, with nothing left behind.
void write_durably(const std::string& path, const std::string& text, const std::string& what = "receipt",
                   Readers readers = Readers::owner);

struct FileToWrite {
  std::string path;
  std::string text;
};

/// Creates all of the files, each as write_durably() does, or none of them.
void write_all_durably(const std::vector<FileToWrite>& files, const std::string& what, Readers readers);

}  // namespace fractile
