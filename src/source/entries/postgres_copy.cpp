#include "source/entries/postgres_copy.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "exact/wide_integers.hpp"
#include "libraries/fmt.hpp"
#include "source/text/header_line.hpp"

namespace fractile::source_detail {
namespace {

using Kind = PostgresType::Kind;

/// Reads a number in network byte order.
template <class Number>
Number number_at(std::string_view bytes, std::size_t at = 0) {
  if (bytes.size() < at + sizeof(Number)) throw PostgresCopy::Malformed{};
  std::make_unsigned_t<Number> number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    number = static_cast<std::make_unsigned_t<Number>>((std::uint64_t{number} << 8) |
                                                       static_cast<unsigned char>(bytes[at + i]));
  }
  return static_cast<Number>(number);
}

template <class Number>
Number whole_cell(std::string_view cell) {
  if (cell.size() != sizeof(Number)) throw PostgresCopy::Malformed{};
  return number_at<Number>(cell);
}

/// Converts a number since 2000 to a number since 1970. The ends mean infinities, and stay ends. The last thirty years of a server,
/// up to 294276, do not fit 64 bits of microseconds since 1970, and become the upper end.
template <class Number>
std::int64_t since_1970(Number cell, std::int64_t offset) {
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  if (cell == std::numeric_limits<Number>::min()) return std::numeric_limits<std::int64_t>::min();
  if (cell == std::numeric_limits<Number>::max() || cell > highest - offset) return highest;
  return std::int64_t{cell} + offset;
}

constexpr std::int64_t days_to_2000 = 10'957;
constexpr std::int64_t microseconds_to_2000 = days_to_2000 * 86'400'000'000;

/// A numeric(P, S), P at most 18, in units of 10^-scale: its digits have base 10,000, and the first has weight 10,000^weight.
/// Nothing for NaN and the infinities.
std::optional<std::int64_t> decimal_cell(std::string_view cell, int scale) {
  constexpr std::uint16_t positive = 0;
  constexpr std::uint16_t negative = 0x4000;
  const int count = number_at<std::int16_t>(cell, 0);
  const int weight = number_at<std::int16_t>(cell, 2);
  const auto sign = number_at<std::uint16_t>(cell, 4);
  if (sign == 0xC000 || sign == 0xD000 || sign == 0xF000) return {};
  if ((sign != positive && sign != negative) || count < 0 || cell.size() != 8 + 2 * static_cast<std::size_t>(count)) {
    throw PostgresCopy::Malformed{};
  }
  int128 units = 0;
  for (int i = 0; i < count; ++i) {
    const int digit = number_at<std::int16_t>(cell, 8 + 2 * static_cast<std::size_t>(i));
    // The digit's last place is 10^(4 (weight - i)).
    int places = 4 * (weight - i) + scale;
    int128 part = digit;
    if (digit < 0 || digit > 9999 || places > 20) throw PostgresCopy::Malformed{};
    for (; places > 0; --places) part *= 10;
    for (; places < 0 && part != 0; ++places) {
      if (part % 10 != 0) throw PostgresCopy::Malformed{};
      part /= 10;
    }
    units += part;
  }
  if (units > std::numeric_limits<std::int64_t>::max()) throw PostgresCopy::Malformed{};
  return static_cast<std::int64_t>(sign == negative ? -units : units);
}

constexpr std::string_view signature("PGCOPY\n\xff\r\n\0", 11);

}  // namespace

CellReading PostgresType::reading() const {
  if (kind == Kind::days) return {CellType::integer, TimeUnit::days};
  if (kind == Kind::microseconds) return {CellType::integer, TimeUnit::microseconds};
  return {is_real() ? CellType::real : CellType::integer, {}};
}

PostgresType postgres_type(postgres::PgType type, int modifier) {
  static const std::map<postgres::PgType, PostgresType> plain{
      {16, {Kind::boolean, ValueKind::number, 0, "boolean"}},
      {25, {Kind::text, ValueKind::number, 0, "text"}},
      {1042, {Kind::text, ValueKind::number, 0, "character", 0, true}},
      {1043, {Kind::text, ValueKind::number, 0, "character varying"}},
      {21, {Kind::int16, ValueKind::number, 0, "smallint"}},
      {23, {Kind::int32, ValueKind::number, 0, "integer"}},
      {20, {Kind::int64, ValueKind::number, 0, "bigint"}},
      {700, {Kind::float32, ValueKind::number, 0, "real"}},
      {701, {Kind::float64, ValueKind::number, 0, "double precision"}},
      {1082, {Kind::days, ValueKind::date, 0, "date"}},
      {1114, {Kind::microseconds, ValueKind::timestamp, 0, "timestamp"}},
      {1184, {Kind::microseconds, ValueKind::instant, 0, "timestamp with time zone"}},
  };
  if (const auto at = plain.find(type); at != plain.end()) return at->second;
  if (type != 1700) return {};
  if (modifier < 4) return {Kind::none, ValueKind::number, 0, "numeric without a precision"};
  const int precision = ((modifier - 4) >> 16) & 0xFFFF;
  const int scale = (((modifier - 4) & 0x7FF) ^ 0x400) - 0x400;
  const bool fits = precision <= 18 && scale >= 0 && scale <= precision;
  return {fits ? Kind::decimal : Kind::none, ValueKind::number, scale, fmt::format("numeric({},{})", precision, scale),
          precision};
}

const void* PostgresCopy::Cells::values() const {
  if (type.is_real()) return reals.data();
  return type.is_text() ? static_cast<const void*>(texts.data()) : wholes.data();
}

