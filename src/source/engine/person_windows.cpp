#include "source/engine/person_windows.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "source/engine/letter_case.hpp"

namespace fractile::source_detail {
namespace {

bool has_windows(const SqlNode& expression) {
  if (expression.IsArray()) return std::ranges::any_of(expression.GetArray(), has_windows);
  if (!expression.IsObject()) return false;
  if (text_of(expression, "class") == "WINDOW") return true;
  return std::ranges::any_of(expression.GetObject(), [](const auto& member) { return has_windows(member.value); });
}

bool is_grouped_select(const SqlNode& select) { return !is_absent(member_of(select, "group_expressions")); }

/// The column by which the window of an aggregate is partitioned; nothing for any other window.
std::optional<std::string> person_of_window(const SqlNode& window) {
  const SqlNode& partitions = member_of(window, "partitions");
  const bool is_whole =
      unknown_member(window, {"class", "type", "alias", "query_location", "function_name", "children", "partitions",
                              // Both mean the same without an order.
                              "start", "end", "exclude_clause", "distinct"})
          .empty() &&
      text_of(window, "type") == "WINDOW_AGGREGATE" && text_of(window, "start") == "UNBOUNDED_PRECEDING" &&
      is_one_of(text_of(window, "end"), {"UNBOUNDED_FOLLOWING", "CURRENT_ROW_RANGE"}) &&
      text_of(window, "exclude_clause") == "NO_OTHER" && partitions.IsArray() && partitions.Size() == 1;
  if (!is_whole || text_of(partitions[0], "class") != "COLUMN_REF") return {};
  const std::vector<std::string> names = texts_of(member_of(partitions[0], "column_names"));
  if (names.size() != 1) return {};
  return names.front();
}

/// Calls visit(name) for each column that an expression names without its table.
template <class Visit>
void for_each_name(const SqlNode& expression, Visit visit) {
  if (expression.IsArray()) {
    for (const SqlNode& each : expression.GetArray()) for_each_name(each, visit);
  } else if (expression.IsObject()) {
    const std::vector<std::string> names = texts_of(member_of(expression, "column_names"));
    if (names.size() == 1) visit(names.front());
    for (const auto& member : expression.GetObject()) for_each_name(member.value, visit);
  }
}

/// Calls visit(window) for each window in an expression, none of which is inside another one.
template <class Visit>
void for_each_window(const SqlNode& expression, Visit visit) {
  if (expression.IsArray()) {
    for (const SqlNode& each : expression.GetArray()) for_each_window(each, visit);
  } else if (expression.IsObject() && text_of(expression, "class") == "WINDOW") {
    visit(expression);
  } else if (expression.IsObject()) {
    for (const auto& member : expression.GetObject()) for_each_window(member.value, visit);
  }
}

/// Whether the SELECT at this place of FROM has a * in its list, so that it may have columns that HasColumn does not find.
bool has_star(const SqlNode& from) {
  const SqlNode& list = member_of(member_of(member_of(from, "subquery"), "node"), "select_list");
  return list.IsArray() &&
         std::ranges::any_of(list.GetArray(), [](const SqlNode& item) { return text_of(item, "class") == "STAR"; });
}

/// Turns the windows of a SELECT into columns of a joined table.
class Joining {
 public:
  /// `document` is the tree to change.
  Joining(const Session& connection, SqlDocument& document, const HasColumn& has_column)
      : connection_(connection), document_(document), has_column_(has_column) {}

  /// Changes the SELECT if all of its windows are of aggregates and partitioned by one column.
  void change(SqlNode& select) {
    person_.clear();
    if (!find_common_person(member_of(select, "select_list"))) return;
    require_columns_of_from(select);
    SqlDocument pattern = SqlTree::of(connection_,
                                      "SELECT * FROM (SELECT * FROM a_table) JOIN (SELECT a, f(a) AS f FROM a_table "
                                      "GROUP BY a) USING (a)")
                              .copy();
    SqlNode join;
    join.CopyFrom(pattern["statements"][0]["node"]["from_table"], allocator());
    SqlNode& records = join["left"]["subquery"]["node"];
    SqlNode& persons = join["right"]["subquery"]["node"];
    for (SqlNode* const reading : {&records, &persons}) {
      (*reading)["from_table"].CopyFrom(select["from_table"], allocator());
      (*reading)["where_clause"].CopyFrom(select["where_clause"], allocator());
    }
    SqlNode& list = persons["select_list"];
    set_name(list[0]);
    set_name(persons["group_expressions"][0]);
    join["using_columns"][0].SetString(person_.c_str(), allocator());
    SqlNode call;
    call.CopyFrom(list[1], allocator());
    list.PopBack();
    replace(select["select_list"], call, list);
    select["from_table"] = join;
    select["where_clause"].SetNull();
    has_changed_ = true;
  }
  bool has_changed() const { return has_changed_; }

 private:
  SqlDocument::AllocatorType& allocator() { return document_.GetAllocator(); }

