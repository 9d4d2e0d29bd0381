#include "source/engine/engine.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "fractile/source.hpp"
#include "source/entries/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

using source_test::EngineTest;
using source_test::error_of;

TEST(Engine, Quotes) {
  EXPECT_EQ(quote_identifier("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quote_literal("it's"), "'it''s'");
}

TEST(Engine, FailuresKeepNoWordsAboutRows) {
  const EngineFailure failure =
      classify_failure("Conversion Error: Could not convert string 'secret' to DOUBLE", FailureTime::running);
  EXPECT_EQ(failure.kind, FailureKind::not_a_number);
  EXPECT_EQ(failure.detail, "");
  EXPECT_EQ(std::string(failure.what()), "the engine failed");
}

TEST(Engine, WhatRunsKeepsNoWordsWhateverTheyLookLike) {
  const char* const message = "Binder Error: JSON path error near 'secret'\nLINE 1: ...";
  const EngineFailure running = classify_failure(message, FailureTime::running);
  EXPECT_EQ(running.kind, FailureKind::malformed);
  EXPECT_EQ(running.detail, "");
  const EngineFailure preparing = classify_failure(message, FailureTime::preparing);
  EXPECT_EQ(preparing.kind, FailureKind::statement);
  EXPECT_EQ(preparing.detail, "Binder Error: JSON path error near 'secret'");
}

TEST(Engine, KeysThatStandTwiceInARecordAreNoDamage) {
  const char* const record = R"({"age":5,"age":40,"said":"Maximum line size, not utf-8"} has duplicate key "age")";
  const std::string message = "Invalid Input Error: JSON transform error in file \"x\", in line 1: Object ";
  EXPECT_EQ(classify_failure(message + record, FailureTime::running).kind, FailureKind::twin_keys);
}

TEST(Engine, AnotherValueInPlaceOfARecordIsNoDamage) {
  const std::string at = "Invalid Input Error: JSON transform error in file \"x\", in record/value 1: ";
  const std::string list = R"(Expected OBJECT, but got ARRAY: [": Object {", "not utf-8", " has duplicate key \""])";
  EXPECT_EQ(classify_failure(at + list, FailureTime::running).kind, FailureKind::no_object);
  const std::string twins = R"(Object {"a":1,"a":": Expected OBJECT, but got "} has duplicate key "a")";
  EXPECT_EQ(classify_failure(at + twins, FailureTime::running).kind, FailureKind::twin_keys);
}

TEST(Engine, FailuresKeepTheLine) {
  const EngineFailure failure = classify_failure(
      "Invalid Input Error: CSV Error on Line: 31\nOriginal Line: 1,2,3\nExpected Number of Columns: 2 Found: 3",
      FailureTime::running);
  EXPECT_EQ(failure.kind, FailureKind::column_count);
  EXPECT_EQ(failure.line, 31u);
  EXPECT_EQ(failure.detail, "");
}

TEST(Engine, AMissingLibraryIsAUsageError) {
  const Error error = error_of([] { Session::open("/nowhere/libduckdb.so"); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(error.hint().find("./dev build"), std::string::npos);
  EXPECT_NE(error.hint().find("FRACTILE_DUCKDB"), std::string::npos);
}

// A variable of the environment names the engine of these tests, and comes first.
TEST(Engine, OneThatAProgramBringsIsTakenIfNoOtherIsNamed) {
  const char* named = std::getenv("FRACTILE_DUCKDB");
  const std::string before = named == nullptr ? "" : named;
  set_default_engine("/nowhere/libduckdb.so");
  unsetenv("FRACTILE_DUCKDB");
  EXPECT_EQ(std::string(error_of([] { Session::open(""); }).what()),
            "the default engine names /nowhere/libduckdb.so, which does not exist");
  if (named != nullptr) {
    setenv("FRACTILE_DUCKDB", before.c_str(), 1);
    EXPECT_NO_THROW(Session::open(""));
  }
  set_default_engine("");
  EXPECT_NO_THROW(Session::open(""));
}

TEST(Engine, AForeignLibraryIsAUsageError) {
  const source_test::TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { Session::open(folder.write("libduckdb.so", "not a library")); }).code(), ErrorCode::usage);
}

using EngineSettings = EngineTest;

TEST_F(EngineSettings, StatementErrorsKeepTheirSentence) {
  try {
    Session::open({}).run("SELECT missing FROM range(3)");
    FAIL();
  } catch (const EngineFailure& failure) {
    EXPECT_EQ(failure.kind, FailureKind::statement);
    EXPECT_NE(failure.detail.find("missing"), std::string::npos);
    EXPECT_EQ(failure.detail.find('\n'), std::string::npos);
  }
}

TEST_F(EngineSettings, TheMachineAndTheVersionDecideNothing) {
  const Session connection = Session::open({});
  for (const char* fixed : {"TimeZone=UTC", "Calendar=gregorian", "integer_division=false",
                            "ieee_floating_point_ops=true", "old_implicit_casting=false"}) {
    connection.run("SELECT CASE WHEN name || '=' || value <> '" + std::string(fixed) +
                   "' THEN error('other') END FROM duckdb_settings() WHERE name = '" +
                   std::string(fixed, std::string_view(fixed).find('=')) + "'");
  }
}

TEST_F(EngineSettings, NothingIsFetchedOrSpilled) {
  const Session connection = Session::open({});
  for (const char* setting : {"autoinstall_known_extensions", "autoload_known_extensions", "allow_community_extensions",
                              "allow_persistent_secrets"}) {
    connection.run("SELECT CASE WHEN current_setting('" + std::string(setting) + "') THEN error('on') END");
  }
  connection.run("SELECT CASE WHEN current_setting('temp_directory') <> '' THEN error('set') END");
  try {
    connection.run("SELECT * FROM read_csv('https://example.com/x.csv')");
    FAIL();
  } catch (const EngineFailure& failure) {
    EXPECT_EQ(failure.kind, FailureKind::missing_extension);
  }
}

TEST_F(EngineSettings, FailuresInTheMiddleOfAStreamAreThrown) {
  const Session connection = Session::open({});
  const std::string sql =
      "SELECT CASE WHEN i = 900000 THEN CAST('secret' || i AS DOUBLE) ELSE 1.0 END FROM range(1000000) t(i)";
  const auto kind = [](const auto& start) {
    try {
      ResultStream result = start();
      while (result.next()) {
      }
    } catch (const EngineFailure& failure) {
      return failure.kind;
    }
    return FailureKind::other;
  };
  // with several threads a stream once ended with an interruption, now and then
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(kind([&] { return connection.query(sql, {CellType::real}); }), FailureKind::not_a_number);
  }
  connection.run("SET threads = 1");
  EXPECT_EQ(kind([&] { return connection.stream(sql, {CellType::real}); }), FailureKind::not_a_number);
}

