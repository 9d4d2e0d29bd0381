#include "source/files/missing_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "fractile/source.hpp"
#include "libraries/fmt.hpp"
#include "source/engine/engine.hpp"
#include "source/engine/misread_texts.hpp"
#include "source/text/header_line.hpp"
#include "source/text/text_numbers.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::size_t most_digits = 38;  // the largest number of digits of the engine's whole numbers

/// Whether a text is digits, with or without a sign.
bool is_whole(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.size() <= most_digits && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// SQL of the values that are compared with a cell as numbers of this type; NULL for a text that is not such a number.
std::string numbers_in(const std::vector<std::string>& missing, const std::string& type) {
  std::string list;
  for (const std::string& text : missing) {
    if (is_misread(text)) continue;
    list += fmt::format("{}TRY_CAST({} AS {})", list.empty() ? "" : ", ", quote_literal(text), type);
  }
  return list.empty() ? "NULL" : list;
}

std::string texts_in(const std::vector<std::string>& missing) { return joined(missing, ", ", quote_literal); }

/// SQL for whether a cell of whole numbers or decimals is one of `missing`: whole numbers are compared as such, others as doubles.
std::string exactly_in(const std::string& cell, const std::vector<std::string>& missing) {
  std::vector<std::string> whole;
  std::vector<std::string> others;
  for (const std::string& text : missing) (is_whole(text) ? whole : others).push_back(text);
  std::string condition = fmt::format("TRY_CAST({} AS DOUBLE) IN ({})", cell, numbers_in(others, "DOUBLE"));
  if (!whole.empty()) condition += fmt::format(" OR TRY({} IN ({}))", cell, numbers_in(whole, "HUGEINT"));
  return condition;
}

/// SQL of the values that are compared with a cell of times, in the column's type; NULL for a time that the type does not have.
std::string times_in(const std::vector<std::string>& missing, const Column& column, ValueKind kind) {
  constexpr std::int64_t a_day = 86'400'000'000;
  std::string list;
  for (const std::string& text : missing) {
    const std::optional<std::int64_t> moment = missing_moment(kind, text);
    if (!moment || (kind == ValueKind::date && *moment % a_day != 0)) continue;
    const std::string literal = moment_text(kind, kind == ValueKind::date ? *moment / a_day : *moment);
    list += fmt::format("{}TRY_CAST({} AS {})", list.empty() ? "" : ", ", quote_literal(literal), column.type);
  }
  return list.empty() ? "NULL" : list;
}

std::string condition_of(const Column& column, const std::string& cell, const std::vector<std::string>& missing) {
  if (const auto kind = time_kind_of(column.type))
    return fmt::format("{} IN ({})", cell, times_in(missing, column, *kind));
  switch (numeric_of(column.type)) {
    case Numeric::text:
      return fmt::format("{0} IN ({1}) OR (NOT {2}({0}) AND TRY_CAST({0} AS DOUBLE) IN ({3}))", cell, texts_in(missing),
                         misread_function, numbers_in(missing, "DOUBLE"));
    case Numeric::integer:
    case Numeric::units:
      return exactly_in(cell, missing);
    case Numeric::real:
      return fmt::format("{} IN ({})", cell, numbers_in(missing, column.type == "FLOAT" ? "FLOAT" : "DOUBLE"));
    default:
      return fmt::format("{} IN ({})", cell_as_text(cell, column.type), texts_in(missing));
  }
}

}  // namespace

std::optional<std::int64_t> missing_moment(ValueKind column, std::string_view text) {
  const std::optional<std::int64_t> ticks =
      cell_ticks(column == ValueKind::instant ? ValueKind::instant : ValueKind::timestamp, text);
  const bool is_infinite = ticks && (*ticks == std::numeric_limits<std::int64_t>::min() ||
                                     *ticks == std::numeric_limits<std::int64_t>::max());
  return is_infinite ? std::nullopt : ticks;
}

std::string blanked_cell(const Column& column, const std::vector<std::string>& missing) {
  const std::string cell = quote_identifier(column.engine_name);
  return fmt::format("CASE WHEN {} THEN NULL ELSE {} END", condition_of(column, cell, missing), cell);
}

MissingTexts::MissingTexts(const std::vector<std::string>& missing, NumberStyle style)
    : texts_(missing.begin(), missing.end()), style_(std::move(style)) {
  for (const std::string& text : missing) {
    if (const auto number = number_in(text)) numbers_.push_back(*number);
  }
}

bool MissingTexts::has(std::string_view cell) const {
  if (texts_.contains(cell)) return true;
  if (numbers_.empty() || is_misread(cell)) return false;
  const std::optional<double> number = number_in(cell, style_);
  // as in SQL, NaN is NaN
  const auto is_it = [&](double one) { return one == *number || (std::isnan(one) && std::isnan(*number)); };
  return number && std::ranges::any_of(numbers_, is_it);
}

void check_missing(const std::vector<std::string>& missing) {
  if (missing.size() > TableOptions::most_missing) {
    throw Error(ErrorCode::usage, "more than 100 texts are declared to be missing", "name those that occur", "missing");
  }
  std::set<std::string_view> seen;
  for (const std::string& text : missing) {
    if (text.empty() || text.find('\0') != std::string::npos || !is_utf8(text)) {
      throw Error(ErrorCode::usage, "a text that counts as missing is empty, or not UTF-8 text",
                  "name what the cells hold; empty cells are missing anyway", "missing");
    }
    if (!seen.insert(text).second) {
      throw Error(ErrorCode::usage, "'" + text + "' is declared to be missing twice", "name it once", "missing");
    }
  }
}

}  // namespace fractile::source_detail
