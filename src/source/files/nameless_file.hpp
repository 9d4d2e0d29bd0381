// Temporary files for what is as sensitive as the data: private, and without a name before a byte is written, so that they vanish with
// the process, however it ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

namespace fractile::source_detail {

/// Thread-safety: append() and read() from any thread.
class NamelessFile {
 public:
  /// In $TMPDIR, of mode 0600. `content`: what messages call what is written. Error(internal) when there can be none.
  explicit NamelessFile(std::string content);
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile();

  /// Writes behind all that was written; where that begins. Error(internal) when there is no room.
  std::uint64_t append(std::span<const char> bytes);
  /// What was written there. Error(internal) when it cannot be read.
  void read(std::uint64_t from, std::span<char> bytes) const;
  /// The descriptor, which the caller closes.
  int release();

 private:
  std::string content_;
  int descriptor_;
  std::atomic<std::uint64_t> size_ = 0;
};

}  // namespace fractile::source_detail
