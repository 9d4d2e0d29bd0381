#include "source/engine/plain_names.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "source/engine/letter_case.hpp"

namespace fractile::source_detail {
namespace {

/// The SELECT in parentheses at this place of FROM; JSON's null for anything else.
const SqlNode& select_in(const SqlNode& from) { return member_of(member_of(from, "subquery"), "node"); }

/// Whether this SELECT, or one in its FROM at any depth, has a GROUP BY.
bool has_groups(const SqlNode& select, int depth);

bool reads_groups(const SqlNode& from, int depth) {
  if (depth > deepest_tree) return false;
  if (!is_join(from)) return has_groups(select_in(from), depth + 1);
  return reads_groups(member_of(from, "left"), depth + 1) || reads_groups(member_of(from, "right"), depth + 1);
}

bool has_groups(const SqlNode& select, int depth) {
  if (!select.IsObject()) return false;
  return !is_absent(member_of(select, "group_expressions")) || reads_groups(member_of(select, "from_table"), depth + 1);
}

/// An operand of joins, and the name by which columns refer to it, in lower case; "": none.
struct NamedFrom {
  std::string name;
  const SqlNode* from;
};

std::string name_of(const SqlNode& from) {
  const std::string_view alias = text_of(from, "alias");
  return lower_case(alias.empty() ? text_of(from, "table_name") : alias);
}

void add_named(const SqlNode& from, std::vector<NamedFrom>& tables) {
  if (!is_join(from)) return tables.push_back({name_of(from), &from});
  add_named(member_of(from, "left"), tables);
  add_named(member_of(from, "right"), tables);
}

bool have_own_names(const std::vector<NamedFrom>& tables) {
  std::set<std::string> names;
  return std::ranges::all_of(tables, [&](const NamedFrom& table) { return names.insert(table.name).second; });
}

/// A qualified column: v.id.
struct OfTable {
  std::string table;  ///< in lower case
  std::string column;
};

std::optional<OfTable> of_table(const SqlNode& expression) {
  if (text_of(expression, "class") != "COLUMN_REF") return {};
  std::vector<std::string> names = texts_of(member_of(expression, "column_names"));
  if (names.size() != 2) return {};
  return OfTable{lower_case(names.front()), std::move(names.back())};
}

/// The column by which tables are joined, and the tables whose value in it always equals that of the joined row. Tables that may
/// lack a row are not among them.
struct JoinedBy {
  std::string column;
  std::set<std::string> tables;
  bool says_on = false;  ///< whether some join has ON

  bool is_it(const std::string& name) const { return lower_case(name) == lower_case(column); }
};

/// The column's name, if the condition is that one side's column equals the other side's column of the same name; otherwise
/// nothing.
std::optional<std::string> column_of(const SqlNode& condition, const JoinedBy& left, const JoinedBy& right) {
  if (text_of(condition, "type") != "COMPARE_EQUAL") return {};
  const std::optional<OfTable> one = of_table(member_of(condition, "left"));
  const std::optional<OfTable> other = of_table(member_of(condition, "right"));
  if (!one || !other || lower_case(one->column) != lower_case(other->column)) return {};
  const auto is_between = [](const OfTable& a, const JoinedBy& of_a, const OfTable& b, const JoinedBy& of_b) {
    return of_a.tables.contains(a.table) && of_b.tables.contains(b.table);
  };
  if (!is_between(*one, left, *other, right) && !is_between(*other, left, *one, right)) return {};
  return one->column;
}

/// Nothing if they are joined in another way.
std::optional<JoinedBy> joined_by(const SqlNode& from) {
  if (!is_join(from)) return JoinedBy{{}, {name_of(from)}};
  const std::optional<JoinedBy> left = joined_by(member_of(from, "left"));
  const std::optional<JoinedBy> right = joined_by(member_of(from, "right"));
  if (!left || !right) return {};
  const SqlNode& condition = member_of(from, "condition");
  const std::vector<std::string> columns = texts_of(member_of(from, "using_columns"));
  const std::string_view kind = text_of(from, "join_type");
  JoinedBy joined{{}, {}, left->says_on || right->says_on};
  if (!is_absent(condition)) {
    const std::optional<std::string> column = column_of(condition, *left, *right);
    if (!column || !is_one_of(kind, {"INNER", "LEFT", "RIGHT"})) return {};
    joined.column = *column;
    joined.says_on = true;
  } else if (columns.size() == 1) {
    joined.column = columns.front();
  } else {
    return {};
  }
  for (const JoinedBy* side : {&*left, &*right}) {
    if (!side->column.empty() && !joined.is_it(side->column)) return {};
  }
  if (is_one_of(kind, {"INNER", "LEFT"})) joined.tables.insert(left->tables.begin(), left->tables.end());
  if (is_one_of(kind, {"INNER", "RIGHT"})) joined.tables.insert(right->tables.begin(), right->tables.end());
  return joined;
}

/// Calls visit(member) for the members of a SELECT except its FROM.
template <class Select, class Visit>
void for_each_clause(Select& select, Visit visit) {
  for (auto& member : select.GetObject()) {
    if (member.name != "from_table") visit(member.value);
  }
}

/// Whether an expression names the column without its table although several tables have it, or has a *.
bool is_unclear(const SqlNode& expression, const JoinedBy& joined) {
  if (expression.IsArray()) {
    return std::ranges::any_of(expression.GetArray(), [&](const SqlNode& each) { return is_unclear(each, joined); });
  }
  if (!expression.IsObject()) return false;
  if (text_of(expression, "class") == "STAR") return true;
  const std::vector<std::string> names = texts_of(member_of(expression, "column_names"));
  if (names.size() == 1 && joined.is_it(names.front())) return true;
  return std::ranges::any_of(expression.GetObject(),
                             [&](const auto& member) { return is_unclear(member.value, joined); });
}

bool is_unclear_in(const SqlNode& select, const JoinedBy& joined) {
  bool is_found = false;
  for_each_clause(select, [&](const SqlNode& clause) { is_found = is_found || is_unclear(clause, joined); });
  return is_found;
}

/// Walks a query and changes it.
class PlainNames {
 public:
  PlainNames(SqlDocument& document, const HasColumn& has_column) : document_(document), has_column_(has_column) {}

