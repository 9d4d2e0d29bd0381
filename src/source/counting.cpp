#include "source/counting.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>

#include "fractile/error.hpp"
#include "source/arrow_read.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::uint64_t largest_engine_lattice = 1024;
constexpr std::int64_t most_whole_numbers = 4096;

void report(const std::function<void()>& on_progress) {
  if (on_progress) on_progress();
}

std::string double_literal(double value) {
  std::array<char, 32> digits{};
  const auto [end, status] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  if (status != std::errc()) throw Error(ErrorCode::internal, "a double could not be written");
  return "CAST('" + std::string(digits.data(), end) + "' AS DOUBLE)";
}

/// Blank text (spaces and tabs) is NULL.
std::string text_without_blank(const std::string& name) { return "NULLIF(TRIM(" + name + ", E' \\t'), '')"; }

void require_format(const ResultStream& result, std::size_t column, std::string_view format) {
  if (result.format(column) != format) throw Error(ErrorCode::internal, "the engine returned an unexpected type");
}

std::string_view number_format(const NumberQuery& query) { return query.is_integer ? "l" : "g"; }

/// Whether any number was missing.
template <class Number>
bool add_column(const ColumnView& column, ProfileBuilder& builder) {
  return for_each_present<Number>(column, [&](std::span<const Number> numbers) { builder.add(numbers); });
}

/// Columns: floor(v), NULL for a missing number; the number itself where v is near an integer, else NULL; how many.
std::string grouping_sql(const NumberQuery& query, const Lattice& lattice, double margin) {
  const std::string lower = double_literal(lattice.lower().to_double());
  const std::string upper = double_literal(lattice.upper().to_double());
  const std::string step = double_literal(lattice.step().to_double());
  const std::string half = double_literal(0.5);
  const std::string last = double_literal(static_cast<double>(lattice.size()) - 0.5);
  const std::string numbers = "SELECT " + query.expression + " AS number FROM " + query.relation;
  const std::string doubles = "SELECT number, CAST(number AS DOUBLE) AS x FROM (" + numbers + ")";
  // To this engine NaN is above every number, so it is asked for before the upper bound.
  const std::string places = "SELECT number, CASE WHEN x < " + lower + " THEN " + half +
                             " WHEN isnan(x) THEN NULL WHEN x > " + upper + " THEN " + last + " ELSE (x - " + lower +
                             ") / " + step + " + " + half + " END AS v FROM (" + doubles + ")";
  const std::string floors = "SELECT number, v, floor(v) AS index FROM (" + places + ")";
  const std::string keys = "SELECT index, CASE WHEN abs(v - index - " + half + ") > " + double_literal(0.5 - margin) +
                           " THEN number END AS near_number FROM (" + floors + ")";
  return "SELECT index, near_number, count(*) FROM (" + keys + ") GROUP BY index, near_number";
}

/// Whether any number was missing.
template <class Number>
bool add_groups(const ArrowArray& batch, const Lattice& lattice, ProfileBuilder& builder) {
  bool any_missing = false;
  const ColumnView indices(batch, 0);
  const ColumnView near_numbers(batch, 1);
  const ColumnView counts(batch, 2);
  for (std::int64_t row = 0; row < batch.length; ++row) {
    const auto count = static_cast<std::uint64_t>(counts.number<std::int64_t>(row));
    if (indices.is_null(row)) {
      any_missing = true;
    } else if (!near_numbers.is_null(row)) {
      builder.add_position(lattice.position_of(near_numbers.number<Number>(row)), count);
    } else {
      builder.add_position(2 * static_cast<std::uint64_t>(indices.number<double>(row)) + 1, count);
    }
  }
  return any_missing;
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

/// Columns: a whole number, how many; all numbers beyond the range stand at its ends, where they have the same position.
std::string values_sql(const NumberQuery& query, const WholeRange& range) {
  const std::string first = std::to_string(range.first);
  const std::string last = std::to_string(range.last);
  const std::string numbers = "SELECT " + query.expression + " AS number FROM " + query.relation;
  return "SELECT CASE WHEN number < " + first + " THEN CAST(" + first + " AS BIGINT) WHEN number > " + last +
         " THEN CAST(" + last + " AS BIGINT) ELSE number END AS value, count(*) FROM (" + numbers + ") GROUP BY value";
}

/// Whether any number was missing.
bool add_values(const ArrowArray& batch, const Lattice& lattice, ProfileBuilder& builder) {
  bool any_missing = false;
  const ColumnView values(batch, 0);
  const ColumnView counts(batch, 1);
  for (std::int64_t row = 0; row < batch.length; ++row) {
    if (values.is_null(row)) {
      any_missing = true;
    } else {
      builder.add_position(lattice.position_of(values.number<std::int64_t>(row)),
                           static_cast<std::uint64_t>(counts.number<std::int64_t>(row)));
    }
  }
  return any_missing;
}

Counted count_values(const Connection& connection, const NumberQuery& query, const Lattice& lattice,
                     const WholeRange& range, const std::function<void()>& on_progress) {
  ProfileBuilder builder(lattice);
  bool any_missing = false;
  ResultStream result = connection.query(values_sql(query, range));
  require_format(result, 0, "l");
  require_format(result, 1, "l");
  while (const ArrowHandle<ArrowArray> batch = result.next()) {
    any_missing |= add_values(*batch, lattice, builder);
    report(on_progress);
  }
  return {builder.finish(), any_missing};
}

bool is_ordinary(double magnitude) { return magnitude > 1e-290 && magnitude < 1e290; }

}  // namespace

