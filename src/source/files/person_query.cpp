#include "source/files/person_query.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "source/files/row_wise.hpp"
#include "source/files/row_work.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::string_view person_below = "fractile person";  // a name that no query has by chance
// Decimals with at most this many digits have sums of at most 38 digits, however many are added.
constexpr int most_digits_added = 18;

[[noreturn]] void refuse_rows(const std::string& what, const std::string& instead) {
  throw Error(ErrorCode::usage, "the query does not make one row of each person's records: " + what,
              declare_hint(instead), "sql");
}

[[noreturn]] void refuse_value(const std::string& what) {
  refuse_rows(
      what,
      "write the person's column and aggregates with their names, and compute from them in an outer SELECT: SELECT id, "
      "total / visits AS x FROM (SELECT id, sum(...) AS total, count(*) AS visits FROM input GROUP BY id)");
}

bool is_grouped(const SqlNode& select) {
  return !is_absent(member_of(select, "group_expressions")) || !is_absent(member_of(select, "group_sets")) ||
         text_of(select, "aggregate_handling") != "STANDARD_HANDLING";
}

/// The SELECT in parentheses that this one reads; JSON's null if it reads anything else.
const SqlNode& select_below(const SqlNode& select) {
  return member_of(member_of(member_of(select, "from_table"), "subquery"), "node");
}

/// The name of an unqualified column; "" for anything else.
std::string plain_name(const SqlNode& expression) {
  const std::vector<std::string> names = texts_of(member_of(expression, "column_names"));
  return text_of(expression, "class") == "COLUMN_REF" && names.size() == 1 ? names.front() : std::string();
}

bool is_same_name(std::string_view one, std::string_view other) { return lower_case(one) == lower_case(other); }

/// Whether a value of a list has the name of the column: not at all, as the column itself, or as something else.
enum class Makes { nothing, the_column, another };

/// What the engine calls a value of a list: its alias, or the last part of a column's name, as in v.id; "" for other expressions, which
/// it calls by their text.
std::string name_made(const SqlNode& item) {
  const std::string_view alias = text_of(item, "alias");
  if (!alias.empty()) return std::string(alias);
  const std::vector<std::string> names = texts_of(member_of(item, "column_names"));
  return text_of(item, "class") == "COLUMN_REF" && !names.empty() ? names.back() : std::string();
}

/// Whether the engine may write a constant, a call or another expression in this way.
bool may_be_an_expression(std::string_view name) {
  const bool is_number = !name.empty() && ((name.front() >= '0' && name.front() <= '9') || name.front() == '-');
  return is_number || name.find_first_of("([.'") != std::string_view::npos || is_same_name(name, "null");
}

Makes made_by(const SqlNode& item, const std::string& name) {
  const std::string_view alias = text_of(item, "alias");
  if (text_of(item, "class") == "STAR") {
    const bool is_plain =
        unknown_member(item, {"class", "type", "alias", "query_location", "relation_name"}).empty() && alias.empty();
    return is_plain ? Makes::the_column : Makes::another;
  }
  const std::string made = name_made(item);
  if (made.empty()) return may_be_an_expression(name) ? Makes::another : Makes::nothing;
  if (!is_same_name(made, name)) return Makes::nothing;
  return is_same_name(plain_name(item), name) ? Makes::the_column : Makes::another;
}

/// Whether the engine calls a further column of this name as the person's: it calls a second `id` of a subquery `id_1`.
bool is_person_when_repeated(const std::string& name, const std::string& person) {
  if (name.empty() || name.size() >= person.size() || !is_same_name(person.substr(0, name.size()), name)) return false;
  const std::string_view rest = std::string_view(person).substr(name.size());
  return rest.front() == '_' && rest.find_first_not_of("_0123456789") == std::string_view::npos;
}

/// Whether two values of a list may have one name, so that the engine calls the second one as the person's column.
bool may_repeat_into(const SqlNode& list, const std::string& person) {
  std::set<std::string> names;
  bool has_star = false;
  bool is_repeated = false;
  for (const SqlNode& item : list.GetArray()) {
    has_star = has_star || text_of(item, "class") == "STAR";
    const std::string name = lower_case(name_made(item));
    if (is_person_when_repeated(name, person)) is_repeated = !names.insert(name).second || is_repeated;
  }
  return is_repeated || (has_star && !names.empty());
}

