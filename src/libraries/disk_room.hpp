// Room on a disk, reserved before something is paid for that will be written there.
// Thread-safety: not for two threads at once.
#pragma once

#include <cstdint>
#include <string>

namespace fractile {

/// A nameless file in a folder; no other program gets its bytes meanwhile. They are free again however the process ends.
class DiskRoom {
 public:
  /// Reserves the bytes: none for 0, and none where the folder cannot have such a file, which the later writing will report.
  DiskRoom(const std::string& folder, std::uint64_t bytes);
  DiskRoom(const DiskRoom&) = delete;
  DiskRoom& operator=(const DiskRoom&) = delete;
  ~DiskRoom();

  /// What is missing, in words: how many bytes, and why they could not be reserved. Empty when they are reserved.
  const std::string& missing() const { return missing_; }

 private:
  int file_ = -1;
  std::string missing_;
};

}  // namespace fractile
