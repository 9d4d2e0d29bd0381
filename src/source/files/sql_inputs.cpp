#include "source/files/sql_inputs.hpp"

#include <algorithm>
#include <utility>

#include "fractile/error.hpp"
#include "source/files/columns.hpp"

namespace fractile::source_detail {
namespace {

[[noreturn]] void refuse_query(const std::string& what, const Words& hint) {
  throw Error(ErrorCode::usage, "the query " + what, hint, "sql");
}

[[noreturn]] void refuse_input(const std::string& what) {
  refuse_query(what, {"name the file outside of the query: FILE is the table input, ",
                      Field("table").entry("NAME", "FILE"), " makes another one"});
}

int deeper(int depth) {
  if (depth >= deepest_tree) refuse_query("is nested too deeply", "write it with fewer parentheses");
  return depth + 1;
}

/// Calls visit(name, member) for the members of an object, or visit("", item) for the items of a list.
template <class Visit>
void for_each_child(const SqlNode& node, Visit visit) {
  if (node.IsArray()) {
    for (const SqlNode& each : node.GetArray()) visit(std::string_view(), each);
  }
  if (!node.IsObject()) return;
  for (const auto& member : node.GetObject()) {
    visit(std::string_view(member.name.GetString(), member.name.GetStringLength()), member.value);
  }
}

/// Whether a member is a type or the value of a constant, which name no tables, functions or columns. (WITH and REPLACE also have
/// their queries and expressions under "value".)
bool is_literal(std::string_view name, const SqlNode& child) {
  if (name == "value") return is_absent(member_of(child, "class")) && is_absent(member_of(child, "query"));
  return name == "type_info";
}

class Reading {
 public:
  explicit Reading(const std::set<std::string>& tables) : tables_(tables) {}

  /// `scope`: the names that WITH has defined.
  void visit(const SqlNode& node, std::set<std::string> scope, int depth) {
    const std::string_view type = text_of(node, "type");
    if (!is_absent(member_of(node, "class"))) {
      function(node);
    } else if (!type.empty()) {
      clause(node, type, scope);
    }
    if (type == "RECURSIVE_CTE_NODE") scope.insert(lower_case(text_of(node, "cte_name")));
    with(member_of(member_of(node, "cte_map"), "map"), scope, depth);
    for_each_child(node, [&](std::string_view name, const SqlNode& child) {
      if (name != "cte_map" && !is_literal(name, child)) visit(child, scope, deeper(depth));
    });
  }

  bool any() const { return any_; }

 private:
  void with(const SqlNode& map, std::set<std::string>& scope, int depth) {
    if (!map.IsArray()) return;
    for (const SqlNode& each : map.GetArray()) {
      visit(member_of(each, "value"), scope, deeper(depth));
      scope.insert(lower_case(text_of(each, "key")));  // later ones can use it
    }
  }

  static void function(const SqlNode& node) {
    const std::string name = lower_case(text_of(node, "function_name"));
    if (name.starts_with("fractile_")) refuse_query("names the function " + name, "leave it out");
  }

  void clause(const SqlNode& node, std::string_view type, const std::set<std::string>& scope) {
    if (type == "BASE_TABLE") return table(node, scope);
    if (type == "TABLE_FUNCTION") return table_function(member_of(node, "function"));
    if (type == "SHOW_REF") refuse_query("asks the engine about itself", "write a SELECT over input");
    const bool known = is_one_of(type, {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "JOIN", "SUBQUERY",
                                        "EMPTY", "EXPRESSION_LIST", "PIVOT", "ASCENDING", "DESCENDING"}) ||
                       type.starts_with("ORDER_") || type.ends_with("_MODIFIER");
    if (!known) refuse_query("has a part that is not known here: '" + std::string(type) + "'", "leave it out");
  }

  void table(const SqlNode& node, const std::set<std::string>& scope) {
    const std::string name(text_of(node, "table_name"));
    const bool is_plain = is_absent(member_of(node, "schema_name")) && is_absent(member_of(node, "catalog_name")) &&
                          is_absent(member_of(node, "at_clause"));
    if (is_plain && scope.contains(lower_case(name))) return;
    if (!is_plain) refuse_query("reads '" + name + "' by way of a schema, a catalog or AT", "write its name alone");
    if (!tables_.contains(lower_case(name))) refuse_input("reads '" + name + "', which is not an input");
    any_ = true;
  }