/// Throws if a SELECT gives the name of the column of persons to anything else.
void require_kept(const SqlNode& select, const std::string& person) {
  const SqlNode& list = member_of(select, "select_list");
  std::size_t kept = 0;
  bool is_another = !list.IsArray() || may_repeat_into(list, person);
  for (rapidjson::SizeType k = 0; list.IsArray() && k < list.Size(); ++k) {
    const Makes makes = made_by(list[k], person);
    kept += makes == Makes::the_column ? 1U : 0U;
    is_another = is_another || makes == Makes::another;
  }
  if (is_another || kept != 1 || !is_absent(member_of(member_of(select, "from_table"), "column_name_alias"))) {
    refuse_rows(fmt::format("a SELECT in it does not pass on the column '{0}' as it is", person),
                fmt::format("name it there, once and as it is: SELECT {0}, ... FROM ...", person));
  }
}

/// Checks the grouped SELECT in parentheses as an entry of FROM. No other check sees it there, since the persons' rows replace it.
void require_whole(const SqlNode& from) {
  if (!is_absent(member_of(from, "sample"))) refuse_rows("TABLESAMPLE", "leave it out");
  const std::string_view stranger =
      unknown_member(from, {"type", "alias", "query_location", "subquery", "column_name_alias"});
  const std::string_view within = unknown_member(member_of(from, "subquery"), {"node"});
  if (stranger.empty() && within.empty()) return;
  refuse_rows(fmt::format("'{}', a part of queries that is not known here", stranger.empty() ? within : stranger),
              "write SELECT ... FROM (SELECT ... GROUP BY id)");
}

/// Whether it joins a grouped SELECT. Other joins are left to the checks of row-wise queries.
bool joins_groups(const SqlNode& from) {
  if (is_join(from)) return joins_groups(member_of(from, "left")) || joins_groups(member_of(from, "right"));
  const SqlNode& select = member_of(member_of(from, "subquery"), "node");
  return select.IsObject() && is_grouped(select);
}

/// Whether some column is qualified with its table's name, outside the tables themselves.
bool names_its_table(const SqlNode& node) {
  if (node.IsArray()) return std::ranges::any_of(node.GetArray(), names_its_table);
  if (!node.IsObject()) return false;
  const SqlNode& names = member_of(node, "column_names");
  if (names.IsArray() && names.Size() > 1) return true;
  if (text_of(node, "class") == "STAR" && !text_of(node, "relation_name").empty()) return true;
  return std::ranges::any_of(node.GetObject(), [](const auto& member) {
    return std::string_view(member.name.GetString(), member.name.GetStringLength()) != "from_table" &&
           names_its_table(member.value);
  });
}

/// The entry of FROM in the innermost SELECT.
SqlNode& last_table(SqlNode& select) {
  SqlNode* at = &select;
  while (select_below(*at).IsObject()) at = &(*at)["from_table"]["subquery"]["node"];
  return (*at)["from_table"];
}

/// The i-th of the tables that this many joins combine.
SqlNode& table_of(SqlNode& from, std::size_t joins, std::size_t i) {
  SqlNode* at = &from;
  for (std::size_t join = joins; join > i; --join) at = &(*at)["left"];
  return i == 0 ? *at : (*at)["right"];
}

std::string kind_of(const SqlNode& join) {
  const std::string_view kind = text_of(join, "join_type");
  return std::string(kind == "OUTER" ? "FULL" : kind);
}

/// Throws unless the right side of a join is a single table.
void require_alone(const SqlNode& right) {
  if (is_join(right)) refuse_rows("joins in parentheses", "write them one after the other");
}

void require_joined_by(const SqlNode& join, const std::string& person) {
  const std::vector<std::string> column = texts_of(member_of(join, "using_columns"));
  if (is_same_name(column.front(), person)) return;
  refuse_rows(fmt::format("a join by the column '{}'", column.front()),
              fmt::format("join by the person's column: USING ({})", person));
}

