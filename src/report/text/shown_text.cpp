#include "report/text/shown_text.hpp"

#include <algorithm>
#include <cstdint>

#include "exact/edit_distance.hpp"
#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "report/text/characters.hpp"

namespace fractile {

using namespace report_detail;

namespace {

std::string hex_byte(char byte) { return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte)); }

std::string escaped(const Character& character) {
  switch (character.code) {
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    default:
      break;
  }
  if (character.code < 0x80) return hex_byte(static_cast<char>(character.code));
  return fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(character.code));
}

enum class LineFeeds { escaped, kept };

std::string shown(std::string_view text, LineFeeds feeds) {
  std::string result;
  while (!text.empty()) {
    const Character character = first_character(text);
    const bool feed = feeds == LineFeeds::kept && character.code == U'\n';
    if (!character.valid) {
      result += hex_byte(text.front());
    } else if (is_hidden(character.code) && !feed) {
      result += escaped(character);
    } else {
      result += text.substr(0, character.size);
    }
    text.remove_prefix(character.size);
  }
  return result;
}

/// Whether the text begins with "\x" and two lower-case digits, which is how name_text writes a byte.
bool looks_escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  return text.size() >= 4 && text.starts_with("\\x") && digits.find(text[2]) != std::string_view::npos &&
         digits.find(text[3]) != std::string_view::npos;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (;;) {
    text.remove_prefix(plain_characters(text));
    if (text.empty()) return true;
    const Character character = first_character(text);
    if (!character.valid) return false;
    text.remove_prefix(character.size);
  }
}

std::string shown_text(std::string_view text) { return shown(text, LineFeeds::escaped); }

std::string shown_lines(std::string_view text) { return shown(text, LineFeeds::kept); }

std::string name_text(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const Character character = first_character(name);
    if (character.valid && !looks_escaped(name)) {
      text += name.substr(0, character.size);
    } else {
      text += hex_byte(name.front());
    }
    name.remove_prefix(character.size);
  }
  return text;
}

std::string utf8_text(const std::string& text) { return is_utf8(text) ? text : name_text(text); }

std::string nearest_word(const std::string& typed, const std::vector<std::string>& words) {
  const auto distance = [&](const std::string& word) {
    return typed.size() > 2 && word.starts_with(typed) ? 1 : edit_distance(typed, word);
  };
  const auto nearest = std::ranges::min_element(words, {}, distance);
  if (nearest == words.end() || distance(*nearest) > std::max<std::size_t>(1, (typed.size() + 1) / 3)) return {};
  return *nearest;
}

}  // namespace fractile
