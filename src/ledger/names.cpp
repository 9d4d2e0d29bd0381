#include "ledger/names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/error.hpp"
#include "ledger/unicode_names.hpp"
#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

using Characters = std::vector<std::uint32_t>;

/// Control characters, joiners, direction marks, blanks of other widths, and letters that are blank.
constexpr std::array unseen{
    Range{0x7F, 0xA0},       Range{0xAD, 0xAD},       Range{0x61C, 0x61C},    Range{0x1680, 0x1680},
    Range{0x17B4, 0x17B5},   Range{0x180B, 0x180F},   Range{0x2000, 0x200F},  Range{0x2028, 0x202F},
    Range{0x205F, 0x206F},   Range{0x2800, 0x2800},   Range{0x3000, 0x3000},  Range{0x3164, 0x3164},
    Range{0xFE00, 0xFE0F},   Range{0xFEFF, 0xFEFF},   Range{0xFFA0, 0xFFA0},  Range{0xFFF0, 0xFFFB},
    Range{0x1BCA0, 0x1BCA3}, Range{0x1D173, 0x1D17A}, Range{0xE0000, 0xE0FFF}};
/// Marks on letters, and the parts of Korean syllables.
constexpr std::array parts{Range{0x300, 0x36F},   Range{0x1100, 0x11FF}, Range{0x1AB0, 0x1AFF},
                           Range{0x1DC0, 0x1DFF}, Range{0xA960, 0xA97F}, Range{0xD7B0, 0xD7FF}};

/// The characters of a UTF-8 text, each encoded in its shortest form; `nullopt` for other bytes.
std::optional<Characters> characters_of(const std::string& text) {
  constexpr std::array<std::uint32_t, 4> least{0, 0x80, 0x800, 0x10000};
  Characters characters;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at++]);
    const std::size_t more = first < 0x80   ? 0
                             : first < 0xC0 ? 4
                             : first < 0xE0 ? 1
                             : first < 0xF0 ? 2
                             : first < 0xF8 ? 3
                                            : 4;
    if (more > 3 || at + more > text.size()) return {};
    std::uint32_t character = more == 0 ? first : first & (0x3FU >> more);
    for (std::size_t i = 0; i < more; ++i) {
      const auto next = static_cast<unsigned char>(text[at++]);
      if ((next & 0xC0U) != 0x80) return {};
      character = (character << 6U) | (next & 0x3FU);
    }
    if (character < least.at(more) || character > 0x10FFFF || (character >= 0xD800 && character < 0xE000)) return {};
    characters.push_back(character);
  }
  return characters;
}

template <class Ranges>
bool is_in(std::uint32_t character, const Ranges& ranges) {
  return std::ranges::any_of(ranges,
                             [&](const auto& range) { return range.first <= character && character <= range.last; });
}

template <class Ranges>
bool has_any(const Characters& characters, const Ranges& ranges) {
  return std::ranges::any_of(characters, [&](std::uint32_t character) { return is_in(character, ranges); });
}

/// A mark's place (see Marks); 0 for a character that is not a mark.
unsigned place_of(std::uint32_t character) {
  const auto found = std::ranges::find_if(
      all_marks, [&](const Marks& marks) { return marks.first <= character && character <= marks.last; });
  return found == all_marks.end() ? 0 : found->place;
}

/// Whether the normal form (C) may compose a letter and a mark behind it, or reorder or compose two marks. If this is false and no
/// character is in `rewritten`, the text is its own normal form: each character is its own normal form, the marks on each letter are
/// sorted, and nothing is composed. A mark of `joining_marks` is not composed, since the text has none. The second character of a pair of
/// `composed` could be composed only with the character directly in front of it: if the second character is a mark, it stands directly
/// behind a letter; if it is not, it cannot be composed across a mark. The character in front is not its partner, and is first composed
/// again from its own parts. (Sorting does not move such a mark in front of a mark that is part of the letter, since every mark that
/// combines with a partner of this mark has the same place.)
bool is_written_in_parts(const Characters& characters) {
  const auto joins = [](std::uint32_t second) {
    return std::ranges::find(composed, second, &Pair::second) != composed.end();
  };
  const auto is_pair = [](std::uint32_t first, std::uint32_t second) {
    return std::ranges::any_of(composed,
                               [&](const Pair& pair) { return pair.first == first && pair.second == second; });
  };
  if (has_any(characters, parts) || has_any(characters, joining_marks)) return true;
  unsigned last_place = 0;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const unsigned place = place_of(characters[i]);
    if (place > 0 && (i == 0 || place < last_place)) return true;
    if (i > 0 && is_pair(characters[i - 1], characters[i])) return true;
    if (place > 0 && last_place > 0 && joins(characters[i])) return true;
    last_place = place;
  }
  return false;
}

bool is_its_own_form(const std::string& name) {
  const std::optional<Characters> characters = characters_of(name);
  return characters && !has_any(*characters, rewritten) && !is_written_in_parts(*characters);
}

const char* trouble_of(const std::string& name) {
  constexpr std::size_t longest = 200;
  const std::optional<Characters> characters = characters_of(name);
  if (!characters) return "is not UTF-8 text";
  return name.starts_with(' ') || name.ends_with(' ') ? "begins or ends with a blank"
         : characters->size() > longest               ? "has more than 200 characters"
         : has_any(*characters, unseen)               ? "has an invisible character"
         : has_any(*characters, rewritten)  ? "has a character that Unicode's normal form replaces with another"
         : is_written_in_parts(*characters) ? "has a letter that is written as two characters"
                                            : nullptr;
}

/// Whether a name has only characters that no normal form substitutes for others or composes with others.
bool is_plain(const std::string& name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ' ' || c == '-' || c == '_' || c == '.';
  });
}

}  // namespace

void require_name(const std::string& name) {
  const char* const trouble = trouble_of(name);
  if (trouble == nullptr) return;
  throw Error(ErrorCode::usage, fmt::format("the name of a dataset {}", trouble), "choose another name", "dataset");
}

void require_unlike(const std::string& name, const std::string& other) {
  if (is_its_own_form(other) || is_plain(name)) return;
  throw Error(ErrorCode::usage,
              fmt::format("the ledger has a dataset '{}', whose name can be written in several ways", other),
              "choose a name of small letters a to z, digits, blanks and - . _", "dataset");
}

}  // namespace fractile::ledger_detail
