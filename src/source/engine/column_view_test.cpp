#include "source/engine/column_view.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace fractile::source_detail {
namespace {

struct Seen {
  std::vector<double> values;
  bool any_missing;
};

Seen read(const ColumnView& column) {
  Seen seen;
  seen.any_missing = for_each_present<double>(column, [&](std::span<const double> present) {
    seen.values.insert(seen.values.end(), present.begin(), present.end());
  });
  return seen;
}

const std::array<double, 12> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

TEST(ColumnView, WithoutValidityNothingIsNull) {
  const ColumnView column(numbers.data(), nullptr, 12);
  EXPECT_FALSE(column.any_null());
  EXPECT_EQ(read(column).values, std::vector<double>(numbers.begin(), numbers.end()));
  EXPECT_FALSE(read(column).any_missing);
}

TEST(ColumnView, ValidityIsLowestBitFirst) {
  const std::uint64_t validity = 0b1010'1000'0101;
  const ColumnView column(numbers.data(), &validity, 12);
  EXPECT_TRUE(column.any_null());
  EXPECT_EQ(read(column).values, (std::vector<double>{0, 2, 7, 9, 11}));
  EXPECT_TRUE(read(column).any_missing);
}

TEST(ColumnView, BitsBehindTheLastRowSayNothing) {
  const std::vector<double> many(130);
  for (const std::size_t rows :
       {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{128}, std::size_t{129}}) {
    SCOPED_TRACE(rows);
    std::array<std::uint64_t, 3> validity{};
    for (std::size_t row = 0; row < rows; ++row) validity[row / 64] |= std::uint64_t{1} << (row % 64);
    EXPECT_FALSE(ColumnView(many.data(), validity.data(), rows).any_null());
    EXPECT_TRUE(ColumnView(many.data(), validity.data(), rows + 1).any_null());
    for (std::size_t row = 0; row < rows; ++row) {
      validity[row / 64] ^= std::uint64_t{1} << (row % 64);
      EXPECT_TRUE(ColumnView(many.data(), validity.data(), rows).any_null());
      validity[row / 64] ^= std::uint64_t{1} << (row % 64);
    }
  }
  EXPECT_FALSE(ColumnView(many.data(), std::array<std::uint64_t, 1>{}.data(), 0).any_null());
}

TEST(ColumnView, NumbersThatAreThereComeInPiecesWhateverIsMissing) {
  std::vector<double> many(5000);
  std::vector<std::uint64_t> validity(79, ~std::uint64_t{0});
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  const ColumnView column(many.data(), validity.data(), 5000);
  EXPECT_EQ(read(column).values, many);
  EXPECT_FALSE(read(column).any_missing);
  many[1500] = std::nan("");
  validity[62] ^= std::uint64_t{1} << 36;  // of row 4004
  std::vector<double> expected(many);
  expected.erase(expected.begin() + 4004);
  expected.erase(expected.begin() + 1500);
  EXPECT_EQ(read(column).values, expected);
  EXPECT_TRUE(read(column).any_missing);
  const ColumnView unmasked(many.data(), nullptr, 5000);
  EXPECT_EQ(read(unmasked).values.size(), 4999U);
  EXPECT_TRUE(read(unmasked).any_missing);
}

/// A text cell in the engine's layout.
EngineText cell_of(const std::string& text) {
  EngineText cell{static_cast<std::uint32_t>(text.size()), {}, nullptr};
  if (text.size() <= EngineText::longest_inside) {
    std::memcpy(reinterpret_cast<char*>(&cell) + sizeof(cell.length), text.data(), text.size());
  } else {
    std::memcpy(cell.prefix, text.data(), sizeof(cell.prefix));
    cell.bytes = text.data();
  }
  return cell;
}

TEST(ColumnView, ReadsShortAndLongText) {
  const std::vector<std::string> texts{"age", "", "twelve bytes", "thirteen byte", "a much longer cell than that"};
  std::vector<EngineText> cells;
  for (const std::string& text : texts) cells.push_back(cell_of(text));
  const ColumnView column(cells.data(), nullptr, cells.size());
  for (std::size_t row = 0; row < texts.size(); ++row) EXPECT_EQ(column.text(row), texts[row]);
}

}  // namespace
}  // namespace fractile::source_detail
