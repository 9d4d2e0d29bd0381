#include "source/engine/misread_texts.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fractile::source_detail {
namespace {

constexpr std::uint64_t low_bits = 0x0101010101010101;
constexpr std::uint64_t high_bits = low_bits << 7;

/// The highest bit of each byte of the result says whether the byte equals `byte`.
std::uint64_t matches(std::uint64_t bytes, unsigned char byte) {
  const std::uint64_t differences = bytes ^ (low_bits * byte);
  return (differences - low_bits) & ~differences;
}

/// True for every cell that has '_' or '+', for every long cell, and for some others: a short cell is examined as a whole,
/// including its length and the bytes after its text.
bool may_be_misread(const EngineText& cell) {
  const auto [first, second] = std::bit_cast<std::array<std::uint64_t, 2>>(cell);
  const std::uint64_t found = matches(first, '_') | matches(second, '_') | matches(first, '+') | matches(second, '+');
  return ((found & high_bits) != 0) | (cell.length > EngineText::longest_inside);
}

}  // namespace

void mark_misread(const ColumnView& texts, bool* marks) {
  const std::span<const EngineText> cells = texts.texts();
  for (std::size_t row = 0; row < cells.size(); ++row) marks[row] = may_be_misread(cells[row]);
  for (std::size_t row = 0; row < cells.size(); ++row) {
    if (marks[row]) marks[row] = !texts.is_null(row) && is_misread(texts.text(row));
  }
}

}  // namespace fractile::source_detail
