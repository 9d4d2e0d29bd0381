#include "source/counting/counting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "source/text/text_numbers.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::int64_t most_whole_numbers = 4096;

void report(const std::function<void()>& on_progress) {
  if (on_progress) on_progress();
}

/// Text without surrounding white space, which the engine's cast skips, too; NULL if nothing else is there.
std::string text_without_blank(const std::string& name) {
  return fmt::format("NULLIF(TRIM({}, '{}'), '')", name, blanks_of_cells);
}

/// A cell as it is or, for text, as a text that the engine takes for a number exactly if Table::profile() does. The engine would
/// also read 1_000 and +-5 as numbers.
std::string present_expression(const Column& column) {
  std::string name = quote_identifier(column.engine_name);
  if (numeric_of(column.type) != Numeric::text) return name;
  // only cells that begin with a blank, or are empty, sort before '!'
  return fmt::format("CASE WHEN {2}({0}) THEN '?' WHEN {0} < '!' THEN {1} ELSE {0} END", name, text_without_blank(name),
                     misread_function);
}

/// A column of times in its own unit. Its numbers do not include infinities.
std::string ticks_expression(const Column& column, Unreadable unreadable) {
  const std::string name = quote_identifier(column.engine_name);
  const char* number = "epoch_us(CAST({0} AS TIMESTAMP))";
  if (column.type == "DATE") number = "date_diff('day', DATE '1970-01-01', {0})";
  if (column.type == "TIMESTAMP_NS") number = "epoch_ns({0})";
  if (column.type == "TIMESTAMP WITH TIME ZONE") number = "epoch_us({0})";
  const std::string ticks = fmt::format(
      "CAST(CASE WHEN {0} IS NULL THEN NULL WHEN isfinite({0}) THEN {1} WHEN {0} > 'epoch' THEN {2} ELSE {3} END AS "
      "BIGINT)",
      name, fmt::format(fmt::runtime(number), name), std::numeric_limits<std::int64_t>::max(),
      std::numeric_limits<std::int64_t>::min() + 1);
  // in a structure, as in total_query
  return unreadable == Unreadable::error ? ticks : "TRY(struct_extract(struct_pack(v := " + ticks + "), 'v'))";
}

/// A cell of text as it is; NULL if it is white space alone.
std::string number_text_expression(const Column& column) {
  const std::string name = quote_identifier(column.engine_name);
  return fmt::format("CASE WHEN {0} < '!' THEN {1} ELSE {0} END", name, text_without_blank(name));
}

/// 10^exponent of a scale, as a decimal.
std::string power_sql(int exponent) {
  return fmt::format("CAST('1{}' AS DECIMAL({}, 0))", std::string(static_cast<std::size_t>(exponent), '0'),
                     exponent + 1);
}

/// A number of units as a decimal of this scale.
std::string units_sql(std::string units, const Digits& digits) {
  const auto scale = static_cast<std::size_t>(digits.behind_point);
  const bool is_negative = units.starts_with('-');
  if (is_negative) units.erase(0, 1);
  if (units.size() <= scale) units.insert(0, scale + 1 - units.size(), '0');
  if (scale > 0) units.insert(units.size() - scale, ".");
  return fmt::format("CAST('{}{}' AS DECIMAL({}, {}))", is_negative ? "-" : "", units, digits.all, scale);
}

/// A column of units as the number of units. Numbers beyond 64 bits are clamped; the clamped number lies beyond the same bound of
/// the lattice.
std::string units_expression(const Column& column) {
  constexpr int most_digits = 18;  // 64 bits always hold this many
  constexpr std::string_view last = "9223372036854775807";
  const std::string name = quote_identifier(column.engine_name);
  const Digits digits = digits_of(column.full_type);
  if (digits.all == 0) {  // an integer
    return fmt::format("CASE WHEN {0} > {1} THEN {1} WHEN {0} < -{1} THEN -{1} ELSE CAST({0} AS BIGINT) END", name,
                       last);
  }
  const int scale = digits.behind_point;
  if (digits.all <= most_digits && scale == 0) return fmt::format("CAST({} AS BIGINT)", name);
  if (digits.all + scale < most_digits) return fmt::format("CAST({} * {} AS BIGINT)", name, power_sql(scale));
  std::string within = name;
  if (digits.all > most_digits) {
    within = fmt::format("CASE WHEN {0} > {1} THEN {1} WHEN {0} < {2} THEN {2} ELSE {0} END", name,
                         units_sql(std::string(last), digits), units_sql("-" + std::string(last), digits));
  }
  if (scale > most_digits) return fmt::format("CAST(replace(CAST({} AS VARCHAR), '.', '') AS BIGINT)", within);
  // more than 64 bits for the product; otherwise the engine would multiply in 64 bits
  std::string wide =
      fmt::format("CAST(CAST({} AS DECIMAL({}, {})) * {} AS BIGINT)", within, most_digits + 1, scale, power_sql(scale));
  // 64 bits hold the product of smaller numbers, which the engine divides much faster
  const Digits small{most_digits - 1 - scale, scale};
  if (small.all <= scale) return wide;
  const std::string most(static_cast<std::size_t>(small.all), '9');
  return fmt::format(
      "CASE WHEN {0} BETWEEN {1} AND {2} THEN CAST(CAST({0} AS DECIMAL({3}, {4})) * {5} AS BIGINT) ELSE {6} END", name,
      units_sql("-" + most, digits), units_sql(most, digits), small.all, scale, power_sql(scale), wide);
}

