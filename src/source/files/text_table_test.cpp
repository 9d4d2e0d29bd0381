#include "source/files/text_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "source/entries/table_test_support.hpp"
#include "source/files/text_check.hpp"
#include "support/errors.hpp"

namespace fractile::source_detail {
namespace {

using source_test::EngineTest;

using Row = std::vector<std::optional<std::string>>;

std::string all_columns(std::size_t columns) {
  std::string list;
  for (std::size_t k = 0; k < columns; ++k) list += (k == 0 ? "c" : ", c") + std::to_string(k);
  return list;
}

/// A relation's rows: in its order if the engine has one thread, and otherwise sorted; nothing if reading fails.
std::optional<std::vector<Row>> rows_of(const Session& connection, std::size_t threads, const std::string& relation,
                                        std::size_t columns) {
  connection.run("SET threads = " + std::to_string(threads));
  std::vector<Row> rows;
  try {
    ResultStream result = connection.query("SELECT " + all_columns(columns) + " FROM " + relation,
                                           std::vector<CellType>(columns, CellType::text));
    while (const auto chunk = result.next()) {
      for (std::size_t row = 0; row < chunk->rows(); ++row) {
        Row& cells = rows.emplace_back();
        for (std::size_t k = 0; k < columns; ++k) {
          const ColumnView column = chunk->column(k);
          cells.push_back(column.is_null(row) ? std::nullopt : std::optional(std::string(column.text(row))));
        }
      }
    }
  } catch (const EngineFailure&) {
    return std::nullopt;
  }
  if (threads > 1) std::ranges::sort(rows);
  return rows;
}

std::optional<std::vector<Row>> sorted(std::optional<std::vector<Row>> rows) {
  if (rows) std::ranges::sort(*rows);
  return rows;
}

/// The rows by the engine's own reader, which begins at the start of the file.
std::optional<std::vector<Row>> rows_by_engine(const Session& connection, const InputFile& file,
                                               const DelimitedShape& shape) {
  std::string columns;
  for (std::size_t k = 0; k < shape.columns; ++k)
    columns += (k == 0 ? "'c" : ", 'c") + std::to_string(k) + "': 'VARCHAR'";
  return rows_of(connection, 1,
                 "read_csv(" + quote_literal(file.path()) +
                     ", auto_detect = false, parallel = false, delim = " + quote_literal(shape.delimiter) +
                     R"(, quote = '"', escape = '"', header = true, columns = {)" + columns + "})",
                 shape.columns);
}

bool passes(const InputFile& file, const DelimitedShape& shape, LineEndsInCells line_ends = LineEndsInCells::allowed) {
  return !testing::error_if_any([&] { check_delimited(file, shape, line_ends, {}); });
}

std::string with(std::string text, const std::string& delimiter, const std::string& end) {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{";", delimiter}, {"\n", end}}) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  }
  return text;
}

/// Files and tables outlive the connections of a test, as they must: threads of the engine have read them.
class TextTableTest : public EngineTest {
 protected:
  const InputFile& opened(const std::string& path) { return files.emplace_back(InputFile::open(path)); }
  const TextTable& added(const Session& connection, std::span<const InputFile> parts, const DelimitedShape& shape,
                         std::size_t piece, LineEndsInCells line_ends = LineEndsInCells::allowed) {
    TextTable& table = tables.emplace_back(parts, shape, line_ends, piece);
    connection.add(table, table.function());
    return table;
  }
  std::optional<std::vector<Row>> rows_by_us(const Session& connection, const InputFile& file,
                                             const DelimitedShape& shape, std::size_t piece, std::size_t threads,
                                             LineEndsInCells line_ends = LineEndsInCells::allowed) {
    const TextTable& table = added(connection, std::span(&file, 1), shape, piece, line_ends);
    return rows_of(connection, threads, table.function() + "()", shape.columns);
  }

  std::deque<InputFile> files;
  std::deque<TextTable> tables;
};

// Texts that could mislead a reader that begins in the middle: line ends, quotes and delimiters within quotes, a quote that opens
// in one piece and closes in the next, quotes that are bytes, blank lines, long cells.
const std::string nasty =
    "a;b\n1;2\n\"x\ny\";\"\"\n\n\"\n\n;\";3\n5' 11\";\"a\"\"b\"\n \"q\n\" ;\"\"\"\n;\"\n;\n\"\"\"\";\"\n\"\n\"thirteen "
    "bytes\n or more\";"
    "long enough to lie elsewhere\n \"\"\"7\" ; 8\n\xC3\xA9;\"\xE2\x82\xAC\n\"\n;\"\"\n\"\r\";9\nx\"\";\"last\n\"";

