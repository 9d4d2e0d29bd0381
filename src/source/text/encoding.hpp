// Text in declared encodings other than UTF-8. Every sequence of bytes is some text, so no record makes a reading fail.
#pragma once

#include <string>
#include <string_view>

namespace fractile::source_detail {

enum class TextEncoding {
  utf_8,
  latin_1,       ///< ISO 8859-1
  windows_1252,  ///< with the five undefined bytes as in ISO 8859-1
  utf_16,        ///< byte order by the byte order mark; without one, little endian
  utf_16_le,
  utf_16_be
};

/// The encoding of this name, in any letter case, with _ or - or neither: "latin1", "iso-8859-1", "windows-1252", "cp1252",
/// "utf-16". Empty: UTF-8. Throws `usage` for other names.
TextEncoding encoding_named(const std::string& name);

/// Converts text of another encoding to UTF-8, piece by piece. A UTF-16 surrogate without its other half becomes U+FFFD.
class Transcoder {
 public:
  explicit Transcoder(TextEncoding encoding) : encoding_(encoding) {}

  /// The text of the next bytes, as far as it is complete; valid until the next call.
  std::string_view of(std::string_view bytes);
  /// The text of what is left incomplete at the end.
  std::string_view rest();

 private:
  void add_unit(unsigned unit);
  void add_character(unsigned character);

  TextEncoding encoding_;
  bool is_at_start_ = true;
  bool has_byte_ = false;
  unsigned char byte_ = 0;  // the first byte of a unit
  unsigned high_ = 0;       // the first half of a character; 0: none
  std::string text_;
};

}  // namespace fractile::source_detail