PostgresCopy::PostgresCopy(const std::vector<PostgresType>& types, Take take) : take_(std::move(take)) {
  for (const PostgresType& type : types) {
    Cells cells{type};
    cells.validity.resize(most_rows / 64);
    if (type.is_real()) {
      cells.reals.resize(most_rows);
    } else if (type.is_text()) {
      cells.texts.resize(most_rows);
    } else {
      cells.wholes.resize(most_rows);
    }
    columns_.push_back(std::move(cells));
  }
}

void PostgresCopy::add(std::string_view bytes) {
  if (!pending_.empty()) {
    pending_ += bytes;
    bytes = pending_;
  }
  std::size_t done = 0;
  while (true) {
    const std::size_t read = read_one(bytes.substr(done));
    if (read == 0) break;
    done += read;
  }
  std::string rest(bytes.substr(done));
  pending_ = std::move(rest);
}

std::size_t PostgresCopy::read_header(std::string_view bytes) {
  const std::size_t fixed = signature.size() + 8;
  if (bytes.size() < fixed) return 0;
  const auto more = number_at<std::uint32_t>(bytes, fixed - 4);
  if (!bytes.starts_with(signature) || number_at<std::uint32_t>(bytes, signature.size()) != 0 || more > 1024) {
    throw Malformed{};
  }
  if (bytes.size() < fixed + more) return 0;
  has_begun_ = true;
  return fixed + more;
}

std::size_t PostgresCopy::read_one(std::string_view bytes) {
  if (bytes.empty()) return 0;
  if (has_ended_) throw Malformed{};
  if (!has_begun_) return read_header(bytes);
  if (bytes.size() < 2) return 0;
  const auto columns = number_at<std::int16_t>(bytes);
  if (columns == -1) {
    has_ended_ = true;
    return 2;
  }
  if (columns < 0 || static_cast<std::size_t>(columns) != columns_.size()) throw Malformed{};
  std::size_t end = 2;
  for (std::size_t k = 0; k < columns_.size(); ++k) {  // a row is read when all of it has arrived
    if (bytes.size() < end + 4) return 0;
    const auto size = number_at<std::int32_t>(bytes, end);
    if (size < -1) throw Malformed{};
    end += 4 + static_cast<std::size_t>(std::max(size, 0));
    if (bytes.size() < end) return 0;
  }
  if (filled_ == 0) {
    long_texts_.clear();
    long_bytes_ = 0;
  }
  std::size_t at = 2;
  for (Cells& cells : columns_) {
    const auto size = number_at<std::int32_t>(bytes, at);
    at += 4;
    cells.validity[filled_ / 64] &= ~(std::uint64_t{1} << (filled_ % 64));
    if (size < 0) continue;
    add_cell(cells, bytes.substr(at, static_cast<std::size_t>(size)));
    at += static_cast<std::size_t>(size);
  }
  ++rows_;
  if (++filled_ == most_rows || long_bytes_ >= 4 * longest_text) hand_over();
  return end;
}

void PostgresCopy::add_cell(Cells& cells, std::string_view cell) {
  const auto present = [&] { cells.validity[filled_ / 64] |= std::uint64_t{1} << (filled_ % 64); };
  const auto add = [&](std::int64_t number) {
    cells.wholes[filled_] = number;
    present();
  };
  switch (cells.type.kind) {
    case Kind::boolean:
      if (cell.size() != 1) throw Malformed{};
      return add(cell.front() == 0 ? 0 : 1);
    case Kind::int16:
      return add(whole_cell<std::int16_t>(cell));
    case Kind::int32:
      return add(whole_cell<std::int32_t>(cell));
    case Kind::int64:
      return add(whole_cell<std::int64_t>(cell));
    case Kind::days:
      return add(since_1970(whole_cell<std::int32_t>(cell), days_to_2000));
    case Kind::microseconds:
      return add(since_1970(whole_cell<std::int64_t>(cell), microseconds_to_2000));
    case Kind::float32:
      cells.reals[filled_] = std::bit_cast<float>(whole_cell<std::uint32_t>(cell));
      return present();
    case Kind::float64:
      cells.reals[filled_] = std::bit_cast<double>(whole_cell<std::uint64_t>(cell));
      return present();
    case Kind::decimal:
      if (const std::optional<std::int64_t> units = decimal_cell(cell, cells.type.scale)) add(*units);
      return;
    case Kind::text:
    case Kind::label:
    case Kind::written:
      if (cell.size() > longest_text || !is_utf8(cell)) return;
      add_text(cells, cell);
      return present();
    case Kind::none:
      throw Malformed{};
  }
}

void PostgresCopy::add_text(Cells& cells, std::string_view cell) {
  while (cells.type.is_padded && cell.ends_with(' ')) cell.remove_suffix(1);
  EngineText text{static_cast<std::uint32_t>(cell.size()), {}, nullptr};
  if (cell.size() <= EngineText::longest_inside) {
    std::ranges::copy(cell, reinterpret_cast<char*>(&text) + offsetof(EngineText, prefix));
  } else {
    text.bytes = long_texts_.emplace_back(cell).data();
    std::ranges::copy(cell.substr(0, sizeof text.prefix), text.prefix);
    long_bytes_ += cell.size();
  }
  cells.texts[filled_] = text;
}

void PostgresCopy::hand_over() {
  std::vector<ColumnView> views;
  views.reserve(columns_.size());
  for (const Cells& cells : columns_) views.emplace_back(cells.values(), cells.validity.data(), filled_);
  if (filled_ > 0) take_(views, filled_);
  filled_ = 0;
}

std::uint64_t PostgresCopy::finish() {
  if (!has_ended_ || !pending_.empty()) throw Malformed{};
  hand_over();
  return rows_;
}

}  // namespace fractile::source_detail
