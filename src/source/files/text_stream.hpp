// A text file from its beginning, gzipped or not, a piece at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "source/files/input_file.hpp"

namespace fractile::source_detail {

class TextStream {
 public:
  /// Reads the file from its beginning, whatever was read of it before; `file` must outlive this. Error(data) when it cannot
  /// be read.
  explicit TextStream(const InputFile& file);
  TextStream(TextStream&&) noexcept;
  TextStream& operator=(TextStream&&) = delete;
  ~TextStream();

  /// The next bytes, valid until the ones after them are asked for; empty at the end of the file. Error(data) for gzip that is
  /// truncated or damaged.
  std::string_view next();

 private:
  struct Gzip;
  const InputFile& file_;
  std::unique_ptr<Gzip> gzip_;  // none for plain text
  std::size_t offset_ = 0;      // of plain text
  std::vector<char> chunk_;
};

}  // namespace fractile::source_detail
