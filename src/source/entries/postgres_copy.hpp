// Reads COPY ... TO STDOUT (FORMAT binary) into blocks of cells, column by column.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libraries/postgres.hpp"
#include "source/engine/column_view.hpp"
#include "source/engine/time_cells.hpp"
#include "source/entries/missing_values.hpp"

namespace fractile::source_detail {

/// A column's declared type, as far as it determines its cells.
struct PostgresType {
  enum class Kind {
    none,
    boolean,
    int16,
    int32,
    int64,
    float32,
    float64,
    decimal,
    days,
    microseconds,
    text,
    label,
    written
  };
  Kind kind = Kind::none;
  ValueKind time = ValueKind::number;  ///< kind of dates and times
  int scale = 0;                       ///< for decimals, which are read as whole numbers of 10^-scale
  std::string name = {};               ///< in messages: "numeric(9,2)"
  int precision = 0;                   ///< number of digits of decimals
  bool is_padded = false;              ///< for texts: trailing blanks have no meaning

  bool is_real() const { return kind == Kind::float32 || kind == Kind::float64; }
  /// True also for labels of an enumeration, and for numbers as the server writes them.
  bool is_text() const { return kind == Kind::text || kind == Kind::label || kind == Kind::written; }
  bool is_countable() const { return kind != Kind::none && kind != Kind::boolean && !is_text(); }
  /// For a column that is countable.
  CellReading reading() const;
  NumberForm form() const { return {is_real(), kind == Kind::float32 ? 32 : 64, scale, reading().unit, time}; }
  bool operator==(const PostgresType&) const = default;
};

/// The type for a number and a modifier that the server sent. numeric without a precision, or with more than 18 digits, is `none`,
/// since its numbers would not all fit 64 bits. Every type that is not built into the server is `none`, too.
PostgresType postgres_type(postgres::PgType type, int modifier);

/// Reads the stream in pieces of any size, and passes on blocks. No cell of the given types is refused: a cell without a value that
/// can be counted (NaN or an infinity of a numeric, a text that is not UTF-8) is missing, like NULL.
class PostgresCopy {
 public:
  static constexpr std::size_t most_rows = 2048;
  /// A longer text is missing.
  static constexpr std::size_t longest_text = 1'000'000;

  /// Takes one view per column, and the number of rows, from 1 to `most_rows`. Views are of whole numbers (0 and 1 for booleans),
  /// doubles or texts, and are valid until add() is called again.
  using Take = std::function<void(std::span<const ColumnView>, std::size_t rows)>;

  PostgresCopy(const std::vector<PostgresType>& types, Take take);
  /// Throws Malformed for any other bytes.
  void add(std::string_view bytes);
  /// To be called at the end of the stream; returns the number of rows. Throws Malformed when the stream ended in the middle.
  std::uint64_t finish();

  struct Malformed {};

 private:
  /// The cells of a block.
  struct Cells {
    PostgresType type;
    std::vector<double> reals = {};
    std::vector<std::int64_t> wholes = {};
    std::vector<EngineText> texts = {};
    std::vector<std::uint64_t> validity = {};

    const void* values() const;
  };

  /// Reads from the front of `bytes`, and returns how many bytes were read; 0 when more must come first.
  std::size_t read_one(std::string_view bytes);
  std::size_t read_header(std::string_view bytes);
  void add_cell(Cells& cells, std::string_view cell);
  void add_text(Cells& cells, std::string_view cell);
  void hand_over();

  Take take_;
  std::vector<Cells> columns_;
  std::deque<std::string> long_texts_;  // to which the block's cells point
  std::size_t long_bytes_ = 0;
  std::string pending_;
  bool has_begun_ = false;
  bool has_ended_ = false;
  std::uint64_t rows_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace fractile::source_detail
