// A text file from its beginning, gzipped or not, a piece at a time, as UTF-8.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "source/files/input_file.hpp"
#include "source/text/encoding.hpp"

namespace fractile::source_detail {

class TextStream {
 public:
  /// Reads the file from its beginning, whatever was read of it before; `file` must outlive this.
  explicit TextStream(const InputFile& file);
  TextStream(TextStream&&) noexcept;
  TextStream& operator=(TextStream&&) = delete;
  ~TextStream();

  /// The next bytes, put into UTF-8 from the file's encoding, valid until the ones after them are asked for; empty at the end of the file. Error(data) for gzip that is
  /// truncated, damaged, followed by other bytes, or of a header that the engine does not read.
  std::string_view next();
  /// How many bytes of the file it has taken.
  std::size_t taken() const;

 private:
  class Gzip;
  std::string_view next_bytes();

  const InputFile& file_;
  Transcoder transcoder_;
  std::unique_ptr<Gzip> gzip_;  // none for plain text
  std::size_t offset_ = 0;      // of plain text
  std::vector<char> chunk_;
};

/// At most `count` bytes of text from the beginning, as next() gives them; nothing is read that stands far behind the first line.
std::string text_head(const InputFile& file, std::size_t count);

/// Error(data) for a gzip file whose first bytes are a header that the engine does not read: with a comment, a checksum of its own, or a
/// mark that says text. Other files pass.
void require_readable_gzip(const InputFile& file);

}  // namespace fractile::source_detail
