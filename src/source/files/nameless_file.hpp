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

/// A pass that holds records up to this much memory and puts others into nameless files; 0: it holds all. How many records there are must
/// not decide whether it succeeds: where the disk has no room for them, the pass is made again, and they stay in memory.
template <class Pass>
auto held_or_spooled(std::uint64_t memory, Pass pass) {
  try {
    return pass(memory);
  } catch (const SpoolFailure&) {
    if (memory == 0) throw;
  }
  return pass(std::uint64_t{0});
}

/// Throws SpoolFailure where no such file can be made, so that this is known before any record is read.
void require_spool(std::uint64_t memory, const std::string& content);

}  // namespace fractile::source_detail
