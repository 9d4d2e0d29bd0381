#include "source/files/columns.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

#include "fractile/error.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::size_t most_names_listed = 20;
constexpr std::size_t farthest_suggestion = 2;  // letters: a slip, not another word

/// The nearest name when it is near; of names that are not listed one without digits, as a cell of a person may have them.
std::string suggestion(const std::vector<Column>& columns, const std::string& name, Names names) {
  const auto distance = [&](const Column& column) { return edit_distance(lower_case(column.name), lower_case(name)); };
  const auto nearest = std::ranges::min_element(columns, {}, distance);
  if (nearest == columns.end()) return {};
  if (distance(*nearest) > std::clamp<std::size_t>(name.size() / 3, 1, farthest_suggestion)) return {};
  if (names == Names::unsaid && nearest->name.find_first_of("0123456789") != std::string::npos) return {};
  return "did you mean '" + nearest->name + "'?";
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
  if (names == Names::listed) {
    throw Error(ErrorCode::data, source + " has no column '" + name + "'; it has " + listed_names(columns),
                hint.empty() ? "name one of the columns" : hint);
  }
  throw Error(ErrorCode::data, source + " has no column '" + name + "' in its first line, the header line",
              hint.empty() ? "name a column as the header line spells it, or add a header line" : hint);
}

[[noreturn]] void refuse_twin(const std::string& name, const std::string& source) {
  throw Error(ErrorCode::data, source + " has more than one column '" + name + "'", "rename one of them");
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string bare_type(std::string_view engine_type) {
  if (engine_type.ends_with("[]") || engine_type.ends_with(']')) return "LIST";
  return std::string(engine_type.substr(0, engine_type.find('(')));
}

Numeric numeric_of(std::string_view bare_type) {
  constexpr std::array integers{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"};
  constexpr std::array reals{"UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL", "FLOAT", "DOUBLE"};
  if (std::ranges::find(integers, bare_type) != integers.end()) return Numeric::integer;
  if (std::ranges::find(reals, bare_type) != reals.end()) return Numeric::real;
  return bare_type == "VARCHAR" ? Numeric::text : Numeric::none;
}

std::optional<ValueKind> time_kind_of(std::string_view bare_type) {
  if (bare_type == "DATE") return ValueKind::date;
  constexpr std::array timestamps{"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"};
  if (std::ranges::find(timestamps, bare_type) != timestamps.end()) return ValueKind::timestamp;
  return bare_type == "TIMESTAMP WITH TIME ZONE" ? std::optional(ValueKind::instant) : std::nullopt;
}

std::string kind_hint(ValueKind column, ValueKind lattice) {
  if (column == ValueKind::number) return "write the bounds as numbers, or name a column of dates or times";
  if (lattice == ValueKind::instant) {
    return "a date or a time without a zone is no instant: write the bounds without Z: 2024-01-01T00:00:00";
  }
  return "which day or hour an instant is on depends on the zone: write the bounds in UTC: 2024-01-01T00:00:00Z";
}

const Column& find_column(const std::vector<Column>& columns, const std::string& name, const std::string& source,
                          Names names) {
  const auto find_by = [&](auto same) -> const Column* {
    const auto found = std::ranges::find_if(columns, same);
    if (found == columns.end()) return nullptr;
    if (std::find_if(found + 1, columns.end(), same) != columns.end()) refuse_twin(name, source);
    return &*found;
  };
  if (const Column* exact = find_by([&](const Column& c) { return c.name == name; })) return *exact;
  const std::string folded = lower_case(name);
  if (const Column* similar = find_by([&](const Column& c) { return lower_case(c.name) == folded; })) return *similar;
  refuse_unknown(columns, name, source, names);
}

std::vector<std::string> distinct_names(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<std::string> result;
  for (const std::string& name : names) {
    std::string candidate = name;
    for (std::size_t k = 1; !taken.insert(lower_case(candidate)).second; ++k)
      candidate = name + "_" + std::to_string(k);
    result.push_back(candidate);
  }
  return result;
}

}  // namespace fractile::source_detail
