#include "source/arrow_read.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fractile::source_detail {
namespace {

/// A batch of one column over buffers that the test owns.
struct HandMade {
  HandMade(const void* validity, const void* values, std::int64_t length, const void* bytes = nullptr)
      : buffers{validity, values, bytes} {
    column.length = length;
    column.null_count = validity == nullptr ? 0 : -1;  // how many is not said
    column.n_buffers = bytes == nullptr ? 2 : 3;
    column.buffers = buffers.data();
    batch.length = length;
    batch.n_children = 1;
    batch.children = &child;
  }
  std::array<const void*, 3> buffers;
  ArrowArray column{};
  ArrowArray* child = &column;
  ArrowArray batch{};
};

struct Seen {
  std::vector<double> values;
  bool any_missing;
};

Seen read(const ArrowArray& batch) {
  Seen seen;
  seen.any_missing = for_each_present<double>(ColumnView(batch, 0), [&](std::span<const double> present) {
    seen.values.insert(seen.values.end(), present.begin(), present.end());
  });
  return seen;
}

const std::array<double, 12> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

TEST(ColumnView, WithoutBitmapAllAreValid) {
  const HandMade made(nullptr, numbers.data(), 12);
  EXPECT_EQ(read(made.batch).values, std::vector<double>(numbers.begin(), numbers.end()));
  EXPECT_FALSE(read(made.batch).any_missing);
}

TEST(ColumnView, BitmapIsLeastSignificantBitFirstAndSpansBytes) {
  const std::array<std::uint8_t, 2> validity{0b1000'0101, 0b0000'1010};
  const HandMade made(validity.data(), numbers.data(), 12);
  EXPECT_EQ(read(made.batch).values, (std::vector<double>{0, 2, 7, 9, 11}));
  EXPECT_TRUE(read(made.batch).any_missing);
}

TEST(ColumnView, OffsetOfTheColumnAppliesToValuesAndBitmap) {
  const std::array<std::uint8_t, 2> validity{0b1000'0101, 0b0000'1010};
  HandMade made(validity.data(), numbers.data(), 12);
  made.column.offset = 7;
  made.column.length = made.batch.length = 4;
  EXPECT_EQ(read(made.batch).values, (std::vector<double>{7, 9}));
  EXPECT_TRUE(read(made.batch).any_missing);
}

TEST(ColumnView, OffsetsOfStructAndColumnAddUp) {
  HandMade made(nullptr, numbers.data(), 9);
  made.column.offset = 3;
  made.batch.offset = 2;
  made.batch.length = 4;
  EXPECT_EQ(read(made.batch).values, (std::vector<double>{5, 6, 7, 8}));
}

TEST(ColumnView, NumbersThatAreThereComeInPiecesWhateverIsMissing) {
  std::vector<double> many(5000);
  std::vector<std::uint8_t> validity(625, 0xff);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  HandMade made(validity.data(), many.data(), 5000);
  EXPECT_EQ(read(made.batch).values, many);
  EXPECT_FALSE(read(made.batch).any_missing);
  many[1500] = std::nan("");
  validity[500] = 0b1110'1111;
  std::vector<double> expected(many);
  expected.erase(expected.begin() + 4004);
  expected.erase(expected.begin() + 1500);
  EXPECT_EQ(read(made.batch).values, expected);
  EXPECT_TRUE(read(made.batch).any_missing);
  HandMade unmasked(nullptr, many.data(), 5000);
  EXPECT_EQ(read(unmasked.batch).values.size(), 4999U);
  EXPECT_TRUE(read(unmasked.batch).any_missing);
}

TEST(ColumnView, ReadsText) {
  const std::array<std::int32_t, 4> offsets{0, 3, 3, 5};
  HandMade made(nullptr, offsets.data(), 3, "agexy");
  const ColumnView column(made.batch, 0);
  EXPECT_EQ(column.text(0), "age");
  EXPECT_EQ(column.text(1), "");
  EXPECT_EQ(column.text(2), "xy");
}

TEST(ColumnView, RefusesWhatDoesNotFit) {
  HandMade made(nullptr, numbers.data(), 12);
  EXPECT_THROW(ColumnView(made.batch, 1), Error);
  made.batch.length = 13;
  EXPECT_THROW(ColumnView(made.batch, 0), Error);
  made.batch.length = 12;
  made.column.n_buffers = 1;
  EXPECT_THROW(ColumnView(made.batch, 0), Error);
}

int released = 0;

TEST(ArrowHandle, ReleasesOnce) {
  released = 0;
  {
    ArrowHandle<ArrowArray> handle;
    handle.out()->release = [](ArrowArray* array) {
      ++released;
      array->release = nullptr;
    };
    ArrowHandle<ArrowArray> other(std::move(handle));
    EXPECT_TRUE(other);
    handle = std::move(other);
    EXPECT_TRUE(handle);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace fractile::source_detail