void require_own_names(const SqlNode& select) {
  if (!names_its_table(select)) return;
  refuse_rows("a column is named with its table's name", "write the columns' names alone: no two are alike");
}

/// Throws unless both types are equal: the engine would convert values before comparing them, so '01' and 1 would be one person.
void require_one_type(const std::string& one, const std::string& other) {
  if (one == other) return;
  refuse_rows(fmt::format("the person's column is {} and {}", one, other), "use files in which it has one type");
}

/// Throws unless a join has nothing besides its kind and the person's column.
void require_whole_join(const SqlNode& join) {
  if (!is_absent(member_of(join, "sample"))) refuse_rows("TABLESAMPLE", "leave it out");
  const std::string_view stranger =
      unknown_member(join, {"type", "alias", "query_location", "left", "right", "join_type", "ref_type",
                            "using_columns", "delim_flipped", "duplicate_eliminated_columns"});
  const bool is_by_columns = stranger.empty() && text_of(join, "alias").empty() &&
                             text_of(join, "ref_type") == "REGULAR" &&
                             is_one_of(text_of(join, "join_type"), {"INNER", "LEFT", "RIGHT", "FULL", "OUTER"});
  if (is_by_columns && texts_of(member_of(join, "using_columns")).size() == 1) return;
  refuse_rows("a join by anything other than the person's column",
              "write FROM (SELECT id, ... GROUP BY id) JOIN (SELECT id, ... GROUP BY id) USING (id)");
}

void require_whole_joins(const SqlNode& from) {
  if (!is_join(from)) return;
  require_whole_join(from);
  require_whole_joins(member_of(from, "left"));
  require_whole_joins(member_of(from, "right"));
}

struct Refused {
  std::string_view aggregate;
  std::string_view why;
  std::string_view instead;
};

constexpr std::string_view by_order = "which depends on the order of rows";
constexpr std::array refused{
    Refused{"any_value", by_order, "write min(x) or max(x)"},
    Refused{"arg_max", "whose result depends on the order of rows where there are ties", "write max(x)"},
    Refused{"arg_min", "whose result depends on the order of rows where there are ties", "write min(x)"},
    Refused{"array_agg", by_order, "write count(x), min(x) or median(x)"},
    Refused{"first", by_order, "write min(x) or max(x)"},
    Refused{"fsum", "which adds up doubles in the order of rows", "write sum(CAST(x AS DECIMAL(18, 2)))"},
    Refused{"kahan_sum", "which adds up doubles in the order of rows", "write sum(CAST(x AS DECIMAL(18, 2)))"},
    Refused{"last", by_order, "write min(x) or max(x)"},
    Refused{"list", by_order, "write count(x), min(x) or median(x)"},
    Refused{"max_by", "whose result depends on the order of rows where there are ties", "write max(x)"},
    Refused{"min_by", "whose result depends on the order of rows where there are ties", "write min(x)"},
    Refused{"mode", "whose result depends on the order of rows where there are ties", "write median(x)"},
    Refused{"string_agg", by_order, "write count(x), min(x) or max(x)"},
    Refused{"sumkahan", "which adds up doubles in the order of rows", "write sum(CAST(x AS DECIMAL(18, 2)))"},
};

/// A fraction from 0 to 1 that is written as a constant.
std::string fraction_of(const SqlNode& node) {
  const SqlNode& value = member_of(node, "value");
  const SqlNode& number = member_of(value, "value");
  const SqlNode& type = member_of(value, "type");
  const bool is_decimal = text_of(type, "id") == "DECIMAL";
  const bool is_known = text_of(node, "class") == "CONSTANT" && is_absent(member_of(value, "is_null")) &&
                        number.IsUint64() && (is_decimal || text_of(type, "id") == "INTEGER");
  const SqlNode& scale = member_of(member_of(type, "type_info"), "scale");
  const int digits = is_decimal && scale.IsInt() ? scale.GetInt() : 0;
  const Rational fraction =
      is_known && digits <= most_digits_added ? Rational(number.GetUint64()) / Rational(10).pow(digits) : Rational(2);
  if (fraction > Rational(1))
    refuse_rows("a quantile whose fraction is not a plain number", "write it as in quantile_cont(x, 0.9)");
  return fmt::format("CAST('{}' AS DECIMAL(19, 18))", fraction.to_decimal());
}

