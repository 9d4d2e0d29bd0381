#include "source/files/query_plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "fractile/error.hpp"
#include "source/engine/sql_tree.hpp"
#include "source/files/columns.hpp"

namespace fractile::source_detail {
namespace {

bool is_step(std::string_view name) { return name == "PROJECTION" || name == "FILTER"; }

bool is_scan(std::string_view name) {
  constexpr auto scans = std::to_array<std::string_view>({"PARQUET_SCAN", "READ_CSV", "READ_JSON", "READ_JSON_OBJECTS",
                                                          "READ_NDJSON", "READ_NDJSON_OBJECTS", "READ_PARQUET"});
  return std::ranges::find(scans, name) != scans.end();
}

[[noreturn]] void refuse(std::string_view step) {
  throw Error(ErrorCode::usage, "the query is not row-wise: the engine would run it with " + std::string(step),
              {"write it in simpler words, or declare with ", Field("sql_stability").blank("N"),
               " that one person's records change at most N rows of the result"},
              "sql");
}

}  // namespace

void require_row_wise_plan_of(const std::string& plan, const std::string& reader) {
  SqlDocument document;
  document.Parse<rapidjson::kParseIterativeFlag>(plan.data(), plan.size());
  if (document.HasParseError() || !document.IsArray() || document.Size() != 1) {
    throw Error(ErrorCode::internal, "the engine's plan of the query is not JSON");
  }
  const SqlNode* node = &document[0];
  while (is_step(text_of(*node, "name"))) {
    const SqlNode& children = member_of(*node, "children");
    if (!children.IsArray() || children.Size() != 1) refuse(text_of(*node, "name"));
    node = &children[0];
  }
  const bool is_ours = !reader.empty() && lower_case(text_of(*node, "name")) == lower_case(reader);
  if ((!is_ours && !is_scan(text_of(*node, "name"))) || !is_absent(member_of(*node, "children")))
    refuse(text_of(*node, "name"));
}

void require_row_wise_plan(const Connection& connection, const std::string& sql, const std::string& reader) {
  ResultStream rows =
      connection.query("EXPLAIN (FORMAT JSON) SELECT * FROM " + in_parentheses(sql), {CellType::text, CellType::text});
  const std::optional<Chunk> chunk = rows.next();
  if (!chunk || chunk->rows() != 1) throw Error(ErrorCode::internal, "the engine has no plan of the query");
  require_row_wise_plan_of(std::string(chunk->column(1).text(0)), reader);
}

}  // namespace fractile::source_detail
