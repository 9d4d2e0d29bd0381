// COPY ... TO STDOUT (FORMAT binary): blocks of cells, column by column.
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

/// What a column's declared type says about its cells.
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
  ValueKind time = ValueKind::number;  ///< of dates and times
  int scale = 0;                       ///< of decimals, which are read as whole numbers of 10^-scale
  std::string name = {};               ///< in messages: "numeric(9,2)"
  int precision = 0;                   ///< of decimals
  bool is_padded = false;              ///< of texts: blanks at their ends say nothing

  bool is_real() const { return kind == Kind::float32 || kind == Kind::float64; }
  /// Also a label of an enumeration, and a number as the server writes it.
  bool is_text() const { return kind == Kind::text || kind == Kind::label || kind == Kind::written; }
  bool is_countable() const { return kind != Kind::none && kind != Kind::boolean && !is_text(); }
  /// For a column that is countable.
  CellReading reading() const;
  NumberForm form() const { return {is_real(), kind == Kind::float32, scale, reading().unit, time}; }
  bool operator==(const PostgresType&) const = default;
};

/// The type by its number and its modifier, which the server gave. numeric without a precision, or with more than 18 digits, is
/// `none`: its numbers would not all fit 64 bits. So is every type that is not the server's own.
PostgresType postgres_type(postgres::PgType type, int modifier);

/// Reads what arrives, in pieces of any size, and hands over blocks. No cell of the types that were told is refused: one that has no value
/// among the numbers that are counted (NaN or an infinity of a numeric, a text that is not UTF-8) is missing, as NULL is.
class PostgresCopy {
 public:
  static constexpr std::size_t most_rows = 2048;
  /// A longer text is missing.
  static constexpr std::size_t longest_text = 1'000'000;

  /// Takes one view per column, and how many rows each has, at least one and at most `most_rows`: whole numbers (of booleans 0 and
  /// 1), doubles or texts. They hold until add() is called again.
  using Take = std::function<void(std::span<const ColumnView>, std::size_t rows)>;

  PostgresCopy(const std::vector<PostgresType>& types, Take take);
  /// Throws Malformed for any other bytes.
  void add(std::string_view bytes);
  /// At the end of the stream; how many rows there were. Throws Malformed when it ended in the middle.
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

  /// How many bytes of the beginning of `bytes` were read; 0 when more must come first.
  std::size_t read_one(std::string_view bytes);
  std::size_t read_header(std::string_view bytes);
  void add_cell(Cells& cells, std::string_view cell);
  void add_text(Cells& cells, std::string_view cell);
  void hand_over();

  Take take_;
  std::vector<Cells> columns_;
  std::deque<std::string> long_texts_;  // that the block's cells point to
  std::size_t long_bytes_ = 0;
  std::string pending_;
  bool has_begun_ = false;
  bool has_ended_ = false;
  std::uint64_t rows_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace fractile::source_detail
