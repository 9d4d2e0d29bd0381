#include "source/engine/streamed_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "source/engine/engine.hpp"
#include "support/limits.hpp"

namespace fractile::source_detail {
namespace {

using testing::least;
using testing::most;

/// Blocks of two rows: numbers, doubles and texts, whichever a column asks for. The second row is NULL.
class Rows final : public RecordStream {
 public:
  Rows(std::vector<StreamedType> types, std::int64_t whole, double real, std::string text)
      : types_(std::move(types)), wholes_{whole, 0}, reals_{real, 0}, text_(std::move(text)) {
    texts_[0] = {static_cast<std::uint32_t>(text_.size()), {}, text_.data()};
    if (text_.size() <= EngineText::longest_inside) {
      text_.copy(reinterpret_cast<char*>(&texts_[0]) + offsetof(EngineText, prefix), text_.size());
    }
  }

  void start(const std::vector<std::size_t>& columns) override { asked = columns; }
  std::size_t next() override {
    if (fails) throw std::runtime_error("as it is");
    return blocks-- > 0 ? 2 : 0;
  }
  ColumnView column(std::size_t place) const override {
    const StreamedType type = types_[asked[place]];
    if (type == StreamedType::float32 || type == StreamedType::float64) return {reals_, &validity_, 2};
    if (type == StreamedType::text) return {texts_, &validity_, 2};
    return {wholes_, &validity_, 2};
  }

  std::vector<std::size_t> asked;
  int blocks = 3;
  bool fails = false;

 private:
  std::vector<StreamedType> types_;
  std::int64_t wholes_[2];
  double reals_[2];
  std::string text_;
  EngineText texts_[2] = {};
  std::uint64_t validity_ = 1;
};

std::vector<std::optional<std::string>> texts(const Session& connection, const std::string& sql) {
  std::vector<std::optional<std::string>> cells;
  ResultStream rows = connection.query(sql, {CellType::text});
  while (const auto chunk = rows.next()) {
    const ColumnView view = chunk->column(0);
    for (std::size_t row = 0; row < view.rows(); ++row) {
      cells.push_back(view.is_null(row) ? std::nullopt : std::optional(std::string(view.text(row))));
    }
  }
  return cells;
}

/// The first cell of such a column and its type, as the engine writes them.
std::string written(const StreamedColumn& column, std::int64_t whole, double real = 0, const std::string& text = "") {
  Rows rows({column.type}, whole, real, text);
  StreamedTable table({column}, rows);
  const Session connection = Session::open("");
  connection.run("SET threads = 1");
  connection.add(table, "outside");
  const auto cells = texts(connection, "SELECT CAST(x AS VARCHAR) || ' ' || typeof(x) FROM outside()");
  EXPECT_EQ(cells.size(), 6U);
  EXPECT_FALSE(cells.at(1).has_value());
  return cells.at(4).value_or("NULL");
}

TEST(StreamedTable, EveryTypeArrivesAsItIs) {
  EXPECT_EQ(written({"x", StreamedType::boolean}, 1), "true BOOLEAN");
  EXPECT_EQ(written({"x", StreamedType::int16}, -7), "-7 SMALLINT");
  EXPECT_EQ(written({"x", StreamedType::int32}, -2147483648), "-2147483648 INTEGER");
  EXPECT_EQ(written({"x", StreamedType::int64}, least), "-9223372036854775808 BIGINT");
  EXPECT_EQ(written({"x", StreamedType::float32}, 0, 0.5), "0.5 FLOAT");
  EXPECT_EQ(written({"x", StreamedType::float64}, 0, -HUGE_VAL), "-inf DOUBLE");
  EXPECT_EQ(written({"x", StreamedType::decimal, 4, 2}, -1234), "-12.34 DECIMAL(4,2)");
  EXPECT_EQ(written({"x", StreamedType::decimal, 9, 9}, 123'456'789), ".123456789 DECIMAL(9,9)");
  EXPECT_EQ(written({"x", StreamedType::decimal, 18, 0}, 999'999'999'999'999'999), "999999999999999999 DECIMAL(18,0)");
  EXPECT_EQ(written({"x", StreamedType::days}, 365), "1971-01-01 DATE");
  EXPECT_EQ(written({"x", StreamedType::days}, most), "infinity DATE");
  EXPECT_EQ(written({"x", StreamedType::days}, least), "-infinity DATE");
  EXPECT_EQ(written({"x", StreamedType::microseconds}, 1'500'000), "1970-01-01 00:00:01.5 TIMESTAMP");
  EXPECT_EQ(written({"x", StreamedType::microseconds}, most), "infinity TIMESTAMP");
  EXPECT_EQ(written({"x", StreamedType::microseconds}, least), "-infinity TIMESTAMP");
  EXPECT_EQ(written({"x", StreamedType::text}, 0, 0, "short"), "short VARCHAR");
  EXPECT_EQ(written({"x", StreamedType::text}, 0, 0, "longer than twelve \xc3\xa9"),
            "longer than twelve \xc3\xa9 VARCHAR");
}

TEST(StreamedTable, OnlyWhatIsNamedIsAskedFor) {
  const std::vector<StreamedType> types{StreamedType::int32, StreamedType::text, StreamedType::float64};
  const std::vector<StreamedColumn> columns{{"a", types[0]}, {"b", types[1]}, {"c", types[2]}};
  const auto asked = [&](const std::string& sql) {
    Rows rows(types, 1, 2, "three");
    StreamedTable table(columns, rows);
    const Session connection = Session::open("");
    connection.run("SET threads = 1");
    connection.add(table, "outside");
    connection.run("CREATE TEMP VIEW people AS SELECT a AS x, b AS y, c AS z FROM outside()");
    connection.run(sql);
    return rows.asked;
  };
  EXPECT_EQ(asked("SELECT z, x FROM people WHERE y = 'three'").size(), 3U);
  EXPECT_EQ(asked("SELECT y FROM people"), std::vector<std::size_t>{1});
  EXPECT_LE(asked("SELECT 7 FROM people").size(), 1U);
  EXPECT_LE(asked("SELECT count(*) FROM people").size(), 1U);
}

TEST(StreamedTable, WhatTheStreamThrowsIsKept) {
  Rows rows({StreamedType::int32}, 1, 2, "");
  rows.fails = true;
  StreamedTable table({{"x", StreamedType::int32}}, rows);
  const Session connection = Session::open("");
  connection.add(table, "outside");
  EXPECT_NO_THROW(table.rethrow());
  EXPECT_THROW(connection.run("SELECT x FROM outside()"), EngineFailure);
  EXPECT_THROW(table.rethrow(), std::runtime_error);
}

TEST(StreamedTable, ComesOnce) {
  Rows rows({StreamedType::int32}, 1, 2, "");
  StreamedTable table({{"x", StreamedType::int32}}, rows);
  const Session connection = Session::open("");
  connection.add(table, "outside");
  connection.run("SELECT x FROM outside()");
  EXPECT_THROW(connection.run("SELECT x FROM outside()"), EngineFailure);
  EXPECT_THROW(table.rethrow(), Error);
}

}  // namespace
}  // namespace fractile::source_detail
