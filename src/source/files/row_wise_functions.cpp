#include <array>
#include <map>
#include <memory>
#include <optional>

#include "source/files/row_wise.hpp"

namespace fractile::source_detail {
namespace {

// Left out on purpose are functions that depend on the time (age, now), on chance, on the session (current_setting, getvariable),
// on other rows' statistics (stats) or on the order of floating-point sums (aggregates of lists); functions that fail at will
// (error) or so that no TRY catches it (LIKE ... ESCAPE, time_bucket, offsets of zones); and functions that are slow on some texts
// (nfc_normalize sorts accents). row_work.cpp has the requirements on arguments.
// clang-format off
constexpr auto functions = std::to_array<std::string_view>({
    "!__postfix", "!~~", "!~~*", "%", "&", "*", "**", "+", "-", "->>", "/", "//", "<<", ">>", "@", "^", "^@", "abs",
    "acos", "acosh", "add", "array_contains", "array_extract", "array_length", "ascii", "asin", "asinh", "atan",
    "atan2", "atanh", "bin", "bit_count", "bit_length", "cardinality", "cbrt", "ceil", "ceiling", "century",
    "char_length", "character_length", "chr", "concat", "concat_ws", "contains", "cos", "cosh", "cot",
    "damerau_levenshtein", "date_add", "date_diff", "date_part", "date_sub", "date_trunc", "datediff", "datepart",
    "datesub", "datetrunc", "day", "dayname", "dayofmonth", "dayofweek", "dayofyear", "days_in_month", "decade",
    "degrees", "divide", "editdist3", "element_at", "ends_with", "epoch", "epoch_ms", "epoch_ns", "epoch_us", "era",
    "even", "exp", "factorial", "fdiv", "floor", "fmod", "gamma", "gcd", "greatest", "greatest_common_divisor",
    "hamming", "hash", "hex", "hour", "instr", "isfinite", "isinf", "isnan", "isodow", "isoyear", "jaccard",
    "jaro_similarity", "jaro_winkler_similarity", "json_array_length", "json_contains", "json_exists", "json_extract",
    "json_extract_path", "json_extract_path_text", "json_extract_string", "json_type", "json_valid", "json_value",
    "julian", "last_day", "lcase", "lcm", "least", "least_common_multiple", "left", "len", "length", "levenshtein",
    "lgamma", "list_contains", "list_element", "list_extract", "list_has", "list_pack", "list_value", "ln", "log",
    "log10", "log2", "lower", "lpad", "ltrim", "make_date", "make_time", "make_timestamp", "map", "map_extract",
    "map_extract_value", "md5", "microsecond", "millennium", "millisecond", "minute", "mismatches", "mod", "month",
    "monthname", "multiply", "nanosecond", "nextafter", "nullif", "ord", "pi", "position", "pow", "power", "prefix",
    "quarter", "radians", "regexp_escape", "regexp_extract", "regexp_full_match", "regexp_matches", "regexp_replace",
    "replace", "reverse", "right", "round", "round_even", "roundbankers", "row", "rpad", "rtrim", "second", "sha1",
    "sha256", "sign", "signbit", "sin", "sinh", "split", "split_part", "sqrt", "starts_with", "str_split", "strftime",
    "string_split", "string_to_array", "strip_accents", "strlen", "strpos", "strptime", "struct_extract",
    "struct_extract_at", "struct_pack", "substr", "substring", "subtract", "suffix", "tan", "tanh", "timezone",
    "to_base", "to_centuries", "to_days", "to_decades", "to_hours", "to_microseconds", "to_millennia",
    "to_milliseconds", "to_minutes", "to_months", "to_quarters", "to_seconds", "to_timestamp", "to_weeks", "to_years",
    "translate", "trim", "trunc", "try_strptime", "ucase", "unhex", "unicode", "upper", "url_decode", "url_encode",
    "week", "weekday", "weekofyear", "xor", "year", "yearweek", "|", "||", "~", "~~", "~~*", "~~~"});
// clang-format on

constexpr auto macros = std::to_array<std::string_view>(
    {"date_add", "days_in_month", "fdiv", "fmod", "nullif", "round_even", "roundbankers", "split_part"});

/// From a name, in lower case, to the kinds of its functions.
using Kinds = std::multimap<std::string, std::string>;

Kinds all_kinds(const Session& connection) {
  Kinds kinds;
  ResultStream rows = connection.query(
      "SELECT DISTINCT lower(function_name), function_type || ' ' || coalesce(stability, '') || "
      "CASE WHEN internal THEN '' ELSE ' made' END FROM duckdb_functions() "
      "WHERE function_type NOT IN ('table', 'table_macro', 'pragma')",
      {CellType::text, CellType::text});
  while (const std::optional<Chunk> chunk = rows.next()) {
    for (std::size_t row = 0; row < chunk->rows(); ++row) {
      kinds.emplace(chunk->column(0).text(row), chunk->column(1).text(row));
    }
  }
  return kinds;
}

}  // namespace

std::span<const std::string_view> row_wise_functions() { return functions; }
std::span<const std::string_view> row_wise_macros() { return macros; }

FunctionKinds function_kinds(const Session& connection) {
  return [&connection, all = std::make_shared<std::optional<Kinds>>()](const std::string& name) {
    if (!*all) all->emplace(all_kinds(connection));
    std::set<std::string> kinds;
    const auto [first, last] = (*all)->equal_range(name);
    for (auto each = first; each != last; ++each) kinds.insert(each->second);
    return kinds;
  };
}

}  // namespace fractile::source_detail