/// SQL for whether the double nearest to a cell has another whole part than the cell, on or near the lattice. Empty if doubles hold
/// every whole number there.
std::string inexact_condition(const Column& column, const Lattice& lattice) {
  const std::optional<double> end = end_of_gaps(lattice);
  if (numeric_of(column.type) != Numeric::text || !end) return {};
  const std::string cell = present_expression(column);
  const std::string number = fmt::format("TRY_CAST({} AS DOUBLE)", cell);
  return fmt::format(
      "abs({0}) BETWEEN {1} AND CAST('{2:.17g}' AS DOUBLE) AND TRY_CAST({3} AS HUGEINT) IS DISTINCT FROM TRY_CAST({0} "
      "AS HUGEINT)",
      number, first_gap, *end, cell);
}

/// From the last whole number before the lattice to the first one after it.
struct WholeRange {
  std::int64_t first;
  std::int64_t last;
};

std::optional<WholeRange> narrow_range(const Lattice& lattice) {
  const Rational first = lattice.lower().ceil() - Rational(1);
  const Rational last = lattice.upper().floor() + Rational(1);
  if (last - first > Rational(most_whole_numbers + 1) || !first.fits_int64() || !last.fits_int64()) return std::nullopt;
  return WholeRange{first.to_int64(), last.to_int64()};
}

/// The SQL of two columns: a whole number, and how often it occurs. Numbers beyond the range count at its ends, where they have the
/// same position.
std::string values_sql(const NumberQuery& query, const WholeRange& range) {
  const std::string first = std::to_string(range.first);
  const std::string last = std::to_string(range.last);
  const std::string numbers = "SELECT " + query.expression + " AS number FROM " + query.relation;
  return "SELECT CASE WHEN number < " + first + " THEN CAST(" + first + " AS BIGINT) WHEN number > " + last +
         " THEN CAST(" + last + " AS BIGINT) ELSE number END AS value, count(*) FROM (" + numbers + ") GROUP BY value";
}

/// Adds the chunk's values; returns whether any number was missing.
bool add_values(const Chunk& chunk, const Lattice& lattice, ProfileBuilder& builder) {
  bool any_missing = false;
  const ColumnView values = chunk.column(0);
  const std::span<const std::int64_t> counts = chunk.column(1).numbers<std::int64_t>();
  for (std::size_t row = 0; row < chunk.rows(); ++row) {
    if (values.is_null(row)) {
      any_missing = true;
    } else {
      builder.add_position(lattice.position_of(values.numbers<std::int64_t>()[row]),
                           static_cast<std::uint64_t>(counts[row]));
    }
  }
  return any_missing;
}

}  // namespace

UnitLattice counted_on(const Column& column, const Lattice& lattice) {
  if (lattice.kind() != ValueKind::number || numeric_of(column.type) != Numeric::units) return {lattice};
  const Digits digits = digits_of(column.full_type);
  return unit_lattice(lattice, digits.all, digits.behind_point, column.name, column.full_type);
}

CellReading reading_of(const Column& column, ValueKind lattice, Unreadable unreadable) {
  const Numeric numeric = numeric_of(column.type);
  const bool is_whole = numeric == Numeric::integer || numeric == Numeric::units;
  if (lattice == ValueKind::number) return {is_whole ? CellType::integer : CellType::real};
  if (numeric == Numeric::text) return {CellType::text, {}, unreadable == Unreadable::missing};
  if (column.type == "DATE") return {CellType::integer, TimeUnit::days};
  return {CellType::integer, column.type == "TIMESTAMP_NS" ? TimeUnit::nanoseconds : TimeUnit::microseconds};
}

std::optional<double> end_of_gaps(const Lattice& lattice) {
  const Rational reach = std::max(lattice.upper(), Rational(0) - lattice.lower());
  if (reach < Rational(first_gap)) return {};
  return std::nextafter(reach.to_double(), std::numeric_limits<double>::infinity());
}

