#include "source/files/query_plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "fractile/error.hpp"
#include "source/engine/sql_tree.hpp"
#include "source/files/columns.hpp"
#include "source/files/row_wise.hpp"
#include "source/files/text_table.hpp"

namespace fractile::source_detail {
namespace {

bool is_step(std::string_view name) { return name == "PROJECTION" || name == "FILTER"; }

bool is_scan(std::string_view name) {
  constexpr auto scans = std::to_array<std::string_view>(
      {"PARQUET_SCAN", "READ_JSON", "READ_JSON_OBJECTS", "READ_NDJSON", "READ_NDJSON_OBJECTS", "READ_PARQUET"});
  return std::ranges::find(scans, name) != scans.end() || lower_case(name).starts_with(TextTable::prefix);
}

[[noreturn]] void refuse_step(std::string_view step) {
  throw Error(ErrorCode::usage, "the query is not row-wise: the engine would run it with " + std::string(step),
              declare_hint("write it in simpler words"), "sql");
}

/// Whether an expression computes a value from other values of the same row.
bool is_of_one_row(std::string_view kind) {
  constexpr auto kinds = std::to_array<std::string_view>({"BOUND_CASE", "BOUND_CAST", "BOUND_COLUMN_REF",
                                                          "BOUND_COMPARISON", "BOUND_CONJUNCTION", "BOUND_CONSTANT",
                                                          "BOUND_FUNCTION", "BOUND_OPERATOR", "BOUND_REF"});
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// Includes array_slice, which the engine uses for x[1:2].
bool is_row_wise_function(std::string_view name) {
  return name == "array_slice" || std::ranges::binary_search(row_wise_functions(), name);
}

void require_row_wise_value(const SqlNode& node) {
  const std::string_view kind = text_of(node, "expression_class");
  if (kind.empty()) return;
  if (!is_of_one_row(kind)) refuse_step(kind);
  const std::string_view function = text_of(node, "name");
  if (kind == "BOUND_FUNCTION" && !is_row_wise_function(function)) refuse_step("the function " + std::string(function));
}

/// The last cell of the single row that such a statement returns.
std::string plan_by(const Session& connection, const std::string& statement, const std::vector<CellType>& cells) {
  ResultStream rows = connection.query(statement, cells);
  const std::optional<Chunk> chunk = rows.next();
  if (!chunk || chunk->rows() != 1) throw Error(ErrorCode::internal, "the engine has no plan of the query");
  return std::string(chunk->column(cells.size() - 1).text(0));
}

/// SQL of an empty table with the columns of `table`, under a name that hides it, since the engine does not serialize plans that
/// read text.
std::string without_rows(const Session& connection, const std::string& table) {
  ResultStream rows = connection.query("DESCRIBE " + quote_identifier(table), {CellType::text, CellType::text});
  std::string columns;
  while (const std::optional<Chunk> chunk = rows.next()) {
    for (std::size_t row = 0; row < chunk->rows(); ++row) {
      columns += (columns.empty() ? "" : ", ") + ("CAST(NULL AS " + std::string(chunk->column(1).text(row))) + ") AS " +
                 quote_identifier(chunk->column(0).text(row));
    }
  }
  return quote_identifier(table) + " AS (SELECT " + columns + ")";
}

}  // namespace

void require_row_wise_calls_of(const std::string& plan) {
  SqlDocument document;
  document.Parse<rapidjson::kParseIterativeFlag>(plan.data(), plan.size());
  if (document.HasParseError() || !document.IsObject() || !member_of(document, "plans").IsArray()) {
    throw Error(ErrorCode::usage, "the engine's plan of the query does not name the functions that it would call",
                "write it in simpler words", "sql");
  }
  std::vector<const SqlNode*> rest{&member_of(document, "plans")};
  while (!rest.empty()) {
    const SqlNode& node = *rest.back();
    rest.pop_back();
    if (node.IsArray()) {
      for (const SqlNode& each : node.GetArray()) rest.push_back(&each);
    } else if (node.IsObject()) {
      require_row_wise_value(node);
      for (const auto& member : node.GetObject()) rest.push_back(&member.value);
    }
  }
}

void require_row_wise_calls(const Session& connection, const std::string& sql, const std::set<std::string>& tables) {
  std::string hidden;
  for (const std::string& table : tables) hidden += (hidden.empty() ? "WITH " : ", ") + without_rows(connection, table);
  require_row_wise_calls_of(plan_by(
      connection, "SELECT json_serialize_plan(" + quote_literal(hidden + " SELECT * FROM " + in_parentheses(sql)) + ")",
      {CellType::text}));
}

namespace {

/// Checks the plan from this node down.
void require_steps(const SqlNode& top, const std::string& reader, Grouping grouping) {
  const SqlNode* node = &top;
  bool may_group = grouping != Grouping::none;
  bool may_join = grouping == Grouping::joined || grouping == Grouping::nested;
  while (true) {
    const std::string_view name = text_of(*node, "name");
    const SqlNode& children = member_of(*node, "children");
    if (may_join && name == "HASH_JOIN" && children.IsArray() && children.Size() == 2) {
      for (const SqlNode& side : children.GetArray()) require_steps(side, reader, grouping);
      return;
    }
    const bool is_group = may_group && name == "HASH_GROUP_BY";
    if (!is_step(name) && !is_group) break;
    if (is_group && grouping != Grouping::nested) may_group = may_join = false;
    if (!children.IsArray() || children.Size() != 1) refuse_step(name);
    node = &children[0];
  }
  const bool is_ours = !reader.empty() && lower_case(text_of(*node, "name")) == lower_case(reader);
  if ((!is_ours && !is_scan(text_of(*node, "name"))) || !is_absent(member_of(*node, "children")))
    refuse_step(text_of(*node, "name"));
}

}  // namespace

void require_row_wise_plan_of(const std::string& plan, const std::string& reader, Grouping grouping) {
  SqlDocument document;
  document.Parse<rapidjson::kParseIterativeFlag>(plan.data(), plan.size());
  if (document.HasParseError() || !document.IsArray() || document.Size() != 1) {
    throw Error(ErrorCode::internal, "the engine's plan of the query is not JSON");
  }
  require_steps(document[0], reader, grouping);
}

void require_row_wise_plan(const Session& connection, const std::string& sql, const std::string& reader,
                           Grouping grouping) {
  const std::string plan = plan_by(connection, "EXPLAIN (FORMAT JSON) SELECT * FROM " + in_parentheses(sql),
                                   {CellType::text, CellType::text});
  require_row_wise_plan_of(plan, reader, grouping);
}

}  // namespace fractile::source_detail
