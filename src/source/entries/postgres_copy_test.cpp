#include "source/entries/postgres_copy.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "support/limits.hpp"

namespace fractile::source_detail {
namespace {

/// A number in network byte order.
template <class Number>
std::string bytes_of(Number number) {
  std::string bytes;
  for (int shift = 8 * (static_cast<int>(sizeof(Number)) - 1); shift >= 0; shift -= 8) {
    bytes += static_cast<char>((static_cast<std::uint64_t>(number) >> shift) & 0xFF);
  }
  return bytes;
}

std::string stream_of(const std::vector<std::optional<std::string>>& cells) {
  std::string bytes("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", 19);
  for (const auto& cell : cells) {
    bytes += bytes_of<std::int16_t>(1);
    bytes += cell ? bytes_of(static_cast<std::int32_t>(cell->size())) + *cell : bytes_of<std::int32_t>(-1);
  }
  return bytes + bytes_of<std::int16_t>(-1);
}

/// A cell of PostgreSQL's type numeric: digits to the base of 10,000.
std::string numeric(int weight, std::uint16_t sign, const std::vector<int>& digits) {
  std::string bytes = bytes_of(static_cast<std::int16_t>(digits.size())) + bytes_of(static_cast<std::int16_t>(weight)) +
                      bytes_of(sign) + bytes_of<std::int16_t>(2);
  for (const int digit : digits) bytes += bytes_of(static_cast<std::int16_t>(digit));
  return bytes;
}

template <class Number>
std::vector<std::optional<Number>> read(const PostgresType& type, const std::string& stream, std::size_t piece = 1000) {
  std::vector<std::optional<Number>> numbers;
  PostgresCopy copy({type}, [&](std::span<const ColumnView> columns, std::size_t filled) {
    const ColumnView& view = columns.front();
    for (std::size_t row = 0; row < filled; ++row) {
      numbers.push_back(view.is_null(row) ? std::nullopt : std::optional(view.numbers<Number>()[row]));
    }
  });
  for (std::size_t at = 0; at < stream.size(); at += piece) copy.add(std::string_view(stream).substr(at, piece));
  const std::uint64_t rows = copy.finish();
  EXPECT_EQ(rows, numbers.size());
  return numbers;
}

using Wholes = std::vector<std::optional<std::int64_t>>;
using testing::least;
using testing::most;

TEST(PostgresCopy, ReadsWholeNumbersOfEverySize) {
  EXPECT_EQ(read<std::int64_t>(postgres_type(21, -1),
                               stream_of({bytes_of<std::int16_t>(-7), {}, bytes_of<std::int16_t>(32767)})),
            (Wholes{-7, {}, 32767}));
  EXPECT_EQ(read<std::int64_t>(postgres_type(23, -1), stream_of({bytes_of<std::int32_t>(-2147483648)})),
            Wholes{-2147483648});
  EXPECT_EQ(read<std::int64_t>(postgres_type(20, -1), stream_of({bytes_of(least), bytes_of(most)})),
            (Wholes{least, most}));
}

TEST(PostgresCopy, ReadsFloatingPointNumbersAsTheyAre) {
  const auto cell = [](double number) { return bytes_of(std::bit_cast<std::uint64_t>(number)); };
  const auto numbers =
      read<double>(postgres_type(701, -1), stream_of({cell(0.1), cell(-1e300), cell(HUGE_VAL), cell(NAN)}));
  EXPECT_EQ(numbers[0], 0.1);
  EXPECT_EQ(numbers[1], -1e300);
  EXPECT_EQ(numbers[2], HUGE_VAL);
  EXPECT_TRUE(std::isnan(*numbers[3]));
  EXPECT_EQ(read<double>(postgres_type(700, -1), stream_of({bytes_of(std::bit_cast<std::uint32_t>(0.5F))})),
            std::vector<std::optional<double>>{0.5});
}

TEST(PostgresCopy, ReadsDecimalsExactly) {
  const PostgresType type = postgres_type(1700, ((18 << 16) | 2) + 4);
  EXPECT_EQ(type.name, "numeric(18,2)");
  EXPECT_EQ(
      read<std::int64_t>(
          type, stream_of({numeric(0, 0, {12, 3400}), numeric(0, 0x4000, {12, 3400}), numeric(0, 0, {}),
                           numeric(-1, 0, {100}), numeric(3, 0, {9999, 9999, 9999, 9999, 9900}), numeric(1, 0, {1}),
                           numeric(0, 0xC000, {}), numeric(0, 0xD000, {}), numeric(0, 0xF000, {})})),
      (Wholes{1234, -1234, 0, 1, 999'999'999'999'999'999, 1'000'000, {}, {}, {}}));
  EXPECT_THROW(read<std::int64_t>(type, stream_of({numeric(0, 0, {1, 1})})), PostgresCopy::Malformed);       // 1.0001
  EXPECT_EQ(read<std::int64_t>(type, stream_of({numeric(-32768, 0, std::vector<int>(32767))})), Wholes{0});  // at once
  EXPECT_EQ(postgres_type(1700, -1).kind, PostgresType::Kind::none);
  EXPECT_EQ(postgres_type(1700, ((19 << 16) | 2) + 4).kind, PostgresType::Kind::none);
  EXPECT_EQ(postgres_type(114, -1).kind, PostgresType::Kind::none);
  EXPECT_FALSE(postgres_type(25, -1).is_countable());
}

TEST(PostgresCopy, ReadsDatesAndTimesSince1970) {
  EXPECT_EQ(
      read<std::int64_t>(postgres_type(1082, -1), stream_of({bytes_of<std::int32_t>(0), bytes_of<std::int32_t>(-10957),
                                                             bytes_of(std::numeric_limits<std::int32_t>::min()),
                                                             bytes_of(std::numeric_limits<std::int32_t>::max())})),
      (Wholes{10957, 0, least, most}));
  EXPECT_EQ(read<std::int64_t>(postgres_type(1114, -1),
                               stream_of({bytes_of<std::int64_t>(1), bytes_of(least), bytes_of(most)})),
            (Wholes{946'684'800'000'001, least, most}));
}

/// Years 294247 to 294276: by an overflow the latest times were once read as the earliest.
TEST(PostgresCopy, TimesBeyondSixtyFourBitsSince1970AreTheLastOnes) {
  constexpr std::int64_t to_2000 = 946'684'800'000'000;
  EXPECT_EQ(read<std::int64_t>(postgres_type(1184, -1),
                               stream_of({bytes_of(most - to_2000), bytes_of(most - to_2000 + 1),
                                          bytes_of<std::int64_t>(9'223'371'331'199'999'999), bytes_of(most - 1)})),
            (Wholes{most, most, most, most}));
  EXPECT_EQ(read<std::int64_t>(postgres_type(1184, -1), stream_of({bytes_of(most - to_2000 - 1)})), Wholes{most - 1});
}

/// A row decides nothing about the others: a text that cannot be read is a missing value.
TEST(PostgresCopy, ReadsColumnsOfAllKindsSideBySide) {
  const std::vector<PostgresType> types{postgres_type(25, -1), postgres_type(16, -1), postgres_type(1042, -1)};
  const std::string longest(PostgresCopy::longest_text, 'x');
  const std::vector<std::vector<std::optional<std::string>>> rows{{"short", std::string(1, '\1'), "a  "},
                                                                  {"longer than twelve", std::string(1, '\0'), "  "},
                                                                  {{}, {}, {}},
                                                                  {longest, std::string(1, '\1'), "\xff"},
                                                                  {longest + "x", std::string(1, '\1'), "y"},
                                                                  {"\xc3", std::string(1, '\0'), "\xc3\xa9"}};
  std::string stream("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", 19);
  for (const auto& row : rows) {
    stream += bytes_of<std::int16_t>(3);
    for (const auto& cell : row) {
      stream += cell ? bytes_of(static_cast<std::int32_t>(cell->size())) + *cell : bytes_of<std::int32_t>(-1);
    }
  }
  stream += bytes_of<std::int16_t>(-1);
  std::vector<std::vector<std::optional<std::string>>> read;
  PostgresCopy copy(types, [&](std::span<const ColumnView> columns, std::size_t filled) {
    const auto text = [](const ColumnView& view, std::size_t row) {
      return view.is_null(row) ? std::nullopt : std::optional(std::string(view.text(row)));
    };
    for (std::size_t row = 0; row < filled; ++row) {
      const ColumnView& truth = columns[1];
      const auto is_true =
          truth.is_null(row) ? std::nullopt : std::optional(std::to_string(truth.numbers<std::int64_t>()[row]));
      read.push_back({text(columns[0], row), is_true, text(columns[2], row)});
    }
  });
  for (std::size_t at = 0; at < stream.size(); at += 70'000) copy.add(std::string_view(stream).substr(at, 70'000));
  EXPECT_EQ(copy.finish(), rows.size());
  EXPECT_EQ(read, (std::vector<std::vector<std::optional<std::string>>>{{"short", "1", "a"},
                                                                        {"longer than twelve", "0", ""},
                                                                        {{}, {}, {}},
                                                                        {longest, "1", {}},
                                                                        {{}, "1", "y"},
                                                                        {{}, "0", "\xc3\xa9"}}));
}

TEST(PostgresCopy, PiecesOfAnySizeAreTheSame) {
  std::vector<std::optional<std::string>> cells;
  for (int i = 0; i < 5000; ++i) cells.push_back(i % 7 == 0 ? std::nullopt : std::optional(bytes_of<std::int32_t>(i)));
  const std::string stream = stream_of(cells);
  const auto whole = read<std::int64_t>(postgres_type(23, -1), stream, stream.size());
  EXPECT_EQ(whole.size(), 5000U);
  for (const std::size_t piece : {1U, 7U, 4096U})
    EXPECT_EQ(read<std::int64_t>(postgres_type(23, -1), stream, piece), whole);
}

/// A stream that ends anywhere, or has a wrong byte anywhere, is refused or read as other numbers, and nothing else happens.
TEST(PostgresCopy, DamageIsRefused) {
  const PostgresType type = postgres_type(1700, ((9 << 16) | 2) + 4);
  const std::string stream = stream_of({numeric(0, 0, {12, 3400}), {}, numeric(1, 0, {1, 2, 300})});
  for (std::size_t size = 0; size < stream.size(); ++size) {
    EXPECT_THROW(read<std::int64_t>(type, stream.substr(0, size)), PostgresCopy::Malformed) << size;
  }
  EXPECT_THROW(read<std::int64_t>(type, stream + "x"), PostgresCopy::Malformed);
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = stream;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      read<std::int64_t>(type, damaged);
    } catch (const PostgresCopy::Malformed&) {
    }
  }
}

}  // namespace
}  // namespace fractile::source_detail
