#include "source/files/row_work.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <vector>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "source/files/columns.hpp"
#include "source/files/row_growth.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::uint64_t place_in_a_list = 16;  // bytes of an element besides its content
// Two characters, "1,", become a DECIMAL(38, 37), and this becomes text.
constexpr std::uint64_t longest_of_two_signs = 24;
constexpr std::uint64_t steps_of_an_element = 32;  // for each byte of the value to which a text is cast
constexpr std::uint64_t longest_padding = 1000;
constexpr std::uint64_t bytes_of_a_letter = 4;
constexpr std::uint64_t steps_of_a_zone = std::uint64_t{1}
                                          << 13;  // for each byte: an unknown zone is compared with all others
constexpr std::uint64_t steps_of_a_failure = std::uint64_t{1} << 15;  // an exception, and the attempt after it

/// Bounds of the bytes of an expression's value, or of its text if that is longer, and of its steps.
struct Bound {
  std::uint64_t size = longest_number;
  std::uint64_t work = 1;
};

/// The bound of TRY: where the expression fails, the engine computes it a second time. TRYs within each other double this each time.
Bound tried(const Bound& bound) { return {bound.size, plus(times(2, bound.work), steps_of_a_failure)}; }

// --- The query -----------------------------------------------------------------------------------------------------------

[[noreturn]] void refuse_work(const std::string& what, const Words& hint) {
  throw Error(ErrorCode::usage, "the query is refused: " + what, hint, "sql");
}

std::optional<std::string> constant_text(const SqlNode& node) {
  const SqlNode& value = member_of(node, "value");
  if (text_of(node, "class") != "CONSTANT" || text_of(member_of(value, "type"), "id") != "VARCHAR") return {};
  if (!member_of(value, "value").IsString()) return {};
  return std::string(text_of(value, "value"));
}

std::optional<std::uint64_t> constant_number(const SqlNode& node) {
  const SqlNode& value = member_of(member_of(node, "value"), "value");
  if (text_of(node, "class") != "CONSTANT" || !value.IsUint64()) return {};
  return value.GetUint64();
}

[[noreturn]] void refuse_variable(const std::string& function, const std::string& what) {
  refuse_work(what + " of " + function + " is not a constant",
              "write it between quotes: one row's could take any time, or fail");
}

std::string require_constant(const SqlNode& node, const std::string& function, const std::string& what) {
  if (const std::optional<std::string> text = constant_text(node)) return *text;
  refuse_variable(function, what);
}

/// The pattern of a function of regular expressions. \C matches one byte of a letter, and \B the place between two of its bytes, where
/// regexp_replace would put something. What is left is not UTF-8, and other functions end the process with it.
std::string require_pattern(const SqlNode& node, const std::string& function) {
  std::string pattern = require_constant(node, function, "the pattern");
  for (const char* sign : {"\\C", "\\B"}) {
    if (pattern.find(sign) == std::string::npos) continue;
    refuse_work("the pattern of " + function + " has " + sign + ", which takes letters apart into bytes",
                std::string("write another one; a backslash before a ") + sign[1] + " is [\\\\]" + sign[1]);
  }
  return pattern;
}

/// Whether a format of times reads the name of a time zone.
bool reads_zone(std::string_view format) {
  for (std::size_t at = format.find('%'); at < format.size(); at = format.find('%', at + 1)) {
    if (++at < format.size() && format[at] == '-') ++at;
    if (at < format.size() && format[at] == 'Z') return true;
  }
  return false;
}

/// Checks the format by which strptime reads a text, or the list of them. No TRY catches its error about an unknown zone.
void require_format(const SqlNode& node, const std::string& function) {
  const SqlNode& children = member_of(node, "children");
  const bool is_list = text_of(node, "type") == "ARRAY_CONSTRUCTOR" || text_of(node, "function_name") == "list_value";
  if (is_list && children.IsArray()) {
    for (const SqlNode& each : children.GetArray()) require_format(each, function);
    return;
  }
  if (!reads_zone(require_constant(node, function, "the format")) || function == "try_strptime") return;
  refuse_work("strptime with %Z fails on a time zone that the engine does not know",
              "write try_strptime, which is NULL there");
}

