// Reads a column of a chunk of records in the engine's memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "source/engine/duckdb_abi.hpp"

namespace fractile::source_detail {

/// One column, over the engine's memory; valid as long as the chunk.
class ColumnView {
 public:
  /// `validity` has one bit per row, the lowest one first, 0 for NULL; without it nothing is NULL.
  ColumnView(const void* values, const std::uint64_t* validity, std::size_t rows)
      : values_(values), validity_(validity), rows_(rows) {}

  std::size_t rows() const { return rows_; }
  const std::uint64_t* validity() const { return validity_; }
  bool is_null(std::size_t row) const {
    return validity_ != nullptr && ((validity_[row / word] >> (row % word)) & 1) == 0;
  }
  bool any_null() const {
    if (validity_ == nullptr || rows_ == 0) return false;
    const std::size_t full = (rows_ - 1) / word;
    const std::size_t left = rows_ - full * word;  // 1 .. 64
    const std::uint64_t last = ~std::uint64_t{0} >> (word - left);
    return std::any_of(validity_, validity_ + full, [](std::uint64_t bits) { return bits != ~std::uint64_t{0}; }) ||
           (validity_[full] & last) != last;
  }
  /// For a column of doubles, of std::int64_t or of std::int32_t; a NULL may hold anything.
  template <class Number>
  std::span<const Number> numbers() const {
    return {static_cast<const Number*>(values_), rows_};
  }
  /// For a column of text; a NULL may hold anything.
  std::span<const EngineText> texts() const { return {static_cast<const EngineText*>(values_), rows_}; }
  /// For a column of text, unless it is NULL there.
  std::string_view text(std::size_t row) const {
    const EngineText& cell = texts()[row];
    if (cell.length > EngineText::longest_inside) return {cell.bytes, cell.length};
    return {reinterpret_cast<const char*>(&cell) + offsetof(EngineText, prefix), cell.length};
  }

 private:
  static constexpr std::size_t word = 64;
  const void* values_;
  const std::uint64_t* validity_;
  std::size_t rows_;
};

template <class Number>
bool is_nan(Number number) {
  return number != number;  // NOLINT(misc-redundant-expression): only NaN differs from itself, and no whole number does
}

template <class Number>
bool any_nan(std::span<const Number> /*numbers*/) {
  return false;
}
/// Uses whole numbers, which compilers vectorize. Without the sign, the bits of NaN are a larger number than those of infinity;
/// adding a constant then sets the highest bit.
template <>
inline bool any_nan(std::span<const double> numbers) {
  constexpr std::uint64_t highest = std::uint64_t{1} << 63;
  const std::uint64_t room = highest - 1 - std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  std::uint64_t any = 0;
  for (const double number : numbers) any |= (std::bit_cast<std::uint64_t>(number) & ~highest) + room;
  return any >= highest;
}

/// Calls on_numbers(std::span) for the numbers of a column, in order and in pieces, without NULL and NaN. Returns whether there
/// were such. If there are none, the column is not copied.
template <class Number, class OnNumbers>
bool for_each_present(const ColumnView& column, OnNumbers on_numbers) {
  std::array<Number, 1024> kept{};
  bool any_missing = false;
  const bool any_null = column.any_null();
  const std::span<const Number> all = column.numbers<Number>();
  for (std::size_t from = 0; from < all.size(); from += kept.size()) {
    const std::span<const Number> piece = all.subspan(from, std::min(kept.size(), all.size() - from));
    if (!any_null && !any_nan(piece)) {
      on_numbers(piece);
      continue;
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      kept[count] = piece[i];
      count += column.is_null(from + i) || is_nan(piece[i]) ? 0U : 1U;
    }
    any_missing = any_missing || count < piece.size();
    on_numbers(std::span<const Number>(kept).first(count));
  }
  return any_missing;
}

}  // namespace fractile::source_detail