/// The records are divided among the files anywhere, and each file is read without the others.
TEST_F(TextTableTest, SeveralFilesAreOneBehindTheOther) {
  const std::vector<std::string> texts{"a,b\n1,2\n\"x\ny\",3\n", "a,b\r\n4,5\r\n", "a,b\n", "a,b\r6,\"7\r\"\r",
                                       "a,b\n8,9"};
  std::vector<InputFile> parts;
  for (const std::string& text : texts)
    parts.push_back(InputFile::open(folder.write("x" + std::to_string(parts.size()), text)));
  const Session connection = Session::open("");
  const std::optional<std::vector<Row>> all{{{"1", "2"}, {"x\ny", "3"}, {"4", "5"}, {"6", "7\r"}, {"8", "9"}}};
  for (const std::size_t piece : {1U, 5U, 1000U}) {
    for (const std::size_t threads : {1U, 2U, 16U}) {
      const TextTable& table = added(connection, parts, {",", 2}, piece);
      EXPECT_EQ(rows_of(connection, threads, table.function() + "()", 2), threads == 1 ? all : sorted(all))
          << piece << " " << threads;
      EXPECT_TRUE(table.was_read_whole());
      EXPECT_EQ(table.bytes_taken(), table.bytes());
      for (const auto& [record, file, number] :
           {std::tuple(1U, 0U, 1U), {2U, 0U, 2U}, {3U, 1U, 1U}, {4U, 3U, 1U}, {5U, 4U, 1U}}) {
        const TextTable::Place place = table.place_of(record);
        EXPECT_EQ(std::tuple(place.file, place.record), std::tuple(file, number)) << record;
      }
    }
  }
}

TEST_F(TextTableTest, EveryCutReadsAsTheEngineReadsTheWhole) {
  const Session connection = Session::open("");
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    for (const std::string delimiter : {",", "|", "||"}) {
      const DelimitedShape shape{delimiter, 2};
      const InputFile& file = opened(folder.write("x.csv", with(nasty, delimiter, end)));
      ASSERT_TRUE(passes(file, shape));
      const auto whole = rows_by_engine(connection, file, shape);
      ASSERT_TRUE(whole && whole->size() == 13u);
      for (std::size_t piece = 1; piece <= file.size() + 1; ++piece)
        ASSERT_EQ(rows_by_us(connection, file, shape, piece, 1), whole) << piece << " " << delimiter << " " << end;
      for (const std::size_t threads : {2U, 5U, 16U}) {
        for (const std::size_t piece : {1U, 7U, 20U, 64U})
          EXPECT_EQ(rows_by_us(connection, file, shape, piece, threads), sorted(whole)) << piece << " " << threads;
      }
    }
  }
}

TEST_F(TextTableTest, OneColumnHasBlankRecords) {
  const Session connection = Session::open("");
  const DelimitedShape shape{",", 1};
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const InputFile& file = opened(folder.write("x.csv", with("a\n1\n\n\"\"\n\n \n\"x\n\n\"\n\n\n7", ",", end)));
    const auto whole = rows_by_engine(connection, file, shape);
    ASSERT_TRUE(whole && whole->size() == 9u);
    for (std::size_t piece = 1; piece <= file.size(); ++piece)
      ASSERT_EQ(rows_by_us(connection, file, shape, piece, 1), whole) << piece;
  }
}