/// The names that a SELECT can use, and the sizes of what they name.
struct SizedColumns {
  bool is_table = false;                       ///< whether it includes the columns of a table
  std::map<std::string, std::uint64_t> sizes;  ///< by names in lower case
  std::uint64_t others = 0;                    ///< size of columns whose names are not known here

  std::uint64_t largest() const {
    std::uint64_t size = std::max(others, is_table ? longest_text : 0);
    for (const auto& [name, each] : sizes) size = std::max(size, each);
    return size;
  }
  void add(const std::string& name, std::uint64_t size) {
    std::uint64_t& known = name.empty() ? others : sizes[name];
    known = std::max(known, size);
  }
  void add(const SizedColumns& all) {
    is_table = is_table || all.is_table;
    others = std::max(others, all.others);
    for (const auto& [name, size] : all.sizes) add(name, size);
  }
};

class RowWork {
 public:
  explicit RowWork(const RowWiseNames& names) : names_(names) {}

  std::uint64_t whole(const SqlNode& query) {
    select(query, 0);
    return work_;
  }

 private:
  /// The names that the current SELECT can use.
  struct Scope {
    SizedColumns columns;
    std::map<std::string, Bound> aliases;  // the engine computes an alias again wherever it is named
  };

  static int deeper(int depth) {
    if (depth >= deepest_tree) refuse_work("it is nested too deeply", "write it with fewer parentheses");
    return depth + 1;
  }

  void take(std::uint64_t work) {
    work_ = plus(work_, work);
    if (work_ > most_work_of_a_row) {
      refuse_work("one row of it could take too much time or memory, with texts as long as they may be",
                  "cut texts to what matters before they are joined, replaced, compared or searched: left(x, 200)");
    }
  }

  SizedColumns select(const SqlNode& node, int depth) {
    Scope scope{from(member_of(node, "from_table"), deeper(depth)), {}};
    SizedColumns result;
    for (const SqlNode& item : member_of(node, "select_list").GetArray()) {
      if (text_of(item, "class") == "STAR") {
        star(item, scope, result, deeper(depth));
        continue;
      }
      const Bound bound = expression(item, scope, deeper(depth));
      take(bound.work);
      const std::vector<std::string> names = texts_of(member_of(item, "column_names"));
      const std::string alias = lower_case(text_of(item, "alias"));
      const std::string name = !alias.empty() || names.empty() ? alias : lower_case(names.back());
      if (has(result, name)) result.add("", bound.size);  // the engine calls a second `b` `b_1`, maybe another's name
      result.add(name, bound.size);
      if (alias.empty()) continue;
      Bound& known = scope.aliases[alias];
      // TotalQuery puts the value into a TRY.
      known = {std::max(known.size, bound.size), plus(known.work, tried(bound).work)};
    }
    if (const SqlNode& where = member_of(node, "where_clause"); !is_absent(where)) {
      take(condition(where, scope, deeper(depth)));
    }
    return result;
  }

  /// The work of a condition, without the TRY around each of its operands, which has no other around it.
  std::uint64_t condition(const SqlNode& node, const Scope& scope, int depth) const {
    if (text_of(node, "class") != "CONJUNCTION") return expression(node, scope, depth).work;
    std::uint64_t work = 1;
    for (const SqlNode& each : member_of(node, "children").GetArray()) {
      work = plus(work, condition(each, scope, deeper(depth)));
    }
    return work;
  }

  void star(const SqlNode& item, const Scope& scope, SizedColumns& result, int depth) {
    const bool repeats =
        std::ranges::any_of(result.sizes, [&](const auto& each) { return has(scope.columns, each.first); });
    if (repeats || result.is_table) result.add("", scope.columns.largest());  // the engine changes repeated names
    result.add(scope.columns);
    if (!is_absent(member_of(item, "rename_list"))) result.add("", scope.columns.largest());
    const SqlNode& replaced = member_of(item, "replace_list");
    if (!replaced.IsArray()) return;
    for (const SqlNode& each : replaced.GetArray()) {
      const Bound bound = expression(member_of(each, "value"), scope, deeper(depth));
      take(bound.work);
      result.add("", bound.size);
    }
  }