  void change(SqlNode& select, int depth) {
    if (depth > deepest_tree || text_of(select, "type") != "SELECT_NODE") return;
    SqlNode& from = select["from_table"];
    change_below(from, depth + 1);
    std::vector<NamedFrom> tables;
    add_named(from, tables);
    const std::optional<JoinedBy> joined = joined_by(from);
    if (!joined || !have_own_names(tables) || (joined->says_on && is_unclear_in(select, *joined))) return;
    for_each_clause(select, [&](SqlNode& clause) { name_alone(clause, tables, *joined); });
    if (joined->says_on) say_using(from, joined->column);
  }
  bool has_changed() const { return has_changed_; }

 private:
  void change_below(SqlNode& from, int depth) {
    if (depth > deepest_tree) return;
    if (text_of(from, "type") == "SUBQUERY") change(from["subquery"]["node"], depth + 1);
    if (!is_join(from)) return;
    change_below(from["left"], depth + 1);
    change_below(from["right"], depth + 1);
  }

  void name_alone(SqlNode& expression, const std::vector<NamedFrom>& tables, const JoinedBy& joined) {
    if (expression.IsArray()) {
      for (SqlNode& each : expression.GetArray()) name_alone(each, tables, joined);
    }
    if (!expression.IsObject()) return;
    if (const std::optional<OfTable> named = of_table(expression)) {
      const auto table = std::ranges::find(tables, named->table, &NamedFrom::name);
      if (table == tables.end() || !has_column_(*table->from, lower_case(named->column))) return;
      if (joined.is_it(named->column) && !joined.tables.contains(named->table)) return;
      SqlNode& parts = expression["column_names"];
      parts.Erase(parts.Begin());
      has_changed_ = true;
      return;
    }
    for (auto& member : expression.GetObject()) name_alone(member.value, tables, joined);
  }

  void say_using(SqlNode& from, const std::string& column) {
    if (!is_join(from)) return;
    say_using(from["left"], column);
    say_using(from["right"], column);
    if (is_absent(member_of(from, "condition"))) return;
    from["condition"].SetNull();
    from["using_columns"].PushBack(text_node(column, document_.GetAllocator()), document_.GetAllocator());
    has_changed_ = true;
  }

  SqlDocument& document_;
  const HasColumn& has_column_;
  bool has_changed_ = false;
};

}  // namespace

std::string with_plain_names(const Session& connection, const SqlTree& tree, const std::string& sql,
                             const HasColumn& has_column) {
  if (!has_groups(tree.query(), 0)) return sql;
  SqlDocument document = tree.copy();
  PlainNames plain(document, has_column);
  plain.change(document["statements"][0]["node"], 0);
  return plain.has_changed() ? sql_of(connection, document) : sql;
}

}  // namespace fractile::source_detail
