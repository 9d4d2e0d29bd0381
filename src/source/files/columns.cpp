#include "source/files/columns.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <map>

#include "exact/edit_distance.hpp"
#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "source/engine/engine.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::size_t most_names_listed = 20;
constexpr std::size_t farthest_suggestion = 2;  // letters: a typing error, not another word

std::string in_hint(const Column& column) { return "did you mean '" + column.name + "'?"; }

/// The name that differs only in letter case; otherwise the nearest name, if it is near and may be listed.
std::string suggestion(const std::vector<Column>& columns, const std::string& name, Names names) {
  const auto folded = std::ranges::find(columns, lower_case(name), [](const Column& c) { return lower_case(c.name); });
  if (folded != columns.end()) return in_hint(*folded);
  if (names != Names::listed) return {};
  const auto distance = [&](const Column& column) { return edit_distance(lower_case(column.name), lower_case(name)); };
  const auto nearest = std::ranges::min_element(columns, {}, distance);
  if (nearest == columns.end()) return {};
  if (distance(*nearest) > std::clamp<std::size_t>(name.size() / 3, 1, farthest_suggestion)) return {};
  return in_hint(*nearest);
}

std::string listed_names(const std::vector<Column>& columns) {
  std::string list;
  for (std::size_t k = 0; k < columns.size() && k < most_names_listed; ++k) {
    list += (k == 0 ? "'" : ", '") + columns[k].name + "'";
  }
  return columns.size() > most_names_listed ? list + ", ..." : list;
}

[[noreturn]] void refuse_unknown(const std::vector<Column>& columns, const std::string& name, const std::string& source,
                                 Names names) {
  const std::string hint = suggestion(columns, name, names);
  std::string what = source + " has no column '" + name + "'";
  Words otherwise = "name one of the columns";
  if (names == Names::listed) what += "; it has " + listed_names(columns);
  if (names == Names::of_first_line) {
    what += " in its first line, the header line";
    otherwise =
        "name a column as the header line spells it (fractile columns lists them); remove a title above the header "
        "line, or add a header line";
    if (!columns.empty() && columns.front().name.starts_with("sep=")) {
      otherwise = "its first line, sep=, is for Excel: remove it, so that the file begins with the header line";
    } else if (columns.size() == 1 && columns.front().name.find(' ') != std::string::npos) {
      otherwise = {
          "its first line has blanks and no delimiter: if it is a title, remove it; if R's write.table wrote it, write "
          "the file with write.csv(people, FILE, row.names = FALSE), or pass ",
          Field("delimiter").text(" ")};
    }
  }
  throw Error(ErrorCode::data, what, hint.empty() ? otherwise : Words(hint));
}

[[noreturn]] void refuse_twin(const std::string& name, const std::string& source) {
  throw Error(ErrorCode::data, source + " has more than one column '" + name + "'", "rename one of them");
}

}  // namespace

std::string bare_type(std::string_view engine_type) {
  if (engine_type.ends_with("[]") || engine_type.ends_with(']')) return "LIST";
  return std::string(engine_type.substr(0, engine_type.find('(')));
}

