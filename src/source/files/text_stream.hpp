// A text file from its beginning, packed or not, a piece at a time, as UTF-8.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "source/files/input_file.hpp"
#include "source/text/encoding.hpp"
#include "source/text/unpacking.hpp"

namespace fractile::source_detail {

class TextStream {
 public:
  /// Reads the file from its beginning, whatever was read before. `file` must outlive this object.
  explicit TextStream(const InputFile& file);
  TextStream(TextStream&&) noexcept;
  TextStream& operator=(TextStream&&) = delete;
  ~TextStream();

  /// The next bytes, converted from the file's encoding to UTF-8. They are valid until the next call, and empty at the end of the
  /// file. Throws `data` as Unpacking::read() does.
  std::string_view next();
  /// The number of bytes of the file that were read.
  std::size_t taken() const;

 private:
  std::string_view next_bytes();

  const InputFile& file_;
  Transcoder transcoder_;
  std::unique_ptr<Unpacking> unpacking_;  // null for plain text
  std::size_t offset_ = 0;                // for plain text
  std::vector<char> chunk_;
};

/// Throws `data` when a packed file begins like a kind that cannot be read. Does not check for damage. Files that are not packed
/// pass.
void require_read_packing(const InputFile& file);

/// At most `count` bytes of text from the beginning, as next() returns them. Reads little beyond the first line.
std::string text_head(const InputFile& file, std::size_t count);

}  // namespace fractile::source_detail