/// The numbers of a query's column `number`, sorted, as for_each_chunk() hands them over.
std::vector<double> taken(const Session& connection, const std::string& relation) {
  std::mutex mutex;
  std::vector<double> all;
  const auto take = [&](const Chunk& chunk) {
    const std::lock_guard lock(mutex);
    const ColumnView column = chunk.column(0);
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
      all.push_back(column.is_null(row) ? -1 : column.numbers<double>()[row]);
    }
  };
  connection.for_each_chunk({{"number"}, {CellType::real}, relation}, take, {});
  std::ranges::sort(all);
  return all;
}

using EngineChunks = EngineTest;

TEST_F(EngineChunks, EveryRecordIsTakenOnce) {
  const Session connection = Session::open({});
  for (const int threads : {1, 2, 5}) {
    connection.run("SET threads = " + std::to_string(threads));
    const std::vector<double> all = taken(connection, "(SELECT i AS number FROM range(1000000) t(i))");
    ASSERT_EQ(all.size(), 1000000U);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<double>(i));
  }
  EXPECT_TRUE(taken(connection, "(SELECT i AS number FROM range(0) t(i))").empty());
}

TEST_F(EngineChunks, EqualRecordsAreTakenOneByOne) {
  const Session connection = Session::open({});
  EXPECT_EQ(taken(connection, "(SELECT 5 AS number FROM range(10000))"), std::vector<double>(10000, 5));
  EXPECT_EQ(taken(connection, "(SELECT NULL AS number FROM range(10000))"), std::vector<double>(10000, -1));
  const std::string few = folder.path("few.parquet");  // stored as numbers into a dictionary
  run_sql("COPY (SELECT CASE WHEN i % 3 = 0 THEN NULL ELSE i % 3 END AS number FROM range(30000) t(i)) TO " +
          quote_literal(few));
  const std::vector<double> all = taken(connection, "read_parquet(" + quote_literal(few) + ")");
  EXPECT_EQ(all.size(), 30000U);
  for (const double number : {-1.0, 1.0, 2.0}) EXPECT_EQ(std::ranges::count(all, number), 10000);
}