/// Whether equal values of this type are identical, so that the least and the greatest do not depend on the row they come from.
bool has_one_least(std::string_view type) {
  return numeric_of(type) != Numeric::none || time_kind_of(type).has_value() ||
         is_one_of(type, {"BOOLEAN", "TIME", "UUID", "ENUM", "BLOB"});
}

/// Whether sums of these numbers are exact in 128 bits, however many are added.
bool adds_up(const Column& column) {
  if (column.type == "DECIMAL") return digits_of(column.full_type).all <= most_digits_added;
  return numeric_of(column.type) == Numeric::integer || column.type == "UBIGINT" || column.type == "BOOLEAN";
}

bool has_quantiles(const Column& column) {
  return numeric_of(column.type) == Numeric::real || (adds_up(column) && column.type != "BOOLEAN");
}

/// The hint for an argument of a type that an aggregate does not take.
struct ArgumentHint {
  std::string_view says;
  std::string_view example;  ///< goes after the aggregate's name
};

constexpr ArgumentHint make_decimals{"say with how many decimals", "(CAST(x AS DECIMAL(18, 2)))"};
constexpr ArgumentHint make_number{"make a number of it", "(CAST(x AS DOUBLE)...)"};
constexpr ArgumentHint make_comparable{"make a number, a text or a time of it", "(CAST(x AS VARCHAR))"};
constexpr ArgumentHint make_condition{"write a condition", "(x > 0)"};

bool takes_any(const Column& /*argument*/) { return true; }
bool takes_what_has_a_least(const Column& argument) { return has_one_least(argument.type); }
bool takes_conditions(const Column& argument) { return argument.type == "BOOLEAN"; }

/// An aggregate whose result is a function of the multiset of its arguments, for the types that it takes.
struct Aggregate {
  std::string_view name;
  bool (*takes)(const Column& argument);
  ArgumentHint instead;
};

constexpr std::array aggregates{
    Aggregate{"count", takes_any, {}},
    Aggregate{"sum", adds_up, make_decimals},
    Aggregate{"min", takes_what_has_a_least, make_comparable},
    Aggregate{"max", takes_what_has_a_least, make_comparable},
    Aggregate{"avg", adds_up, make_decimals},
    Aggregate{"mean", adds_up, make_decimals},
    Aggregate{"median", has_quantiles, make_number},
    Aggregate{"quantile_cont", has_quantiles, make_number},
    Aggregate{"quantile_disc", has_quantiles, make_number},
    Aggregate{"bool_and", takes_conditions, make_condition},
    Aggregate{"bool_or", takes_conditions, make_condition},
};

/// The aggregate of this name in the list, or the end.
auto aggregate_called(std::string_view name) { return std::ranges::find(aggregates, name, &Aggregate::name); }

[[noreturn]] void refuse_aggregate(const std::string& name) {
  const auto* const known = std::ranges::find(refused, std::string_view(name), &Refused::aggregate);
  if (known != refused.end()) {
    refuse_rows(fmt::format("the aggregate {}, {}", name, known->why), std::string(known->instead));
  }
  std::string all;
  for (const Aggregate& each : aggregates) all += (all.empty() ? "" : ", ") + std::string(each.name);
  refuse_value(fmt::format("{} is none of {}", name, all));
}

[[noreturn]] void refuse_type(const std::string& name, const Column& argument, const std::string& instead) {
  const std::string& type = digits_of(argument.full_type).all > 0 ? argument.full_type : argument.type;
  refuse_rows(fmt::format("the argument of the aggregate {} has the type {}", quote_identifier(name), type), instead);
}

