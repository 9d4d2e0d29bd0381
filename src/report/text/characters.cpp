#include "report/text/characters.hpp"

#include <algorithm>
#include <array>

namespace fractile::report_detail {
namespace {

struct Lead {
  unsigned char least;
  unsigned char most;
  std::size_t size;
  unsigned char least_second;  // excludes overlong forms, surrogates, and code points above U+10FFFF
  unsigned char most_second;
};

/// RFC 3629, section 4: the first bytes of characters, and what may follow them.
constexpr std::array leads{Lead{0xC2, 0xDF, 2, 0x80, 0xBF}, Lead{0xE0, 0xE0, 3, 0xA0, 0xBF},
                           Lead{0xE1, 0xEC, 3, 0x80, 0xBF}, Lead{0xED, 0xED, 3, 0x80, 0x9F},
                           Lead{0xEE, 0xEF, 3, 0x80, 0xBF}, Lead{0xF0, 0xF0, 4, 0x90, 0xBF},
                           Lead{0xF1, 0xF3, 4, 0x80, 0xBF}, Lead{0xF4, 0xF4, 4, 0x80, 0x8F}};

struct Range {
  char32_t least;
  char32_t most;
};

/// Control characters, the separators of lines and paragraphs, and Unicode's format characters except for the joiners.
constexpr std::array hidden{Range{0x00, 0x1F},     Range{0x7F, 0x9F},     Range{0xAD, 0xAD},
                            Range{0x61C, 0x61C},   Range{0x180E, 0x180E}, Range{0x200B, 0x200B},
                            Range{0x200E, 0x200F}, Range{0x2028, 0x202E}, Range{0x2060, 0x206F},
                            Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB}, Range{0xE0000, 0xE007F}};

}  // namespace

Character first_character(std::string_view text) {
  constexpr Character no_utf8{0, 1, false};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1, true};
  const auto* const lead =
      std::ranges::find_if(leads, [&](const Lead& each) { return each.least <= byte(0) && byte(0) <= each.most; });
  if (lead == leads.end() || text.size() < lead->size) return no_utf8;
  if (byte(1) < lead->least_second || byte(1) > lead->most_second) return no_utf8;
  char32_t code = byte(0) & (0x7FU >> lead->size);
  for (std::size_t i = 1; i < lead->size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return no_utf8;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  return {code, lead->size, true};
}

std::size_t plain_characters(std::string_view text) {
  const auto* const end = std::ranges::find_if_not(text, [](char c) { return c >= ' ' && c <= '~'; });
  return static_cast<std::size_t>(end - text.begin());
}

bool is_hidden(char32_t code) {
  if (code >= U' ' && code <= U'~') return false;
  return std::ranges::any_of(hidden, [&](const Range& range) { return range.least <= code && code <= range.most; });
}

}  // namespace fractile::report_detail
