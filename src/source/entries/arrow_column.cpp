#include "source/entries/arrow_column.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "exact/wide_integers.hpp"
#include "libraries/fmt.hpp"
#include "source/counting/scaled_lattice.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

struct NamedKind {
  CellKind kind;
  const char* name;
};

/// Kinds by the specification's format strings.
const std::map<std::string, NamedKind, std::less<>>& kinds() {
  static const std::map<std::string, NamedKind, std::less<>> all{
      {"c", {CellKind::int8, "int8"}},         {"C", {CellKind::uint8, "uint8"}},
      {"s", {CellKind::int16, "int16"}},       {"S", {CellKind::uint16, "uint16"}},
      {"i", {CellKind::int32, "int32"}},       {"I", {CellKind::uint32, "uint32"}},
      {"l", {CellKind::int64, "int64"}},       {"L", {CellKind::uint64, "uint64"}},
      {"e", {CellKind::half, "float16"}},      {"f", {CellKind::real32, "float"}},
      {"g", {CellKind::real64, "double"}},     {"u", {CellKind::text32, "utf8"}},
      {"U", {CellKind::text64, "large_utf8"}}, {"vu", {CellKind::text_view, "utf8_view"}},
      {"b", {CellKind::truth, "bool"}},        {"n", {CellKind::none, "null"}},
  };
  return all;
}

/// The names of other types, for messages.
std::string other_name(std::string_view format) {
  if (format.starts_with("td")) return "date";
  if (format.starts_with("ts")) return "timestamp";
  if (format.starts_with("tt")) return "time";
  if (format.starts_with("tD")) return "duration";
  if (format.starts_with("+")) return "nested";
  if (format == "z" || format == "Z" || format == "vz" || format.starts_with("w:")) return "binary";
  return "Arrow type " + std::string(format);
}

/// "d:precision,scale" or "d:precision,scale,bits".
ArrowType decimal_type(std::string_view format) {
  std::array<int, 3> numbers{0, 0, 128};
  std::size_t at = 2;
  for (int& number : numbers) {
    const auto [end, failure] = std::from_chars(format.data() + at, format.data() + format.size(), number);
    if (failure != std::errc{}) break;
    at = static_cast<std::size_t>(end - format.data()) + 1;
    if (at > format.size()) break;
  }
  const auto [precision, scale, bits] = numbers;
  const std::string name = fmt::format("decimal{}({}, {})", bits, precision, scale);
  if (bits == 32) return {CellKind::decimal32, scale, name};
  if (bits == 64) return {CellKind::decimal64, scale, name};
  if (bits == 128) return {CellKind::decimal128, scale, name};
  return {CellKind::other, 0, name};
}

/// For "tdD", "tdm" and "tss:zone", with s, m, u or n for the unit. Any zone makes them instants.
ArrowType time_type(std::string_view format) {
  if (format == "tdD") return {CellKind::int32, 0, "date32", {}, TimeUnit::days, ValueKind::date};
  if (format == "tdm") return {CellKind::int64, 0, "date64", {}, TimeUnit::milliseconds, ValueKind::date};
  struct Named {
    char letter;
    TimeUnit unit;
    std::string_view name;
  };
  constexpr std::array units{Named{'s', TimeUnit::seconds, "s"}, Named{'m', TimeUnit::milliseconds, "ms"},
                             Named{'u', TimeUnit::microseconds, "us"}, Named{'n', TimeUnit::nanoseconds, "ns"}};
  if (format.size() < 4 || !format.starts_with("ts") || format[3] != ':')
    return {CellKind::other, 0, other_name(format)};
  const auto* const unit = std::ranges::find(units, format[2], &Named::letter);
  if (unit == units.end()) return {CellKind::other, 0, other_name(format)};
  const bool has_zone = format.size() > 4;
  return {CellKind::int64,
          0,
          fmt::format("timestamp({}{})", unit->name, has_zone ? ", with a zone" : ""),
          {},
          unit->unit,
          has_zone ? ValueKind::instant : ValueKind::timestamp};
}

