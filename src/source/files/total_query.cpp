#include "source/files/total_query.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "fractile/error.hpp"
#include "source/files/row_growth.hpp"
#include "source/files/row_wise.hpp"

namespace fractile::source_detail {
namespace {

bool is_column_or_constant(const SqlNode& expression) {
  return is_one_of(text_of(expression, "class"), {"COLUMN_REF", "CONSTANT"});
}

/// Whether the engine uses its value as true, false or NULL without a conversion.
bool is_boolean(const SqlNode& expression) {
  return is_one_of(text_of(expression, "class"), {"COMPARISON", "BETWEEN", "CONJUNCTION"}) ||
         is_one_of(text_of(expression, "type"),
                   {"OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "COMPARE_IN", "COMPARE_NOT_IN"});
}

/// Whether it may be CASE or COALESCE in the engine, which macros can expand to; a cast may be no operation.
bool chooses(const SqlNode& expression) {
  const std::string_view kind = text_of(expression, "class");
  if (kind == "CAST") return chooses(member_of(expression, "child"));
  if (kind == "FUNCTION") {
    const std::string name = lower_case(text_of(expression, "function_name"));
    return std::ranges::binary_search(row_wise_macros(), std::string_view(name));
  }
  return kind == "CASE" || text_of(expression, "type") == "OPERATOR_COALESCE";
}

/// Walks a query and changes it.
class Rewriting {
 public:
  Rewriting(const Session& connection, SqlDocument& tree) : connection_(connection), tree_(tree) {}

  void whole(const std::vector<Column>& columns) {
    SqlNode& outermost = tree_["statements"][0]["node"];
    const SqlNode& list = member_of(outermost, "select_list");
    std::vector<std::string> names;
    for (const Column& column : columns) names.push_back(column.name);
    if (std::any_of(list.Begin(), list.End(), is_star)) names = names_if_needed(outermost);
    select(outermost, names, 0);
  }

 private:
  static bool is_star(const SqlNode& item) { return text_of(item, "class") == "STAR"; }

  std::vector<std::string> names_if_needed(const SqlNode& select) const {
    return has_nameless(select) ? names_of(select) : std::vector<std::string>();
  }

  static bool has_nameless(const SqlNode& select) {
    const SqlNode& list = member_of(select, "select_list");
    return std::any_of(list.Begin(), list.End(), [](const SqlNode& item) {
      return !is_one_of(text_of(item, "class"), {"STAR", "COLUMN_REF"}) && text_of(item, "alias").empty();
    });
  }

  static int deeper(int depth) {
    if (depth >= deepest_tree) throw Error(ErrorCode::usage, "the query is nested too deeply", "", "sql");
    return depth + 1;
  }

  /// `names`: the engine's names of the list's values, without those of a *, if they are needed.
  void select(SqlNode& node, const std::vector<std::string>& names, int depth) {
    SqlNode& from = node["from_table"];
    if (text_of(from, "type") == "SUBQUERY") {
      SqlNode& inner = from["subquery"]["node"];
      select(inner, names_if_needed(inner), deeper(depth));
    }
    std::size_t named = 0;
    for (SqlNode& item : node["select_list"].GetArray()) {
      if (is_star(item)) {
        star(item, deeper(depth));
      } else {
        listed(item, named < names.size() ? names[named] : "", deeper(depth));
        ++named;
      }
    }
    if (SqlNode& where = node["where_clause"]; !is_absent(where)) condition(where, deeper(depth));
  }

  void star(SqlNode& node, int depth) {
    if (is_absent(member_of(node, "replace_list"))) return;
    for (SqlNode& each : node["replace_list"].GetArray()) {
      SqlNode& value = each["value"];
      parts(value, depth);
      if (!is_column_or_constant(value)) tried(value);
    }
  }

  /// A value of a list keeps the name that the engine gives to the value as it was written.
  void listed(SqlNode& item, const std::string& engine_name, int depth) {
    if (text_of(item, "class") == "COLUMN_REF") return;
    const std::string alias(text_of(item, "alias"));
    const std::string name = alias.empty() ? engine_name : alias;
    const bool can_fail = !is_column_or_constant(item);
    item["alias"].SetString("", 0);
    parts(item, depth);
    if (can_fail) tried(item);
    item["alias"] = text_node(name, allocator());
  }

  /// Rewrites an operand of WHERE, AND or OR such that a failure becomes NULL, whatever the other operands are and whichever the
  /// engine evaluates first.
  void condition(SqlNode& node, int depth) {
    parts(node, depth);
    if (text_of(node, "class") == "CONJUNCTION") return;  // its operands cannot fail
    if (!is_boolean(node)) make_cast(node, "BOOLEAN", allocator());
    tried(node);
  }

  /// Rewrites the parts of an expression.
  void parts(SqlNode& node, int depth) {
    if (node.IsArray()) {
      for (SqlNode& each : node.GetArray()) parts(each, deeper(depth));
    }
    if (!node.IsObject()) return;
    if (text_of(node, "class") == "CONSTANT") return;
    if (text_of(node, "class") == "CONJUNCTION") {
      for (SqlNode& each : node["children"].GetArray()) condition(each, deeper(depth));
      return;
    }
    auto member = node.MemberBegin();
    for (rapidjson::SizeType k = 0; k < node.MemberCount(); ++k, ++member) {
      if (member->name != "cast_type") parts(member->value, deeper(depth));
    }
    if (text_of(node, "class") == "FUNCTION") function(node);
    if (text_of(node, "type") == "OPERATOR_TRY") boxed(node["children"][0]);
  }

  /// TRY does not catch the errors of the engine's date functions about an INTERVAL or a TIME. So such arguments must be refused
  /// when the query is bound: a unit becomes the function of its name, and an argument that must be a date or a time of day is put
  /// next to one. Nor does TRY catch an error about instants that are too far apart. The differences of instants are those of their
  /// times in UTC.
  void function(SqlNode& node) {
    const std::string name = lower_case(text_of(node, "function_name"));
    SqlNode& arguments = node["children"];
    if (is_one_of(name, {"date_part", "datepart"})) {
      node["function_name"] = text_node(function_of(text_of(member_of(arguments[0], "value"), "value")), allocator());
      arguments.Erase(arguments.Begin());
      return function(node);
    }
    const bool of_days = is_one_of(
        name, {"dayofweek", "dayofyear", "era", "isodow", "isoyear", "week", "weekday", "weekofyear", "yearweek"});
    const bool between = is_one_of(name, {"date_diff", "date_sub", "datediff", "datesub"});
    for (rapidjson::SizeType k = between ? 1 : 0; (of_days || between) && k < arguments.Size(); ++k) {
      timed(arguments[k]);
      if (between) make_cast(arguments[k], "TIMESTAMP", allocator());
    }
  }

  static std::string function_of(std::string_view unit) {
    const std::string name = singular_unit(unit);
    if (name == "dow") return "dayofweek";
    return name == "doy" ? "dayofyear" : name;
  }

  void timed(SqlNode& node) {
    SqlNode null = new_expression("CONSTANT", "VALUE_CONSTANT", allocator());
    SqlNode type(rapidjson::kObjectType);
    type.AddMember("id", "NULL", allocator());
    type.AddMember("type_info", SqlNode(), allocator());
    SqlNode value(rapidjson::kObjectType);
    value.AddMember("type", type, allocator());
    value.AddMember("is_null", true, allocator());
    null.AddMember("value", value, allocator());
    make_cast(null, "TIMESTAMP", allocator());
    SqlNode children(rapidjson::kArrayType);
    SqlNode inner = std::move(node);
    children.PushBack(inner, allocator());
    children.PushBack(null, allocator());
    node = new_expression("OPERATOR", "OPERATOR_COALESCE", allocator());
    node.AddMember("children", children, allocator());
  }

  void tried(SqlNode& node) {
    boxed(node);
    SqlNode inner = std::move(node);
    node = new_expression("OPERATOR", "OPERATOR_TRY", allocator());
    SqlNode children(rapidjson::kArrayType);
    children.PushBack(inner, allocator());
    node.AddMember("children", children, allocator());
  }

  /// Puts the result of CASE and COALESCE into a structure, from which it is taken again. A TRY that continues row by row passes
  /// them a vector of one value, and they write at the index of the row, beyond its end. (duckdb/duckdb#25280; other functions have
  /// separate vectors.)
  void boxed(SqlNode& node) {
    if (!chooses(node)) return;
    SqlNode inner = std::move(node);
    inner["alias"].SetString("v");
    if (!box_) box_ = SqlTree::of(connection_, "SELECT struct_extract(struct_pack(v := a), 'v') FROM a_table").copy();
    node.CopyFrom((*box_)["statements"][0]["node"]["select_list"][0], allocator());
    node["children"][0]["children"][0] = inner;
  }

  /// The engine's names of a list's columns, without those of a *.
  std::vector<std::string> names_of(const SqlNode& select) const {
    SqlDocument tree;
    tree.CopyFrom(tree_, tree.GetAllocator());
    SqlNode list(rapidjson::kArrayType);
    for (const SqlNode& item : member_of(select, "select_list").GetArray()) {
      if (text_of(item, "class") != "STAR") list.PushBack(SqlNode(item, tree.GetAllocator()), tree.GetAllocator());
    }
    SqlNode& node = tree["statements"][0]["node"];
    node.CopyFrom(select, tree.GetAllocator());
    node["select_list"] = list;
    node["where_clause"].SetNull();
    std::vector<std::string> names;
    ResultStream rows = connection_.query("DESCRIBE " + written_sql(connection_, tree), {CellType::text});
    while (const std::optional<Chunk> chunk = rows.next()) {
      for (std::size_t row = 0; row < chunk->rows(); ++row) names.emplace_back(chunk->column(0).text(row));
    }
    if (names.size() != member_of(node, "select_list").Size())
      throw Error(ErrorCode::internal, "the engine did not name every column");
    return names;
  }

  SqlDocument::AllocatorType& allocator() { return tree_.GetAllocator(); }

  const Session& connection_;
  SqlDocument& tree_;
  std::optional<SqlDocument> box_ = {};  // set when it is first needed
};

}  // namespace

std::string total_query(const Session& connection, const SqlTree& tree, const std::vector<Column>& columns) {
  SqlDocument document = tree.copy();
  Rewriting(connection, document).whole(columns);
  return sql_of(connection, document);
}

}  // namespace fractile::source_detail
