#include "source/counting.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "fractile/error.hpp"
#include "source/arrow_read.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::uint64_t largest_engine_lattice = 1024;

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

/// Adds numbers and notes whether any were missing.
class Tally {
 public:
  explicit Tally(const Lattice& lattice) : builder_(lattice) {}
  void add(double value) {
    if (std::isnan(value)) {
      any_missing_ = true;
    } else {
      builder_.add(value);
    }
  }
  void add(std::int64_t value) { builder_.add(value); }
  void add_missing() { any_missing_ = true; }
  ProfileBuilder& builder() { return builder_; }
  Counted finish() { return {builder_.finish(), any_missing_}; }

 private:
  ProfileBuilder builder_;
  bool any_missing_ = false;
};

template <class Number>
void add_column(const ColumnView& column, Tally& tally) {
  for_each_number<Number>(
      column, [&](Number value) { tally.add(value); }, [&] { tally.add_missing(); });
}

void require_format(const ResultStream& result, std::size_t column, std::string_view format) {
  if (result.format(column) != format) throw Error(ErrorCode::internal, "the engine returned an unexpected type");
}

std::string_view number_format(const NumberQuery& query) { return query.is_integer ? "l" : "g"; }

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

template <class Number>
void add_groups(const ArrowArray& batch, const Lattice& lattice, Tally& tally) {
  const ColumnView indices(batch, 0);
  const ColumnView near_numbers(batch, 1);
  const ColumnView counts(batch, 2);
  for (std::int64_t row = 0; row < batch.length; ++row) {
    const auto count = static_cast<std::uint64_t>(counts.number<std::int64_t>(row));
    if (indices.is_null(row)) {
      tally.add_missing();
    } else if (!near_numbers.is_null(row)) {
      tally.builder().add_position(lattice.position_of(near_numbers.number<Number>(row)), count);
    } else {
      tally.builder().add_position(2 * static_cast<std::uint64_t>(indices.number<double>(row)) + 1, count);
    }
  }
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
  Tally tally(lattice);
  ResultStream result = connection.query("SELECT " + query.expression + " FROM " + query.relation);
  require_format(result, 0, number_format(query));
  while (const ArrowHandle<ArrowArray> batch = result.next()) {
    const ColumnView column(*batch, 0);
    if (query.is_integer) {
      add_column<std::int64_t>(column, tally);
    } else {
      add_column<double>(column, tally);
    }
    report(on_progress);
  }
  return tally.finish();
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

bool engine_can_count(const Lattice& lattice) {
  return lattice.is_regular() && lattice.size() <= largest_engine_lattice && rounding_margin(lattice).has_value();
}

Counted count_by_engine(const Connection& connection, const NumberQuery& query, const Lattice& lattice,
                        const std::function<void()>& on_progress) {
  Tally tally(lattice);
  report(on_progress);
  ResultStream result = connection.query(grouping_sql(query, lattice, rounding_margin(lattice).value()));
  require_format(result, 0, "g");
  require_format(result, 1, number_format(query));
  require_format(result, 2, "l");
  while (const ArrowHandle<ArrowArray> batch = result.next()) {
    if (query.is_integer) {
      add_groups<std::int64_t>(*batch, lattice, tally);
    } else {
      add_groups<double>(*batch, lattice, tally);
    }
    report(on_progress);
  }
  return tally.finish();
}

}  // namespace fractile::source_detail
