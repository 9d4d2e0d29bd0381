// The characters of a text, and which of them are invisible.
#pragma once

#include <cstddef>
#include <string_view>

namespace fractile::report_detail {

struct Character {
  char32_t code;
  std::size_t size;  ///< in bytes
  bool valid;        ///< if not, this is one byte that does not begin a character of UTF-8
};

/// The first character of a text that is not empty.
Character first_character(std::string_view text);

/// How many bytes the text begins with that are visible characters of ASCII or blanks: most texts consist of them.
std::size_t plain_characters(std::string_view text);

/// Whether a character is not seen itself, but acts on a terminal or changes how the text around it is laid out or read.
bool is_hidden(char32_t code);

}  // namespace fractile::report_detail