double from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

std::int64_t whole(std::uint64_t value) {
  return value > static_cast<std::uint64_t>(largest) ? largest : static_cast<std::int64_t>(value);
}

template <class Stored>
Stored stored_at(const std::byte* at) {
  Stored value{};
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// A two's complement number of 128 bits, clamped to 64 bits.
std::int64_t whole128(const std::byte* at) {
  return static_cast<std::int64_t>(std::clamp<int128>(stored_at<int128>(at), smallest, largest));
}

std::size_t width_of(CellKind kind) {
  switch (kind) {
    case CellKind::int8:
    case CellKind::uint8:
      return 1;
    case CellKind::int16:
    case CellKind::uint16:
    case CellKind::half:
      return 2;
    case CellKind::int32:
    case CellKind::uint32:
    case CellKind::real32:
    case CellKind::decimal32:
      return 4;
    case CellKind::decimal128:
      return 16;
    default:
      return 8;
  }
}

std::ptrdiff_t stride_of(const ArrowPiece& piece, CellKind kind) {
  return piece.stride.value_or(static_cast<std::ptrdiff_t>(width_of(kind)));
}

const std::byte* place_of(const ArrowPiece& piece, CellKind kind, std::size_t row) {
  return static_cast<const std::byte*>(piece.values) +
         static_cast<std::ptrdiff_t>(piece.offset + row) * stride_of(piece, kind);
}

std::int64_t whole_at(const std::byte* at, CellKind kind) {
  switch (kind) {
    case CellKind::int8:
      return stored_at<std::int8_t>(at);
    case CellKind::int16:
      return stored_at<std::int16_t>(at);
    case CellKind::int32:
    case CellKind::decimal32:
      return stored_at<std::int32_t>(at);
    case CellKind::uint8:
      return stored_at<std::uint8_t>(at);
    case CellKind::uint16:
      return stored_at<std::uint16_t>(at);
    case CellKind::uint32:
      return stored_at<std::uint32_t>(at);
    case CellKind::uint64:
      return whole(stored_at<std::uint64_t>(at));
    case CellKind::decimal128:
      return whole128(at);
    default:
      return stored_at<std::int64_t>(at);
  }
}

/// The number itself, for the kinds whose numbers whole_at() may clamp.
int128 wide_at(const std::byte* at, CellKind kind) {
  return kind == CellKind::uint64 ? int128{stored_at<std::uint64_t>(at)} : stored_at<int128>(at);
}

double real_at(const std::byte* at, CellKind kind) {
  if (kind == CellKind::half) return from_half(stored_at<std::uint16_t>(at));
  return kind == CellKind::real32 ? stored_at<float>(at) : stored_at<double>(at);
}

template <class Number>
bool is_laid_down(const ArrowPiece& piece, CellKind kind, const std::byte* at) {
  const bool is_same = kind == (std::is_same_v<Number, double> ? CellKind::real64 : CellKind::int64);
  const bool is_decimal = kind == CellKind::decimal64 && !std::is_same_v<Number, double>;
  return (is_same || is_decimal) && stride_of(piece, kind) == sizeof(Number) &&
         std::bit_cast<std::uintptr_t>(at) % alignof(Number) == 0;
}

/// Whether any of these rows is the smallest 64-bit integer.
bool any_smallest(const ArrowPiece& piece, CellKind kind, std::size_t from, std::size_t rows) {
  if (kind != CellKind::int64) return false;
  const std::byte* at = place_of(piece, kind, from);
  const std::ptrdiff_t stride = stride_of(piece, kind);
  bool any = false;
  for (std::size_t row = 0; row < rows; ++row, at += stride) any |= stored_at<std::int64_t>(at) == smallest;
  return any;
}

std::string_view text_at(const ArrowPiece& piece, CellKind kind, std::size_t row) {
  const std::size_t at = piece.offset + row;
  if (kind == CellKind::text_view) {
    struct View {
      std::int32_t length;
      std::array<char, 4> prefix;
      std::int32_t buffer;
      std::int32_t offset;
    };
    constexpr std::int32_t longest_inside = 12;
    const View* view = static_cast<const View*>(piece.values) + at;
    const auto length = static_cast<std::size_t>(view->length);
    if (view->length <= longest_inside) return {reinterpret_cast<const char*>(view) + sizeof view->length, length};
    return {static_cast<const char*>(piece.text[view->buffer]) + view->offset, length};
  }
  const auto* characters = static_cast<const char*>(piece.text[0]);
  if (kind == CellKind::text32) {
    const auto* offsets = static_cast<const std::int32_t*>(piece.values) + at;
    return {characters + offsets[0], static_cast<std::size_t>(offsets[1] - offsets[0])};
  }
  const auto* offsets = static_cast<const std::int64_t*>(piece.values) + at;
  return {characters + offsets[0], static_cast<std::size_t>(offsets[1] - offsets[0])};
}

/// The name of the extension type that a column's metadata declares; "" if there is none.
std::string extension_name(const char* metadata) {
  if (metadata == nullptr) return {};
  const char* at = metadata;  // the number of pairs, and then for each text its length and its characters
  const auto next_number = [&] {
    std::int32_t number = 0;
    std::memcpy(&number, at, sizeof number);
    at += sizeof number;
    return number;
  };
  const auto next_text = [&] {
    const auto length = static_cast<std::size_t>(std::max(next_number(), 0));
    const std::string_view text(at, length);
    at += length;
    return text;
  };
  for (std::int32_t pairs = next_number(); pairs > 0; --pairs) {
    const std::string_view key = next_text();
    const std::string_view value = next_text();
    if (key == "ARROW:extension:name") return std::string(value);
  }
  return {};
}

}  // namespace

