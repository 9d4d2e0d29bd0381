#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "source/entries/table_test_support.hpp"
#include "source/text/packing_test_support.hpp"

namespace fractile {
namespace {

using source_detail::quote_literal;
using source_test::ages_to_120;
using source_test::EngineTest;
using source_test::error_of;
using source_test::holds;
using source_test::lattice_of;
using source_test::profile_of;

class TableTest : public EngineTest {
 protected:
  /// The profile of a file's column; expects the same from every way of counting.
  RankProfile read(const TableOptions& options, const std::string& column, NullPolicy policy = NullPolicy::drop) const {
    const Table table = Table::open(options);
    const RankProfile streamed = table.profile(column, ages_to_120, policy, Counting::stream);
    EXPECT_EQ(table.profile(column, ages_to_120, policy), streamed);
    return streamed;
  }
  RankProfile read_text(const std::string& text, const std::string& name = "people.csv") const {
    return read({.file = folder.write(name, text)}, "age");
  }
  Error failure_of(const std::string& text, const std::string& name = "people.csv",
                   NullPolicy policy = NullPolicy::drop) const {
    const std::string file = folder.write(name, text);
    const auto failure = [&](Counting counting) {
      return error_of([&] { (void)open(file).profile("age", ages_to_120, policy, counting); });
    };
    const Error streamed = failure(Counting::stream);
    EXPECT_STREQ(failure(Counting::automatic).what(), streamed.what());
    return streamed;
  }
  std::string gzipped(const std::string& text, const std::string& name) const {
    run_sql("COPY (SELECT " + quote_literal(text) + " AS t) TO " + quote_literal(folder.path(name)) +
            " (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIM '\x1f', COMPRESSION gzip)");
    return folder.path(name);
  }
};

RankProfile profile_of_ages(const std::vector<double>& numbers) { return profile_of<double>(ages_to_120, numbers); }

TEST_F(TableTest, EngineNamesItsVersion) {
  const std::string file = folder.write("x.csv", "age\n");
  EXPECT_EQ(open(file).engine(), "text");
  const std::string engine = Table::open({.file = file, .sql = "FROM input"}).engine();
  EXPECT_EQ(engine.rfind("DuckDB v1.", 0), 0u) << engine;
}

TEST_F(TableTest, ReadsDelimitedText) {
  EXPECT_EQ(read_text("id,age\n1,30\n2,41.5\n"), profile_of_ages({30, 41.5}));
  EXPECT_EQ(read_text("\xEF\xBB\xBF"
                      "age,id\r\n30,1\r\n41.5,2\r\n"),
            profile_of_ages({30, 41.5}));
  EXPECT_EQ(read_text("id;age\n1; 30 \n2;\t4\n"), profile_of_ages({30, 4}));
  EXPECT_EQ(read_text("id|age\n1|30"), profile_of_ages({30}));
  EXPECT_EQ(read_text("id\tage\n1\t30\n", "people.tsv"), profile_of_ages({30}));
  EXPECT_EQ(read_text("id\tage\n1\t30\n", "people.txt"), profile_of_ages({30}));
  EXPECT_EQ(read_text("age\n30\n31\n"), profile_of_ages({30, 31}));
  EXPECT_EQ(read_text("name,age\n\"Doe, \"\"J\"\"\n\",\"30\"\n", "PEOPLE.CSV"), profile_of_ages({30}));
}

TEST_F(TableTest, DelimiterComesFromTheHeaderAlone) {
  EXPECT_EQ(read_text("name,age\na;b;c;d,30\na;b;c;d,31\n"), profile_of_ages({30, 31}));
  EXPECT_EQ(read({.file = folder.write("x.csv", "a,b;age\n1;30\n"), .delimiter = ";"}, "age"), profile_of_ages({30}));
}

TEST_F(TableTest, SingleLineRecordsAreDeclaredOfText) {
  const std::string stray = folder.write("stray.csv", "id,age\n\"a,30\nb,31\nc\",32\n");
  EXPECT_EQ(read({.file = stray}, "age"), profile_of_ages({32}));
  const Error error = error_of([&] { read({.file = stray, .single_line_records = true}, "age"); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_TRUE(holds(error, "line 2")) << error.what();
  const Error queried =
      error_of([&] { read({.file = stray, .sql = "SELECT age FROM input", .single_line_records = true}, "age"); });
  EXPECT_TRUE(holds(queried, "stray.csv: line 2")) << queried.what();
  const std::string sound = folder.write("sound.csv", "id,age\n\"a,b\",30\nb,31\n");
  EXPECT_EQ(read({.file = sound, .single_line_records = true}, "age"), profile_of_ages({30, 31}));
  const std::string json = folder.write("x.json", "{\"age\":1}\n");
  EXPECT_EQ(error_of([&] { Table::open({.file = json, .single_line_records = true}); }).code(), ErrorCode::usage);
}

TEST_F(TableTest, WhichTextsAreNumbers) {
  const std::vector<std::pair<const char*, double>> numbers = {
      {"12", 12},      {"+5", 5},    {"-5", -5},    {".5", .5},     {"5.", 5},      {" 7\t", 7},
      {"007", 7},      {"1e3", 1e3}, {"1.E+1", 10}, {"25e-1", 2.5}, {"inf", 1e300}, {"-Infinity", -1e300},
      {"1e400", 1e300}};
  for (const auto& [text, number] : numbers) {
    EXPECT_EQ(read_text("age,x\n\"" + std::string(text) + "\",\n"), profile_of_ages({number})) << text;
  }
  for (const char* text : {"1_000",
                           " 1_000",
                           "1_0 ",
                           "1_0.5",
                           "1e1_0",
                           "1_0e1",
                           "1.5_0",
                           "000000001_0",
                           "0000000001_0",
                           "00000000001_0",
                           "1_000000000000",
                           "+-5",
                           "+-5e1",
                           " +-5",
                           "             +-5",
                           "1,000",
                           "1 000",
                           "0x1F",
                           "0b11",
                           "5f",
                           "1e",
                           "- 5",
                           "--5",
                           "1/2",
                           "true",
                           "\xEF\xBC\x91"}) {
    const Error error = error_of([&] { read_text("age,x\n30,\n\"" + std::string(text) + "\",\n"); });
    EXPECT_EQ(error.code(), ErrorCode::data) << text;
    EXPECT_TRUE(holds(error, "row 2, column 'age': not a number")) << text << ": " << error.what();
  }
  EXPECT_EQ(read_text("age,x\n30,1_000\n"), profile_of_ages({30}));
}

// The engine's cast accepts such texts, short and long, from every source.
TEST_F(TableTest, TextsThatTheEngineMisreadsAreRefusedAtEveryDoor) {
  const std::string sql = "SELECT kind, age FROM input";
  const RecordSelection by_kind{.by = "kind", .keys = {"a"}};
  RandomBits bits = RandomBits::unsafe_seeded(1);
  for (const std::string text : {"1_0", "  +-5", "000000000001_0"}) {
    const std::string csv = folder.write("p.csv", "kind,age\na,30\na," + text + "\na,31\n");
    const std::string quoted = folder.write("q.csv", "kind,age\na,30\na,\"" + text + "\"\n");
    const std::string zipped = gzipped("kind,age\na,30\na," + text, "p.csv.gz");
    const std::string json =
        folder.write("p.json", "{\"kind\":\"a\",\"age\":30}\n{\"kind\":\"a\",\"age\":\"" + text + "\"}\n");
    const std::string parquet =
        write_parquet("p.parquet", "SELECT 'a' AS kind, unnest(['30', '" + text + "', '31']) AS age");
    const std::vector<TableOptions> doors{
        {.file = csv}, {.file = quoted}, {.file = zipped}, {.file = json}, {.file = parquet}};
    for (const std::string& file : {csv, parquet}) {  // in a query such a text is missing
      const Table table = Table::open({.file = file, .sql = sql});
      EXPECT_EQ(table.profile("age", ages_to_120, NullPolicy::drop), profile_of_ages({30, 31})) << text;
      EXPECT_EQ(table.count({{"age", ages_to_120, NullPolicy::drop, by_kind}}, bits).front().profiles()[0].records(),
                2U)
          << text;
    }
    for (const TableOptions& options : doors) {
      const Table table = Table::open(options);
      const Error alone = error_of([&] { (void)table.profile("age", ages_to_120, NullPolicy::drop); });
      const Error grouped = error_of([&] {
        (void)table.count({{"age", ages_to_120, NullPolicy::drop, by_kind}}, bits);
      });
      for (const Error& error : {alone, grouped}) {
        EXPECT_TRUE(holds(error, "row 2, column 'age': not a number")) << options.file << " " << text << error.what();
      }
    }
  }
}

TEST_F(TableTest, OneRecordDoesNotChangeHowAnotherIsRead) {
  // Type inference would decide by other records whether the first column holds dates, or the second texts.
  EXPECT_EQ(read_text("age,x\n30,2020-01-01\n31,abc\n1e2,\n"), profile_of_ages({30, 31, 100}));
  EXPECT_EQ(read_text("age\n007\n+8\n.5\n5.\n1e400\n-1e400\n"), profile_of_ages({7, 8, 0.5, 5, 1e300, -1e300}));
}

// CAST(text AS DOUBLE) once silently moved such numbers to the neighboring position.
TEST_F(TableTest, WholeNumbersAbove2To53AreExactOrRefused) {
  const Lattice wide = lattice_of("9007199254740990", "9007199254740999", "1");
  const auto profile = [&](const std::string& file, const std::string& sql = {}) {
    return Table::open({.file = file, .sql = sql}).profile("x", wide, NullPolicy::drop);
  };
  const auto refused = [&](const std::string& file) {
    const Error error = error_of([&] { (void)profile(file); });
    EXPECT_TRUE(holds(error, "row 2, column 'x': a whole number above 2^53")) << error.what();
    EXPECT_FALSE(holds(error, "9007199"));
  };
  const std::string csv = folder.write("p.csv", "x\n9007199254740992\n9007199254740993\n");
  refused(csv);
  refused(folder.write("p.json", "{\"x\":9007199254740992}\n{\"x\":9007199254740993}\n"));
  for (const char* type : {"UBIGINT", "DECIMAL(38, 0)"}) {
    const std::string file =
        write_parquet("p.parquet", "SELECT CAST(unnest([5, 9007199254740993]) AS " + std::string(type) + ") AS x");
    EXPECT_EQ(profile(file).equal(3), 1u) << type;
  }
  const RankProfile exact = profile(csv, "SELECT CAST(x AS BIGINT) AS x FROM input");
  EXPECT_EQ(exact.equal(2), 1u);
  EXPECT_EQ(exact.equal(3), 1u);
  EXPECT_EQ(profile(folder.write("p.csv", "x\n9007199254740994\n9007199254740992.0\n\nnan\n7\n")).records(), 3u);
  const std::string huge = "1" + std::string(300, '0');
  EXPECT_EQ(profile(folder.write("p.csv", "x\n1e300\n" + huge + "\ninf\n99999999999999999\n")).equal(9), 4u);
  // No double is needed there: every such number lies beyond the bounds.
  EXPECT_EQ(read_text("age\n9007199254740993\n1e300\n" + huge + "\n-9007199254740993\n"),
            profile_of_ages({200, 200, 200, -1}));
}

TEST_F(TableTest, EmptyAndBlankCellsAreNull) {
  EXPECT_EQ(read_text("id,age\n1,\n2,\"\"\n3,  \n4,\t\n5,30\n"), profile_of_ages({30}));
  EXPECT_EQ(read_text("age\n\n30\n\n"), profile_of_ages({30}));
  EXPECT_EQ(read_text("id,age\n1,nan\n2,inf\n3,-inf\n"), profile_of_ages({1e9, -1e9}));
}

TEST_F(TableTest, NullPolicyErrorNamesTheFirstRow) {
  const Error empty = failure_of("id,age\n1,30\n2,\n3,\n", "people.csv", NullPolicy::error);
  EXPECT_EQ(empty.code(), ErrorCode::data);
  EXPECT_EQ(std::string(empty.what()), folder.path("people.csv") + ": row 2, column 'age': empty, NULL or NaN");
  EXPECT_TRUE(holds(failure_of("age\n1\n2\nNaN\n", "people.csv", NullPolicy::error), "row 3,"));
  EXPECT_TRUE(holds(failure_of("{\"age\":1}\n{\"age\":null}\n", "p.ndjson", NullPolicy::error), "row 2,"));
  EXPECT_TRUE(holds(failure_of("{\"age\":1}\n{}\n", "p.ndjson", NullPolicy::error), "row 2,"));
}

TEST_F(TableTest, ACellThatIsNoNumberIsPlacedButNotShown) {
  std::string text = "id,age\n";
  for (int row = 1; row <= 16; ++row) text += std::to_string(row) + ",30\n";
  const Error error = failure_of(text + "17,secret99\n18,alsosecret\n");
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(std::string(error.what()), folder.path("people.csv") + ": row 17, column 'age': not a number");
  EXPECT_FALSE(holds(error, "secret"));
  EXPECT_TRUE(holds(error, "unreadable = \"missing\""));
}

TEST_F(TableTest, CellsThatAreNoNumbersCountAsMissingWhereThatWasAskedFor) {
  const std::string file = folder.write("p.csv", "id,age\n1,30\n2,secret\n3,\n4,1_000\n5,31\n");
  const TableOptions options{.file = file, .unreadable = Unreadable::missing};
  EXPECT_EQ(read(options, "age"), profile_of_ages({30, 31}));
  const Error error = error_of([&] { (void)Table::open(options).profile("age", ages_to_120, NullPolicy::error); });
  EXPECT_TRUE(holds(error, "row 2, column 'age': not a number")) << error.what();
  EXPECT_EQ(read({.file = file, .unreadable = Unreadable::missing, .missing = {"30", "no text"}}, "age"),
            profile_of_ages({31}));
}

TEST_F(TableTest, ABadCellFarInALargeFileIsPlaced) {
  std::string text = "id,age\n";
  for (int row = 1; row <= 300'000; ++row) text += std::to_string(row) + (row == 200'001 ? ",x9\n" : ",30\n");
  EXPECT_TRUE(holds(failure_of(text), "row 200001,"));
}

TEST_F(TableTest, MoreRecordsThanCanBeCountedAreRefusedAtOnce) {
  const std::string text = folder.write("t.csv", "x\n");
  for (const auto& [size, is_refused] : {std::pair{std::uint64_t{1} << 43U, false}, {std::uint64_t{1} << 48U, true}}) {
    if (truncate(text.c_str(), static_cast<off_t>(size)) != 0) continue;  // a file system of smaller files
    if (is_refused) {
      const Error error = error_of([&] { Table::open({.file = text}); });
      EXPECT_NE(std::string(error.what()).find("may hold more than"), std::string::npos) << error.what();
    } else {
      EXPECT_NO_THROW(Table::open({.file = text}));
    }
  }
  const std::string file = write_parquet("p.parquet", "SELECT CAST(unnest([1, 2, 3]) AS BIGINT) AS x");
  EXPECT_NO_THROW(Table::open({.file = file}));
  // The number of rows is the footer's first member after the schema: 16 and the number as a zigzag varint.
  std::ifstream in(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::size_t at = bytes.find(std::string("\x16\x06\x19", 3));
  ASSERT_NE(at, std::string::npos);
  const std::string many("\x16\x80\x80\x80\x80\x80\x80\x80\x01", 9);  // 2^49, for 2^48
  bytes.replace(at, 2, many);
  std::uint32_t length = 0;  // of the footer, before the last four bytes
  char* const end = &bytes[bytes.size() - 2 * sizeof length];
  std::memcpy(&length, end, sizeof length);
  length += static_cast<std::uint32_t>(many.size() - 2);
  std::memcpy(end, &length, sizeof length);
  const Error error = error_of([&] { Table::open({.file = folder.write("many.parquet", bytes)}); });
  EXPECT_NE(std::string(error.what()).find("may hold more than"), std::string::npos) << error.what();
}

TEST_F(TableTest, HeaderOnlyIsAnEmptyTable) {
  for (const char* text : {"id,age\n", "id,age", "id,age\r\n"}) EXPECT_EQ(read_text(text).records(), 0u);
  const std::string file = folder.path("none.parquet");
  run_sql("COPY (SELECT CAST(i AS INTEGER) AS age FROM range(0) t(i)) TO " + quote_literal(file));
  EXPECT_EQ(read({.file = file}, "age").records(), 0u);
}

TEST_F(TableTest, PackedText) {
  const std::string array = R"([{"age":30,"id":"a"},
{"age":31,"id":"b"}])";
  const std::string lines = "{\"age\":30,\"id\":\"a\"}\n{\"age\":31,\"id\":\"b\"}\n";
  for (const std::string& packing : source_test::all_packings) {
    const auto packed = [&](const std::string& text, const std::string& name) {
      return folder.write(name, source_test::packed_by(packing, text));
    };
    const std::string csv = packed("id,age\na,30\nb,31", "p.csv");
    const std::string list = packed(array, "p.json");
    const std::string each = packed(lines, "p.ndjson");
    for (const std::string& file : packing == "gzip" ? std::vector{csv, list, each} : std::vector{csv}) {
      EXPECT_EQ(read({.file = file}, "age"), profile_of_ages({30, 31})) << packing << " " << file;
      EXPECT_EQ(read({.file = file, .sql = "SELECT age FROM input WHERE id = 'b'"}, "age"), profile_of_ages({31}));
      EXPECT_EQ(Table::open({.file = file}).rows(), 2u);
      EXPECT_EQ(Table::open({.file = file}).checked_columns().size(), 2u);
      const std::string joined = "SELECT t.age FROM input, t WHERE input.id = t.id";
      const Table both = Table::open({.file = csv, .sql = joined, .tables = {{"t", file}}, .sql_stability = 1});
      EXPECT_EQ(both.profile("age", ages_to_120, NullPolicy::drop), profile_of_ages({30, 31}));
    }
  }
}

TEST_F(TableTest, ReadingSaysHowFarItIs) {
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += "{\"age\":" + std::to_string(i % 100) + "}\n";
  const auto shares = [](const Table& table) {
    std::vector<double> seen;
    (void)table.profile("age", ages_to_120, NullPolicy::drop, Counting::stream,
                        [&] { seen.push_back(table.share_read().value_or(-1)); });
    EXPECT_TRUE(std::ranges::all_of(seen, [](double share) { return share >= 0 && share <= 1; }));
    return seen;
  };
  const std::vector<double> of_json = shares(open(folder.write("p.json", lines)));
  const double piece =
      262'144 / static_cast<double>(lines.size());  // bytes are read at a time, in the first of two passes
  ASSERT_GE(of_json.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(of_json[k], (static_cast<double>(k) + 1) * piece / 2, 1e-9);
  EXPECT_TRUE(std::ranges::is_sorted(of_json));
  const std::vector<double> of_parquet =
      shares(open(write_parquet("p.parquet", "SELECT i % 100 AS age FROM range(1000000) t(i)")));
  EXPECT_TRUE(std::ranges::is_sorted(of_parquet));
}

TEST_F(TableTest, GzippedText) {
  EXPECT_EQ(read({.file = gzipped("id,age\n1,30\n2,31", "p.csv.gz")}, "age"), profile_of_ages({30, 31}));
  EXPECT_EQ(read({.file = gzipped("{\"age\":30}", "p.json.gz")}, "age"), profile_of_ages({30}));
  EXPECT_EQ(read({.file = gzipped("id,age\n1,30", "plain.csv")}, "age"), profile_of_ages({30}));
}

TEST_F(TableTest, StandardInputIsSpooled) {
  const std::string file = folder.write("x", "id,age\n1,30\n2,31\n");
  const int saved = dup(STDIN_FILENO);
  ASSERT_NE(std::freopen(file.c_str(), "r", stdin), nullptr);
  EXPECT_EQ(read({.file = "-"}, "age"), profile_of_ages({30, 31}));
  dup2(saved, STDIN_FILENO);
  close(saved);
}

TEST_F(TableTest, ReadsJson) {
  const auto expected = profile_of_ages({30, 12, 2.5, 1e300});
  EXPECT_EQ(read_text("{\"age\":30}\n{\"b\":\"x\"}\n{\"age\":\"12\"}\n{\"age\":2.5}\n{\"age\":1e400}\n{\"age\":null}\n",
                      "p.jsonl"),
            expected);
  EXPECT_EQ(read_text("[{\"age\":30}, {\"age\":\"12\"}, {\"age\":2.5,\"b\":{\"c\":1}},\n {\"age\":1e400}]", "p.json"),
            expected);
  EXPECT_EQ(read_text("{\"Age\":1,\"age\":30}\n", "p.json"), profile_of_ages({30}));
}

TEST_F(TableTest, BadJson) {
  const Error error = failure_of("{\"age\":30}\n{\"age\":{\"secret\":1}}\n", "p.json");
  EXPECT_EQ(std::string(error.what()), folder.path("p.json") + ": row 2, column 'age': not a number");
  EXPECT_TRUE(holds(failure_of("{\"age\":true}\n", "p.json"), "row 1,"));
  for (const char* text : {"{\"age\":30}\n{\"age\":", "[{\"age\":30}", "not json"}) {
    const Error malformed = failure_of(text, "p.json");
    EXPECT_EQ(malformed.code(), ErrorCode::data) << text;
    EXPECT_TRUE(holds(malformed, "not of its format")) << text << malformed.what();
  }
}

TEST_F(TableTest, ParquetTypes) {
  const std::string file = folder.path("p.parquet");
  run_sql(
      "COPY (SELECT 30 AS age, DATE '2020-01-01' AS born, true AS flag, CAST('secret' AS ENUM('secret')) AS kind, "
      "'31' AS text, [1] AS list) TO " +
      quote_literal(file));
  EXPECT_EQ(read({.file = file}, "age"), profile_of_ages({30}));
  EXPECT_EQ(read({.file = file}, "text"), profile_of_ages({31}));
  const Table table = open(file);
  EXPECT_NO_THROW(table.require_countable("age"));
  const Error date = error_of([&] { table.require_countable("born"); });
  EXPECT_EQ(date.code(), ErrorCode::data);
  EXPECT_EQ(std::string(date.what()), file + ": column 'born' is DATE, not a number");
  EXPECT_THROW(table.require_countable("flag"), Error);
  EXPECT_THROW(table.require_countable("list"), Error);
}

TEST_F(TableTest, ParquetNulls) {
  const std::string file = folder.path("p.parquet");
  run_sql(
      "COPY (SELECT CASE WHEN i <> 5 THEN i END AS age, CASE WHEN i <> 7 THEN i ELSE 'nan'::DOUBLE END AS x "
      "FROM range(10) t(i)) TO " +
      quote_literal(file));
  const Table table = open(file);
  EXPECT_EQ(read({.file = file}, "age").records(), 9u);
  EXPECT_EQ(read({.file = file}, "x").records(), 9u);
  EXPECT_TRUE(holds(error_of([&] { (void)table.profile("age", ages_to_120, NullPolicy::error); }), "row 6,"));
  EXPECT_TRUE(holds(error_of([&] { (void)table.profile("x", ages_to_120, NullPolicy::error); }), "row 8,"));
}

TEST_F(TableTest, TruncatedOrForeignParquet) {
  const std::string file = folder.path("p.parquet");
  run_sql("COPY (SELECT i AS age FROM range(100000) t(i)) TO " + quote_literal(file));
  ASSERT_EQ(truncate(file.c_str(), 20000), 0);
  EXPECT_TRUE(holds(error_of([&] { open(file); }), file + " is truncated or not of its format"));
  EXPECT_EQ(error_of([&] { open(folder.write("q.parquet", "age\n30\n")); }).code(), ErrorCode::data);
}

TEST_F(TableTest, FilesThatCannotBeTables) {
  EXPECT_TRUE(holds(error_of([&] { open(folder.path("none.csv")); }), "No such file"));
  EXPECT_EQ(error_of([&] { open(folder.path("none.csv")); }).code(), ErrorCode::data);
  mkdir(folder.path("dir.csv").c_str(), 0700);
  EXPECT_TRUE(holds(error_of([&] { open(folder.path("dir.csv")); }), "holds no file"));
  for (const char* name : {"e.csv", "e.parquet"}) {
    EXPECT_TRUE(holds(error_of([&] { open(folder.write(name, "")); }), "is empty")) << name;
  }
  for (const char* text : {"", "\n \n", "[]", "\xEF\xBB\xBF"})
    EXPECT_EQ(read_text(text, "e.json").records(), 0u) << text;
  EXPECT_EQ(error_of([&] { open(folder.write("p.dat", "age\n1\n")); }).code(), ErrorCode::usage);
  EXPECT_EQ(read({.file = folder.write("p.dat", "age\n1\n"), .format = "csv"}, "age"), profile_of_ages({1}));
}

TEST_F(TableTest, WrongOptions) {
  const std::string file = folder.write("p.csv", "age\n1\n");
  EXPECT_EQ(error_of([&] { Table::open({}); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { Table::open({.file = file, .format = "xls"}); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { Table::open({.file = file, .format = "json", .delimiter = ";"}); }).code(),
            ErrorCode::usage);
  EXPECT_EQ(error_of([&] { Table::open({.file = file, .delimiter = "\n"}); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { Table::open({.file = file, .sql = "FROM input", .library = "/nowhere"}); }).code(),
            ErrorCode::usage);
}

TEST_F(TableTest, BadTextIsPlacedButNotShown) {
  const auto expect_at_line_3 = [&](const std::string& text, const std::string& part) {
    const Error error = failure_of(text);
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_TRUE(holds(error, "line 3 " + part)) << error.what();
    EXPECT_FALSE(holds(error, "secret")) << error.what();
  };
  expect_at_line_3("id,age\n1,2\n1,secret,3\n", "has more or fewer cells");
  expect_at_line_3("id,age\n1,2\nsecret\n3,4\n", "has more or fewer cells");
  expect_at_line_3("id,age\n1,2\n1,\"secret\n3,4\n", "has a quoted cell without its end");
  expect_at_line_3("id,age\n1,2\n1,secret\xE9\n", "is not UTF-8 text");
  expect_at_line_3("id,age\n1,2\n1," + std::string(3'000'000, '7') + "\n", "is longer than");
}

TEST_F(TableTest, UnknownColumn) {
  const Table table = open(folder.write("p.csv", "id,age,note\n1,2,3\n"));
  const Error error = error_of([&] { table.require_countable("aeg"); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_FALSE(holds(error, "note")) << "the first line may be a person's";
  EXPECT_FALSE(holds(error_of([&] { table.require_countable("agee"); }), "'age'"));
  EXPECT_TRUE(holds(error_of([&] { table.require_countable("AGE"); }), "did you mean 'age'?"));
  EXPECT_THROW((void)table.profile("salary", ages_to_120, NullPolicy::drop), Error);
  const std::string parquet = folder.path("p.parquet");
  run_sql("COPY (SELECT 1 AS id, 2 AS age) TO " + quote_literal(parquet));
  EXPECT_TRUE(holds(error_of([&] { open(parquet).require_countable("aeg"); }), "it has 'id', 'age'"));
}

// A file without a header once printed its first person.
TEST_F(TableTest, AFirstLineThatIsAPersonIsNotShown) {
  for (const char* text : {"Alice Jones,51\nBob,30\n", "\"Alice Jones\",51\n"}) {
    for (const char* column : {"age", "alice", "Alice", "x51"}) {
      const Error error = error_of([&] { open(folder.write("p.csv", text)).require_countable(column); });
      EXPECT_EQ(error.code(), ErrorCode::data);
      EXPECT_FALSE(holds(error, "Jones") || holds(error, "'51")) << error.what() << error.hint();
    }
  }
}

// One record with the key in another case once had all others read as NULL.
TEST_F(TableTest, KeysOfJsonAreMatchedExactlyInEachRecordByItself) {
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += "{\"Age\": 30}\n";
  EXPECT_EQ(read({.file = folder.write("p.json", lines)}, "age").records(), 0u);
  EXPECT_EQ(read({.file = folder.write("p.json", lines)}, "Age").records(), 3000u);
  const std::string more = folder.write("p.json", lines + "{\"age\": 40}\n");
  EXPECT_EQ(read({.file = more}, "age"), profile_of_ages({40}));
  EXPECT_EQ(read({.file = more}, "Age").records(), 3000u);
  EXPECT_EQ(read_text("{\"age\":1,\"Age\":2,\"AGE\":3}\n{\"Age\":4}\n{\"\\u0061ge\":5}", "p.json"),
            profile_of_ages({1, 5}));
}

TEST_F(TableTest, AnyKeyOfJsonCanBeAskedForBeforeRecordsAreRead) {
  for (const char* text : {"", "{\"age\":1}", "[{\"age\":1}]", "not json", "{\"age\":"}) {
    const Table table = open(folder.write("p.json", text));
    for (const char* key : {"age", "Age", "nobody has it", "$.a[*]", "\"", "a.b", "json"}) {
      EXPECT_NO_THROW(table.require_countable(key)) << text << key;
      const ColumnToCount by_key{"n", ages_to_120, NullPolicy::drop, {.person = "who", .by = key, .keys = {"x"}}};
      EXPECT_NO_THROW(table.require_countable({by_key})) << text << key;
    }
  }
  EXPECT_EQ(read({.file = folder.write("p.json", "{\"age\":1}")}, "nobody has it").records(), 0u);
}

TEST_F(TableTest, KeysOfJsonThatTheEngineCannotAskFor) {
  const Table table = open(folder.write("p.json", "{\"age\":1}"));
  for (const std::string& key : {std::string(), std::string("a\0b", 3), std::string("\xFF")}) {
    EXPECT_EQ(error_of([&] { table.require_countable(key); }).code(), ErrorCode::usage);
  }
  const auto with_person = [&](const std::string& person) {
    table.require_countable({{"age", ages_to_120, NullPolicy::drop, {.person = person}}});
  };
  const Error twins = error_of([&] { with_person("Age"); });
  EXPECT_EQ(twins.code(), ErrorCode::usage);
  EXPECT_TRUE(holds(twins, "'age' and 'Age' differ in letter case only"));
  EXPECT_NO_THROW(with_person("age"));
}

TEST_F(TableTest, AKeyThatStandsTwiceInARecordFails) {
  for (const char* const separator : {"\n", "", " "}) {
    const Error error = failure_of("{\"age\":1}" + std::string(separator) + "{\"age\":2,\"age\":2}", "p.json");
    EXPECT_EQ(std::string(error.what()), folder.path("p.json") + ": a record has a key twice, and the key is read");
  }
  EXPECT_EQ(read_text("{\"age\":1}\n{\"age\":2,\"b\":2,\"b\":3}\n", "p.json"), profile_of_ages({1, 2}));
}

// Files of values and of lists have no key, and once passed the check of all columns for that reason.
TEST_F(TableTest, ARecordOfJsonThatIsNoObjectFails) {
  for (const char* const text : {"[[20,\"a\"],[30,\"b\"]]", "5", "[1,2,3]", "\"abc\"", "[[]]", "true\n", "[{\"\":1},3]",
                                 "[{\"age\":1},3]", "{\"age\":1}\n3\n", "{\"age\":1}\n[1]\n"}) {
    const Table table = open(folder.write("p.json", text));
    for (const Error& error : {error_of([&] { table.checked_columns(); }), failure_of(text, "p.json")}) {
      EXPECT_EQ(error.code(), ErrorCode::data) << text;
      EXPECT_TRUE(holds(error, "p.json: a record of JSON is not an object, and only objects have columns")) << text;
    }
  }
  for (const char* const text : {"null", "[null]", "[]", "", "{}", "[{},null]", "[{\"\":1}]"}) {
    EXPECT_TRUE(open(folder.write("p.json", text)).checked_columns().empty()) << text;
  }
}

TEST_F(TableTest, RecordsOfJsonMayStandAnyhow) {
  const auto expected = profile_of_ages({1, 2, 3});
  for (const char* text :
       {"{\"age\":1}\n{\"age\":2}\r\n\n{\"age\":3}", "{\n\"age\":\n1}{\"age\":2} {\"age\":3}",
        "\xEF\xBB\xBF{\"age\":1}\n{\"age\":2}\n{\"age\":3}\n", " [{\"age\":1},{\"age\":2\n},\n{\"age\":3}]\n"}) {
    EXPECT_EQ(read_text(text, "p.json"), expected) << text;
    EXPECT_EQ(read({.file = gzipped(text, "p.json.gz")}, "age"), expected) << text;
  }
}

TEST_F(TableTest, ARecordOfJsonAboveTheLimitIsRefused) {
  const std::string record = "{\"age\":1,\"x\":\"" + std::string(std::size_t{40} << 20, 'x') + "\"}\n";
  EXPECT_TRUE(holds(failure_of("{\"age\":1}\n" + record, "p.json"), "a record is longer than 16 MiB"));
}

// With parallel = false the engine reads the text before such a quote without an error: DelimitedCheck must refuse the quote.
TEST_F(TableTest, AQuoteThatIsNeverClosedIsRefused) {
  for (const char* text : {"id,age\n1,2\n3,\"4\n5,6\n7,8\n9,10\n", "id,age\n1,2\n3,\"4"}) {
    EXPECT_TRUE(holds(failure_of(text), "line 3 has a quoted cell without its end")) << text;
    const Table by_one = Table::open({.file = folder.write("p.csv", text), .threads = 1});
    EXPECT_TRUE(holds(error_of([&] { (void)by_one.profile("age", ages_to_120, NullPolicy::drop); }), "line 3 has"))
        << text;
    EXPECT_TRUE(holds(error_of([&] { (void)read({.file = gzipped(text, "p.csv.gz")}, "age"); }), "line 3 has")) << text;
  }
}

TEST_F(TableTest, MixedLineEndsArePlaced) {
  EXPECT_TRUE(holds(failure_of("id,age\n1,2\r\n3,4\n"), "line 2 does not end as the header line does"));
  EXPECT_EQ(read_text("id,age\r\n\"1\n2\",3\r\n4,\"5\"\r\n"), profile_of_ages({3, 5}));
}

TEST_F(TableTest, TextIsLookedThroughWhateverAQueryReads) {
  std::string text = "x,y\n";
  for (int i = 0; i < 1'000'000; ++i) text += "7,8\n";
  const std::string file = folder.write("t.csv", text + "7,8,9\n");
  for (const std::string sql :
       {"SELECT CAST(x AS BIGINT) AS x FROM input LIMIT 5", "SELECT CAST(x AS BIGINT) AS x FROM input WHERE false"}) {
    const Table table = Table::open({.file = file, .sql = sql, .sql_stability = 1'000'000});
    const Error error = error_of([&] { (void)table.profile("x", ages_to_120, NullPolicy::drop); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(std::string(error.what()), file + ": line 1000002 has more or fewer cells than the header");
  }
}

// With any number of threads the first fault is reported; faults of the text as a whole come before cells that are not numbers.
TEST_F(TableTest, TheFirstThingWrongWithATextIsSaid) {
  std::string text = "x,y\nseven,8\n";
  for (int i = 0; i < 1'000'000; ++i) text += i % 250'000 == 249'999 ? "7,8,9\n" : "7,8\n";
  const std::string file = folder.write("t.csv", text);
  for (const std::uint32_t threads : {1U, 2U, 5U, 16U}) {
    const Table table = Table::open({.file = file, .threads = threads});
    const Error error = error_of([&] { (void)table.profile("x", ages_to_120, NullPolicy::drop); });
    EXPECT_EQ(std::string(error.what()), file + ": line 250002 has more or fewer cells than the header");
  }
}

// With several threads in one file, the engine refuses these.
TEST_F(TableTest, LargeTextsWithQuotedLineEnds) {
  for (const char* line : {"1,2\n", "\"\",\"\"\n"}) {
    std::string record = "\"";
    while (record.size() < 20'000) record += line;
    record += "\",30\n";
    std::string text = "id,age\n";
    const std::size_t count = (std::size_t{9} << 20) / record.size();
    for (std::size_t i = 0; i < count; ++i) text += record;
    EXPECT_EQ(read_text(text).records(), count);
  }
}

TEST_F(TableTest, NamesAreQuoted) {
  const std::string file = folder.write("it's \"odd\" [x]*?.csv", "\"a\"\"; DROP TABLE x; --\",o'x\n30,31\n");
  EXPECT_EQ(read({.file = file}, "a\"; DROP TABLE x; --"), profile_of_ages({30}));
  EXPECT_EQ(read({.file = file}, "o'x"), profile_of_ages({31}));
  EXPECT_EQ(read({.file = file, .sql = "SELECT * FROM input"}, "a\"; DROP TABLE x; --"), profile_of_ages({30}));
  const std::string json = folder.write("it's.json", "{\"a\\\"'b\": 30}");
  EXPECT_EQ(read({.file = json}, "a\"'b"), profile_of_ages({30}));
}

TEST_F(TableTest, QueriesOverTheFile) {
  const std::string file = folder.write("p.csv", "id,age\n1,30\n2,x\n3,50\n");
  EXPECT_EQ(
      read({.file = file, .sql = "SELECT TRY_CAST(age AS DOUBLE) AS a FROM input WHERE id <> '3' -- most\n;"}, "a"),
      profile_of_ages({30}));
  const std::string json = folder.write("p.json", "{\"age\":30,\"AGE\":1}\n{\"age\":31}\n");
  EXPECT_EQ(read({.file = json, .sql = "SELECT age FROM input"}, "age"), profile_of_ages({30, 31}));
}

TEST_F(TableTest, QueriesThatFail) {
  const std::string file = folder.write("p.csv", "id,age\n1,30\n2,secret\n");
  const auto failure = [&](const std::string& sql) {
    return error_of(
        [&] { (void)Table::open({.file = file, .sql = sql}).profile("age", ages_to_120, NullPolicy::drop); });
  };
  EXPECT_EQ(failure("SELEC age FROM input").code(), ErrorCode::usage);
  EXPECT_TRUE(holds(failure("SELECT nothere AS age FROM input"), "nothere"));
  EXPECT_TRUE(holds(failure("SELECT * FROM people"), "people"));
  EXPECT_EQ(failure("SELECT 1) ; DROP VIEW input; SELECT (1").code(), ErrorCode::usage);
  for (const char* sql : {"DROP VIEW input", "FROM input; FROM input", " ; ", "COPY input TO 'x.csv'"}) {
    EXPECT_TRUE(holds(failure(sql), "not one SELECT")) << sql;
  }
  EXPECT_TRUE(holds(failure("FROM 'nowhere.parquet'"), "reads 'nowhere.parquet', which is not an input"));
  EXPECT_EQ(read({.file = file, .sql = "SELECT CAST(age AS INTEGER) AS age FROM input"}, "age"), profile_of_ages({30}));
  EXPECT_EQ(read({.file = file, .sql = "FROM input"}, "age"), profile_of_ages({30}));
  const Error declared = error_of([&] {
    (void)Table::open({.file = file, .sql = "SELECT CAST(age AS INTEGER) AS age FROM input", .sql_stability = 1})
        .profile("age", ages_to_120, NullPolicy::drop);
  });
  EXPECT_EQ(declared.code(), ErrorCode::data);
  EXPECT_FALSE(holds(declared, "secret"));
  EXPECT_TRUE(holds(declared, "TRY_CAST"));
  EXPECT_TRUE(holds(failure("SELECT DATE '2020-01-01' AS age FROM input"), "is DATE"));
}

TEST_F(TableTest, TablesAreReadAgainAfterAFailure) {
  const Table table = open(folder.write("p.csv", "age,bad\n30,x\xE9\n31,2\n"));
  EXPECT_THROW((void)table.profile("bad", ages_to_120, NullPolicy::drop), Error);
  EXPECT_EQ(table.profile("age", ages_to_120, NullPolicy::drop), profile_of_ages({30, 31}));
}

/// In every format: before its records are read, while they are, and also when another fault would end the pass.
TEST_F(TableTest, AFileThatIsWrittenToMeanwhileIsNamed) {
  const Lattice lattice = ages_to_120;
  const auto is_named = [](const std::string& file, const std::function<void()>& read) {
    const Error error = error_of(read);
    return error.code() == ErrorCode::data && std::string(error.what()) == file + " was changed while it was read";
  };
  const std::vector<std::string> files{folder.write("t.csv", "x\n7\n7\n"), folder.write("t.tsv", "x\n7\n7\n"),
                                       folder.write("t.jsonl", "{\"x\": 7}\n{\"x\": 7}\n"),
                                       write_parquet("t.parquet", "SELECT 7 AS x FROM range(10)")};
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // more than a tick of the clock that files have
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const Table table = open(file);
    table.require_unchanged();
    EXPECT_EQ(table.profile("x", lattice, NullPolicy::drop).records(), file == files.back() ? 10U : 2U);
    std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + std::chrono::seconds(1));
    EXPECT_TRUE(is_named(file, [&] { table.require_unchanged(); }));
    EXPECT_TRUE(is_named(file, [&] { table.profile("x", lattice, NullPolicy::drop); }));
    EXPECT_TRUE(is_named(file, [&] { static_cast<void>(table.rows()); }));
    EXPECT_TRUE(is_named(file, [&] { table.texts({"x"}); }));
    RandomBits bits = RandomBits::unsafe_seeded(1);
    EXPECT_TRUE(is_named(file, [&] { table.count({{"x", lattice, NullPolicy::drop, {"x", 1}}}, bits); }));
  }
  const std::string other = folder.write("u.csv", "y\n1\n");
  const std::string first = folder.write("v.csv", "x\n7\n");
  const Table query = Table::open({.file = first, .sql = "SELECT x FROM input", .tables = {{"u", other}}});
  folder.write("u.csv", "y\n1\n\"2\n");
  EXPECT_TRUE(is_named(other, [&] { query.profile("x", lattice, NullPolicy::drop); }));
}

}  // namespace
}  // namespace fractile
