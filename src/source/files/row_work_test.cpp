#include "source/files/row_work.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libraries/fmt.hpp"
#include "source/entries/table_test_support.hpp"
#include "source/files/columns.hpp"
#include "source/files/query_plan.hpp"
#include "source/files/row_growth.hpp"
#include "source/files/total_query.hpp"
#include "support/statistics.hpp"

namespace fractile::source_detail {
namespace {

using source_test::EngineTest;
using source_test::error_of;

class RowWork : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (IsSkipped()) return;
    connection_ = std::make_unique<Session>(Session::open({}));
    names_.tables = {"input"};
    names_.kinds = function_kinds(*connection_);
    names_.has_column = [](const std::string&, const std::string& name) { return name.size() == 1; };
    names_.is_short = [](const std::string& name) { return name == "n"; };
    names_.is_zone = [](const std::string& zone) { return zone == "UTC"; };
  }

  void require(const std::string& sql) const {
    const SqlTree tree = SqlTree::of(*connection_, sql);
    require_row_wise(tree, names_);
    require_bounded_work(tree, names_);
  }
  void expect_refused(const std::string& sql, const std::string& words) const {
    const Error error = error_of([&] { require(sql); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << sql;
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << sql << ": " << error.what();
    EXPECT_FALSE(error.hint().empty()) << sql;
  }

  std::unique_ptr<Session> connection_;
  RowWiseNames names_;
};

TEST_F(RowWork, Passes) {
  std::string codes = "CASE";
  for (int k = 0; k < 500; ++k) codes += " WHEN x = 'code" + std::to_string(k) + "' THEN " + std::to_string(k);
  std::string sum = "n";
  for (int k = 0; k < 300; ++k) sum += " + n";
  for (const std::string& value : {std::string("lpad(x, 8, '0')"),
                                   std::string("replace(replace(replace(x, '$', ''), ',', ''), ' ', '')"),
                                   std::string("regexp_replace(x, '[^0-9]', '', 'g')"),
                                   std::string("x || ', ' || y || ' (' || z || ')'"),
                                   std::string("concat_ws('; ', x, y, z)"),
                                   std::string("x LIKE '%some words%and more%'"),
                                   std::string("x ILIKE '%word%'"),
                                   std::string("x LIKE 'a_c%'"),
                                   std::string("levenshtein(left(x, 100), left(y, 100))"),
                                   std::string("regexp_matches(x, '^[0-9]{4}-[0-9]{2}-[0-9]{2}$')"),
                                   std::string("regexp_extract(x, '[\\\\]C')"),
                                   std::string("split_part(lower(trim(x)), '-', 2)"),
                                   std::string("json_extract_string(x, '$.a.b[0]')"),
                                   std::string("round(CAST(x AS DECIMAL(18, 3)), 1)"),
                                   std::string("CAST(x AS INTEGER[])[1]"),
                                   std::string("CAST(x AS ENUM('a', 'b'))"),
                                   std::string("CAST(x AS STRUCT(a INTEGER)).a"),
                                   std::string("contains(x, 'words')"),
                                   std::string("date_trunc('month', CAST(x AS DATE))"),
                                   codes + " END",
                                   sum,
                                   std::string("strftime(CAST(x AS DATE), '%Y-%m')"),
                                   std::string("strftime('%d.%m.%Y', CAST(x AS DATE))"),
                                   std::string("strptime(x, ['%d.%m.%Y', '%Y%%Z %H:%M%z'])"),
                                   std::string("timezone('UTC', CAST(x AS TIMESTAMP))"),
                                   std::string("CAST(left(x, 40) AS TIMESTAMPTZ)"),
                                   std::string("CASE WHEN n + n = 7 OR upper(x) = y OR length(y) = z THEN 1 END"),
                                   std::string("CAST('2020-01-01 00:00:00Z' AS TIMESTAMPTZ) = to_timestamp(n)"),
                                   std::string("upper(reverse(x)) IN ('A', 'B', 'C')"),
                                   std::string("coalesce(TRY(sqrt(coalesce(TRY(CAST(x AS DOUBLE)), -1))), 0)"),
                                   std::string("CASE WHEN nullif(fmod(n, 10), 0) > 3 AND x = 'a' THEN 1 END"),
                                   std::string("date_diff('years', CAST(x AS DATE), CAST(y AS DATE))")}) {
    EXPECT_NO_THROW(require("SELECT " + value + " AS a FROM input")) << value;
  }
}

TEST_F(RowWork, RefusesWhatOneRowCouldBeLongAt) {
  const std::string words = "one row of it could take too much time or memory";
  std::string doubled = "x";
  for (int k = 0; k < 12; ++k) doubled = "concat(" + doubled + ", " + doubled + ")";
  for (const std::string sign : {" + ", " % "}) {  // a sum is taken to grow, a remainder is computed again and again
    std::string aliases = "SELECT n" + sign + "n AS a0";
    for (int k = 1; k < 40; ++k) {
      const std::string last = "a" + std::to_string(k - 1);
      aliases += ", " + last + sign + last + " AS a" + std::to_string(k);
    }
    expect_refused(aliases + " FROM input", words);
  }
  std::string nested = "SELECT x || x AS a FROM input";
  for (int k = 0; k < 12; ++k) nested = "SELECT a || a AS a FROM (" + nested + ")";
  expect_refused(nested, words);
  expect_refused("SELECT b || b || b || b AS c FROM (SELECT * FROM (" + nested.substr(0, nested.size()) + ")) t(b)",
                 words);
  // A list's text has a backslash before each quote and backslash of a text within it.
  for (const char* const held :
       {"CAST([{}] AS VARCHAR)", "CAST(list_value({}) AS VARCHAR)", "CAST(row({}) AS VARCHAR)",
        "concat(struct_pack(a := {}), '')", "CAST({{'a': {}}} AS VARCHAR)", "CAST(map(['a'], [{}]) AS VARCHAR)",
        "struct_extract(CAST({} AS STRUCT(a VARCHAR)), 'a')"}) {
    std::string text = "x";
    for (int k = 0; k < 2; ++k) text = fmt::format(fmt::runtime(held), text);
    EXPECT_NO_THROW(require("SELECT " + text + " AS a FROM input")) << text;
    for (int k = 0; k < 10; ++k) text = fmt::format(fmt::runtime(held), text);
    expect_refused("SELECT " + text + " AS a FROM input", words);
  }
  // A structure keeps the names of its fields.
  const std::string field(2000, 'f');
  for (const std::string& structure :
       {"struct_pack(" + field + " := n)", "regexp_extract(left(x, 1), '(.)', ['" + field + "'])"}) {
    std::string named = "SELECT " + structure + " AS a FROM input";
    for (int k = 0; k < 4; ++k) named = "SELECT [a, a, a, a, a, a, a, a] AS a FROM (" + named + ")";
    expect_refused("SELECT CAST(a AS VARCHAR) AS a FROM (" + named + ")", words);
  }
  // Each group of a pattern may have the whole text.
  std::string groups = ".*";
  std::string names = "'a'";
  for (int k = 0; k < 600; ++k) {
    groups = "(" + groups + ")";
    names += ", 'a'";
  }
  expect_refused("SELECT regexp_extract(x, '" + groups + "', [" + names + "]) AS a FROM input", words);
  // The engine calls the second `x` of a subquery `x_1`.
  for (const char* list : {"1 AS x, y AS x, 1 AS x_1", "y AS x, y AS x, 1 AS x_1", "1 AS x, *, 1 AS x_1",
                           "*, x AS x, 1 AS x_1", "*, *, 1 AS x_1"}) {
    expect_refused(std::string("SELECT levenshtein(x_1, x_1) AS a FROM (SELECT ") + list + " FROM input)", words);
  }
  EXPECT_NO_THROW(require("SELECT levenshtein(x_1, x_1) AS a FROM (SELECT 1 AS x, y, 1 AS x_1 FROM input)"));
  for (const std::string& value :
       {doubled,
        std::string(
            "replace(replace(x, 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'), 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')"),
        std::string("replace(x, y, z)"),
        std::string("levenshtein(x, y)"),
        std::string("damerau_levenshtein(x, y)"),
        std::string("x ILIKE '%a%b%'"),
        std::string("x LIKE '%a_%b%'"),
        std::string("x GLOB '*a*b*'"),
        "strftime(CAST(x AS DATE), '" + std::string(600'000, 'c') + "')",
        std::string("contains(x, y)"),
        std::string("string_split(x, y)[1]"),
        std::string("CAST(x AS TIMESTAMPTZ)"),
        std::string("CAST(x AS TIMESTAMPTZ[])[1]"),
        std::string("CAST(x AS STRUCT(a TIMESTAMPTZ)).a"),
        std::string("CAST('2020-01-01 00:00:00Z' AS TIMESTAMPTZ) = x"),
        std::string("to_timestamp(n) IN (x)"),
        std::string("nullif(timezone('UTC', CAST(x AS TIMESTAMP)), x)"),
        std::string("jaro_similarity(x, y)"),
        std::string("json_contains(x, y)"),
        std::string("regexp_matches(x, '((a{0,30}){0,30}){0,30}b')"),
        std::string("regexp_replace(x, 'a', '") + std::string(2000, 'b') + "', 'g')",
        std::string("CAST(x AS STRUCT(") + std::string(2000, 'a') + " INTEGER)[])"}) {
    expect_refused("SELECT " + value + " AS a FROM input", words);
    expect_refused("SELECT 1 AS a FROM input WHERE length(CAST(" + value + " AS VARCHAR)) > 3", words);
    expect_refused("SELECT a FROM (SELECT CASE WHEN y = '17' THEN CAST(" + value + " AS VARCHAR) END AS a FROM input)",
                   words);
  }
  // A failing row is computed twice by each TRY around it, whether it is typed or around an operand or a value.
  std::string tried = "CAST(x AS DOUBLE)";
  std::string operand = "n";
  std::string aliases = "SELECT sqrt(n) AS a0";
  for (int k = 1; k < 12; ++k) {
    tried = "sqrt(coalesce(TRY(" + tried + "), -1))";
    operand = "sqrt(CASE WHEN (" + operand + ") > 0 AND true THEN 1 ELSE -1 END)";
    aliases += ", sqrt(coalesce(a" + std::to_string(k - 1) + ", -1)) AS a" + std::to_string(k);
  }
  expect_refused("SELECT " + tried + " AS a FROM input", words);
  expect_refused("SELECT " + operand + " AS a FROM input", words);
  expect_refused(aliases + " FROM input", words);
  for (const char* macro : {"fmod(%, 10)", "nullif(%, 10)", "round_even(%, 2)", "split_part(%, 'a', 1)"}) {
    const std::string text = macro;
    const std::size_t place = text.find('%');
    std::string copied = "levenshtein(left(x, 100), left(y, 100))";
    for (int k = 0; k < 14; ++k) copied = text.substr(0, place) + copied + text.substr(place + 1);
    expect_refused("SELECT " + copied + " AS a FROM input", words);
  }
  expect_refused("SELECT length(lpad(x, 400000000, 'y')) AS a FROM input", "must be written as a number up to 1000");
  expect_refused("SELECT rpad(x, CAST(y AS INTEGER), 'y') AS a FROM input", "must be written as a number up to 1000");
  expect_refused("SELECT nfc_normalize(x) AS a FROM input",
                 "the function nfc_normalize");  // 11 s for 64,000 bytes of accents
  expect_refused("SELECT repeat(x, 1000) AS a FROM input", "the function repeat");
  expect_refused("SELECT range(n) AS a FROM input", "the function range");
}

/// Arguments whose errors a TRY does not catch, and patterns that another row could make long.
TEST_F(RowWork, RefusesArgumentsThatAreNoConstants) {
  expect_refused("SELECT regexp_matches(x, y) AS a FROM input", "the pattern of regexp_matches is not a constant");
  expect_refused("SELECT regexp_replace(x, 'a', y) AS a FROM input", "is not a constant");
  for (const char* value : {"regexp_replace(x, '\\C', '')", "regexp_extract(x, 'a[b]\\C.')",
                            "regexp_matches(x, '\\Qa\\\\E\\C')", "x SIMILAR TO '\\C+'"}) {
    expect_refused("SELECT " + std::string(value) + " AS a FROM input", "has \\C, which takes letters apart");
  }
  expect_refused("SELECT regexp_replace(x, 'a|(b|\\B)', 'c') AS a FROM input", "has \\B, which takes letters apart");
  expect_refused("SELECT x LIKE y AS a FROM input", "is not a constant");
  expect_refused("SELECT x SIMILAR TO y AS a FROM input", "is not a constant");
  expect_refused("SELECT json_extract(x, y) AS a FROM input", "the path of json_extract is not a constant");
  expect_refused("SELECT x ->> y AS a FROM input", "is not a constant");
  expect_refused("SELECT json_extract(x, '$..a') AS a FROM input", "a path of JSON has ..");
  expect_refused("SELECT x ->> '$.a.**' AS a FROM input", "a path of JSON has **");
  for (const char* format : {"'%Y %Z'", "'%Z'", "'%%%Z'", "['%Y', '%Y %-Z']", "list_value('%Z')"}) {
    expect_refused("SELECT strptime(x, " + std::string(format) + ") AS a FROM input", "strptime with %Z fails");
    EXPECT_NO_THROW(require("SELECT try_strptime(x, " + std::string(format) + ") AS a FROM input")) << format;
  }
  for (const char* format : {"y", "concat('%Y', ' %Z')", "['%Y', y]"}) {
    expect_refused("SELECT strptime(x, " + std::string(format) + ") AS a FROM input",
                   "the format of strptime is not a constant");
    expect_refused("SELECT try_strptime(x, " + std::string(format) + ") AS a FROM input",
                   "the format of try_strptime is not a constant");
  }
  expect_refused("SELECT strftime(CAST(x AS DATE), y) AS a FROM input", "the format of strftime is not a constant");
  expect_refused("SELECT date_part(x, CAST(y AS DATE)) AS a FROM input", "the unit of date_part is not a constant");
  expect_refused("SELECT date_trunc('timezone', CAST(y AS DATE)) AS a FROM input", "asked for the unit 'timezone'");
  expect_refused("SELECT timezone(x, CAST(y AS TIMESTAMP)) AS a FROM input",
                 "the time zone of timezone is not a constant");
  expect_refused("SELECT CAST(x AS TIMESTAMP) AT TIME ZONE 'Mars' AS a FROM input", "no time zone 'Mars'");
  expect_refused("SELECT round(CAST(x AS DECIMAL(9, 2)), n) AS a FROM input", "the digits of round are not a constant");
  expect_refused("SELECT x[1:9:2] AS a FROM input", "a slice has a step");
  expect_refused("SELECT x LIKE 'a' ESCAPE y AS a FROM input", "the function like_escape");
  expect_refused("SELECT time_bucket(INTERVAL (n) DAY, CAST(x AS DATE)) AS a FROM input", "the function time_bucket");
  for (const char* type : {"BIT", "BIGNUM", "GEOMETRY", "VARIANT", "INTEGER[100000]", "UNION(a INTEGER)", "BIT[]",
                           "STRUCT(a BIT)", "MAP(VARCHAR, BIT)"}) {
    expect_refused("SELECT CAST(x AS " + std::string(type) + ") AS a FROM input", "the type ");
  }
}

TEST_F(RowWork, WhatIsLongIsKnownOfEveryFunction) {
  ResultStream rows = connection_->query(
      "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'macro') AND "
      "(return_type IS NULL OR "
      "regexp_matches(return_type, 'VARCHAR|BLOB|BIT|JSON|ANY|STRUCT|MAP|\\[\\]|^T$|^V$|BIGNUM'))",
      {CellType::text});
  const std::vector<std::string> short_ones{"chr",    "date_add", "datepart", "dayname",   "days_in_month",
                                            "fdiv",   "fmod",     "md5",      "monthname", "sha1",
                                            "sha256", "to_base",  "-",        "&",         "<<",
                                            ">>",     "|",        "~",        "xor"};
  while (const auto chunk = rows.next()) {
    for (std::size_t row = 0; row < chunk->rows(); ++row) {
      const std::string name(chunk->column(0).text(row));
      if (!std::ranges::binary_search(row_wise_functions(), std::string_view(name))) continue;
      EXPECT_TRUE(growth_of(name) != Growth::of_numbers || std::ranges::find(short_ones, name) != short_ones.end())
          << name;
    }
  }
}

/// What to try in the place of an argument that must be a constant.
struct Constants {
  std::size_t place = 0;
  std::vector<std::string> all = {};
};

Constants constants_of(const std::string& function) {
  switch (growth_of(function)) {
    case Growth::part:
      return {0,
              {"century", "day", "decade", "hour", "isoyear", "microsecond", "millennium", "month", "quarter", "week"}};
    case Growth::parsed:
      return {1, {"%Y-%m-%d", "%Y %Z", "%c", "%j %z", "%G-W%V-%u"}};
    case Growth::zone:
      return {0, {"UTC"}};
    default:
      return {};
  }
}

// Making the text of a BLOB of 150 MB once took more than 1 GB.
TEST_F(RowWork, LongListsAndBlobsAreMissingAndDoNotBecomeText) {
  for (const std::string cell :
       {"CAST(repeat('a', 65536) AS BLOB)", "CAST(repeat(chr(1), 65537) AS BLOB)", "range(65537)"}) {
    const std::string type = cell.starts_with("range") ? "LIST" : "BLOB";
    const std::string bounded = bounded_cell("c", type);
    EXPECT_TRUE(bounded.starts_with(type == "BLOB" ? "CASE WHEN octet_length(c) <= 65536 THEN "
                                                   : "CASE WHEN len(c) <= 65536 THEN "))
        << bounded;
    ResultStream rows = connection_->query(
        "SELECT CAST(" + bounded + " IS NULL AS BIGINT) FROM (SELECT " + cell + " AS c)", {CellType::integer});
    const auto chunk = rows.next();
    ASSERT_TRUE(chunk);
    EXPECT_EQ(chunk->column(0).numbers<std::int64_t>()[0], cell.find("65537") == std::string::npos ? 0 : 1) << cell;
  }
}

/// Each function of the list, on every type that it takes, in rows of values at which functions fail. (Of NULL and of what is refused
/// before any row is read nothing can fail.)
TEST_F(RowWork, NothingOfARowEndsAnyFunction) {
  const std::map<std::string, std::string> pools{
      {"VARCHAR",
       "'', 'abc', '(', 'a\\', '$[', '{\"a\":[1,{\"b\":1e400}]}', '[1', '%', '_', '2020-01-01', 'infinity', '%Q', "
       "'ÄÖ€', '-5', "
       "'9223372036854775808', '1e400', '%zz', 'NaN', '/a/b', '#', NULL"},
      {"BIGINT", "0, 1, -1, 9223372036854775807, -9223372036854775807, 70, 1000000, NULL"},
      {"INTEGER", "0, 1, -1, 2147483647, -2147483647, 40, 1114112, NULL"},
      {"HUGEINT", "0, 1, -1, 170141183460469231731687303715884105727, NULL"},
      {"DOUBLE", "0, 1, -1, 'nan', 'inf', '-inf', 1e308, 1e-320, 0.5, NULL"},
      {"DECIMAL(18,3)", "0, 1, -1, 999999999999999.999, -999999999999999.999, NULL"},
      {"DATE", "'2020-01-31', 'infinity', '-infinity', '5881580-07-10', '5877642-06-25 (BC)', NULL"},
      {"TIMESTAMP",
       "'2020-01-31 12:34:56.789', 'infinity', '-infinity', '294247-01-10 04:00:54.775806', '290309-12-22 (BC) "
       "00:00:00', NULL"},
      {"TIMESTAMP WITH TIME ZONE",
       "'2020-01-31 12:34:56.789+00', 'infinity', '-infinity', '294247-01-10 04:00:54.775806+00', '290309-12-22 (BC) "
       "00:00:00+00', NULL"},
      {"TIME", "'00:00:00', '23:59:59.999999', '24:00:00', NULL"},
      {"INTERVAL",
       "'0 days', '-1 month', '178956970 years', '2147483647 days', '9223372036854775807 microseconds', NULL"},
      {"BOOLEAN", "true, false, NULL"},
      {"BLOB", "'\\xFF\\x00', '', NULL"},
      {"VARCHAR[]", "['$.a', '/b'], [], [NULL], NULL"}};
  std::map<std::string, std::string> letters;
  std::string columns;
  for (const auto& [type, values] : pools) {
    const std::string letter(1, static_cast<char>('a' + letters.size()));
    letters[type] = letter;
    for (const char* copy : {"1", "2", "3"}) {
      const std::string name = letter + copy;
      columns += ", (CAST([" + values + "] AS " + type + "[]))[1 + (hash(i || '" + name + "') % len([" + values +
                 "]))::INTEGER] AS " + name;
    }
  }
  connection_->run("CREATE TEMP TABLE input AS SELECT i" + columns + " FROM range(" +
                   std::to_string(testing::effort(3000, 1000)) + ") t(i)");
  connection_->run(
      "SET disabled_optimizers = 'common_subexpressions,statistics_propagation,expression_rewriter,filter_pushdown'");
  names_.has_column = [](const std::string&, const std::string&) { return true; };
  names_.is_short = [](const std::string&) { return true; };  // none of these is long
  ResultStream rows = connection_->query(
      "SELECT lower(function_name), array_to_string(parameter_types, '|') FROM duckdb_functions() WHERE function_type "
      "= 'scalar'",
      {CellType::text, CellType::text});
  std::size_t tried = 0;
  std::vector<std::pair<std::string, std::string>> calls;
  while (const auto chunk = rows.next()) {
    for (std::size_t row = 0; row < chunk->rows(); ++row) {
      calls.emplace_back(chunk->column(0).text(row), chunk->column(1).text(row));
    }
  }
  for (const auto& [name, types] : calls) {
    if (!std::ranges::binary_search(row_wise_functions(), std::string_view(name))) continue;
    std::vector<std::string> arguments;
    bool is_known = true;
    for (std::size_t at = 0; at < types.size();) {
      std::string type = types.substr(at, types.find('|', at) - at);
      at += type.size() + 1;
      if (type == "DECIMAL") type = "DECIMAL(18,3)";
      if (type == "ANY" || type == "T" || type == "JSON") type = "VARCHAR";
      if (type == "T[]" || type == "ANY[]") type = "VARCHAR[]";
      is_known = is_known && letters.contains(type);
      if (is_known) arguments.push_back(letters[type] + std::to_string(1 + arguments.size() % 3));
    }
    if (!is_known) continue;
    const Constants constants = constants_of(name);
    for (std::size_t k = 0; k < std::max<std::size_t>(constants.all.size(), 1); ++k) {
      if (constants.place < arguments.size() && k < constants.all.size())
        arguments[constants.place] = quote_literal(constants.all[k]);
      const std::string sql = fmt::format("SELECT \"{}\"({}) AS x FROM input", name, fmt::join(arguments, ", "));
      std::string total;
      try {
        require(sql);
        total = total_query(*connection_, SqlTree::of(*connection_, sql), {{"x", "x", ""}});
        connection_->run("DESCRIBE " + total);
      } catch (const Error&) {
        continue;  // refused
      } catch (const EngineFailure&) {
        continue;  // before any row
      }
      ++tried;
      EXPECT_NO_THROW(require_row_wise_calls(*connection_, total, {"input"})) << sql;
      EXPECT_NO_THROW(connection_->run("SELECT max(hash(x)) FROM (" + total + ")")) << sql;
    }
  }
  EXPECT_GT(tried, 300U);
}

TEST(RowWisePlan, IsOneScanUnderProjectionsAndFilters) {
  const auto node = [](const std::string& name, const std::string& children) {
    return R"({"name":")" + name + R"(","children":[)" + children + R"(],"extra_info":{}})";
  };
  const std::string scan = node("FRACTILE_TEXT_1", "");
  for (const std::string& plan : {scan, node("PROJECTION", scan),
                                  node("PROJECTION", node("FILTER", node("PROJECTION", node("READ_PARQUET", ""))))}) {
    EXPECT_NO_THROW(require_row_wise_plan_of("[" + plan + "]")) << plan;
  }
  for (const std::string& plan :
       {node("UNGROUPED_AGGREGATE", scan), node("PROJECTION", node("WINDOW", scan)),
        node("CROSS_PRODUCT", scan + "," + scan), node("PROJECTION", scan + "," + scan), node("STREAMING_LIMIT", scan),
        node("PROJECTION", ""), node("DUMMY_SCAN", ""), node("PROJECTION", node("SEQ_SCAN", "")),
        node("FRACTILE_TEXT_1", scan), node("UNNEST", scan), node("READ_TEXT", ""), node("READ_CSV", "")}) {
    EXPECT_EQ(error_of([&] { require_row_wise_plan_of("[" + plan + "]"); }).code(), ErrorCode::usage) << plan;
  }
  for (const std::string& plan : {std::string(), std::string("[]"), std::string("{}"), "[" + scan + "," + scan + "]"}) {
    EXPECT_EQ(error_of([&] { require_row_wise_plan_of(plan); }).code(), ErrorCode::internal) << plan;
  }
}

/// The engine's own plans, so that a version that calls its steps otherwise is noticed.
TEST_F(RowWork, PlansOfTheEngine) {
  folder.write("t.json", "{\"x\": \"1\", \"n\": \"2\"}\n");
  const std::string file =
      "read_json(" + quote_literal(folder.path("t.json")) +
      ", auto_detect = false, format = 'newline_delimited', columns = {x: 'VARCHAR', n: 'VARCHAR'})";
  EXPECT_NO_THROW(
      require_row_wise_plan(*connection_, "SELECT TRY(lower(x)) AS x FROM " + file + " WHERE TRY(n > '1')"));
  for (const char* select :
       {"SELECT max(x)", "SELECT DISTINCT x", "SELECT sum(1) OVER ()", "SELECT unnest([1, 2])", "SELECT (SELECT 1)"}) {
    EXPECT_EQ(error_of([&] { require_row_wise_plan(*connection_, select + (" FROM " + file)); }).code(),
              ErrorCode::usage)
        << select;
  }
  for (const char* clause : {"LIMIT 1", "ORDER BY x", "USING SAMPLE 1", "UNION ALL SELECT '1'"}) {
    EXPECT_EQ(error_of([&] { require_row_wise_plan(*connection_, "SELECT x FROM " + file + " " + clause); }).code(),
              ErrorCode::usage)
        << clause;
  }
}

/// The first fence reads names as they are written, this one the functions that the engine has found for them.
TEST_F(RowWork, CallsOfTheEngine) {
  connection_->run("CREATE TEMP VIEW input AS SELECT 'a' AS x, 1 AS n, [1] AS l, {'f': 1} AS s");
  const auto require_calls = [&](const std::string& value) {
    require_row_wise_calls(*connection_, "SELECT " + value + " AS v FROM input WHERE TRY(n > 0)", {"input"});
  };
  for (const char* value : {"upper(x)", "x[1:2]", "x LIKE '%a%'", "CASE WHEN n IN (1, 2) THEN n ELSE -n END",
                            "TRY(CAST(x AS DOUBLE))", "coalesce(nullif(n, 2), 3)", "split_part(x, 'a', 1)", "s.f",
                            "l[1]", "date_part('year', DATE '2020-01-01')", "x IS DISTINCT FROM 'a'",
                            "n BETWEEN 1 AND 3", "regexp_replace(x, 'a', 'b')", "strftime(DATE '2020-01-01', '%Y')"}) {
    EXPECT_NO_THROW(require_calls(value)) << value;
  }
  connection_->run("CREATE TEMP MACRO lower(t) AS printf('%s', t)");  // a name of the list that leads elsewhere
  for (const char* value : {"random()", "current_date", "printf('%d', n)", "temp.lower(x)", "unnest(l)", "max(n)",
                            "row_number() OVER ()", "(SELECT 1)", "list_sum(l)"}) {
    const Error error = error_of([&] { require_calls(value); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << value;
    EXPECT_FALSE(error.hint().empty()) << value;
  }
  for (const char* plan : {"", "[]", "{}", R"({"error":true,"error_type":"not implemented"})"}) {
    EXPECT_EQ(error_of([&] { require_row_wise_calls_of(plan); }).code(), ErrorCode::usage) << plan;
  }
}

}  // namespace
}  // namespace fractile::source_detail