TEST_F(EngineChunks, SeveralColumnsComeTogetherAndWithOneThreadInOrder) {
  const Session connection = Session::open({});
  connection.run("SET threads = 1");
  std::int64_t next = 0;
  const auto take = [&](const Chunk& chunk) {
    ASSERT_EQ(chunk.columns(), 2U);
    EXPECT_THROW(chunk.column(2), Error);
    for (std::size_t row = 0; row < chunk.rows(); ++row, ++next) {
      ASSERT_EQ(chunk.column(0).numbers<std::int64_t>()[row], next);
      ASSERT_EQ(chunk.column(1).text(row), "a long name, with number " + std::to_string(next));
    }
  };
  connection.for_each_chunk(
      {{"i", "'a long name, with number ' || i"}, {CellType::integer, CellType::text}, "range(20000) t(i)"}, take, {});
  EXPECT_EQ(next, 20000);
}

TEST_F(EngineChunks, WhatIsThrownEndsTheQuery) {
  const Cells many{{"i"}, {CellType::integer}, "range(100000000000) t(i)"};
  const Session connection = Session::open({});
  std::atomic<int> chunks = 0;
  const auto stop = [&](const Chunk&) {
    if (++chunks >= 5) throw Error(ErrorCode::data, "enough");
  };
  EXPECT_EQ(std::string(error_of([&] { connection.for_each_chunk(many, stop, {}); }).what()), "enough");
  bool over = false;  // the engine's threads may still be at work, but take nothing more
  const auto take = [&](const Chunk&) { EXPECT_FALSE(over); };
  const auto interrupt = [] { throw Error(ErrorCode::usage, "interrupted"); };
  EXPECT_EQ(std::string(error_of([&] { connection.for_each_chunk(many, take, interrupt); }).what()), "interrupted");
  over = true;
}

// Other threads may do all of a query before this one does anything.
TEST_F(EngineChunks, AnInterruptionIsHeardHoweverSoonTheQueryEnds) {
  const Cells few{{"i"}, {CellType::integer}, "range(1) t(i)"};
  const Session connection = Session::open({});
  connection.run("SET threads = 8");
  const auto take = [](const Chunk&) {};
  const auto interrupt = [] { throw Error(ErrorCode::usage, "interrupted"); };
  for (int i = 0; i < 1000; ++i) {
    const Error error = error_of([&] { connection.for_each_chunk(few, take, interrupt); });
    ASSERT_EQ(std::string(error.what()), "interrupted");
  }
}

TEST_F(EngineChunks, FailuresOfTheEngineAreThrown) {
  const Session connection = Session::open({});
  try {
    taken(connection,
          "(SELECT CASE WHEN i = 900000 THEN CAST('secret' || i AS DOUBLE) ELSE 1.0 END AS number "
          "FROM range(1000000) t(i))");
    FAIL();
  } catch (const EngineFailure& failure) {
    EXPECT_EQ(failure.kind, FailureKind::not_a_number);
    EXPECT_EQ(failure.detail, "");
  }
}

TEST_F(EngineSettings, ResultsMayBeLeftHalfRead) {
  for (const int threads : {1, 2, 5}) {
    const Session connection = Session::open({});
    connection.run("SET threads = " + std::to_string(threads));
    ResultStream result = connection.stream("SELECT i * i FROM range(3000000000) t(i)", {});
    EXPECT_TRUE(result.next());
  }
}

TEST_F(EngineSettings, ColumnsOfAnotherTypeAreRefused) {
  const Session connection = Session::open({});
  EXPECT_EQ(error_of([&] { connection.query("SELECT 'text'", {CellType::real}); }).code(), ErrorCode::internal);
  EXPECT_EQ(error_of([&] {
              connection.query("SELECT 1.0::DOUBLE", {CellType::real, CellType::real});
            }).code(),
            ErrorCode::internal);
}

}  // namespace
}  // namespace fractile::source_detail