/// The column by which a SELECT is grouped; throws unless it is a single column, given by its name.
std::string only_group(const SqlNode& select) {
  const SqlNode& groups = member_of(select, "group_expressions");
  const SqlNode& sets = member_of(select, "group_sets");
  const bool is_by_one = groups.IsArray() && groups.Size() == 1 && sets.IsArray() && sets.Size() == 1 &&
                         sets[0].IsArray() && sets[0].Size() == 1 &&
                         text_of(select, "aggregate_handling") == "STANDARD_HANDLING";
  std::string name = is_by_one ? plain_name(groups[0]) : std::string();
  if (name.empty()) {
    refuse_rows("it is not grouped by one column alone, given by its name",
                "write GROUP BY id, the column that identifies persons");
  }
  return name;
}

}  // namespace

PersonQuery::Value PersonQuery::aggregate_of(const SqlNode& item, std::size_t place) {
  Value value{std::string(text_of(item, "alias")), lower_case(text_of(item, "function_name")), {}, {}, false};
  const std::string& name = value.aggregate;
  const bool counts_rows = name == "count_star";
  const bool is_quantile = name.starts_with("quantile");
  if (!counts_rows && aggregate_called(name) == aggregates.end()) refuse_aggregate(name);
  if (!is_absent(member_of(item, "filter")))
    refuse_rows("FILTER", "write what counts as in count(CASE WHEN ... THEN 1 END)");
  value.distinct = !is_absent(member_of(item, "distinct"));
  const SqlNode& arguments = member_of(item, "children");
  const rapidjson::SizeType wanted = counts_rows ? 0 : is_quantile ? 2 : 1;
  const bool is_plain = unknown_member(item, {"class", "type", "alias", "query_location", "function_name", "schema",
                                              "children", "order_bys", "distinct"})
                            .empty() &&
                        is_absent(member_of(member_of(item, "order_bys"), "orders")) &&
                        is_one_of(text_of(item, "schema"), {"", "main"}) && (!value.distinct || name == "count") &&
                        arguments.IsArray() && arguments.Size() == wanted;
  if (!is_plain) {
    refuse_rows(fmt::format("{} with DISTINCT, ORDER BY or further arguments", name),
                counts_rows ? "write count(*)" : fmt::format("write {}(x{})", name, is_quantile ? ", 0.9" : ""));
  }
  if (is_quantile) value.fraction = fraction_of(arguments[1]);
  if (!counts_rows) value.argument = fmt::format("fractile value {}", place);
  if (value.name.empty()) refuse_rows("an aggregate without a name", fmt::format("name it: {}(...) AS total", name));
  return value;
}

void PersonQuery::Group::add(const SqlNode& item) {
  const std::string column = plain_name(item);
  if (is_same_name(column, person)) {
    const std::string alias(text_of(item, "alias"));
    if (!alias.empty() && !is_same_name(alias, column)) {
      refuse_rows("the person's column has another name", "leave its AS out");
    }
    person = alias.empty() ? column : alias;  // as the list, and so the result, spells it
    values.push_back({person, {}, {}, {}, false});
  } else if (text_of(item, "class") == "FUNCTION") {
    values.push_back(aggregate_of(item, values.size()));
  } else {
    refuse_value("a value of its list is neither the person's column nor an aggregate");
  }
}

void PersonQuery::Group::require_one_name_each() const {
  std::set<std::string> names;
  std::size_t persons = 0;
  for (const Value& value : values) {
    persons += value.aggregate.empty() ? 1U : 0U;
    if (value.aggregate.empty() && persons > 1) break;
    if (!names.insert(lower_case(value.name)).second) refuse_rows("two columns of the same name", "rename one with AS");
  }
  if (persons != 1) {
    refuse_rows(fmt::format("it leaves the person's column '{}' out, or has it twice", person),
                fmt::format("name it in the list: SELECT {}, ...", person));
  }
}