  static void table_function(const SqlNode& function) {
    const std::string name = lower_case(text_of(function, "function_name"));
    const bool is_plain = is_absent(member_of(function, "schema")) && is_absent(member_of(function, "catalog"));
    if (is_plain && is_one_of(name, {"unnest", "range", "generate_series"})) return;
    refuse_input("reads by the table function " + name);
  }

  const std::set<std::string>& tables_;
  bool any_ = false;
};

// --- Names of columns -------------------------------------------------------------------------------------------------

/// A SELECT that reads the table, or is inside one that does.
struct Scope {
  std::set<std::string> aliases;  ///< of the table, in lower case
  bool reads = false;             ///< whether its own FROM reads the table
  bool is_alone = true;           ///< whether the table is alone in it
};

void add_tables(const SqlNode& from, const std::string& table, Scope& scope, int depth) {
  const std::string_view type = text_of(from, "type");
  if (type == "JOIN") {
    scope.is_alone = false;
    add_tables(member_of(from, "left"), table, scope, deeper(depth));
    add_tables(member_of(from, "right"), table, scope, deeper(depth));
  }
  if (type != "BASE_TABLE" || lower_case(text_of(from, "table_name")) != table) return;
  const std::string alias = lower_case(text_of(from, "alias"));
  scope.aliases.insert(alias.empty() ? table : alias);
  scope.reads = true;
}

class ColumnsRead {
 public:
  explicit ColumnsRead(std::string table) : table_(std::move(table)) {}

  void visit(const SqlNode& node, const Scope& outer, int depth) {
    Scope scope = outer;
    if (text_of(node, "type") == "SELECT_NODE") {
      scope.reads = false;
      scope.is_alone = true;
      add_tables(member_of(node, "from_table"), table_, scope, deeper(depth));
      if (scope.reads) require_no_alias_as_column(node, depth);
    }
    if (text_of(node, "class") == "COLUMN_REF") reference(texts_of(member_of(node, "column_names")), scope);
    if (text_of(node, "class") == "STAR" && scope.reads) {
      refuse_query("has a * over records without a header", "name the columns");
    }
    if (text_of(node, "type") == "JOIN" && scope.reads) {
      for (const std::string& name : texts_of(member_of(node, "using_columns"))) add(name);
    }
    for_each_child(node, [&](std::string_view name, const SqlNode& child) {
      if (!is_literal(name, child)) visit(child, scope, deeper(depth));
    });
  }

  std::vector<std::string> take() { return std::move(names_); }

 private:
  void reference(const std::vector<std::string>& names, const Scope& scope) {
    if (names.empty()) return;
    if (names.size() > 1 && scope.aliases.contains(lower_case(names[0]))) return add(names[1]);
    if (!scope.reads) return;
    if (scope.is_alone) return add(names[0]);
    if (names.size() == 1) {
      refuse_query("does not say to which table the column '" + names[0] + "' belongs",
                   "in a join over JSON, write the table before each column: " + table_ + "." + names[0]);
    }
  }

  void add(const std::string& name) {
    if (std::ranges::find(names_, name) != names_.end()) return;
    const auto twin = std::ranges::find(names_, lower_case(name), lower_case);
    if (twin != names_.end()) {
      refuse_query("names the columns '" + *twin + "' and '" + name + "', which differ only in letter case",
                   "keys are matched exactly, but the engine cannot hold both; rename one in the file");
    }
    names_.push_back(name);
  }

  /// A column takes precedence over an alias of the same name, and every key of a JSON record can be a column. Then the alias would
  /// be silently ignored.
  static void require_no_alias_as_column(const SqlNode& select, int depth) {
    const SqlNode& list = member_of(select, "select_list");
    if (!list.IsArray()) return;
    for (const SqlNode& item : list.GetArray()) {
      const std::string alias = lower_case(text_of(item, "alias"));
      if (alias.empty() || refers_to(item, alias, depth)) continue;
      bool elsewhere = false;
      for_each_child(select, [&](std::string_view name, const SqlNode& part) {
        elsewhere = elsewhere || (name != "from_table" && refers_to(part, alias, depth));
      });
      if (elsewhere) {
        refuse_query("uses '" + alias + "' as an alias and as a column",
                     "give the alias another name, or use it around a subquery: SELECT ... FROM (SELECT ... AS " +
                         alias + " FROM input) WHERE ...");
      }
    }
  }

