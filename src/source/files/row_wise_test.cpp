#include "source/files/row_wise.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "source/entries/table_test_support.hpp"
#include "source/files/columns.hpp"
#include "source/files/row_growth.hpp"

namespace fractile::source_detail {
namespace {

using source_test::EngineTest;
using source_test::error_of;

class RowWiseTest : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (IsSkipped()) return;
    connection_ = std::make_unique<Session>(Session::open({}));
    kinds_ = function_kinds(*connection_);
  }

  void require(const std::string& sql) const {
    const auto has_column = [](const std::string& table, const std::string& name) {
      return table == "visits" && name == "user";
    };
    const RowWiseNames names{{"input", "visits"}, has_column, kinds_};
    require_row_wise(SqlTree::of(*connection_, sql), names);
  }
  void expect_refused(const std::string& sql, const std::string& words) const {
    const Error error = error_of([&] { require(sql); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << sql;
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << sql << ": " << error.what();
    EXPECT_FALSE(error.hint().empty()) << sql;
  }

  std::unique_ptr<Session> connection_;
  FunctionKinds kinds_;
};

TEST_F(RowWiseTest, Passes) {
  for (const char* sql : {
           "FROM input",
           "FROM INPUT",
           "SELECT x FROM visits v",
           "SELECT input.input.x, x.y.z, t.input.y.z, visits.x.visits.y FROM input",
           "SELECT user.visits.x FROM visits",
           "SELECT * EXCLUDE (a) REPLACE (b + 1 AS b) FROM input",
           "SELECT * RENAME (a AS b) FROM input",
           "SELECT t.*, t.x AS y FROM input AS t(x, z)",
           "SELECT INPUT.*, T.a AS y FROM (SELECT t.* FROM (SELECT Input.* FROM input) AS T) AS input",
           "SELECT TRY_CAST(x AS DOUBLE) / 12 AS x FROM input WHERE y <> '3' -- most",
           "SELECT x::DECIMAL(9, 2), x::DATE, x::INTEGER[], x::JSON, x::ENUM('a', 'b') FROM input",
           "SELECT CASE WHEN x > 1 THEN 2 ELSE y END, CASE x WHEN 1 THEN 2 END, if(x, 1, 2) FROM input",
           "SELECT coalesce(x, 1), ifnull(x, 1), nullif(x, ''), greatest(x, y), least(x, 2) FROM input",
           "SELECT x FROM input WHERE x BETWEEN 1 AND 3 AND y IS NOT NULL OR NOT z AND x IN (1, 2) AND y NOT IN ('a')",
           "SELECT x FROM input WHERE a LIKE 'a%' AND b ILIKE 'b' AND c SIMILAR TO 'd' AND e ~ 'f' AND g GLOB 'h'",
           "SELECT x FROM input WHERE a NOT LIKE 'a' AND x IS DISTINCT FROM y AND x IS TRUE",
           "SELECT round(x, 2), abs(-x), x // 2, x % 2, x ** 2, x || 'a', x ->> 'a', ~x, x & 1, x << 2 FROM input",
           "SELECT extract(year FROM x), date_trunc('month', x), x + INTERVAL '1' DAY, strptime(x, '%Y') FROM input",
           "SELECT lower(trim(both 'a' from x)), substring(x from 1 for 2), position('a' in x), split_part(x, '-', 1) "
           "FROM input",
           "SELECT regexp_replace(x, '[$,]', '', 'g'), replace(x, ',', '.'), LENGTH(x) FROM input",
           "SELECT TRY(x::INTEGER * 1000000), x[1], x[1:2], {'a': x}, [x, y], MAP {'a': x} FROM input",
           "SELECT user, visits.current_date FROM VISITS",
           "SELECT user FROM visits AS v WHERE USER = 'a'",
           "SELECT user FROM input AS t(a, user)",
           "SELECT user, current_date FROM (SELECT x AS user, v.current_date FROM visits AS v)",
           "SELECT user FROM (SELECT * FROM (FROM visits)) AS t",
           "SELECT x FROM (SELECT x + 1 AS x FROM (FROM input WHERE y > 1) WHERE z) t WHERE x < 3",
           "SELECT 1 AS x FROM input",
       }) {
    EXPECT_NO_THROW(require(sql)) << sql;
  }
}

TEST_F(RowWiseTest, RefusesClauses) {
  expect_refused("SELECT x FROM input LIMIT 3", "LIMIT");
  expect_refused("SELECT x FROM input OFFSET 3", "OFFSET");
  expect_refused("SELECT x FROM input LIMIT 10%", "LIMIT");
  expect_refused("SELECT DISTINCT x FROM input", "DISTINCT");
  expect_refused("SELECT DISTINCT ON (x) y FROM input", "DISTINCT");
  expect_refused("SELECT x FROM input ORDER BY x", "ORDER BY");
  expect_refused("SELECT x FROM input GROUP BY x", "GROUP BY");
  expect_refused("SELECT x FROM input GROUP BY ALL", "GROUP BY");
  expect_refused("SELECT max(x) FROM input GROUP BY GROUPING SETS ((), (y))", "GROUP BY");
  expect_refused("SELECT 1 FROM input HAVING x > 1", "HAVING");
  expect_refused("SELECT x FROM input QUALIFY row_number() OVER () = 1", "QUALIFY");
  expect_refused("SELECT x FROM input USING SAMPLE 10", "USING SAMPLE");
  expect_refused("SELECT x FROM input TABLESAMPLE 10%", "TABLESAMPLE");
  expect_refused("SELECT x FROM (FROM input) TABLESAMPLE 10%", "TABLESAMPLE");
  expect_refused("SELECT x FROM (SELECT x FROM input LIMIT 3)", "LIMIT");
  expect_refused("WITH t AS (SELECT x FROM input) SELECT x FROM t", "WITH");
  expect_refused("SELECT x FROM input UNION ALL SELECT x FROM input", "UNION");
  expect_refused("SELECT x FROM input EXCEPT SELECT x FROM visits", "EXCEPT");
  expect_refused("SELECT x FROM input INTERSECT SELECT x FROM visits", "INTERSECT");
}

TEST_F(RowWiseTest, RefusesOtherSources) {
  expect_refused("SELECT a.x FROM input a, input b", "a join");
  expect_refused("SELECT x FROM input JOIN visits USING (x)", "a join");
  expect_refused("SELECT x FROM input SEMI JOIN visits USING (x)", "a join");
  expect_refused("SELECT x FROM input POSITIONAL JOIN visits", "a join");
  expect_refused("SELECT x FROM input, LATERAL (SELECT 1)", "a join");
  expect_refused("SELECT x FROM input, unnest([1, 2])", "a join");
  expect_refused("SELECT 1 AS x", "no table");
  expect_refused("VALUES (1)", "VALUES");
  expect_refused("SELECT * FROM range(10)", "the table function range");
  expect_refused("SELECT * FROM read_csv('x.csv')", "the table function read_csv");
  expect_refused("UNPIVOT input ON x INTO NAME n VALUE v", "PIVOT");
  expect_refused("FROM (PIVOT input ON x IN (1, 2) USING sum(y))", "PIVOT");
  expect_refused("DESCRIBE input", "DESCRIBE");
  expect_refused("SELECT * FROM (SUMMARIZE input)", "SUMMARIZE");
  expect_refused("SELECT x FROM elsewhere", "the table elsewhere");
  expect_refused("SELECT x FROM main.input", "schema_name");
  for (const char* const sql : {"SELECT main.input.x FROM input", "SELECT x FROM input WHERE Temp.Main.INPUT.x > 3",
                                "SELECT main.t.x FROM input AS t"}) {
    expect_refused(sql, "the query reads 'x' by way of a schema or a catalog");
  }
  expect_refused("SELECT x FROM input AT (VERSION => 3)", "at_clause");
}

TEST_F(RowWiseTest, RefusesExpressions) {
  expect_refused("SELECT max(x) FROM input", "the aggregate max");
  expect_refused("SELECT count(*) FROM input", "the aggregate count_star");
  expect_refused("SELECT 1 + SUM(x + 1) FROM input", "the aggregate sum");
  expect_refused("SELECT first(x) FROM input", "the aggregate first");
  expect_refused("SELECT sum(x) FILTER (WHERE y) FROM input", "the aggregate sum");
  expect_refused("SELECT avg(x) OVER () FROM input", "the window function avg(...) OVER");
  expect_refused("SELECT x FROM input WHERE x > lag(x) OVER (ORDER BY y)", "the window function lag");
  expect_refused("SELECT (SELECT max(x) FROM input) FROM input", "a subquery in an expression");
  expect_refused("SELECT x FROM input WHERE x IN (SELECT x FROM visits)", "a subquery in an expression");
  expect_refused("SELECT x FROM input WHERE EXISTS (SELECT 1)", "a subquery in an expression");
  expect_refused("SELECT CASE WHEN x = ANY(SELECT 1) THEN 1 END FROM input", "a subquery in an expression");
  expect_refused("SELECT unnest([1, 2]) AS x FROM input", "unnest");
  expect_refused("SELECT list_transform(x, lambda y: y + 1) FROM input", "the function list_transform");
  expect_refused("SELECT x -> 'a' FROM input", "a lambda, or ->");
  expect_refused("SELECT COLUMNS('a.*') FROM input", "COLUMNS(...)");
  expect_refused("SELECT COLUMNS(*) + 1 FROM input", "COLUMNS(...)");
  expect_refused("SELECT * LIKE 'a%' FROM input", "COLUMNS(...)");
  expect_refused("SELECT y.* FROM (SELECT struct_pack(a := x) AS y FROM input)", "y.*, which is not of the table");
  expect_refused("SELECT y.* FROM (SELECT struct_pack(a := x) AS y FROM input) AS t", "y.*, which is not of the table");
  expect_refused("SELECT * REPLACE (max(x) AS x) FROM input", "the aggregate max");
  expect_refused("SELECT $1 FROM input", "a parameter");
  expect_refused("SELECT #1 FROM input", "a column by its position");
  expect_refused("SELECT GROUPING(x) FROM input", "GROUPING");
  expect_refused("SELECT x COLLATE nocase FROM input", "not known here");
  expect_refused("SELECT x::foo FROM input", "the type foo");
  expect_refused("SELECT x.lower() FROM input", "the function x.lower");
  expect_refused("SELECT lower(x ORDER BY y) FROM input", "ORDER BY in a function");
  expect_refused("SELECT lower(DISTINCT x) FROM input", "DISTINCT in a function");
  expect_refused("SELECT lower(x) FILTER (WHERE y) FROM input", "FILTER");
}

TEST_F(RowWiseTest, RefusesFunctionsThatDependOnMore) {
  for (const char* name : {"random()",
                           "now()",
                           "uuid()",
                           "nextval('s')",
                           "current_setting('threads')",
                           "error('a')",
                           "stats(x)",
                           "getvariable('a')",
                           "age(x)",
                           "setseed(0.5)",
                           "txid_current()",
                           "today()",
                           "list_sum([1])",
                           "list_aggregate([1], 'sum')",
                           "current_query()",
                           "write_log('a')",
                           "fractile_take_0(x)",
                           "getenv('HOME')",
                           "nothere(x)",
                           "sleep_ms(1)",
                           "constant_or_null(x, y)"}) {
    const std::string call = name;
    expect_refused("SELECT " + call + " FROM input", "the function " + call.substr(0, call.find('(')));
  }
  for (const char* name : {"current_date", "CURRENT_TIMESTAMP", "current_user", "localtime"}) {
    expect_refused("SELECT " + std::string(name) + " FROM input", "the function " + lower_case(name));
  }
}

TEST_F(RowWiseTest, ABareWordIsAColumnOfWhatItReadsOrTheEnginesFunction) {
  // The table visits has a column "user"; to a query that does not read it, the word is a function.
  for (const std::string sql : {
           "SELECT user FROM input",
           "SELECT x FROM visits WHERE x < current_date",
           "SELECT user FROM visits AS t(a, b)",
           "SELECT user FROM (SELECT x FROM visits)",
           "SELECT user FROM (SELECT user AS x FROM visits)",
           "SELECT user FROM (SELECT * EXCLUDE (user) FROM visits)",
           "SELECT user FROM (SELECT * RENAME (user AS x) FROM visits)",
           "SELECT user FROM (SELECT * FROM input)",
           "SELECT user FROM (SELECT user FROM input)",
       }) {
    expect_refused(sql, sql.ends_with("current_date") ? "the function current_date" : "the function user");
  }
}

TEST_F(RowWiseTest, IsOneSelectAndNothingBesides) {
  for (const char* sql : {"DROP VIEW input", "FROM input; FROM input", " ; ", "COPY input TO 'x.csv'",
                          "SET threads = 1", "PIVOT input ON x USING sum(y)", ""}) {
    const Error error = error_of([&] { require(sql); });
    EXPECT_NE(std::string(error.what()).find("not one SELECT"), std::string::npos) << sql << error.what();
  }
  for (const char* sql : {"SELECT 1) ; DROP VIEW input; SELECT (1", "SELECT x FROM input) WHERE (1 = 1", "SELEC x",
                          "SELECT x FROM input /* a", "SELECT 'a"}) {
    EXPECT_THROW(require(sql), Error) << sql;
  }
}

TEST_F(RowWiseTest, DeepQueriesAreRefusedNotCrashedOn) {
  std::string sum = "x";
  for (int i = 0; i < 3000; ++i) sum += " + 1";
  EXPECT_THROW(require("SELECT " + sum + " AS x FROM input"), Error);  // by the engine, which goes less deep than we do
}

TEST_F(RowWiseTest, TheListIsInOrderAndTheEnginesFunctionsAreWhatItSays) {
  EXPECT_TRUE(std::ranges::is_sorted(row_wise_functions()));
  EXPECT_TRUE(std::ranges::is_sorted(row_wise_macros()));
  for (const std::string_view name : row_wise_functions()) {
    const bool is_macro = std::ranges::binary_search(row_wise_macros(), name);
    EXPECT_EQ(kinds_(std::string(name)), std::set<std::string>{is_macro ? "macro " : "scalar CONSISTENT"}) << name;
  }
}

/// A macro is row-wise if its expansion is.
TEST_F(RowWiseTest, MacrosAreRowWise) {
  for (const std::string_view name : row_wise_macros()) {
    std::vector<std::string> queries;
    ResultStream rows = connection_->query(
        "SELECT macro_definition FROM duckdb_functions() WHERE function_name = " + quote_literal(name),
        {CellType::text});
    while (const auto chunk = rows.next()) {
      for (std::size_t row = 0; row < chunk->rows(); ++row) {
        queries.push_back("SELECT " + std::string(chunk->column(0).text(row)) + " FROM input");
      }
    }
    EXPECT_FALSE(queries.empty()) << name;
    for (const std::string& sql : queries) EXPECT_NO_THROW(require(sql)) << sql;
  }
}

/// How often the text has the word, in quotes or without.
std::size_t count_of(const std::string& word, const std::string& text) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) ++count;
  }
  return count;
}