PersonQuery::Group PersonQuery::Group::of(const SqlNode& select) {
  if (!is_absent(member_of(select, "having"))) {
    refuse_rows("HAVING", "write it in an outer SELECT: SELECT ... FROM (SELECT ... GROUP BY id) WHERE ...");
  }
  std::vector<const SqlNode*> all{&select};
  for (const SqlNode* each = &select_below(select); each->IsObject(); each = &select_below(*each)) all.push_back(each);
  const SqlNode& from = member_of(*all.back(), "from_table");
  require_whole_joins(from);
  Group group{only_group(select)};
  for (const SqlNode& item : member_of(select, "select_list").GetArray()) group.add(item);
  group.require_one_name_each();
  if (!is_absent(member_of(member_of(select, "from_table"), "column_name_alias"))) {
    refuse_rows("the table that it groups has other names for its columns", "use the columns' own names");
  }
  for (const SqlNode* below : std::span(all).subspan(1)) require_kept(*below, group.person);
  if (is_join(from)) {
    group.add_joined(from);
    for (const SqlNode* each : all) require_own_names(*each);
  }
  return group;
}

void PersonQuery::Group::add_joined(const SqlNode& from) {
  if (!is_join(from)) {
    if (!is_absent(member_of(from, "column_name_alias")))
      refuse_rows("a table has other names for its columns", "use the columns' own names");
    return;
  }
  add_joined(member_of(from, "left"));
  joins.push_back(kind_of(from));
  require_alone(member_of(from, "right"));
  add_joined(member_of(from, "right"));
  require_joined_by(from, person);
}

void PersonQuery::require_handed_on(const SqlTree& tree, const std::string& person) {
  for (const SqlNode* each = &tree.query(); each->IsObject(); each = &select_below(*each)) require_kept(*each, person);
}

void PersonQuery::add_joined(const SqlNode& from) {
  if (is_join(from)) {
    require_whole_join(from);
    add_joined(member_of(from, "left"));
    joins_.push_back(kind_of(from));
    require_alone(member_of(from, "right"));
    add_joined(member_of(from, "right"));
    return require_joined_by(from, groups_.back().person);
  }
  const SqlNode& select = member_of(member_of(from, "subquery"), "node");
  if (!select.IsObject() || text_of(select, "type") != "SELECT_NODE" || !is_grouped(select)) {
    refuse_rows("a join of what is not one row of each person",
                "write FROM (SELECT id, ... GROUP BY id) JOIN (SELECT id, ... GROUP BY id) USING (id), or group what "
                "is joined: SELECT id, ... FROM visits JOIN (SELECT id, ... GROUP BY id) USING (id) GROUP BY id");
  }
  require_whole(from);
  if (!is_absent(member_of(from, "column_name_alias")))
    refuse_rows("a subquery has other names for its columns", "use the columns' own names");
  groups_.push_back(Group::of(select));
}

void PersonQuery::require_joinable() const {
  std::set<std::string> names;
  for (const Group& group : groups_) {
    if (!is_same_name(group.person, person())) {
      refuse_rows(fmt::format("its parts call the person's column '{}' and '{}'", person(), group.person),
                  "give it one name in all files");
    }
    for (const Value& value : group.values) {
      if (value.aggregate.empty() || names.insert(lower_case(value.name)).second) continue;
      refuse_rows(fmt::format("two columns that are called '{}'", value.name), "rename one with AS");
    }
  }
}

std::optional<PersonQuery> PersonQuery::of(const SqlTree& tree) {
  const SqlNode* select = &tree.query();
  std::vector<const SqlNode*> above;
  bool is_joined = false;
  while (!is_grouped(*select)) {
    above.push_back(select);
    const SqlNode& from = member_of(*select, "from_table");
    is_joined = is_join(from) && joins_groups(from);
    if (is_joined) break;
    if (above.size() > deepest_tree || !select_below(*select).IsObject()) return {};
    select = &select_below(*select);
  }
  PersonQuery query;
  if (is_joined) {
    query.add_joined(member_of(*select, "from_table"));
    query.require_joinable();
    require_own_names(*select);
  } else {
    if (text_of(*select, "type") != "SELECT_NODE" || !member_of(*select, "select_list").IsArray()) return {};
    query.groups_.push_back(Group::of(*select));
    if (!above.empty()) require_whole(member_of(*above.back(), "from_table"));
  }
  for (const SqlNode* each : above) require_kept(*each, query.person());
  query.depth_ = static_cast<int>(above.size()) - (is_joined ? 1 : 0);
  query.tree_ = tree.copy();
  return query;
}