Numeric numeric_of(std::string_view bare_type) {
  constexpr std::array integers{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"};
  constexpr std::array units{"UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL"};
  constexpr std::array reals{"FLOAT", "DOUBLE"};
  if (std::ranges::find(integers, bare_type) != integers.end()) return Numeric::integer;
  if (std::ranges::find(units, bare_type) != units.end()) return Numeric::units;
  if (std::ranges::find(reals, bare_type) != reals.end()) return Numeric::real;
  return bare_type == "VARCHAR" ? Numeric::text : Numeric::none;
}

Digits digits_of(std::string_view full_type) {
  constexpr std::string_view decimal = "DECIMAL(";
  Digits digits;
  if (!full_type.starts_with(decimal) || full_type.find(')') + 1 != full_type.size()) return digits;
  const char* const end = full_type.data() + full_type.size();
  const auto [comma, status] = std::from_chars(full_type.data() + decimal.size(), end, digits.all);
  if (status == std::errc() && comma != end) std::from_chars(comma + 1, end, digits.behind_point);
  return digits;
}

bool is_short_type(std::string_view bare_type) {
  constexpr std::array others{"BOOLEAN", "TIME", "TIME_NS", "TIME WITH TIME ZONE", "INTERVAL", "UUID"};
  const Numeric numeric = numeric_of(bare_type);
  return (numeric != Numeric::text && numeric != Numeric::none) || time_kind_of(bare_type).has_value() ||
         std::ranges::find(others, bare_type) != others.end();
}

std::optional<ValueKind> time_kind_of(std::string_view bare_type) {
  if (bare_type == "DATE") return ValueKind::date;
  constexpr std::array timestamps{"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"};
  if (std::ranges::find(timestamps, bare_type) != timestamps.end()) return ValueKind::timestamp;
  return bare_type == "TIMESTAMP WITH TIME ZONE" ? std::optional(ValueKind::instant) : std::nullopt;
}

std::string cell_within_day(const std::string& cell, const std::string& bare_type) {
  if (bare_type != "TIME" && bare_type != "TIME_NS") return cell;
  return fmt::format("CASE WHEN {0} >= CAST('00:00:00' AS {1}) AND {0} <= CAST('24:00:00' AS {1}) THEN {0} END", cell,
                     bare_type);
}

/// A name of a field stands before its type, with a blank between them.
bool has_times_of_day_inside(std::string_view full_type) {
  constexpr std::string_view ends = ",)[";
  bool is_quoted = false;
  for (std::size_t at = 0; at < full_type.size(); ++at) {
    if (full_type[at] == '"') is_quoted = !is_quoted;
    const bool begins_word = at == 0 || std::string_view(" (").find(full_type[at - 1]) != std::string_view::npos;
    if (is_quoted || !begins_word) continue;
    for (const std::string_view type : {"TIME", "TIME_NS"}) {
      const std::size_t end = at + type.size();
      if (!full_type.substr(at).starts_with(type) || end == full_type.size()) continue;
      if (ends.find(full_type[end]) != std::string_view::npos) return true;
    }
  }
  return false;
}

std::string cell_as_text(const std::string& cell, const std::string& bare_type) {
  const std::string text = "CAST(" + cell_within_day(cell, bare_type) + " AS VARCHAR)";
  constexpr std::array of_others{"LIST", "MAP", "STRUCT", "UNION", "VARIANT"};
  const bool can_fail = time_kind_of(bare_type) || std::ranges::find(of_others, bare_type) != of_others.end();
  return can_fail ? "TRY(" + text + ")" : text;
}

std::string kind_hint(ValueKind column, ValueKind lattice) {
  if (column == ValueKind::number) return "write the bounds as numbers, or name a column of dates or times";
  if (lattice == ValueKind::instant) {
    return "a date or a time without a zone is not an instant: write the bounds without Z: 2024-01-01T00:00:00";
  }
  return "which day or hour an instant is on depends on the zone: write the bounds in UTC: 2024-01-01T00:00:00Z";
}

const Column& find_column(const std::vector<Column>& columns, const std::string& name, const std::string& source,
                          Names names) {
  const auto found = std::ranges::find(columns, name, &Column::name);
  if (found == columns.end()) refuse_unknown(columns, name, source, names);
  if (std::ranges::find(found + 1, columns.end(), name, &Column::name) != columns.end()) refuse_twin(name, source);
  return *found;
}

void require_read(const Column& column, const std::string& source) {
  if (has_times_of_day_inside(column.full_type)) {
    throw Error(ErrorCode::data,
                source + ": column '" + column.name + "' has times of day inside a " + column.type +
                    ", which the engine does not read safely",
                "write the times as texts, or as a column of their own");
  }
  if (column.unread_digits == 0) return;
  throw Error(ErrorCode::data,
              source + ": column '" + column.name + "' holds decimals of " + std::to_string(column.unread_digits) +
                  " digits, and at most 38 are read",
              "write it with fewer, for example in Python: column.cast(pyarrow.decimal128(38, 2))");
}

bool can_be_named(const Column& column, const std::vector<Column>& columns) {
  const auto is_same = [&](const Column& other) { return lower_case(other.name) == lower_case(column.name); };
  const bool is_read = column.unread_digits == 0 && !has_times_of_day_inside(column.full_type);
  return !column.name.empty() && is_read && std::ranges::count_if(columns, is_same) == 1;
}

std::vector<Column> nameable_columns(const std::vector<Column>& columns) {
  std::map<std::string, std::size_t> counts;
  for (const Column& column : columns) ++counts[lower_case(column.name)];
  std::vector<Column> nameable;
  std::ranges::copy_if(columns, std::back_inserter(nameable), [&](const Column& column) {
    return counts.at(lower_case(column.name)) == 1 && can_be_named(column, {column});
  });
  return nameable;
}

void require_told_apart(const std::vector<Column>& columns, const std::set<std::string>& mentioned,
                        const std::string& source, const std::string& way_out) {
  for (const std::string& name : mentioned) {
    const auto is_same = [&](const Column& column) { return lower_case(column.name) == lower_case(name); };
    const auto found = std::ranges::find_if(columns, is_same);
    if (found == columns.end() || can_be_named(*found, columns)) continue;
    require_read(*found, source);
    throw Error(ErrorCode::usage,
                fmt::format("the query names the column '{}', and {} has several columns whose names differ only in "
                            "letter case, which SQL does not distinguish",
                            name, source),
                way_out, "sql");
  }
}

}  // namespace fractile::source_detail

namespace fractile {

void NumberStyle::validate() const {
  const auto refuse = [](const std::string& what, const char* field) {
    throw Error(ErrorCode::usage, what,
                {"pass e.g. ", Field("decimal").text(","), " and ", Field("thousands").text(".")}, field);
  };
  if (!decimal.empty() && decimal != "." && decimal != ",") {
    refuse("decimals follow a point or a comma, not '" + decimal + "'", "decimal");
  }
  if (!thousands.empty() && thousands != "." && thousands != "," && thousands != "'" && thousands != " ") {
    refuse("thousands are separated by a point, a comma, ' or a blank, not by '" + thousands + "'", "thousands");
  }
  if (thousands == (decimal.empty() ? "." : decimal)) {
    refuse("'" + thousands + "' cannot be both the decimal mark and the separator between thousands", "thousands");
  }
}

}  // namespace fractile
