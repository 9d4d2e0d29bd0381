#include "source/files/countable.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "fractile/error.hpp"

namespace fractile::source_detail {
namespace {

struct Conversion {
  std::string_view type;
  std::string_view before;  ///< the column's name goes between `before` and `after`
  std::string_view after;
  std::string_view meaning;
};

constexpr std::array conversions{
    Conversion{"DATE", "epoch(", ") / 86400", "days since 1970-01-01"},
    Conversion{"TIMESTAMP", "epoch(", ")", "seconds since 1970-01-01"},
    Conversion{"TIMESTAMP_S", "epoch(", ")", "seconds since 1970-01-01"},
    Conversion{"TIMESTAMP_MS", "epoch(", ")", "seconds since 1970-01-01"},
    Conversion{"TIMESTAMP_NS", "epoch(", ")", "seconds since 1970-01-01"},
    Conversion{"TIMESTAMP WITH TIME ZONE", "epoch(", ")", "seconds since 1970-01-01"},
    Conversion{"TIME", "epoch(", ")", "seconds since midnight"},
    Conversion{"INTERVAL", "epoch(", ")", "seconds"},
    Conversion{"BOOLEAN", "CAST(", " AS INTEGER)", "1 for true"},
    Conversion{"ENUM", "TRY_CAST(CAST(", " AS VARCHAR) AS DOUBLE)", "for numbers; of words, use CASE"},
    Conversion{"LIST", "len(", ")", "how many elements"},
    Conversion{"MAP", "cardinality(", ")", "how many entries"},
    Conversion{"JSON", "TRY_CAST(", " AS DOUBLE)", "cells that are not numbers are left out"},
};

bool is_plain_name(std::string_view name) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name, plain);
}

/// The hint for dates and times; it begins with how to release them as such.
Words times_hint(std::string_view type) {
  const std::optional<ValueKind> kind = time_kind_of(type);
  if (!kind) return {};
  const Field bounds("bounds");
  const Field step("step");
  if (*kind == ValueKind::date) {
    return {"write the bounds as dates: ", bounds.pair("2024-01-01", "2024-12-31"), " ", step.text("1d"), "; or "};
  }
  const std::string zone = *kind == ValueKind::instant ? "Z" : "";
  return {"write the bounds as times: ", bounds.pair("2024-01-01T00:00:00" + zone, "2024-02-01T00:00:00" + zone), " ",
          step.text("1h"), "; or "};
}

/// The name as it is written in a query between single quotes; empty for names that would need quoting in a shell or in SQL.
std::string identifier(const std::string& name) {
  if (is_plain_name(name)) return name;
  const bool quotable = std::ranges::none_of(
      name, [](unsigned char c) { return c < ' ' || c == '"' || c == '\'' || c == '\\' || c == '!' || c == '\x7f'; });
  return quotable ? '"' + name + '"' : "";
}

std::string from_sql(const std::string& table) {
  const std::string name = identifier(table);
  return " FROM " + (name.empty() ? "..." : name);
}

/// An example of a query that turns this column into numbers, under the same name. tests/cli/hints_test.py tries each example.
Words conversion_hint(const Column& column, const std::string& table) {
  const Field sql("sql");
  const std::string from = from_sql(table);
  const auto* const known = std::ranges::find(conversions, column.type, &Conversion::type);
  if (known == conversions.end())
    return {"name a column of numbers, or make one with ", sql.text("SELECT ... AS x" + from)};
  const std::string name = identifier(column.name);
  const std::string of = name.empty() ? "..." : name;
  return {times_hint(column.type), "make numbers of it (", std::string(known->meaning), "): ",
          sql.text("SELECT " + std::string(known->before) + of + std::string(known->after) + " AS " +
                   (name.empty() ? "x" : name) + from)};
}

}  // namespace

void require_countable(const Column& column, ValueKind kind, const std::string& source, const std::string& table) {
  const Numeric numeric = numeric_of(column.type);
  if (numeric == Numeric::text) return;
  const std::optional<ValueKind> time = time_kind_of(column.type);
  if (kind != ValueKind::number) {
    const ValueKind of_column = time.value_or(ValueKind::number);
    if (go_together(of_column, kind)) return;
    throw Error(
        ErrorCode::data,
        source + ": column '" + column.name + "' is " + column.type + ", and the bounds are " + to_string(kind) + "s",
        kind_hint(of_column, kind));
  }
  if (numeric != Numeric::none) return;
  throw Error(ErrorCode::data, source + ": column '" + column.name + "' is " + column.type + ", not a number",
              conversion_hint(column, table));
}

std::string other_dates_query(const Column& column) {
  const std::string name = identifier(column.name);
  return "SELECT strptime(" + (name.empty() ? "..." : name) + ", '%d.%m.%Y') AS " + (name.empty() ? "x" : name) +
         " FROM input";
}

void require_identifier(const Column& column, const std::string& source, const std::string& table) {
  constexpr std::array no_identifiers{"FLOAT", "DOUBLE", "INTERVAL", "LIST",    "STRUCT",
                                      "MAP",   "UNION",  "VARIANT",  "GEOMETRY"};
  if (std::ranges::find(no_identifiers, column.type) == no_identifiers.end()) return;
  const std::string what =
      source + ": column '" + column.name + "' is " + column.type + ", which does not identify persons";
  const bool is_number = numeric_of(column.type) == Numeric::real;
  if (!is_number && column.type != "INTERVAL") {
    throw Error(ErrorCode::data, what, "name a column of text or whole numbers", "person");
  }
  const std::string name = identifier(column.name);
  const std::string of = name.empty() ? "..." : name;
  throw Error(ErrorCode::data, what,
              {"name a column of text or whole numbers, or make one with ",
               Field("sql").text("SELECT *, CAST(" + of + " AS " + (is_number ? "BIGINT" : "VARCHAR") + ") AS person" +
                                 from_sql(table))},
              "person");
}

}  // namespace fractile::source_detail
