#include "source/engine.hpp"

#include "source/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

using source_test::EngineTest;
using source_test::error_of;

TEST(Engine, Quotes) {
  EXPECT_EQ(quote_identifier("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quote_literal("it's"), "'it''s'");
}

TEST(Engine, FailuresKeepNoWordsAboutRows) {
  const EngineFailure failure = classify_failure("Conversion Error: Could not convert string 'secret' to DOUBLE");
  EXPECT_EQ(failure.kind, FailureKind::not_a_number);
  EXPECT_EQ(failure.detail, "");
  EXPECT_EQ(std::string(failure.what()), "the engine failed");
}

TEST(Engine, FailuresKeepTheLine) {
  const EngineFailure failure = classify_failure(
      "Invalid Input Error: CSV Error on Line: 31\nOriginal Line: 1,2,3\nExpected Number of Columns: 2 Found: 3");
  EXPECT_EQ(failure.kind, FailureKind::column_count);
  EXPECT_EQ(failure.line, 31u);
  EXPECT_EQ(failure.detail, "");
}

TEST(Engine, AMissingLibraryIsAUsageError) {
  const Error error = error_of([] { Connection::open("/nowhere/libduckdb.so"); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(error.hint().find("./dev build"), std::string::npos);
  EXPECT_NE(error.hint().find("FRACTILE_DUCKDB"), std::string::npos);
}

TEST(Engine, AForeignLibraryIsAUsageError) {
  const source_test::TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { Connection::open(folder.write("libduckdb.so", "not a library")); }).code(),
            ErrorCode::usage);
}

using EngineSettings = EngineTest;

TEST_F(EngineSettings, StatementErrorsKeepTheirSentence) {
  try {
    Connection::open({}).run("SELECT missing FROM range(3)");
    FAIL();
  } catch (const EngineFailure& failure) {
    EXPECT_EQ(failure.kind, FailureKind::statement);
    EXPECT_NE(failure.detail.find("missing"), std::string::npos);
    EXPECT_EQ(failure.detail.find('\n'), std::string::npos);
  }
}

TEST_F(EngineSettings, NothingIsFetchedOrSpilled) {
  const Connection connection = Connection::open({});
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
  const Connection connection = Connection::open({});
  const auto read_all = [&] {
    ResultStream result = connection.query(
        "SELECT CASE WHEN i = 900000 THEN CAST('secret' || i AS DOUBLE) ELSE 1.0 END FROM range(1000000) t(i)");
    while (result.next()) {
    }
  };
  try {
    read_all();
    FAIL();
  } catch (const EngineFailure& failure) {
    EXPECT_EQ(failure.kind, FailureKind::not_a_number);
  }
}

}  // namespace
}  // namespace fractile::source_detail
