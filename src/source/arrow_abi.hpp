// The Arrow C data and C stream interfaces: structures shared with other libraries, laid out as they specify.
// Reference: Arrow columnar format, "C data interface" and "C stream interface".
#pragma once

#include <cstdint>

namespace fractile::source_detail {

/// The type of an array. Formats met here: "l" int64, "g" float64, "u" UTF-8 with 32-bit offsets, "+s" struct.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

/// Buffers of an array; buffers[0] is the validity bitmap (least significant bit first), null when all are valid.
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

/// Functions return 0 or an errno; a null `release` in what get_next() hands out is the end of the stream.
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

/// Owns one of the structures above: released once, when it holds something.
template <class Structure>
class ArrowHandle {
 public:
  ArrowHandle() = default;
  ArrowHandle(ArrowHandle&& other) noexcept : value_(other.value_) { other.value_.release = nullptr; }
  ArrowHandle& operator=(ArrowHandle&& other) noexcept {
    if (this != &other) {
      reset();
      value_ = other.value_;
      other.value_.release = nullptr;
    }
    return *this;
  }
  ~ArrowHandle() { reset(); }

  /// Empty, to be filled by a producer.
  Structure* out() {
    reset();
    return &value_;
  }
  Structure* get() { return &value_; }
  const Structure& operator*() const { return value_; }
  const Structure* operator->() const { return &value_; }
  explicit operator bool() const { return value_.release != nullptr; }

 private:
  void reset() {
    if (value_.release != nullptr) value_.release(&value_);
    value_ = Structure{};
  }
  Structure value_{};
};

}  // namespace fractile::source_detail
