// Temporary files for content that is as sensitive as the data. They are private and lose their names before a byte is written, so
// they vanish with the process, however it ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "exact/uncopied.hpp"
#include "fractile/error.hpp"

namespace fractile::source_detail {

/// A path under which only this process can open the file of this descriptor.
std::string path_of_descriptor(int descriptor);

/// A failure of a temporary file. The code is `internal`.
class SpoolFailure : public Error {
 public:
  using Error::Error;
};

/// Every failure throws SpoolFailure. Thread-safety: append() and read() may be called from any thread.
class NamelessFile : Uncopied {
 public:
  /// A file in $TMPDIR, of mode 0600. `content`: how messages call its contents.
  explicit NamelessFile(std::string content);
  ~NamelessFile();

  /// Appends the bytes, and returns the offset of the first one.
  std::uint64_t append(std::span<const char> bytes);
  /// Reads what was written at `from`.
  void read(std::uint64_t from, std::span<char> bytes) const;
  /// The descriptor, which the caller closes.
  int release();

 private:
  std::string content_;
  int descriptor_;
  std::atomic<std::uint64_t> size_ = 0;
};

/// Runs a pass that holds records up to this much memory and puts further ones into nameless files; 0: it holds all. The number of
/// records must not decide whether the pass succeeds. So if the disk has no room for them, the pass is repeated with all records in
/// memory.
template <class Pass>
auto held_or_spooled(std::uint64_t memory, Pass pass) {
  try {
    return pass(memory);
  } catch (const SpoolFailure&) {
    if (memory == 0) throw;
  }
  return pass(std::uint64_t{0});
}

/// Throws SpoolFailure if no such file can be created, so that this is known before any record is read.
void require_spool(std::uint64_t memory, const std::string& content);

}  // namespace fractile::source_detail
