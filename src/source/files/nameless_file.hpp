// Temporary files for what is as sensitive as the data: private, and without a name before a byte is written, so that they vanish with
// the process, however it ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "fractile/error.hpp"

namespace fractile::source_detail {

/// A path under which this process, and it alone, can open what it has open.
std::string path_of_descriptor(int descriptor);

/// What a temporary file could not do. The code is `internal`.
class SpoolFailure : public Error {
 public:
  using Error::Error;
};

/// Every failure is a SpoolFailure. Thread-safety: append() and read() from any thread.
class NamelessFile {
 public:
  /// In $TMPDIR, of mode 0600. `content`: what messages call what is written.
  explicit NamelessFile(std::string content);
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile();

  /// Writes behind all that was written; where that begins.
  std::uint64_t append(std::span<const char> bytes);
  /// What was written there.
  void read(std::uint64_t from, std::span<char> bytes) const;
  /// The descriptor, which the caller closes.
  int release();

 private:
  std::string content_;
  int descriptor_;
  std::atomic<std::uint64_t> size_ = 0;
};

}  // namespace fractile::source_detail
