// COPY ... TO STDOUT (FORMAT binary) of one column: blocks of numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libraries/postgres.hpp"
#include "source/engine/column_view.hpp"
#include "source/engine/time_cells.hpp"

namespace fractile::source_detail {

/// What a column's declared type says of its cells.
struct PostgresType {
  enum class Kind { none, int16, int32, int64, float32, float64, decimal, days, microseconds };
  Kind kind = Kind::none;
  ValueKind time = ValueKind::number;  ///< of dates and times
  int scale = 0;                       ///< of decimals, which are read as whole numbers of 10^-scale
  std::string name;                    ///< in messages: "numeric(9,2)"

  bool is_real() const { return kind == Kind::float32 || kind == Kind::float64; }
  CellReading reading() const;
};

/// By the number and the modifier of a type, which the server told. numeric without a precision, or with more than 18 digits, is `none`: its
/// numbers would not all fit 64 bits.
PostgresType postgres_type(postgres::PgType type, int modifier);

/// Reads what arrives, in pieces of any size, and hands over blocks.
class PostgresCopy {
 public:
  static constexpr std::size_t most_rows = 2048;

  PostgresCopy(PostgresType type, std::function<void(const ColumnView&)> take);
  /// Throws Malformed for what is no such stream.
  void add(std::string_view bytes);
  /// At the end of the stream; how many rows there were. Throws Malformed when it ended in the middle.
  std::uint64_t finish();

  struct Malformed {};

 private:
  /// How many bytes of the beginning of `bytes` were read; 0 when more must come first.
  std::size_t read_one(std::string_view bytes);
  std::size_t read_header(std::string_view bytes);
  void add_number(std::string_view cell);
  void add_null();
  void hand_over();

  PostgresType type_;
  std::function<void(const ColumnView&)> take_;
  std::string pending_;
  bool has_begun_ = false;
  bool has_ended_ = false;
  std::uint64_t rows_ = 0;
  std::size_t filled_ = 0;
  std::vector<double> reals_;
  std::vector<std::int64_t> wholes_;
  std::vector<std::uint64_t> validity_;
};

}  // namespace fractile::source_detail