TEST_F(RowWiseTest, MacrosCopyTheirArgumentsAsOftenAsIsKnown) {
  for (const std::string_view name : row_wise_macros()) {
    ResultStream rows = connection_->query(
        "SELECT unnest(parameters), macro_definition FROM duckdb_functions() WHERE function_name = " +
            quote_literal(name),
        {CellType::text, CellType::text});
    while (const auto chunk = rows.next()) {
      for (std::size_t row = 0; row < chunk->rows(); ++row) {
        const std::string definition(chunk->column(1).text(row));
        std::uint64_t copies = count_of(std::string(chunk->column(0).text(row)), definition);
        for (const std::string_view other : row_wise_macros()) {
          if (other != name && count_of(std::string(other), definition) > 0) copies *= copies_of_arguments(other);
        }
        EXPECT_LE(copies, copies_of_arguments(name)) << name << ": " << definition;
      }
    }
  }
}

/// As DuckDB 2.0.1 writes SELECT x FROM input.
TEST(RowWise, SaysThatTreesOfDuckdb2AreNotKnown) {
  const SqlTree tree = SqlTree::of_json(R"({"error":false,"statements":[{"node":{"type":"SELECT_NODE","modifiers":[],
      "cte_map":{"map":[]},"select_list":[{"class":"COLUMN_REF","type":"COLUMN_REF","alias":"","query_location":7,
      "query_location_length":1,"column_names":["x"]}],"from_table":{"type":"BASE_TABLE","alias":"","sample":null,
      "query_location":14,"query_location_length":5,"schema_name":"","table_name":"input","column_name_alias":[],
      "catalog_name":"","at_clause":null,"qualified_name":{"path":["input"]}},"where_clause":null,
      "group_expressions":[],"group_sets":[],"aggregate_handling":"STANDARD_HANDLING","having":null,"sample":null,
      "qualify":null},"named_param_map":[]}]})");
  const RowWiseNames names{{"input"}, {}, [](const std::string&) { return std::set<std::string>(); }};
  const Error error = error_of([&] { require_row_wise(tree, names); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(error.hint().find("duckdb>=1.5.3,<2"), std::string::npos) << error.hint();
}

/// Trees as no engine makes them: refused, never crashed on.
TEST(RowWise, RefusesBrokenTrees) {
  const RowWiseNames names{{"input"},
                           [](const std::string&, const std::string&) { return false; },
                           [](const std::string&) { return std::set<std::string>{"scalar CONSISTENT"}; }};
  const std::string whole =
      R"({"error":false,"statements":[{"node":{"type":"SELECT_NODE","modifiers":[],"cte_map":{"map":[]},"select_list":)"
      R"([{"class":"FUNCTION","type":"FUNCTION","function_name":"lower","schema":"","children":[{"class":"COLUMN_REF",)"
      R"("type":"COLUMN_REF","column_names":["x"]}],"order_bys":{"type":"ORDER_MODIFIER","orders":[]}}],"from_table":{"type":"BASE_TABLE","table_name":"input"},)"
      R"("where_clause":null,"aggregate_handling":"STANDARD_HANDLING"}}]})";
  EXPECT_NO_THROW(require_row_wise(SqlTree::of_json(whole), names));
  EXPECT_TRUE(rc::check("a tree with one part gone or changed", [&] {
    std::string broken = whole;
    const auto at = *rc::gen::inRange<std::size_t>(0, whole.size());
    const auto length = *rc::gen::inRange<std::size_t>(1, 40);
    broken.replace(at, length, *rc::gen::element<std::string>("", "null", "1", "\"y\"", "[]", "{}", "\"", "X"));
    try {
      require_row_wise(SqlTree::of_json(broken), names);
    } catch (const Error&) {
    }
  }));
  std::string deep = whole;
  const std::string wrap = R"({"class":"CONJUNCTION","type":"CONJUNCTION_AND","children":[)";
  for (int i = 0; i < 2000; ++i) deep.insert(deep.find("null,\"aggregate"), wrap);
  for (int i = 0; i < 2000; ++i) deep.insert(deep.find(",\"aggregate"), "]}");
  EXPECT_THROW(require_row_wise(SqlTree::of_json(deep), names), Error);
  std::string stranger = whole;
  stranger.insert(stranger.find("\"where_clause\""), "\"frobnicate\":{\"rows\":[1]},");
  EXPECT_THROW(require_row_wise(SqlTree::of_json(stranger), names), Error);
}

}  // namespace
}  // namespace fractile::source_detail
