// Text in other encodings than UTF-8, by declaration: every sequence of bytes is some text, so that no record ends a reading.
#pragma once

#include <string>
#include <string_view>

namespace fractile::source_detail {

enum class TextEncoding {
  utf_8,
  latin_1,       ///< ISO 8859-1
  windows_1252,  ///< with the five bytes that it leaves open as ISO 8859-1 has them
  utf_16,        ///< in the order of its byte order mark; without one, little endian
  utf_16_le,
  utf_16_be
};

/// By its name, in any letter case, with _ or - or neither: "latin1", "iso-8859-1", "windows-1252", "cp1252", "utf-16". Empty: UTF-8.
/// Throws `usage` for other names.
TextEncoding encoding_named(const std::string& name);

/// Puts text of another encoding into UTF-8, piece by piece. A unit of UTF-16 without its other half becomes U+FFFD.
class Transcoder {
 public:
  explicit Transcoder(TextEncoding encoding) : encoding_(encoding) {}

  /// The text of the next bytes, as far as it is known; valid until the next call.
  std::string_view of(std::string_view bytes);
  /// What remains behind the last ones.
  std::string_view rest();

 private:
  void add_unit(unsigned unit);
  void add_character(unsigned character);

  TextEncoding encoding_;
  bool is_at_start_ = true;
  bool has_byte_ = false;
  unsigned char byte_ = 0;  // the first of a unit
  unsigned high_ = 0;       // the first half of a character; 0: none
  std::string text_;
};

}  // namespace fractile::source_detail