  SizedColumns from(const SqlNode& node, int depth) {
    SizedColumns columns;
    columns.is_table = text_of(node, "type") != "SUBQUERY";
    if (!columns.is_table) columns = select(member_of(member_of(node, "subquery"), "node"), deeper(depth));
    if (is_absent(member_of(node, "column_name_alias"))) return columns;
    SizedColumns renamed;
    renamed.others = columns.largest();
    return renamed;
  }

  /// Whether a table of the query has a column of this name.
  bool is_of_a_table(const std::string& name) const {
    return std::ranges::any_of(
        names_.tables, [&](const std::string& table) { return names_.has_column && names_.has_column(table, name); });
  }
  /// Whether one of the columns is known to have this name.
  bool has(const SizedColumns& columns, const std::string& name) const {
    return columns.sizes.contains(name) || (columns.is_table && is_of_a_table(name));
  }

  /// The size of the column that a name names. The name may have several parts: a table, a column, fields.
  std::uint64_t size_of(const SizedColumns& columns, const std::string& name) const {
    std::uint64_t size = columns.others;
    bool is_known = false;
    if (const auto found = columns.sizes.find(name); found != columns.sizes.end()) {
      size = std::max(size, found->second);
      is_known = true;
    }
    if (columns.is_table && is_of_a_table(name)) {
      size = std::max(size, names_.is_short && names_.is_short(name) ? longest_number : longest_text);
      is_known = true;
    }
    return is_known ? size : columns.largest();
  }

  Bound column(const SqlNode& node, const Scope& scope) const {
    const std::vector<std::string> names = texts_of(member_of(node, "column_names"));
    Bound bound;
    bound.size = 0;
    for (const std::string& name : names) {
      bound.size =
          std::max(bound.size, names.size() > 1 ? scope.columns.largest() : size_of(scope.columns, lower_case(name)));
    }
    if (const auto alias = scope.aliases.find(names.empty() ? "" : lower_case(names.back()));
        alias != scope.aliases.end()) {
      bound = {std::max(bound.size, alias->second.size), plus(bound.work, alias->second.work)};
    }
    return bound;
  }

  Bound expression(const SqlNode& node, const Scope& scope, int depth) const {
    const std::string_view kind = text_of(node, "class");
    if (kind == "COLUMN_REF") return column(node, scope);
    if (kind == "CONSTANT") {
      const std::optional<std::string> text = constant_text(node);
      return {text ? text->size() : longest_number, 1};
    }
    if (kind == "FUNCTION") return function(node, scope, depth);
    if (kind == "CAST") return cast(node, scope, depth);
    if (kind == "CASE") return choice(node, scope, depth);
    if (kind == "OPERATOR") return operation(node, scope, depth);
    if (kind == "COMPARISON") return compared(node, {"left", "right"}, scope, depth);
    if (kind == "BETWEEN") return compared(node, {"input", "lower", "upper"}, scope, depth);
    Bound all;
    // TotalQuery puts each operand of AND and OR into a TRY.
    for (const Bound& each : bounds_of(member_of(node, "children"), scope, depth)) {
      all.work = plus(all.work, kind == "CONJUNCTION" ? tried(each).work : each.work);
    }
    return all;
  }

  std::vector<Bound> bounds_of(const SqlNode& list, const Scope& scope, int depth) const {
    std::vector<Bound> bounds;
    if (!list.IsArray()) return bounds;
    for (const SqlNode& each : list.GetArray()) bounds.push_back(expression(each, scope, deeper(depth)));
    return bounds;
  }

  /// The bound of comparing two values: a constant text is compared over its length, and other values are first converted to the
  /// same type.
  Bound compared(const SqlNode& node, std::initializer_list<const char*> parts, const Scope& scope, int depth) const {
    Bound all;
    std::uint64_t sizes = 0;
    std::optional<std::uint64_t> text;
    std::vector<const SqlNode*> nodes;
    std::vector<Bound> bounds;
    for (const char* name : parts) {
      const SqlNode& part = member_of(node, name);
      const Bound bound = expression(part, scope, deeper(depth));
      all.work = plus(all.work, bound.work);
      sizes = plus(sizes, bound.size);
      if (constant_text(part)) text = plus(text.value_or(0), bound.size);
      nodes.push_back(&part);
      bounds.push_back(bound);
    }
    all.work = plus(all.work, plus(text.value_or(sizes), zones(nodes, bounds, scope, depth)));
    return all;
  }