SqlNode& PersonQuery::select_in(SqlDocument& document, std::size_t k) const {
  SqlNode* select = &document["statements"][0]["node"];
  for (int depth = 0; depth < depth_; ++depth) select = &(*select)["from_table"]["subquery"]["node"];
  if (joins_.empty()) return *select;
  return table_of((*select)["from_table"], joins_.size(), k)["subquery"]["node"];
}

std::string PersonQuery::part(const Session& connection, std::size_t k, std::size_t i) const {
  SqlDocument own;
  own.CopyFrom(tree_, own.GetAllocator());
  SqlDocument document = SqlTree::of(connection, "SELECT * FROM a_table").copy();
  document["statements"][0]["node"]["from_table"].CopyFrom(
      table_of(last_table(select_in(own, k)), groups_[k].joins.size(), i), document.GetAllocator());
  return sql_of(connection, document);
}

std::string PersonQuery::joined(std::size_t k, const std::vector<Below>& parts) const {
  const Group& group = groups_[k];
  std::set<std::string> names;
  std::string list = quote_identifier(group.person);
  std::string tables;
  std::string type;  // type of the person's column
  std::size_t of_records = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name = fmt::format("\"fractile part {}\"", i);
    of_records += parts[i].is_of_persons ? 0U : 1U;
    if (of_records > 1) {
      refuse_rows("a join of two tables of records, which has a row for each pair of a person's records",
                  "make one row of each person's records in all tables but one: JOIN (SELECT id, max(x) AS x FROM ... "
                  "GROUP BY id) USING (id)");
    }
    const auto is_person = [&](const Column& column) { return is_same_name(column.name, group.person); };
    const auto of_person = std::ranges::find_if(parts[i].columns, is_person);
    if (of_person == parts[i].columns.end()) {
      refuse_rows(fmt::format("a table without the column '{}' is joined", group.person),
                  "join tables that have the person's column, under one name");
    }
    if (i == 0) type = of_person->full_type;
    require_one_type(type, of_person->full_type);
    for (const Column& column : parts[i].columns) {
      if (is_person(column)) continue;
      // The message does not have the name: it may be in the first line of a file, and be a person's.
      if (!names.insert(lower_case(column.name)).second) {
        refuse_rows("two joined tables have a column of the same name other than the person's",
                    "rename it in one of them, or name there what is read: JOIN (SELECT id, ... FROM ...) USING (id)");
      }
      list += fmt::format(", {0}.{1} AS {1}", name, quote_identifier(column.name));
    }
    const std::string table = in_parentheses(parts[i].sql) + " AS " + name;
    tables += i == 0 ? table
                     : fmt::format(" {} JOIN {} USING ({})", group.joins[i - 1], table, quote_identifier(group.person));
  }
  return fmt::format("SELECT {} FROM {}", list, tables);
}

std::string PersonQuery::below(const Session& connection, std::size_t k, const std::string& of_joined) const {
  SqlDocument document;
  document.CopyFrom(tree_, document.GetAllocator());
  SqlNode& select = select_in(document, k);
  SqlNode list(rapidjson::kArrayType);
  const auto add = [&](SqlNode& expression, std::string_view name) {
    expression["alias"].SetString(name.data(), static_cast<rapidjson::SizeType>(name.size()), document.GetAllocator());
    list.PushBack(expression, document.GetAllocator());
  };
  SqlNode& items = select["select_list"];
  const std::vector<Value>& values = groups_[k].values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    SqlNode& item = items[static_cast<rapidjson::SizeType>(i)];
    if (values[i].aggregate.empty()) add(item, person_below);
    if (!values[i].argument.empty()) add(item["children"][0], values[i].argument);
  }
  select["select_list"] = list;
  select["group_expressions"].Clear();
  select["group_sets"].Clear();
  if (!of_joined.empty()) {
    const SqlTree whole = SqlTree::of(connection, "SELECT * FROM " + of_joined);
    last_table(select).CopyFrom(member_of(whole.query(), "from_table"), document.GetAllocator());
  }
  SqlNode grouped(rapidjson::kNullType);
  std::swap(grouped, select);
  document["statements"][0]["node"] = grouped;
  return sql_of(connection, document);
}

