// Reading columns of record batches: offsets of struct and column add up, and a validity bitmap may be absent.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Calls on_value(number) or on_null() for each row of a column.
template <class Number, class OnValue, class OnNull>
void for_each_number(const ColumnView& column, OnValue on_value, OnNull on_null) {
  for (std::int64_t row = 0; row < column.length(); ++row) {
    if (column.is_null(row)) {
      on_null();
    } else {
      on_value(column.number<Number>(row));
    }
  }
}

}  // namespace fractile::source_detail
