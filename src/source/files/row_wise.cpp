#include "source/files/row_wise.hpp"

#include <algorithm>

#include "source/files/columns.hpp"

namespace fractile::source_detail {

Words declare_hint(const std::string& instead) {
  return {instead, ", or declare with ", Field("sql_stability").blank("N"),
          " that one record more or less changes at most N rows of the result, such as 3 for a join in which a record "
          "matches at most 3 others"};
}

namespace {

[[noreturn]] void refuse(const std::string& clause, const Words& hint) {
  throw Error(ErrorCode::usage, "the query is not row-wise: " + clause, hint, "sql");
}

[[noreturn]] void refuse(const std::string& clause) {
  refuse(clause, declare_hint("ask row by row, SELECT ... FROM input WHERE ..."));
}

bool is_listed(std::span<const std::string_view> list, const std::string& name) {
  return std::ranges::binary_search(list, std::string_view(name));
}

/// Whether the engine takes this name for a function if no column has it.
bool is_bare_function(const std::string& name) {
  return is_one_of(name, {"current_catalog", "current_database", "current_date", "current_localtime",
                          "current_localtimestamp", "current_role", "current_schema", "current_time",
                          "current_timestamp", "current_user", "localtime", "localtimestamp", "session_user", "user"});
}

/// Whether this is a type without parameters.
bool is_plain_type(std::string_view id) {
  return is_one_of(id, {"BOOLEAN",   "TINYINT",     "SMALLINT",     "INTEGER",      "BIGINT",   "HUGEINT",
                        "UTINYINT",  "USMALLINT",   "UINTEGER",     "UBIGINT",      "UHUGEINT", "FLOAT",
                        "DOUBLE",    "VARCHAR",     "BLOB",         "UUID",         "DATE",     "TIME",
                        "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "INTERVAL"}) ||
         id == "TIMESTAMP WITH TIME ZONE";
}

/// The keywords of a modifier after a SELECT.
std::string modifier_in_words(std::string_view type) {
  if (type == "ORDER_MODIFIER") return "ORDER BY";
  if (type == "DISTINCT_MODIFIER") return "DISTINCT";
  if (type.starts_with("LIMIT")) return "LIMIT or OFFSET";
  return std::string(type);
}

bool makes_column(const SqlNode& item, const SqlNode& select, const std::string& name, const RowWiseNames& names) {
  const std::string_view alias = text_of(item, "alias");
  if (!alias.empty()) return lower_case(alias) == name;
  if (text_of(item, "class") == "COLUMN_REF") {
    const std::vector<std::string> parts = texts_of(member_of(item, "column_names"));
    return !parts.empty() && lower_case(parts.back()) == name;
  }
  return text_of(item, "class") == "STAR" && is_absent(member_of(item, "exclude_list")) &&
         is_absent(member_of(item, "qualified_exclude_list")) && is_absent(member_of(item, "rename_list")) &&
         has_column(member_of(select, "from_table"), name, names);
}

/// Walks a SELECT. This is one class with many short rules, since all kinds of nodes can contain each other, and so the rules call
/// each other.
class RowWise {
 public:
  RowWise(const RowWiseNames& names, const SqlNode& select) : names_(names), select_(select) {}

  void query(int depth) const {
    const SqlNode& node = select_;
    const std::string_view type = text_of(node, "type");
    if (type == "SET_OPERATION_NODE") refuse(std::string(text_of(node, "setop_type")));
    if (type != "SELECT_NODE") refuse(unknown(type));
    modifiers(member_of(node, "modifiers"));
    if (!is_absent(member_of(node, "cte_map"))) refuse("WITH", "write the query that it names in FROM (...)");
    if (!is_absent(member_of(node, "group_expressions")) || !is_absent(member_of(node, "group_sets")) ||
        text_of(node, "aggregate_handling") != "STANDARD_HANDLING") {
      refuse("GROUP BY",
             declare_hint("group by the column of persons alone, once: SELECT id, sum(...) AS total FROM input "
                          "GROUP BY id"));
    }
    if (!is_absent(member_of(node, "having"))) refuse("HAVING");
    if (!is_absent(member_of(node, "qualify"))) refuse("QUALIFY");
    if (!is_absent(member_of(node, "sample"))) refuse("USING SAMPLE");
    only(node, {"type", "select_list", "from_table", "where_clause", "aggregate_handling", "cte_map"});
    from(member_of(node, "from_table"), deeper(depth));
    const SqlNode& list = member_of(node, "select_list");
    if (!list.IsArray()) refuse(unknown("select_list"));
    for (const SqlNode& each : list.GetArray()) {
      text_of(each, "class") == "STAR" ? star(each, deeper(depth)) : expression(each, deeper(depth));
    }
    if (!is_absent(member_of(node, "where_clause"))) expression(member_of(node, "where_clause"), deeper(depth));
  }

 private:
  static std::string unknown(std::string_view what) {
    return "'" + std::string(what) + "', a part of queries that is not known here";
  }

  static int deeper(int depth) {
    if (depth >= deepest_tree) refuse("it is nested too deeply", "write it with fewer parentheses");
    return depth + 1;
  }

  static void only(const SqlNode& node, std::initializer_list<std::string_view> known) {
    const std::string_view stranger = unknown_member(node, known);
    if (!stranger.empty()) refuse(unknown(stranger));
  }

  static void modifiers(const SqlNode& list) {
    if (is_absent(list)) return;
    const std::string word = list.IsArray() ? modifier_in_words(text_of(list[0], "type")) : unknown("modifiers");
    if (word == "ORDER BY") refuse(word, "leave it out: the order of rows changes no release");
    refuse(word);
  }

  /// DuckDB 2 adds a length to every place in the text, and represents functions, types, constants and WITH in other ways.
  static void require_tree_of_duckdb_1(const SqlNode& from) {
    if (member_of(from, "query_location_length").IsNull()) return;
    throw Error(ErrorCode::usage, "the trees in which DuckDB 2 writes queries are not known here",
                declare_hint("use DuckDB 1 (pip install 'duckdb>=1.5.3,<2')"));
  }

  void from(const SqlNode& node, int depth) const {
    require_tree_of_duckdb_1(node);
    const std::string_view type = text_of(node, "type");
    if (!is_absent(member_of(node, "sample"))) refuse("TABLESAMPLE");
    if (type == "BASE_TABLE") return table(node);
    if (type == "SUBQUERY") {
      only(node, {"type", "alias", "query_location", "subquery", "column_name_alias"});
      const SqlNode& subquery = member_of(node, "subquery");
      only(subquery, {"node"});
      return RowWise(names_, member_of(subquery, "node")).query(deeper(depth));
    }
    if (type == "JOIN") refuse("a join");
    if (type == "EMPTY") refuse("it reads from no table", "write SELECT ... FROM input");
    if (type == "EXPRESSION_LIST") refuse("VALUES");
    if (type == "PIVOT") refuse("PIVOT or UNPIVOT");
    if (type == "TABLE_FUNCTION") {
      refuse("the table function " + std::string(text_of(member_of(node, "function"), "function_name")));
    }
    if (type == "SHOW_REF") refuse("DESCRIBE, SHOW or SUMMARIZE");
    refuse(unknown(type));
  }

  /// sql_inputs.hpp has checked before that options name this table.
  void table(const SqlNode& node) const {
    only(node, {"type", "alias", "query_location", "table_name", "column_name_alias"});
    if (!names_.tables.contains(lower_case(text_of(node, "table_name")))) {
      refuse("the table " + std::string(text_of(node, "table_name")));
    }
  }

  /// The name by which columns refer to what is read, in lower case; "": none.
  std::string name_of_from() const {
    const SqlNode& from = member_of(select_, "from_table");
    const std::string_view alias = text_of(from, "alias");
    return lower_case(alias.empty() ? text_of(from, "table_name") : alias);
  }

  /// `y.*` must be of the table that is read. For a structure y it stands for the fields, whose names no other check knows.
  void star(const SqlNode& node, int depth) const {
    if (!is_absent(member_of(node, "columns")) || !is_absent(member_of(node, "expr"))) {
      refuse("COLUMNS(...)", "name the columns");
    }
    const std::string_view of = text_of(node, "relation_name");
    if (!of.empty() && lower_case(of) != name_of_from()) {
      refuse(std::string(of) + ".*, which is not of the table in FROM", "write *, or name the columns and fields");
    }
    only(node, {"class", "type", "alias", "query_location", "relation_name", "exclude_list", "qualified_exclude_list",
                "replace_list", "rename_list"});
    const SqlNode& replaced = member_of(node, "replace_list");
    if (!replaced.IsArray()) return;
    for (const SqlNode& each : replaced.GetArray()) expression(member_of(each, "value"), deeper(depth));
  }

  void expression(const SqlNode& node, int depth) const {
    const std::string_view kind = text_of(node, "class");
    if (kind == "COLUMN_REF") return column(node);
    if (kind == "CONSTANT") return only(node, {"class", "type", "alias", "query_location", "value"});
    if (kind == "FUNCTION") return function(node, depth);
    if (kind == "OPERATOR") return operation(node, depth);
    if (kind == "CAST") return cast(node, depth);
    if (kind == "CASE") return choice(node, depth);
    if (kind == "COMPARISON") return parts(node, {"left", "right"}, depth);
    if (kind == "BETWEEN") return parts(node, {"input", "lower", "upper"}, depth);
    if (kind == "CONJUNCTION") {
      only(node, {"class", "type", "alias", "query_location", "children"});
      return each_of(member_of(node, "children"), depth);
    }
    refuse_expression(node, kind);
  }

  [[noreturn]] static void refuse_expression(const SqlNode& node, std::string_view kind) {
    if (kind == "WINDOW") refuse_window(node);
    if (kind == "SUBQUERY") refuse("a subquery in an expression");
    if (kind == "STAR") refuse("* or COLUMNS(...) in an expression", "name the columns");
    if (kind == "LAMBDA") refuse("a lambda, or ->", "write json_extract(x, 'key') for x -> 'key'");
    if (kind == "PARAMETER") refuse("a parameter", "write its value");
    if (kind == "POSITIONAL_REFERENCE") refuse("a column by its position", "name the column");
    refuse(unknown(kind));
  }

  [[noreturn]] static void refuse_window(const SqlNode& node) {
    const std::string window = "the window function " + std::string(text_of(node, "function_name")) + "(...) OVER";
    if (!is_absent(member_of(node, "orders"))) {
      refuse(window + " with ORDER BY",
             declare_hint("compare with a value that is computed from all of a person's records: SELECT id, max(x) AS "
                          "x FROM (SELECT id, x, day, max(day) OVER (PARTITION BY id) AS last FROM input) WHERE day = "
                          "last GROUP BY id"));
    }
    refuse(window, declare_hint("compute it from each person's records, and join that: SELECT id, ... FROM input JOIN "
                                "(SELECT id, max(x) AS most FROM input GROUP BY id) USING (id) WHERE ... GROUP BY id"));
  }

  void column(const SqlNode& node) const {
    only(node, {"class", "type", "alias", "query_location", "column_names"});
    const std::vector<std::string> names = texts_of(member_of(node, "column_names"));
    if (names.empty()) refuse(unknown("column_names"));
    require_no_schema(names);
    const std::string lower = lower_case(names.back());
    if (names.size() > 1 || !is_bare_function(lower)) return;
    if (!has_column(member_of(select_, "from_table"), lower, names_)) refuse("the function " + lower);
  }

  /// The engine also finds a column by way of its table's schema, but not once an empty table hides that table, as in the checks of plans.
  void require_no_schema(const std::vector<std::string>& names) const {
    if (names.size() < 3 || lower_case(names[names.size() - 2]) != name_of_from()) return;
    const std::string first = lower_case(names.front());
    if (first == name_of_from() || has_column(member_of(select_, "from_table"), first, names_)) return;
    throw Error(ErrorCode::usage, "the query reads '" + names.back() + "' by way of a schema or a catalog",
                "write its name alone", "sql");
  }

  void parts(const SqlNode& node, std::initializer_list<const char*> names, int depth) const {
    only(node, {"class", "type", "alias", "query_location", "left", "right", "input", "lower", "upper"});
    for (const char* name : names) expression(member_of(node, name), deeper(depth));
  }

  void each_of(const SqlNode& list, int depth) const {
    if (is_absent(list)) return;
    if (!list.IsArray()) refuse(unknown("children"));
    for (const SqlNode& each : list.GetArray()) expression(each, deeper(depth));
  }

  void operation(const SqlNode& node, int depth) const {
    const std::string_view type = text_of(node, "type");
    if (!is_one_of(type, {"OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE",
                          "OPERATOR_TRY", "COMPARE_IN", "COMPARE_NOT_IN", "ARRAY_EXTRACT", "ARRAY_SLICE",
                          "ARRAY_CONSTRUCTOR", "STRUCT_EXTRACT"})) {
      refuse(type == "GROUPING_FUNCTION" ? "GROUPING" : unknown(type));
    }
    only(node, {"class", "type", "alias", "query_location", "children"});
    each_of(member_of(node, "children"), depth);
  }

  void cast(const SqlNode& node, int depth) const {
    only(node, {"class", "type", "alias", "query_location", "child", "cast_type", "try_cast"});
    expression(member_of(node, "child"), deeper(depth));
    type(member_of(node, "cast_type"), deeper(depth));
  }

  /// Accepts types whose casts fail only in ways that TRY catches, and whose values are not longer than what is cast.
  static void type(const SqlNode& node, int depth) {
    only(node, {"id", "type_info"});
    const std::string_view id = text_of(node, "id");
    const SqlNode& info = member_of(node, "type_info");
    if (id == "UNBOUND") {
      const std::string name = lower_case(text_of(info, "name"));
      if (is_one_of(name, {"json", "enum"}) && unknown_member(info, {"type", "name", "user_type_modifiers"}).empty())
        return;
      refuse("the type " + name);
    }
    if (id == "DECIMAL" && unknown_member(info, {"type", "width", "scale"}).empty()) return;
    if (id == "LIST" || id == "MAP" || id == "STRUCT") {
      only(info, {"type", "child_type", "child_types"});
      if (!is_absent(member_of(info, "child_type"))) type(member_of(info, "child_type"), deeper(depth));
      if (const SqlNode& fields = member_of(info, "child_types"); fields.IsArray()) {
        for (const SqlNode& each : fields.GetArray()) type(member_of(each, "second"), deeper(depth));
      }
      return;
    }
    if (!is_absent(info) || !is_plain_type(id)) {
      refuse("the type " + std::string(info.IsObject() && id == "BLOB" ? text_of(info, "alias") : id));
    }
  }

  void choice(const SqlNode& node, int depth) const {
    only(node, {"class", "type", "alias", "query_location", "case_checks", "else_expr"});
    const SqlNode& checks = member_of(node, "case_checks");
    if (!checks.IsArray()) refuse(unknown("case_checks"));
    for (const SqlNode& check : checks.GetArray()) {
      only(check, {"when_expr", "then_expr"});
      expression(member_of(check, "when_expr"), deeper(depth));
      expression(member_of(check, "then_expr"), deeper(depth));
    }
    if (!is_absent(member_of(node, "else_expr"))) expression(member_of(node, "else_expr"), deeper(depth));
  }

  void function(const SqlNode& node, int depth) const {
    const std::string name = lower_case(text_of(node, "function_name"));
    const std::string_view schema = text_of(node, "schema");
    if (!is_absent(member_of(node, "catalog")) || (!schema.empty() && schema != "main")) {
      refuse("the function " + std::string(schema) + "." + name, "write " + name + "(...)");
    }
    require_row_wise_function(name);
    if (!is_absent(member_of(node, "filter"))) refuse("FILTER");
    if (!is_absent(member_of(member_of(node, "order_bys"), "orders"))) refuse("ORDER BY in a function");
    if (!is_absent(member_of(node, "distinct"))) refuse("DISTINCT in a function");
    only(node, {"class", "type", "alias", "query_location", "function_name", "schema", "children", "is_operator",
                "order_bys"});
    only(member_of(node, "order_bys"), {"type"});
    each_of(member_of(node, "children"), depth);
  }

  /// Throws unless the function is on the list, and this engine also declares it to be a function of its arguments alone. Listed
  /// operators are the same in every engine.
  void require_row_wise_function(const std::string& name) const {
    const bool is_symbol = std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
    if (name == "unnest") refuse("unnest, which makes several rows of one");
    if (is_listed(row_wise_functions(), name) && is_symbol) return;
    const std::set<std::string> kinds = names_.kinds(name);
    const std::string usual = is_listed(row_wise_macros(), name) ? "macro " : "scalar CONSISTENT";
    if (is_listed(row_wise_functions(), name) && kinds == std::set<std::string>{usual}) return;
    if (kinds.contains("aggregate CONSISTENT")) refuse("the aggregate " + name);
    refuse("the function " + name + ", which is not known to depend on its row alone");
  }

  const RowWiseNames& names_;
  const SqlNode& select_;
};

}  // namespace

bool has_column(const SqlNode& from, const std::string& name, const RowWiseNames& names) {
  const std::vector<std::string> renamed = texts_of(member_of(from, "column_name_alias"));
  if (!renamed.empty()) {
    return std::ranges::any_of(renamed, [&](const std::string& each) { return lower_case(each) == name; });
  }
  if (text_of(from, "type") == "BASE_TABLE") return names.has_column(lower_case(text_of(from, "table_name")), name);
  const SqlNode& select = member_of(member_of(from, "subquery"), "node");
  const SqlNode& list = member_of(select, "select_list");
  if (!list.IsArray()) return false;
  return std::ranges::any_of(list.GetArray(),
                             [&](const SqlNode& item) { return makes_column(item, select, name, names); });
}

void require_row_wise(const SqlTree& tree, const RowWiseNames& names) { RowWise(names, tree.query()).query(0); }

}  // namespace fractile::source_detail