// Texts are drawn from few bytes; most of them are refused.
TEST_F(TextTableTest, ReadsWhatTheCheckPassesAndNothingElse) {
  const Session connection = Session::open("");
  EXPECT_TRUE(rc::check([&] {
    const std::string end = *rc::gen::element<std::string>("\n", "\r\n", "\r");
    const std::string delimiter = *rc::gen::element<std::string>(",", "||", " ");
    const auto columns = *rc::gen::inRange<std::size_t>(1, 3);
    const auto line_ends = *rc::gen::element(LineEndsInCells::allowed, LineEndsInCells::refused);
    const auto part = rc::gen::weightedElement<std::string>(
        {{4, "x"}, {4, "\""}, {4, delimiter}, {4, end}, {2, " "}, {1, "|"}, {1, "\n"}, {1, "\r"}});
    std::string text = (columns == 1 ? "a" : "a" + delimiter + "b") + end;
    if (*rc::gen::arbitrary<bool>()) text += columns == 1 ? "\"1\"" + end : "\"1\"" + delimiter + "2" + end;
    for (const std::string& each : *rc::gen::container<std::vector<std::string>>(part)) text += each;
    const InputFile& file = opened(folder.write("x.csv", text));
    const DelimitedShape shape{delimiter, columns};
    const bool is_right = passes(file, shape, line_ends);
    const auto whole = is_right ? rows_by_engine(connection, file, shape) : std::nullopt;
    RC_ASSERT(whole.has_value() == is_right);
    for (const std::size_t piece : {1U, 2U, 3U, 5U, 8U, 13U, 1000U})
      RC_ASSERT(rows_by_us(connection, file, shape, piece, 1, line_ends) == whole);
  }));
}

TEST_F(TextTableTest, LongRecordsAndLongTexts) {
  const Session connection = Session::open("");
  const DelimitedShape shape{",", 2};
  std::string text = "a,b\n";
  for (std::size_t i = 0; i < 30'000; ++i)
    text += std::to_string(i) + ",\"" + std::string(i % 97, 'x') + (i % 5 == 0 ? "\n\"\n" : "\"\n");
  text += "7," + std::string(longest_record - 100, 'y') + "\n8,9\n";
  const InputFile& file = opened(folder.write("x.csv", text));
  const auto whole = rows_by_engine(connection, file, shape);
  ASSERT_TRUE(whole && whole->size() == 30'002u);
  EXPECT_EQ(rows_by_us(connection, file, shape, std::size_t{1} << 17, 1), whole);
  for (const std::size_t threads : {2U, 5U, 16U})
    EXPECT_EQ(rows_by_us(connection, file, shape, std::size_t{1} << 17, threads), sorted(whole));
  const InputFile& longest = opened(folder.write("z.csv", "a,b\n7," + std::string(longest_record - 2, 'y') + "\n"));
  EXPECT_EQ(rows_by_us(connection, longest, shape, 100, 2).value().size(), 1u);
  for (const std::string& line :
       {"7," + std::string(longest_record - 1, 'y'), "7,\"" + std::string(9'000'000, '\n') + "\""}) {
    const InputFile& longer = opened(folder.write("y.csv", "a,b\n1,2\n" + line + "\n8,9\n"));
    for (const std::size_t piece : {std::size_t{100}, std::size_t{1} << 20, std::size_t{1} << 24})
      EXPECT_EQ(rows_by_us(connection, longer, shape, piece, 2), std::nullopt);
  }
}

TEST_F(TextTableTest, OnlyCellsThatAreWantedAreDecoded) {
  const Session connection = Session::open("");
  const InputFile& file = opened(folder.write("x.csv", "a,b\n1,2\n\"\n\",3\n\xFF,4\n"));
  const TextTable& table = added(connection, std::span(&file, 1), {",", 2}, 4);
  ResultStream sum = connection.query("SELECT CAST(sum(CAST(c1 AS BIGINT)) AS BIGINT) FROM " + table.function() + "()",
                                      {CellType::integer});
  EXPECT_EQ(sum.next().value().column(0).numbers<std::int64_t>()[0], 9);
  try {
    connection.run("SELECT c0 FROM " + table.function() + "()");
    ADD_FAILURE();
  } catch (const EngineFailure& failure) {
    EXPECT_EQ(failure.kind, FailureKind::not_utf8);
    EXPECT_EQ(failure.line, 5u);
  }
}

TEST_F(TextTableTest, SaysWhetherItWasReadToItsEnd) {
  const Session connection = Session::open("");
  connection.run("SET threads = 2");
  std::string text = "a\n";
  for (int i = 0; i < 100'000; ++i) text += "7\n";
  const InputFile& file = opened(folder.write("x.csv", text));
  const TextTable& table = added(connection, std::span(&file, 1), {",", 1}, 1'000);
  EXPECT_FALSE(table.was_read_whole());
  connection.run("SELECT * FROM " + table.function() + "() LIMIT 1");
  EXPECT_FALSE(table.was_read_whole());
  connection.run("SELECT count(*) FROM " + table.function() + "()");
  EXPECT_TRUE(table.was_read_whole());
  EXPECT_FALSE(table.was_read_whole());
}

}  // namespace
}  // namespace fractile::source_detail
