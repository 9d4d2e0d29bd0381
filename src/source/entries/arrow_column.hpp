// Reads a column in memory, in the layout of Arrow's C interface or of a buffer, block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "fractile/source.hpp"
#include "source/engine/time_cells.hpp"
#include "source/entries/missing_values.hpp"

namespace fractile::source_detail {

enum class CellKind {
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  half,
  real32,
  real64,
  decimal32,
  decimal64,
  decimal128,
  text32,  ///< UTF-8 with 32-bit offsets
  text64,  ///< with 64-bit offsets
  text_view,
  truth,  ///< one bit per row
  none,   ///< a column of NULL
  other,  ///< a type that is not read
};

/// The type of a column, from its schema.
struct ArrowType {
  CellKind kind = CellKind::other;
  int scale = 0;                                     ///< for decimals: the value is the stored number / 10^scale
  std::string name = {};                             ///< for messages: "utf8", "decimal128(10, 2)"
  std::shared_ptr<const ArrowType> dictionary = {};  ///< for a column of indices: the type of what these stand for
  std::optional<TimeUnit> unit = {};                 ///< for dates and times: their unit
  ValueKind time = ValueKind::number;                ///< for dates and times: their kind

  bool is_whole() const { return kind <= CellKind::uint64; }
  bool is_decimal() const { return kind >= CellKind::decimal32 && kind <= CellKind::decimal128; }
  bool is_real() const { return kind >= CellKind::half && kind <= CellKind::real64; }
  bool is_text() const { return kind >= CellKind::text32 && kind <= CellKind::text_view; }
  bool is_number() const {
    return !dictionary && !unit && (is_whole() || is_decimal() || is_real() || kind == CellKind::none);
  }
  bool is_truth() const { return !dictionary && kind == CellKind::truth; }
  bool is_name() const { return dictionary ? dictionary->is_text() : is_text() || (is_whole() && !unit); }
  /// Whether its whole numbers may have more than 64 bits with a sign.
  bool is_wide() const { return kind == CellKind::uint64 || kind == CellKind::decimal128; }
  NumberForm form() const {
    return {is_real(), kind == CellKind::half ? 16 : kind == CellKind::real32 ? 32 : 64, scale, unit, time};
  }
  /// How NumberBlock reads it.
  CellReading reading() const { return {is_real() ? CellType::real : CellType::integer, unit}; }
};

ArrowType arrow_type(const ArrowSchema& schema);
/// The type of a buffer's numbers or times; `other` for anything else.
ArrowType number_type(const std::string& format);

/// A stretch of a column in one piece of memory.
struct ArrowPiece {
  std::size_t rows = 0;
  std::size_t offset = 0;                     ///< index of the first row, in values and validity
  const std::uint8_t* validity = nullptr;     ///< one bit per row; without it nothing is NULL
  const void* values = nullptr;               ///< for texts, the offsets or views
  const void* const* text = nullptr;          ///< the buffers with the characters
  std::optional<std::ptrdiff_t> stride = {};  ///< bytes from one number to the next; nothing: numbers are adjacent
  std::shared_ptr<const ArrowPiece> dictionary = {};
  const std::uint8_t* records = nullptr;  ///< the validity of whole records, of which this is a column
  std::size_t first_record = 0;           ///< index of the first row, in `records`

  bool has_nulls() const { return validity != nullptr || records != nullptr; }
  bool is_null(std::size_t row) const {
    const auto is_out = [](const std::uint8_t* bits, std::size_t bit) {
      return bits != nullptr && ((bits[bit / 8] >> (bit % 8)) & 1) == 0;
    };
    return is_out(validity, offset + row) || is_out(records, first_record + row);
  }
};

struct ArrowColumn {
  std::string name;
  ArrowType type;
  std::vector<ArrowPiece> pieces = {};
};

/// The error about an array that does not have the columns, buffers or dictionary of its schema.
Error unlike_its_schema();

/// `rows` rows of `array` from row `first` on, for a parent that begins at `first`. Throws `data` unless the array has the buffers and the
/// dictionary that the type has.
ArrowPiece piece_of(const ArrowArray& array, const ArrowType& type, std::size_t first, std::size_t rows);

/// The numbers of a stretch, as std::int64_t (whole numbers, decimals and times, in their units; truth values as 0 and 1) or as
/// double. Numbers that are stored in this form are not copied.
class NumberBlock {
 public:
  static constexpr std::size_t most_rows = std::size_t{1} << 16;

  /// Rows from .. from + rows - 1 of the piece; valid until the next call.
  ColumnView read(const ArrowPiece& piece, const ArrowType& type, std::size_t from, std::size_t rows);
  /// The same, with NULL for what is declared to be missing.
  ColumnView read(const ArrowPiece& piece, const ArrowType& type, std::size_t from, std::size_t rows,
                  const MissingValues& missing);

 private:
  const std::uint64_t* validity_of(const ArrowPiece& piece, const ArrowType& type, std::size_t from, std::size_t rows);

  std::vector<std::int64_t> whole_;
  std::vector<double> real_;
  std::vector<std::uint64_t> validity_;
  std::vector<std::uint64_t> present_;  // rows that are neither NULL nor declared to be missing
};

/// The lattice in the units in which NumberBlock reads the column. Throws `usage` when the type could hold numbers that are clamped
/// to the largest 64-bit integers although they are not beyond the lattice.
Lattice in_units_of(const ArrowColumn& column, const Lattice& lattice);

/// The text of a cell that identifies a person or a group; empty for NULL. `buffer` holds the digits of whole numbers.
std::string_view name_at(const ArrowPiece& piece, const ArrowType& type, std::size_t row, std::string& buffer);

}  // namespace fractile::source_detail