std::string number_expression(const Column& column, const Lattice& lattice, Unreadable unreadable) {
  if (lattice.kind() != ValueKind::number) {
    return numeric_of(column.type) == Numeric::text ? number_text_expression(column)
                                                    : ticks_expression(column, unreadable);
  }
  if (numeric_of(column.type) == Numeric::units) return units_expression(column);
  const std::string present = present_expression(column);
  if (numeric_of(column.type) == Numeric::integer) return fmt::format("CAST({} AS BIGINT)", present);
  if (unreadable == Unreadable::missing) return fmt::format("TRY_CAST({} AS DOUBLE)", present);
  std::string number = fmt::format("CAST({} AS DOUBLE)", present);
  const std::string inexact = inexact_condition(column, lattice);
  if (inexact.empty()) return number;
  return fmt::format("CASE WHEN {} THEN error('inexact') ELSE {} END", inexact, number);
}

std::string presence_expression(const Column& column) {
  const std::string name = quote_identifier(column.engine_name);
  const Numeric numeric = numeric_of(column.type);
  std::string is_there = cell_within_day(name, column.type) + " IS NOT NULL";
  if (numeric == Numeric::real) is_there += " AND NOT isnan(" + name + ")";
  if (numeric == Numeric::text) {
    std::string none;
    for (const std::string_view word : words_for_none) none += (none.empty() ? "" : ", ") + quote_literal(word);
    is_there = fmt::format("({}) NOT IN ({})", number_text_expression(column), none);
  }
  return "CASE WHEN " + is_there + " THEN CAST(1 AS BIGINT) ELSE NULL END";
}

namespace {

bool is_truth_value(const Column& column, PerPerson how) {
  return column.type == "BOOLEAN" && (how == PerPerson::any || how == PerPerson::all);
}

}  // namespace

bool has_values(const Column& column, PerPerson how) { return how == PerPerson::count || is_truth_value(column, how); }

PersonsNumbers persons_numbers(const Column& column, const Lattice& lattice, Unreadable unreadable, PerPerson how) {
  if (how == PerPerson::count) return {presence_expression(column), {CellType::integer}};
  if (is_truth_value(column, how)) {
    return {"CAST(" + quote_identifier(column.engine_name) + " AS BIGINT)", {CellType::integer}};
  }
  return {number_expression(column, lattice, unreadable), reading_of(column, lattice.kind(), unreadable)};
}

UnitLattice values_counted_on(const Column& column, const Lattice& lattice, PerPerson how) {
  switch (how) {
    case PerPerson::min:
    case PerPerson::max:
    case PerPerson::median:
      return counted_on(column, lattice);
    case PerPerson::sum:
    case PerPerson::mean:
      if (numeric_of(column.type) != Numeric::units) return {lattice};
      return {in_units(lattice, digits_of(column.full_type).behind_point, column.name, column.full_type)};
    default:
      return {lattice};
  }
}

std::string cell_state_expression(const Column& column, const Lattice& lattice) {
  if (lattice.kind() != ValueKind::number) {
    return fmt::format("CAST(CASE WHEN {} IS NULL THEN {} ELSE {} END AS BIGINT)", quote_identifier(column.engine_name),
                       static_cast<std::int64_t>(CellState::missing), static_cast<std::int64_t>(CellState::number));
  }
  const std::string present = present_expression(column);
  const std::string number = fmt::format("TRY_CAST({} AS DOUBLE)", present);
  const std::string inexact = inexact_condition(column, lattice);
  const auto state = [](CellState which) { return static_cast<std::int64_t>(which); };
  return fmt::format(
      "CAST(CASE WHEN {0} IS NULL OR isnan({1}) THEN {2} WHEN {1} IS NULL THEN {3} WHEN {4} THEN {5} ELSE {6} END AS "
      "BIGINT)",
      present, number, state(CellState::missing), state(CellState::no_number), inexact.empty() ? "false" : inexact,
      state(CellState::inexact), state(CellState::number));
}

Counted count_by_stream(const Session& connection, const NumberQuery& query, const Lattice& lattice,
                        std::size_t threads, const std::function<void()>& on_progress) {
  SharedTally tally(lattice, threads);
  connection.for_each_chunk(
      {{query.expression}, {query.reading.type}, query.relation},
      [&](const Chunk& chunk) { tally.add(chunk.column(0), query.reading); }, on_progress);
  return tally.finish();
}

bool engine_can_count(const Column& column, const Lattice& lattice) {
  const bool are_whole = lattice.kind() == ValueKind::number
                             ? numeric_of(column.type) == Numeric::integer
                             : lattice.kind() == ValueKind::date && column.type == "DATE";
  return are_whole && narrow_range(lattice).has_value();
}

Counted count_by_engine(const Session& connection, const NumberQuery& query, const Lattice& lattice,
                        const std::function<void()>& on_progress) {
  ProfileBuilder builder(lattice);
  bool any_missing = false;
  report(on_progress);
  ResultStream result =
      connection.query(values_sql(query, narrow_range(lattice).value()), {CellType::integer, CellType::integer});
  while (const std::optional<Chunk> chunk = result.next()) {
    any_missing |= add_values(*chunk, lattice, builder);
    report(on_progress);
  }
  return {builder.finish(), any_missing};
}

}  // namespace fractile::source_detail