ArrowType number_type(const std::string& format) {
  if (format.starts_with('t')) return time_type(format);
  const auto found = kinds().find(format);
  if (found == kinds().end()) return {CellKind::other, 0, other_name(format)};
  return {found->second.kind, 0, found->second.name};
}

ArrowType arrow_type(const ArrowSchema& schema) {
  // What these types store is the value, or is not read.
  constexpr std::array plain{"arrow.bool8", "arrow.json", "arrow.uuid"};
  const std::string extension = extension_name(schema.metadata);
  if (!extension.empty() && std::ranges::find(plain, extension) == plain.end()) {
    return {CellKind::other, 0, "extension type " + extension};
  }
  const std::string format = schema.format;
  ArrowType type = format.starts_with("d:") ? decimal_type(format) : number_type(format);
  if (schema.dictionary != nullptr) {
    type.dictionary = std::make_shared<const ArrowType>(arrow_type(*schema.dictionary));
    type.name = "dictionary of " + type.dictionary->name;
  }
  return type;
}

Error unlike_its_schema() {
  return {ErrorCode::data, "the frame's records are not of the columns that its schema names",
          "export it again, or read a file"};
}

ArrowPiece piece_of(const ArrowArray& array, const ArrowType& type, std::size_t first, std::size_t rows) {
  ArrowPiece piece{rows, static_cast<std::size_t>(array.offset) + first};
  if (type.kind == CellKind::none || type.kind == CellKind::other) return piece;
  const bool is_whole =
      array.n_buffers >= (type.is_text() ? 3 : 2) && (!type.dictionary || array.dictionary != nullptr);
  if (!is_whole && rows > 0) throw unlike_its_schema();
  if (!is_whole) return piece;
  if (array.null_count != 0) piece.validity = static_cast<const std::uint8_t*>(array.buffers[0]);
  piece.values = array.buffers[1];
  piece.text = array.buffers + 2;
  if (type.dictionary) {
    const ArrowArray& words = *array.dictionary;
    piece.dictionary = std::make_shared<const ArrowPiece>(
        piece_of(words, *type.dictionary, 0, static_cast<std::size_t>(words.length)));
  }
  return piece;
}

