#include "source/counting.hpp"

#include <cstdint>
#include <optional>
#include <span>

#include "fractile/error.hpp"
#include "source/arrow_read.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::int64_t most_whole_numbers = 4096;

void report(const std::function<void()>& on_progress) {
  if (on_progress) on_progress();
}

/// Blank text (spaces and tabs) is NULL.
std::string text_without_blank(const std::string& name) { return "NULLIF(TRIM(" + name + ", E' \\t'), '')"; }

void require_format(const ResultStream& result, std::size_t column, std::string_view format) {
  if (result.format(column) != format) throw Error(ErrorCode::internal, "the engine returned an unexpected type");
}

/// Whether any number was missing.
template <class Number>
bool add_column(const ColumnView& column, ProfileBuilder& builder) {
  return for_each_present<Number>(column, [&](std::span<const Number> numbers) { builder.add(numbers); });
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
                        std::size_t threads, const std::function<void()>& on_progress) {
  ProfileBuilder builder(lattice, threads);
  bool any_missing = false;
  ResultStream result = connection.query("SELECT " + query.expression + " FROM " + query.relation);
  require_format(result, 0, query.is_integer ? "l" : "g");
  while (const ArrowHandle<ArrowArray> batch = result.next()) {
    const ColumnView column(*batch, 0);
    any_missing |= query.is_integer ? add_column<std::int64_t>(column, builder) : add_column<double>(column, builder);
    report(on_progress);
  }
  return {builder.finish(), any_missing};
}

bool engine_can_count(const Lattice& lattice) { return narrow_range(lattice).has_value(); }

Counted count_by_engine(const Connection& connection, const NumberQuery& query, const Lattice& lattice,
                        const std::function<void()>& on_progress) {
  ProfileBuilder builder(lattice);
  bool any_missing = false;
  report(on_progress);
  ResultStream result = connection.query(values_sql(query, narrow_range(lattice).value()));
  require_format(result, 0, "l");
  require_format(result, 1, "l");
  while (const ArrowHandle<ArrowArray> batch = result.next()) {
    any_missing |= add_values(*batch, lattice, builder);
    report(on_progress);
  }
  return {builder.finish(), any_missing};
}

}  // namespace fractile::source_detail