  static bool refers_to(const SqlNode& node, const std::string& column, int depth) {
    if (text_of(node, "class") == "COLUMN_REF") {
      const std::vector<std::string> names = texts_of(member_of(node, "column_names"));
      return names.size() == 1 && lower_case(names[0]) == column;
    }
    bool found = false;
    for_each_child(node, [&](std::string_view, const SqlNode& child) {
      found = found || refers_to(child, column, deeper(depth));
    });
    return found;
  }

  std::string table_;
  std::vector<std::string> names_;
};

/// Adds the texts under these members, at any depth.
void add_texts(const SqlNode& node, std::set<std::string>& names, int depth) {
  if (node.IsString()) names.emplace(node.GetString(), node.GetStringLength());
  for_each_child(node, [&](std::string_view, const SqlNode& child) { add_texts(child, names, deeper(depth)); });
}

void add_mentions(const SqlNode& node, std::set<std::string>& names, int depth) {
  const bool is_star = text_of(node, "class") == "STAR";
  for_each_child(node, [&](std::string_view name, const SqlNode& child) {
    const bool holds_names = is_one_of(name, {"column_names", "using_columns"}) ||
                             (is_star && is_one_of(name, {"exclude_list", "qualified_exclude_list", "rename_list"}));
    if (holds_names) add_texts(child, names, deeper(depth));
    if (is_star && name == "replace_list" && child.IsArray()) {
      for (const SqlNode& each : child.GetArray()) add_texts(member_of(each, "key"), names, deeper(depth));
    }
    if (!is_literal(name, child)) add_mentions(child, names, deeper(depth));
  });
}

/// Collects the columns that a query reads, as long as it names each of them.
class NamedAlone {
 public:
  explicit NamedAlone(const std::function<bool(const std::string&)>& has_column) : has_column_(has_column) {}

  void visit(const SqlNode& node, int depth) {
    const std::string_view kind = text_of(node, "class");
    const bool adds_columns = is_one_of(kind, {"STAR", "POSITIONAL_REFERENCE"}) ||
                              is_one_of(text_of(node, "type"), {"PIVOT", "SHOW_REF"}) ||
                              text_of(node, "ref_type") == "NATURAL" ||
                              !texts_of(member_of(node, "column_name_alias")).empty();  // names by position
    if (adds_columns) is_complete_ = false;
    if (kind.empty()) {  // no expression: a table, perhaps
      tables_.insert(lower_case(text_of(node, "alias")));
      tables_.insert(lower_case(text_of(node, "table_name")));
    }
    for_each_child(node, [&](std::string_view name, const SqlNode& child) {
      if (kind == "COLUMN_REF" && name == "column_names") reference(texts_of(child));
      if (name == "using_columns") reference(texts_of(child));
      if (!is_literal(name, child)) visit(child, deeper(depth));
    });
  }

  std::optional<std::set<std::string>> take() {
    const auto is_table = [&](const std::string& name) { return tables_.contains(name); };
    if (!is_complete_ || std::ranges::any_of(names_, is_table)) return {};
    return std::move(names_);
  }

 private:
  /// A name that is a table's may read all of its columns.
  void reference(const std::vector<std::string>& names) {
    bool is_column = false;
    for (const std::string& name : names) {
      if (!has_column_(name)) continue;
      is_column = true;
      names_.insert(lower_case(name));
    }
    is_complete_ = is_complete_ && (names.empty() || is_column);
  }

  const std::function<bool(const std::string&)>& has_column_;
  std::set<std::string> names_;
  std::set<std::string> tables_;
  bool is_complete_ = true;
};

}  // namespace

std::optional<std::set<std::string>> columns_named_alone(const SqlTree& tree,
                                                         const std::function<bool(const std::string&)>& has_column) {
  NamedAlone named(has_column);
  named.visit(tree.query(), 0);
  return named.take();
}

std::set<std::string> mentioned_columns(const SqlTree& tree) {
  std::set<std::string> names;
  add_mentions(tree.query(), names, 0);
  return names;
}

void require_named_tables(const SqlTree& tree, const std::set<std::string>& tables) {
  Reading reading(tables);
  reading.visit(tree.query(), {}, 0);
  if (!reading.any()) refuse_query("reads no table of people", "write SELECT ... FROM input, and name FILE");
}

std::vector<std::string> named_columns(const SqlTree& tree, const std::string& table) {
  ColumnsRead columns(table);
  columns.visit(tree.query(), {}, 0);
  return columns.take();
}

}  // namespace fractile::source_detail