const std::uint64_t* NumberBlock::validity_of(const ArrowPiece& piece, const ArrowType& type, std::size_t from,
                                              std::size_t rows) {
  const std::size_t words = (rows + 63) / 64;
  if (type.kind == CellKind::none) {
    validity_.assign(words, 0);
    return validity_.data();
  }
  // In a buffer, the smallest number means NaT.
  const bool has_no_times = type.unit && piece.stride && any_smallest(piece, type.kind, from, rows);
  if (!piece.has_nulls() && !has_no_times) return nullptr;
  validity_.assign(words, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool is_missing = has_no_times && whole_at(place_of(piece, type.kind, from + row), type.kind) == smallest;
    if (!piece.is_null(from + row) && !is_missing) validity_[row / 64] |= std::uint64_t{1} << (row % 64);
  }
  return validity_.data();
}

ColumnView NumberBlock::read(const ArrowPiece& piece, const ArrowType& type, std::size_t from, std::size_t rows) {
  const std::uint64_t* const validity = validity_of(piece, type, from, rows);
  const auto read_as = [&]<class Number>(std::vector<Number>& copies, auto value_at) -> ColumnView {
    if (type.kind == CellKind::none) {
      copies.assign(rows, 0);
      return {copies.data(), validity, rows};
    }
    if (type.kind == CellKind::truth) {
      copies.resize(rows);
      const auto* const bits = static_cast<const std::uint8_t*>(piece.values);
      for (std::size_t row = 0, bit = piece.offset + from; row < rows; ++row, ++bit) {
        copies[row] = (bits[bit / 8] >> (bit % 8)) & 1;
      }
      return {copies.data(), validity, rows};
    }
    const std::byte* at = place_of(piece, type.kind, from);
    if (is_laid_down<Number>(piece, type.kind, at)) return {at, validity, rows};
    copies.resize(rows);
    const std::ptrdiff_t stride = stride_of(piece, type.kind);
    for (std::size_t row = 0; row < rows; ++row, at += stride) copies[row] = value_at(at, type.kind);
    return {copies.data(), validity, rows};
  };
  return type.is_real() ? read_as(real_, real_at) : read_as(whole_, whole_at);
}

ColumnView NumberBlock::read(const ArrowPiece& piece, const ArrowType& type, std::size_t from, std::size_t rows,
                             const MissingValues& missing) {
  const ColumnView cells = read(piece, type, from, rows);
  if (!type.is_wide()) return missing.without(cells, present_);
  return missing.without(cells, present_,
                         [&](std::size_t row) { return wide_at(place_of(piece, type.kind, from + row), type.kind); });
}

Lattice in_units_of(const ArrowColumn& column, const Lattice& lattice) {
  const ArrowType& type = column.type;
  if (type.kind != CellKind::uint64 && !type.is_decimal()) return lattice;
  return in_units(lattice, type.scale, column.name, type.name);
}

std::string_view name_at(const ArrowPiece& piece, const ArrowType& type, std::size_t row, std::string& buffer) {
  if (type.kind == CellKind::none || piece.is_null(row)) return {};
  if (type.is_text()) return text_at(piece, type.kind, row);
  if (type.dictionary) {
    const std::int64_t word = whole_at(place_of(piece, type.kind, row), type.kind);
    return name_at(*piece.dictionary, *type.dictionary, static_cast<std::size_t>(word), buffer);
  }
  const std::byte* const at = place_of(piece, type.kind, row);
  buffer = type.kind == CellKind::uint64 ? std::to_string(stored_at<std::uint64_t>(at))
                                         : std::to_string(whole_at(at, type.kind));
  return buffer;
}

}  // namespace fractile::source_detail
