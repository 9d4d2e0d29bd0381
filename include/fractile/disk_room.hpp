// Room on a disk, taken before something is paid for that will be written there.
// Thread-safety: not for two threads at once.
#pragma once

#include <cstdint>
#include <string>

namespace fractile {

/// A file without a name in a folder, whose bytes no other program gets meanwhile. However the process ends, they are free again.
class DiskRoom {
 public:
  /// Takes them; none for 0, and none where the folder can have no such file, which the writing itself will report.
  DiskRoom(const std::string& folder, std::uint64_t bytes);
  DiskRoom(const DiskRoom&) = delete;
  DiskRoom& operator=(const DiskRoom&) = delete;
  ~DiskRoom();

  /// What is missing, in words: so many bytes, and why there are not. Empty when they are there.
  const std::string& missing() const { return missing_; }

 private:
  int file_ = -1;
  std::string missing_;
};

}  // namespace fractile
