// Reading columns of record batches: offsets of struct and column add up, and a validity bitmap may be absent.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fractile/error.hpp"
#include "source/arrow_abi.hpp"

namespace fractile::source_detail {

/// One column of a record batch, over its buffers; valid as long as the batch.
class ColumnView {
 public:
  ColumnView(const ArrowArray& batch, std::size_t column)
      : array_(child(batch, column)), first_(batch.offset + array_.offset), length_(batch.length) {
    if (array_.n_buffers < 2) throw Error(ErrorCode::internal, "an Arrow column without buffers");
    if (array_.length < batch.offset + batch.length) throw Error(ErrorCode::internal, "an Arrow column is too short");
  }

  std::int64_t length() const { return length_; }
  bool is_null(std::int64_t row) const {
    const auto* bitmap = static_cast<const std::uint8_t*>(array_.buffers[0]);
    if (bitmap == nullptr) return false;
    const std::int64_t bit = first_ + row;
    return ((bitmap[bit / 8] >> (bit % 8)) & 1) == 0;
  }
  /// Of columns with format "g" (double) or "l" (std::int64_t).
  template <class Number>
  Number number(std::int64_t row) const {
    return static_cast<const Number*>(array_.buffers[1])[first_ + row];
  }
  /// All of them, of the same formats; what a NULL holds is anything.
  template <class Number>
  std::span<const Number> numbers() const {
    return {static_cast<const Number*>(array_.buffers[1]) + first_, static_cast<std::size_t>(length_)};
  }
  bool may_have_nulls() const { return array_.buffers[0] != nullptr && array_.null_count != 0; }
  /// Of columns with format "u".
  std::string_view text(std::int64_t row) const {
    const auto* offsets = static_cast<const std::int32_t*>(array_.buffers[1]) + first_ + row;
    const auto* bytes = static_cast<const char*>(array_.buffers[2]);
    return {bytes + offsets[0], static_cast<std::size_t>(offsets[1] - offsets[0])};
  }

 private:
  static const ArrowArray& child(const ArrowArray& batch, std::size_t column) {
    if (static_cast<std::int64_t>(column) >= batch.n_children) {
      throw Error(ErrorCode::internal, "an Arrow batch lacks a column");
    }
    return *batch.children[column];
  }
  const ArrowArray& array_;
  std::int64_t first_;
  std::int64_t length_;
};

template <class Number>
bool is_nan(Number number) {
  return number != number;  // NOLINT(misc-redundant-expression): only NaN differs from itself, and no whole number does
}

template <class Number>
bool any_nan(std::span<const Number> numbers) {
  bool any = false;
  for (const Number number : numbers) any |= is_nan(number);
  return any;
}

/// Calls on_numbers(std::span) for the numbers of a column in order, in pieces, without those that are NULL or NaN; whether
/// there were such. Where none are missing, the column is not copied.
template <class Number, class OnNumbers>
bool for_each_present(const ColumnView& column, OnNumbers on_numbers) {
  std::array<Number, 1024> kept{};
  bool any_missing = false;
  const std::span<const Number> all = column.numbers<Number>();
  for (std::size_t from = 0; from < all.size(); from += kept.size()) {
    const std::span<const Number> piece = all.subspan(from, std::min(kept.size(), all.size() - from));
    if (!column.may_have_nulls() && !any_nan(piece)) {
      on_numbers(piece);
      continue;
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      kept[count] = piece[i];
      count += column.is_null(static_cast<std::int64_t>(from + i)) || is_nan(piece[i]) ? 0U : 1U;
    }
    any_missing = any_missing || count < piece.size();
    on_numbers(std::span<const Number>(kept).first(count));
  }
  return any_missing;
}

}  // namespace fractile::source_detail
