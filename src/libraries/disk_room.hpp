// Reserves disk space before something is paid for that will be written there, and writes what must outlast a crash.
// Thread-safety: not for two threads at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fractile {

/// A file without a name in a folder. No other program can take its bytes while it exists. However the process ends, they are freed.
class DiskRoom {
 public:
  /// Reserves the bytes. Reserves nothing for 0 bytes, or where the folder cannot have such a file: the later writing will report that
  /// failure.
  DiskRoom(const std::string& folder, std::uint64_t bytes);
  DiskRoom(const DiskRoom&) = delete;
  DiskRoom& operator=(const DiskRoom&) = delete;
  ~DiskRoom();

  /// How many bytes could not be reserved, and why, in words; empty when they are reserved.
  const std::string& missing() const { return missing_; }

 private:
  int file_ = -1;
  std::string missing_;
};

/// Writes the whole text to the open file and waits until the disk has it; otherwise false, and errno says why.
bool write_synced(int file, std::string_view text);

/// Waits until the disk has the names of the folder's files; otherwise false, and errno says why.
bool sync_folder(const std::string& folder);

}  // namespace fractile
