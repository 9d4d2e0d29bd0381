#include "source/text/encoding.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "fractile/error.hpp"
#include "source/engine/letter_case.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::array<std::pair<std::string_view, TextEncoding>, 8> names{{{"utf8", TextEncoding::utf_8},
                                                                          {"latin1", TextEncoding::latin_1},
                                                                          {"iso88591", TextEncoding::latin_1},
                                                                          {"windows1252", TextEncoding::windows_1252},
                                                                          {"cp1252", TextEncoding::windows_1252},
                                                                          {"utf16", TextEncoding::utf_16},
                                                                          {"utf16le", TextEncoding::utf_16_le},
                                                                          {"utf16be", TextEncoding::utf_16_be}}};

/// The characters of the bytes 0x80 to 0x9F.
constexpr std::array<std::uint16_t, 32> windows_characters{
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

constexpr unsigned replacement = 0xFFFD;
constexpr unsigned byte_order_mark = 0xFEFF;
constexpr unsigned swapped_mark = 0xFFFE;

bool is_first_half(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_second_half(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

}  // namespace

TextEncoding encoding_named(const std::string& name) {
  std::string plain;
  for (const char c : lower_case(name)) {
    if (c != '-' && c != '_' && c != ' ') plain += c;
  }
  if (name.empty()) return TextEncoding::utf_8;
  const auto* const found = std::ranges::find(names, std::string_view(plain), &decltype(names)::value_type::first);
  if (found != names.end()) return found->second;
  throw Error(ErrorCode::usage, "unknown encoding '" + name + "'",
              {"pass ", Field("encoding").text("latin1"),
               ", windows-1252, utf-16 or utf-8, or write the file again: iconv -f NAME -t UTF-8"},
              "encoding");
}

void Transcoder::add_character(unsigned character) {
  const auto add = [&](unsigned byte) { text_ += static_cast<char>(byte); };
  const auto add_tail = [&](unsigned shift) { add(0x80 | ((character >> shift) & 0x3F)); };
  if (character < 0x80) {
    add(character);
  } else if (character < 0x800) {
    add(0xC0 | (character >> 6));
    add_tail(0);
  } else if (character < 0x10000) {
    add(0xE0 | (character >> 12));
    add_tail(6);
    add_tail(0);
  } else {
    add(0xF0 | (character >> 18));
    add_tail(12);
    add_tail(6);
    add_tail(0);
  }
}

void Transcoder::add_unit(unsigned unit) {
  if (std::exchange(is_at_start_, false)) {
    if (unit == byte_order_mark) return;
    if (unit == swapped_mark && encoding_ == TextEncoding::utf_16) {
      encoding_ = TextEncoding::utf_16_be;
      return;
    }
  }
  const unsigned high = std::exchange(high_, 0);
  if (high != 0 && is_second_half(unit)) return add_character(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
  if (high != 0) add_character(replacement);
  if (is_first_half(unit)) {
    high_ = unit;
  } else {
    add_character(is_second_half(unit) ? replacement : unit);
  }
}

std::string_view Transcoder::of(std::string_view bytes) {
  if (encoding_ == TextEncoding::utf_8) return bytes;
  text_.clear();
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (encoding_ == TextEncoding::latin_1) {
      add_character(byte);
    } else if (encoding_ == TextEncoding::windows_1252) {
      add_character(byte >= 0x80 && byte < 0xA0 ? windows_characters.at(byte - 0x80) : byte);
    } else if (!std::exchange(has_byte_, !has_byte_)) {
      byte_ = byte;
    } else {
      const bool is_big = encoding_ == TextEncoding::utf_16_be;
      add_unit(is_big ? unsigned{byte_} << 8 | byte : unsigned{byte} << 8 | byte_);
    }
  }
  return text_;
}

std::string_view Transcoder::rest() {
  text_.clear();
  if (std::exchange(high_, 0) != 0) add_character(replacement);
  if (std::exchange(has_byte_, false)) add_character(replacement);
  return text_;
}

}  // namespace fractile::source_detail