  /// The work of reading texts as instants, to compare them with instants: a text may end with the name of a time zone.
  std::uint64_t zones(const std::vector<const SqlNode*>& parts, const std::vector<Bound>& bounds, const Scope& scope,
                      int depth) const {
    if (std::ranges::none_of(parts, [&](const SqlNode* part) { return may_be_instant(*part, scope, depth); })) return 0;
    std::uint64_t work = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const bool is_sum = is_one_of(lower_case(text_of(*parts[k], "function_name")), {"+", "add", "subtract"});
      const bool is_text = !constant_text(*parts[k]) && bounds[k].size > longest_number;
      if (is_text && !is_sum) work = plus(work, times(steps_of_a_zone, bounds[k].size));
    }
    return work;
  }

  bool may_be_instant(const SqlNode& node, const Scope& scope, int depth) const {
    const std::string_view kind = text_of(node, "class");
    if (kind == "CAST") return has_instant(member_of(node, "cast_type"));
    if (kind == "COLUMN_REF") return column(node, scope).size <= longest_number;
    if (is_one_of(kind, {"CONSTANT", "COMPARISON", "BETWEEN", "CONJUNCTION"})) return false;
    const std::string function = lower_case(text_of(node, "function_name"));
    if (is_one_of(function, {"strptime", "timezone", "to_timestamp", "try_strptime"})) return true;
    const bool hands_on =
        is_one_of(function, {"", "+", "-", "add", "array_extract", "date_add", "date_trunc", "datetrunc", "element_at",
                             "greatest", "least", "list_element", "list_extract", "map_extract_value", "nullif",
                             "struct_extract", "struct_extract_at", "subtract"});
    if (!hands_on) return false;
    const auto is_one = [&](const SqlNode& part) { return may_be_instant(part, scope, deeper(depth)); };
    if (kind == "CASE") {
      const SqlNode& checks = member_of(node, "case_checks");
      return is_one(member_of(node, "else_expr")) ||
             std::any_of(checks.Begin(), checks.End(),
                         [&](const SqlNode& check) { return is_one(member_of(check, "then_expr")); });
    }
    const SqlNode& children = member_of(node, "children");
    return children.IsArray() && std::any_of(children.Begin(), children.End(), is_one);
  }

  /// Whether values of the type are instants, or contain some.
  static bool has_instant(const SqlNode& type) {
    if (type.IsArray()) return std::any_of(type.Begin(), type.End(), has_instant);
    if (!type.IsObject()) return false;
    if (text_of(type, "id") == "TIMESTAMP WITH TIME ZONE") return true;
    return std::any_of(type.MemberBegin(), type.MemberEnd(),
                       [](const auto& member) { return has_instant(member.value); });
  }

  Bound operation(const SqlNode& node, const Scope& scope, int depth) const {
    const std::string_view type = text_of(node, "type");
    const SqlNode& children = member_of(node, "children");
    const std::vector<Bound> parts = bounds_of(children, scope, depth);
    Bound all{0, 1};
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      all.work = plus(all.work, parts[k].work);
      all.size = std::max(all.size, parts[k].size);
      sum = plus(sum, plus(parts[k].size, place_in_a_list));
      if (type.starts_with("COMPARE") && k > 0) {
        const bool is_text = constant_text(children[static_cast<rapidjson::SizeType>(k)]).has_value();
        all.work = plus(all.work, is_text ? parts[k].size : plus(parts[0].size, parts[k].size));
      }
    }
    if (type.starts_with("COMPARE")) {
      std::vector<const SqlNode*> nodes;
      for (const SqlNode& child : children.GetArray()) nodes.push_back(&child);
      all.work = plus(all.work, zones(nodes, parts, scope, depth));
    }
    if (type.starts_with("COMPARE") || type == "OPERATOR_NOT" || type.starts_with("OPERATOR_IS"))
      all.size = longest_number;
    if (type == "ARRAY_SLICE" && parts.size() > 3)
      refuse_work("a slice has a step", "take every element, or name some");
    if (type.starts_with("ARRAY")) {
      all.size = type == "ARRAY_CONSTRUCTOR" ? text_of_held(sum) : sum;
      all.work = plus(all.work, sum);
    }
    return type == "OPERATOR_TRY" ? tried(all) : all;
  }

  Bound choice(const SqlNode& node, const Scope& scope, int depth) const {
    Bound all{0, 1};
    const auto add = [&](const SqlNode& part, bool is_result) {
      if (is_absent(part)) return;
      const Bound bound = expression(part, scope, deeper(depth));
      all.work = plus(all.work, bound.work);
      if (is_result) all.size = std::max(all.size, bound.size);
    };
    for (const SqlNode& check : member_of(node, "case_checks").GetArray()) {
      add(member_of(check, "when_expr"), false);
      add(member_of(check, "then_expr"), true);
    }
    add(member_of(node, "else_expr"), true);
    return all;
  }

  /// The bound of a cast from a text: each element of a list, which may come from a digit and a comma, can be a number of the
  /// greatest length, and has the names of its fields.
  Bound cast(const SqlNode& node, const Scope& scope, int depth) const {
    const Bound child = expression(member_of(node, "child"), scope, deeper(depth));
    const SqlNode& type = member_of(node, "cast_type");
    const SqlNode& info = member_of(type, "type_info");
    const std::string_view id = text_of(type, "id");
    Bound bound{longest_number, plus(child.work, child.size)};
    if (id == "VARCHAR" || id == "BLOB") bound.size = plus(times(id == "BLOB" ? 4 : 1, child.size), longest_number);
    if (id == "UNBOUND" && lower_case(text_of(info, "name")) == "json") bound.size = times(6, plus(child.size, 1));
    if (id == "UNBOUND") bound.size = std::max(bound.size, names_in(member_of(info, "user_type_modifiers")));
    const bool is_list = has_list(type);
    if (is_list) bound.size = times(plus(child.size, 1), plus(longest_of_two_signs, names_in(info)));
    if (!is_list && id == "STRUCT") bound.size = plus(text_of_held(child.size), times(longest_number, names_in(info)));
    bound.work = plus(bound.work, times(is_list ? steps_of_an_element : 1, bound.size));
    if (has_instant(type) && !constant_text(member_of(node, "child"))) {
      bound.work = plus(bound.work, times(steps_of_a_zone, child.size));
    }
    return bound;
  }

  /// Whether a value of the type can contain any number of others.
  static bool has_list(const SqlNode& type) {
    const std::string_view id = text_of(type, "id");
    if (id == "LIST" || id == "MAP") return true;
    const SqlNode& fields = member_of(member_of(type, "type_info"), "child_types");
    return fields.IsArray() && std::any_of(fields.Begin(), fields.End(),
                                           [](const SqlNode& each) { return has_list(member_of(each, "second")); });
  }

  /// The bytes of a list's or a structure's text: a backslash goes before each quote and each backslash of a text within it. So
  /// lists that are cast to text, and put into lists again, double the text each time.
  static std::uint64_t text_of_held(std::uint64_t parts) { return times(2, parts); }

  /// The bytes of the names of fields, or of the words of an ENUM.
  static std::uint64_t names_in(const SqlNode& node) {
    std::uint64_t size = 0;
    if (node.IsArray()) {
      for (const SqlNode& each : node.GetArray()) size = plus(size, names_in(each));
    }
    if (!node.IsObject()) return size;
    for (const auto& each : node.GetObject()) {
      const bool is_name = each.value.IsString() && (each.name == "first" || each.name == "value");
      size = plus(size, is_name ? size_of_name(each.value.GetStringLength()) : names_in(each.value));
    }
    return size;
  }
  static std::uint64_t size_of_name(std::uint64_t letters) { return plus(text_of_held(letters), longest_of_two_signs); }

  /// The bytes of the names that a call gives to its arguments, which a structure keeps: struct_pack(name := x).
  static std::uint64_t names_of_arguments(const SqlNode& arguments) {
    std::uint64_t size = 0;
    if (!arguments.IsArray()) return size;
    for (const SqlNode& each : arguments.GetArray()) {
      const std::string_view name = text_of(each, "alias");
      if (!name.empty()) size = plus(size, size_of_name(name.size()));
    }
    return size;
  }

  const RowWiseNames& names_;
  std::uint64_t work_ = 0;

  Bound function(const SqlNode& node, const Scope& scope, int depth) const;

  /// Throws unless the node is a constant number, perhaps with a sign.
  static void require_digits(const SqlNode& node, const std::string& function) {
    const SqlNode& children = member_of(node, "children");
    const bool is_negative = text_of(node, "function_name") == "-" && children.IsArray() && children.Size() == 1;
    if (text_of(is_negative ? children[0] : node, "class") == "CONSTANT") return;
    refuse_work("the digits of " + function + " are not a constant", "write a number: round(x, 2)");
  }

  static void require_unit(const std::string& unit, const std::string& function) {
    if (is_unit_of_time(unit)) return;
    refuse_work(function + " is asked for the unit '" + unit + "'",
                "write 'year', 'month', 'day', 'hour', 'minute', 'second', 'week' or another unit in full");
  }

  void require_zone(const std::string& zone) const {
    if (!names_.is_zone || names_.is_zone(zone)) return;
    refuse_work("the engine knows no time zone '" + zone + "'", "write it as in 'UTC' or 'Europe/Zurich'");
  }
};