std::string PersonQuery::made_of(const Value& value, const std::vector<Column>& columns) {
  const std::string& name = value.aggregate;
  if (name.empty()) return quote_identifier(std::string(person_below));
  if (name == "count_star") return "count(*)";
  const auto argument = std::ranges::find(columns, value.argument, &Column::name);
  if (argument == columns.end()) throw Error(ErrorCode::internal, "an argument of an aggregate has no column");
  const Aggregate& aggregate = *aggregate_called(name);
  if (!aggregate.takes(*argument)) {
    refuse_type(value.name, *argument,
                fmt::format("{}: {}{}", aggregate.instead.says, name, aggregate.instead.example));
  }
  std::string cell = quote_identifier(value.argument);
  // Zeros of both signs are equal, and the engine would keep the one that it meets first.
  if (numeric_of(argument->type) == Numeric::real) cell += " + CAST(0 AS DOUBLE)";
  return fmt::format("{}({}{}{})", name, value.distinct ? "DISTINCT " : "", cell,
                     value.fraction.empty() ? "" : ", " + value.fraction);
}

std::string PersonQuery::Group::rows(const Below& below) const {
  std::string made;
  std::string list;
  for (const Value& value : values) {
    const char* const comma = list.empty() ? "" : ", ";
    const std::string name = quote_identifier(value.name);
    const auto argument = std::ranges::find(below.columns, value.argument, &Column::name);
    const bool is_one_of_them = is_one_of(value.aggregate, {"min", "max"}) && argument != below.columns.end();
    made += fmt::format("{}{} AS {}", comma, made_of(value, below.columns), name);
    list += fmt::format("{}{} AS {}", comma, is_one_of_them ? bounded_cell(name, argument->type) : name, name);
  }
  return fmt::format("SELECT {} FROM (SELECT {} FROM {} GROUP BY {})", list, made, in_parentheses(below.sql),
                     quote_identifier(std::string(person_below)));
}

std::string PersonQuery::rows(const std::vector<Below>& below) const {
  if (joins_.empty()) return groups_.front().rows(below.front());
  const std::string person = quote_identifier(this->person());
  const auto type_of = [](const Below& each) {
    return std::ranges::find(each.columns, std::string(person_below), &Column::name)->full_type;
  };
  std::string list = person;
  std::string tables;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    require_one_type(type_of(below.front()), type_of(below[k]));
    for (const Value& value : groups_[k].values) {
      if (!value.aggregate.empty()) list += ", " + quote_identifier(value.name);
    }
    const std::string table = in_parentheses(groups_[k].rows(below[k])) + fmt::format(" AS \"fractile part {}\"", k);
    tables += k == 0 ? table : fmt::format(" {} JOIN {} USING ({})", joins_[k - 1], table, person);
  }
  return fmt::format("SELECT {} FROM {}", list, tables);
}

std::string PersonQuery::above(const Session& connection, const std::string& rows) const {
  const std::string all = "SELECT * FROM " + rows;
  const int depth_of_rows = joins_.empty() ? depth_ - 1 : depth_;  // depth of the SELECT that reads them
  if (depth_of_rows < 0) return all;
  const SqlTree whole = SqlTree::of(connection, all);
  SqlDocument document;
  document.CopyFrom(tree_, document.GetAllocator());
  SqlNode* select = &document["statements"][0]["node"];
  for (int depth = 0; depth < depth_of_rows; ++depth) select = &(*select)["from_table"]["subquery"]["node"];
  SqlNode& from = (*select)["from_table"];
  SqlNode table(member_of(whole.query(), "from_table"), document.GetAllocator());
  table["alias"] = from["alias"];
  from = table;
  return sql_of(connection, document);
}

}  // namespace fractile::source_detail
