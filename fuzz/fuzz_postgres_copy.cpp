// Whatever a server sends as COPY's binary stream, in pieces of any size, is refused or read as the numbers in its cells.
// The first byte chooses a type, and the second the length of the pieces. The rest is read first as a stream, and then as the cells of
// a correctly framed stream: for each cell, a byte with its length (from 200 on: NULL), and the cell's bytes.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/exact.hpp"
#include "source/entries/postgres_copy.hpp"

using namespace fractile::source_detail;
using Kind = PostgresType::Kind;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

/// A whole number, or the bits of a double; nothing for NULL.
using Cell = std::optional<std::int64_t>;

struct Read {
  bool is_whole = false;
  std::vector<Cell> cells;
  bool operator==(const Read&) const = default;
};

PostgresType type_of(unsigned char choice) {
  constexpr std::array<std::uint32_t, 8> others{21, 23, 20, 700, 701, 1082, 1114, 1184};
  if (choice < others.size()) return postgres_type(others.at(choice), -1);
  const int precision = 1 + choice % 18;
  const int scale = choice / 18 % (precision + 1);
  return postgres_type(1700, ((precision << 16) | scale) + 4);
}

Read read(const PostgresType& type, std::string_view stream, std::size_t piece) {
  Read result;
  try {
    PostgresCopy copy({type}, [&](std::span<const ColumnView> columns, std::size_t rows) {
      const ColumnView& view = columns.front();
      require(rows > 0 && rows <= PostgresCopy::most_rows && view.rows() == rows);
      for (std::size_t row = 0; row < view.rows(); ++row) {
        const std::int64_t number = type.is_real() ? std::bit_cast<std::int64_t>(view.numbers<double>()[row])
                                                   : view.numbers<std::int64_t>()[row];
        result.cells.push_back(view.is_null(row) ? Cell() : Cell(number));
      }
    });
    for (std::size_t at = 0; at < stream.size(); at += piece) copy.add(stream.substr(at, piece));
    require(copy.finish() == result.cells.size());
    result.is_whole = true;
  } catch (const PostgresCopy::Malformed&) {
  }
  return result;
}

/// Reads a number in network byte order.
std::int64_t number_in(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = (number << 8) | static_cast<unsigned char>(byte);
  const auto unused = static_cast<unsigned>(64 - 8 * bytes.size());
  return bytes.empty() ? 0 : static_cast<std::int64_t>(number << unused) >> unused;
}

std::int64_t limited(std::int64_t cell, std::int64_t offset) {
  __extension__ using Wide = __int128;
  constexpr Wide most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(most, Wide{cell} + offset));
}

/// Reads a numeric by its definition. An infinite numeric or NaN has no value.
std::optional<fractile::Rational> decimal_in(std::string_view cell) {
  const auto word = [&](std::size_t i) { return number_in(cell.substr(2 * i, 2)); };
  const std::int64_t sign = word(2) & 0xFFFF;
  if (sign == 0xC000 || sign == 0xD000 || sign == 0xF000) return {};
  fractile::Rational number = 0;
  for (std::size_t i = 4; 2 * i < cell.size(); ++i) number = number * 10'000 + word(i);
  for (std::int64_t weight = word(1) - word(0) + 1; weight != 0; weight += weight > 0 ? -1 : 1) {
    number = weight > 0 ? number * 10'000 : number / 10'000;
  }
  return word(2) == 0 ? number : 0 - number;
}

void require_decimal(const PostgresType& type, std::string_view bytes, const Cell& cell) {
  if (bytes.size() > 64 || std::abs(number_in(bytes.substr(2, 2))) > 40) return;  // slow, and tests nothing new
  const std::optional<fractile::Rational> wanted = decimal_in(bytes);
  require(wanted.has_value() == cell.has_value());
  if (!cell) return;
  fractile::Rational units = *wanted;
  for (int i = 0; i < type.scale; ++i) units = units * 10;
  require(units == fractile::Rational(*cell));
}

void require_cell(const PostgresType& type, std::string_view bytes, const Cell& cell) {
  constexpr std::int64_t days = 10'957;
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  if (type.kind == Kind::decimal) return require_decimal(type, bytes, cell);
  require(cell.has_value());
  const std::int64_t number = number_in(bytes);
  const std::int64_t lowest = least >> (64 - 8 * bytes.size());
  switch (type.kind) {
    case Kind::float32: {
      const float real = std::bit_cast<float>(static_cast<std::uint32_t>(number));
      const auto read = std::bit_cast<double>(*cell);
      return require(std::isnan(real) ? std::isnan(read) : read == real);
    }
    case Kind::days:
      return require(*cell == (number == lowest ? least : number == -(lowest + 1) ? most : number + days));
    case Kind::microseconds:
      return require(*cell == (number == least ? least : limited(number, days * 86'400'000'000)));
    default:
      return require(*cell == number);
  }
}

std::size_t size_of(Kind kind) {
  if (kind == Kind::int16) return 2;
  return kind == Kind::int32 || kind == Kind::float32 || kind == Kind::days ? 4 : 8;
}

constexpr std::string_view header("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", 19);

void framed(const PostgresType& type, std::string_view rest, std::size_t piece) {
  std::string stream(header);
  std::vector<std::optional<std::string_view>> cells;
  while (!rest.empty()) {
    const auto told = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    const std::string_view cell = rest.substr(0, told);
    stream += std::string_view("\0\1", 2);
    if (told >= 200) {
      stream += "\xff\xff\xff\xff";
      cells.emplace_back();
      continue;
    }
    rest.remove_prefix(cell.size());
    stream += std::string_view("\0\0\0", 3);
    stream += static_cast<char>(cell.size());
    stream += cell;
    cells.emplace_back(cell);
  }
  stream += "\xff\xff";
  const Read result = read(type, stream, piece);
  if (type.kind != Kind::decimal) {
    const bool all_fit =
        std::ranges::all_of(cells, [&](const auto& cell) { return !cell || cell->size() == size_of(type.kind); });
    require(result.is_whole == all_fit);
  }
  if (!result.is_whole) return;
  require(result.cells.size() == cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i]) {
      require_cell(type, *cells[i], result.cells[i]);
    } else {
      require(!result.cells[i]);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const PostgresType type = type_of(data[0]);
  const std::size_t piece = 1 + data[1];
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  require(read(type, rest, piece) == read(type, rest, size));
  framed(type, rest, piece);
  return 0;
}
