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
  /// Reads the file from its beginning, whatever was read of it before; `file` must outlive this.
  explicit TextStream(const InputFile& file);
  TextStream(TextStream&&) noexcept;
  TextStream& operator=(TextStream&&) = delete;
  ~TextStream();

  /// The next bytes, put into UTF-8 from the file's encoding, valid until the ones after them are asked for; empty at the end of the file.
  /// Throws `data` where Unpacking::read() does.
  std::string_view next();
  /// How many bytes of the file it has taken.
  std::size_t taken() const;

 private:
  std::string_view next_bytes();

  const InputFile& file_;
  Transcoder transcoder_;
  std::unique_ptr<Unpacking> unpacking_;  // none for plain text
  std::size_t offset_ = 0;                // of plain text
  std::vector<char> chunk_;
};

/// Throws `data` where the beginning of a packed file says that it is of a kind that is not read. Damage is not looked for, and files that are
/// not packed pass.
void require_read_packing(const InputFile& file);

/// At most `count` bytes of text from the beginning, as next() gives them; nothing is read that stands far behind the first line.
std::string text_head(const InputFile& file, std::size_t count);

}  // namespace fractile::source_detail