  /// Sets person_ to the column by which all windows are partitioned; returns false if there is no such column.
  bool find_common_person(const SqlNode& expression) {
    if (expression.IsArray()) {
      return std::ranges::all_of(expression.GetArray(),
                                 [this](const SqlNode& each) { return find_common_person(each); });
    }
    if (!expression.IsObject()) return true;
    if (text_of(expression, "class") == "WINDOW") {
      const std::optional<std::string> person = person_of_window(expression);
      if (!person || has_windows(member_of(expression, "children"))) return false;
      if (person_.empty()) person_ = *person;
      return lower_case(*person) == lower_case(person_);
    }
    return std::ranges::all_of(expression.GetObject(),
                               [this](const auto& member) { return find_common_person(member.value); });
  }

  /// Throws `usage` if a window or WHERE names what the same list makes. The joined tables lack that.
  void require_columns_of_from(const SqlNode& select) const {
    const SqlNode& from = member_of(select, "from_table");
    const SqlNode& list = member_of(select, "select_list");
    if (!list.IsArray() || has_star(from)) return;
    const auto require = [&](const std::string& name) {
      const auto makes_it = [&](const SqlNode& item) { return lower_case(text_of(item, "alias")) == lower_case(name); };
      if (has_column_(from, lower_case(name)) || std::ranges::none_of(list.GetArray(), makes_it)) return;
      throw Error(ErrorCode::usage, "the query makes '" + name + "' in the SELECT whose windows or WHERE read it",
                  "write there what '" + name + "' stands for, or make it in a SELECT inside: FROM (SELECT *, ... AS " +
                      name + " FROM input)",
                  "sql");
    };
    for_each_name(member_of(select, "where_clause"), require);
    for_each_window(list, [&](const SqlNode& window) { for_each_name(window, require); });
  }

  void set_name(SqlNode& column) { column["column_names"][0].SetString(person_.c_str(), allocator()); }

  /// Replaces each window by a column, and appends the same aggregate, as a call like `call`, to the list of the joined table.
  void replace(SqlNode& expression, const SqlNode& call, SqlNode& list) {
    if (expression.IsArray()) {
      for (SqlNode& each : expression.GetArray()) replace(each, call, list);
    } else if (expression.IsObject() && text_of(expression, "class") == "WINDOW") {
      const std::string name = fmt::format("fractile window {}", list.Size());
      SqlNode value;
      value.CopyFrom(call, allocator());
      value["alias"].SetString(name.c_str(), allocator());
      const bool counts_rows =
          lower_case(text_of(expression, "function_name")) == "count" && expression["children"].Empty();
      value["function_name"] = expression["function_name"];
      // Inside a window the parser keeps count(*) as count without arguments; a plain aggregate is count_star.
      if (counts_rows) value["function_name"].SetString("count_star", allocator());
      value["children"] = expression["children"];
      value["distinct"] = expression["distinct"];
      SqlNode column;
      column.CopyFrom(list[0], allocator());
      column["alias"] = expression["alias"];
      column["column_names"][0].SetString(name.c_str(), allocator());
      list.PushBack(value, allocator());
      expression = column;
    } else if (expression.IsObject()) {
      std::for_each(expression.MemberBegin(), expression.MemberEnd(),
                    [&](auto& member) { replace(member.value, call, list); });
    }
  }

  const Session& connection_;
  SqlDocument& document_;
  const HasColumn& has_column_;
  std::string person_;
  bool has_changed_ = false;
};

/// Whether the FROM of this SELECT is a single SELECT that has windows, too, at any depth.
bool reads_windows(const SqlNode& select, int depth) {
  const SqlNode& below = member_of(member_of(member_of(select, "from_table"), "subquery"), "node");
  if (!below.IsObject() || depth > deepest_tree) return false;
  return has_windows(member_of(below, "select_list")) || reads_windows(below, depth + 1);
}

void visit_table(SqlNode& from, bool is_below_group, Joining& joining, int depth);

void visit(SqlNode& select, bool is_below_group, Joining& joining, int depth) {
  if (depth > deepest_tree || text_of(select, "type") != "SELECT_NODE") return;
  const bool has_some = has_windows(member_of(select, "select_list"));
  if (has_some && is_below_group && !is_join(member_of(select, "from_table")) && !reads_windows(select, depth)) {
    return joining.change(select);
  }
  visit_table(select["from_table"], is_below_group || is_grouped_select(select), joining, depth + 1);
}

/// Visits each joined table separately; a table with a GROUP BY is one that reads what is below it.
void visit_table(SqlNode& from, bool is_below_group, Joining& joining, int depth) {
  if (depth > deepest_tree || !from.IsObject()) return;
  const std::string_view type = text_of(from, "type");
  if (type == "SUBQUERY") visit(from["subquery"]["node"], is_below_group, joining, depth + 1);
  if (!is_join(from)) return;
  visit_table(from["left"], false, joining, depth + 1);
  visit_table(from["right"], false, joining, depth + 1);
}

}  // namespace

std::string without_windows_of_persons(const Session& connection, const SqlTree& tree, const std::string& sql,
                                       const HasColumn& has_column) {
  SqlDocument document = tree.copy();
  Joining joining(connection, document, has_column);
  visit(document["statements"][0]["node"], false, joining, 0);
  return joining.has_changed() ? sql_of(connection, document) : sql;
}

}  // namespace fractile::source_detail
