#include "ledger/names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "fractile/error.hpp"

namespace fractile::ledger_detail {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

/// Control characters, joiners, directions, blanks of other widths.
constexpr std::array unseen{Range{0x7F, 0xA0},     Range{0xAD, 0xAD},     Range{0x61C, 0x61C},    Range{0x1680, 0x1680},
                            Range{0x180E, 0x180E}, Range{0x2000, 0x200F}, Range{0x2028, 0x202F},  Range{0x205F, 0x206F},
                            Range{0x3000, 0x3000}, Range{0xFEFF, 0xFEFF}, Range{0xE0000, 0xE0FFF}};
/// Marks on letters, and the parts of Korean syllables.
constexpr std::array parts{Range{0x300, 0x36F}, Range{0x1100, 0x11FF}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}};

/// Of UTF-8; a byte that belongs to no character counts as one.
std::vector<std::uint32_t> characters_of(const std::string& text) {
  std::vector<std::uint32_t> characters;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xC0U) == 0x80 && !characters.empty();
    if (continues) {
      characters.back() = (characters.back() << 6U) | (byte & 0x3FU);
    } else {
      characters.push_back(byte < 0xC0 ? byte : byte < 0xE0 ? byte & 0x1FU : byte < 0xF0 ? byte & 0x0FU : byte & 0x07U);
    }
  }
  return characters;
}

template <class Ranges>
bool has_any(const std::vector<std::uint32_t>& characters, const Ranges& ranges) {
  return std::ranges::any_of(characters, [&](std::uint32_t character) {
    return std::ranges::any_of(ranges,
                               [&](const Range& range) { return range.first <= character && character <= range.last; });
  });
}

}  // namespace

void require_name(const std::string& name) {
  constexpr std::size_t longest = 200;
  const std::vector<std::uint32_t> characters = characters_of(name);
  const char* const what = name.starts_with(' ') || name.ends_with(' ') ? "begins or ends with a blank"
                           : characters.size() > longest                ? "has more than 200 characters"
                           : has_any(characters, unseen)                ? "has an invisible character"
                           : has_any(characters, parts) ? "has a letter that is written as two characters"
                                                        : nullptr;
  if (what == nullptr) return;
  throw Error(ErrorCode::usage, fmt::format("the name of a dataset {}", what), "choose another name", "dataset");
}

}  // namespace fractile::ledger_detail