Bound RowWork::function(const SqlNode& node, const Scope& scope, int depth) const {
  const std::string name = lower_case(text_of(node, "function_name"));
  const SqlNode& children = member_of(node, "children");
  const std::vector<Bound> parts = bounds_of(children, scope, depth);
  static const SqlNode nothing;
  const auto part = [&](std::size_t k) { return k < parts.size() ? parts[k] : Bound{0, 0}; };
  const auto child = [&](std::size_t k) -> const SqlNode& {
    return k < parts.size() ? children[static_cast<rapidjson::SizeType>(k)] : nothing;
  };
  std::uint64_t sum = 0;
  std::uint64_t work = 1;
  for (const Bound& each : parts) {
    sum = plus(sum, plus(each.size, place_in_a_list));
    work = plus(work, times(copies_of_arguments(name), each.work));
  }
  const std::uint64_t product = times(part(0).size, part(1).size);
  if (name == "nullif" && parts.size() == 2) {
    work = plus(work, zones({&child(0), &child(1)}, parts, scope, depth));
  }
  const auto bounded = [&](std::uint64_t size, std::uint64_t steps) {
    return Bound{size, plus(work, plus(steps, size))};
  };
  switch (growth_of(name)) {
    case Growth::of_numbers:
      if (name == "array_length" && parts.size() > 1)
        refuse_work("array_length of a dimension", "write array_length(x)");
      return bounded(longest_number, sum);
    case Growth::like_arguments:
      return bounded(sum, 0);
    case Growth::held:
      return bounded(plus(text_of_held(sum), names_of_arguments(children)), 0);
    case Growth::cut: {
      const std::optional<std::uint64_t> letters = constant_number(child(parts.size() - 1));
      const bool is_cut = letters && (parts.size() > 2 || name == "left" || name == "right");
      return bounded(is_cut ? std::min(part(0).size, times(*letters, bytes_of_a_letter)) : part(0).size, part(0).size);
    }
    case Growth::some_times:
      return bounded(times(4, sum), 0);
    case Growth::eightfold:
      return bounded(times(8, sum), 0);
    case Growth::pieces:
      return bounded(times(place_in_a_list + 1, sum), product / 16);
    case Growth::joined:
      return bounded(plus(sum, times(part(0).size, parts.size())), 0);
    case Growth::padded: {
      const std::optional<std::uint64_t> letters = constant_number(child(1));
      if (!letters || *letters > longest_padding) {
        refuse_work("how long " + name + " makes a text must be written as a number up to 1000",
                    "write for example " + name + "(x, 8, '0')");
      }
      return bounded(plus(longest_number, times(*letters, bytes_of_a_letter)), sum);
    }
    case Growth::replaced: {
      const std::optional<std::string> old = constant_text(child(1));
      const bool is_known = old && !old->empty() && constant_text(child(2));
      const std::uint64_t each = is_known ? (part(2).size + old->size() - 1) / old->size() : plus(1, part(2).size);
      return bounded(times(part(0).size, std::max<std::uint64_t>(each, 1)), product / 16);
    }
    case Growth::pattern: {
      const std::string pattern = require_pattern(child(1), name);
      std::uint64_t size = name == "regexp_extract" ? part(0).size : longest_number;
      // With names it returns a structure of all groups, each of which may have the whole text.
      if (name == "regexp_extract" && parts.size() > 2) {
        const auto groups = static_cast<std::uint64_t>(std::ranges::count(pattern, '('));
        const std::uint64_t texts = times(plus(groups, 1), plus(part(0).size, place_in_a_list));
        size = text_of_held(plus(texts, part(2).size));
      }
      return bounded(size, times(part(0).size, instructions(pattern) / 4));
    }
    case Growth::pattern_replaced: {
      const std::string pattern = require_pattern(child(1), name);
      const std::string rewrite = require_constant(child(2), name, "what " + name + " puts in its place");
      const auto references = static_cast<std::uint64_t>(std::ranges::count(rewrite, '\\'));
      const std::uint64_t added = plus(times(part(0).size + 1, rewrite.size()), times(part(0).size, references));
      return bounded(plus(part(0).size, added), times(part(0).size, instructions(pattern) / 4));
    }
    case Growth::likeness:
    case Growth::likeness_again: {
      const char wildcard = name == "~~~" ? '*' : '%';
      const std::string pattern = require_constant(child(1), name, "the pattern");
      const bool is_once = growth_of(name) == Growth::likeness && pattern.find('_') == pattern.npos;
      std::uint64_t steps =
          is_once ? plus(sum, product / 16) : times(4 * std::max<std::uint64_t>(pattern.size(), 1), part(0).size);
      if (!is_once) {
        for (std::uint64_t k = 1; k < searches(pattern, wildcard); ++k) steps = times(steps, part(0).size);
      }
      return bounded(longest_number, steps);
    }
    case Growth::searched:
      return bounded(longest_number, plus(sum, product / 16));
    case Growth::compared:
      return bounded(longest_number, plus(sum, times(8, product)));
    case Growth::path: {
      const bool has_path = parts.size() > 1 && !constant_number(child(1));
      const std::string path = has_path ? require_constant(child(1), name, "the path") : "";
      const bool is_list = path.find('*') != std::string::npos;
      for (const char* sign : {"..", "**"}) {  // values at any depth, of which each contains the next one
        if (path.find(sign) != std::string::npos)
          refuse_work(std::string("a path of JSON has ") + sign, "write every step of the path");
      }
      // A list becomes JSON first, and six signs one of its letters.
      return bounded(times(is_list ? place_in_a_list + 1 : 3, sum), sum);
    }
    case Growth::formatted: {
      std::uint64_t letters = 0;
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        if (constant_text(child(k))) letters = std::max(letters, plus(1, part(k).size));
      }
      if (letters == 0) refuse_variable(name, "the format");
      return bounded(times(longest_number, letters), 0);
    }
    case Growth::parsed:
      require_format(child(1), name);
      return bounded(longest_number, sum);
    case Growth::rounded:
      if (parts.size() > 1) require_digits(child(1), name);
      return bounded(longest_number, sum);
    case Growth::part:
      require_unit(require_constant(child(0), name, "the unit"), name);
      return bounded(longest_number, sum);
    default:
      require_zone(require_constant(child(0), name, "the time zone"));
      return bounded(longest_number, sum);
  }
}

}  // namespace

std::string bounded_cell(const std::string& cell, const std::string& bare_type) {
  if (is_short_type(bare_type)) return cell_within_day(cell, bare_type);
  if (bare_type != "VARCHAR") {
    std::string by_text =
        fmt::format("CASE WHEN strlen(TRY(CAST({0} AS VARCHAR))) <= {1} THEN {0} END", cell, longest_text);
    const char* const size = bare_type == "BLOB" ? "octet_length" : bare_type == "LIST" ? "len" : nullptr;
    if (size == nullptr) return by_text;
    // A text has at least a byte for each byte or element, so a text that would be too long is not made.
    return fmt::format("CASE WHEN {}({}) <= {} THEN {} END", size, cell, longest_text, by_text);
  }
  return fmt::format("CASE WHEN strlen({0}) > {1} THEN \"left\"({0}, {2}) ELSE {0} END", cell, longest_text,
                     longest_text / 4);
}

void require_bounded_work(const SqlTree& tree, const RowWiseNames& names) { RowWork(names).whole(tree.query()); }

}  // namespace fractile::source_detail