std::string number_expression(const Column& column) {
  const std::string name = quote_identifier(column.engine_name);
  switch (numeric_of(column.type)) {
    case Numeric::integer:
      return "CAST(" + name + " AS BIGINT)";
    case Numeric::real:
      return "CAST(" + name + " AS DOUBLE)";
    default:  // only cells that begin with a blank, or are empty, sort before '!'
      return "CAST(CASE WHEN " + name + " < '!' THEN " + text_without_blank(name) + " ELSE " + name + " END AS DOUBLE)";
  }
}

std::string cell_state_expression(const Column& column) {
  const std::string name = quote_identifier(column.engine_name);
  const std::string present = numeric_of(column.type) == Numeric::text ? text_without_blank(name) : name;
  const std::string number = "TRY_CAST(" + present + " AS DOUBLE)";
  return "CAST(CASE WHEN " + present + " IS NULL OR isnan(" + number + ") THEN 1 WHEN " + number +
         " IS NULL THEN 2 ELSE 0 END AS BIGINT)";
}

Counted count_by_stream(const Connection& connection, const NumberQuery& query, const Lattice& lattice,
                        const std::function<void()>& on_progress) {
  ProfileBuilder builder(lattice);
  bool any_missing = false;
  ResultStream result = connection.query("SELECT " + query.expression + " FROM " + query.relation);
  require_format(result, 0, number_format(query));
  while (const ArrowHandle<ArrowArray> batch = result.next()) {
    const ColumnView column(*batch, 0);
    any_missing |= query.is_integer ? add_column<std::int64_t>(column, builder) : add_column<double>(column, builder);
    report(on_progress);
  }
  return {builder.finish(), any_missing};
}

std::optional<double> rounding_margin(const Lattice& lattice) {
  const double largest = std::max(std::abs(lattice.lower().to_double()), std::abs(lattice.upper().to_double()));
  const double step = lattice.step().to_double();
  if (!is_ordinary(step) || !(largest < 1e290)) return std::nullopt;
  // |v - exact| <= 2^-53 (3 |bound| / step + 4 size): the conversion of the number and of the bound, one subtraction,
  // one division, one addition, and the conversion of the step.
  const double margin = std::ldexp(64 * (largest / step + static_cast<double>(lattice.size())), -53);
  if (margin > std::ldexp(1, -10)) return std::nullopt;
  return std::max(margin, std::ldexp(1, -30));
}

bool engine_can_count(const Lattice& lattice, bool is_integer) {
  if (is_integer && narrow_range(lattice)) return true;
  return lattice.is_regular() && lattice.size() <= largest_engine_lattice && rounding_margin(lattice).has_value();
}

Counted count_by_engine(const Connection& connection, const NumberQuery& query, const Lattice& lattice,
                        const std::function<void()>& on_progress) {
  report(on_progress);
  const std::optional<WholeRange> range = query.is_integer ? narrow_range(lattice) : std::nullopt;
  if (range) return count_values(connection, query, lattice, *range, on_progress);
  ProfileBuilder builder(lattice);
  bool any_missing = false;
  ResultStream result = connection.query(grouping_sql(query, lattice, rounding_margin(lattice).value()));
  require_format(result, 0, "g");
  require_format(result, 1, number_format(query));
  require_format(result, 2, "l");
  while (const ArrowHandle<ArrowArray> batch = result.next()) {
    any_missing |= query.is_integer ? add_groups<std::int64_t>(*batch, lattice, builder)
                                    : add_groups<double>(*batch, lattice, builder);
    report(on_progress);
  }
  return {builder.finish(), any_missing};
}

}  // namespace fractile::source_detail
