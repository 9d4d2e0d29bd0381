#include "source/entries/postgres_plan.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "fractile/error.hpp"

namespace fractile::source_detail {
namespace {

const PlainNames plain{{{"public", "people"}, {"Its Own", "part 1"}}, {"income", "Age \"x\"", "note", "octet_length"}};

std::string scan(const std::string& more) {
  return R"({"Node Type": "Seq Scan", "Parallel Aware": false, "Relation Name": "people", "Schema": "public", "Alias": "records")" +
         more + "}";
}

std::string plan_of(const std::string& node) { return R"([{"Plan": )" + node + "}]"; }

std::string output(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '"' ? "\\\"" : std::string(1, c);
  return R"(, "Output": [")" + escaped + "\"]";
}

TEST(PostgresPlan, ScansThatGiveColumnsPass) {
  const std::string part = R"({"Node Type": "Seq Scan", "Parent Relationship": "Member", "Async Capable": false,
      "Relation Name": "part 1", "Schema": "Its Own", "Alias": "records_1", "Output": ["records_1.income"]})";
  for (const std::string& node :
       {scan(""), scan(output("income")), scan(output("records.\"Age \"\"x\"\"\"")),
        scan(output("CASE WHEN (octet_length((records.note)::text) <= 1000000) THEN records.note ELSE NULL::character "
                    "varying END")),
        scan(output("CASE WHEN (octet_length((note)::text) <= 1000000) THEN (note)::text ELSE NULL::text END")),
        R"({"Node Type": "Append", "Subplans Removed": 0, "Plans": [)" + part + ", " + part + "]}",
        std::string(R"({"Node Type": "Result", "Output": ["income"], "One-Time Filter": "false"})")}) {
    EXPECT_NO_THROW(require_plain_plan(plan_of(node), plain)) << node;
  }
  EXPECT_NO_THROW(require_plain_plan(R"([{"Plan": )" + scan("") + R"(, "Query Identifier": 7}])", plain));
}

TEST(PostgresPlan, EverythingElseIsRefused) {
  std::vector<std::string> nodes{scan(R"~(, "Filter": "(income > 3)")~"),
                                 scan(R"(, "Plans": [{"Node Type": "Aggregate", "Plans": []}])"),
                                 scan(R"(, "Parent Relationship": "InitPlan")"),
                                 R"({"Node Type": "Result", "One-Time Filter": "true"})",
                                 R"({"Node Type": "Seq Scan", "Relation Name": "others", "Schema": "public"})",
                                 R"({"Node Type": "Seq Scan", "Relation Name": "people", "Schema": "others"})",
                                 R"({"Node Type": "Seq Scan"})",
                                 R"({"Output": ["income"]})",
                                 "7"};
  for (const char* step : {"Aggregate", "Unique", "WindowAgg", "ProjectSet", "Function Scan", "Foreign Scan", "Limit",
                           "Sort", "Nested Loop", "Gather", "Custom Scan", "SubqueryScan", "Index Scan"}) {
    nodes.push_back(std::string(R"({"Node Type": ")") + step + "\"}");
  }
  for (const char* text :
       {"max(income)", "count", "income(note)", "pg_read_file('x')", "unnest(income)", "octet_length (pg_ls_dir(note))",
        "pg_catalog.octet_length(note)", "\"octet_length\"(note)", "income + 1", "'x'", "$1", "income -- x", "\"income",
        "(SubPlan 1)", "CASE(note)", "\"THEN\"(note)", "people.income", "income;", "text(note)"}) {
    nodes.push_back(scan(output(text)));
  }
  for (const std::string& node : nodes) EXPECT_THROW(require_plain_plan(plan_of(node), plain), Error) << node;
  for (const char* explained : {"", "[]", "{}", "[7]", "[{}]", R"([{"Plan": {}, "Triggers": [1]}])", "[{},{}]"}) {
    EXPECT_THROW(require_plain_plan(explained, plain), Error) << explained;
  }
}

}  // namespace
}  // namespace fractile::source_detail
