#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "fractile/error.hpp"
#include "fractile/publication.hpp"
#include "libraries/fmt.hpp"
#include "quantiles/draws/calibration.hpp"
#include "quantiles/release/release.hpp"

namespace fractile {
namespace {

/// A receipt has products of a request's numbers, and its readers refuse numbers of more than 10,000 characters.
constexpr std::size_t most_characters = 500;

void require_short(const char* field, const std::string& number) {
  if (number.size() <= most_characters) return;
  throw Error(ErrorCode::usage,
              {Field(field), fmt::format(": a number of {} characters, and the numbers of a release have at most {}",
                                         number.size(), most_characters)},
              "write fewer digits", field);
}

void require_short(const char* field, const Rational& number) {
  const bool is_short = number.numerator().fits_int64() && number.denominator().fits_int64();
  if (!is_short) require_short(field, number.is_decimal() ? number.to_decimal() : number.to_string());
}

void require_short(const Lattice& lattice) {
  if (!lattice.is_regular()) {
    for (std::uint64_t i = 0; i < lattice.size(); ++i) require_short("candidates", lattice.at(i));
    return;
  }
  require_short("bounds", lattice.lower());
  require_short("bounds", lattice.upper());
  require_short("step", lattice.step());
}

void require_short(const Budget& budget) {
  if (budget.measure() == Measure::zcdp) return require_short("rho", budget.rho());
  require_short("epsilon", budget.epsilon().to_string());
  if (budget.measure() == Measure::approximate) require_short("delta", budget.delta());
}

void require_short(const ReleaseRequest& request) {
  require_short_numbers(request.query, request.column.lattice);
  if (request.bounds) require_short("bounds_budget", request.bounds->share);
  if (request.statistics) require_short("count_budget", request.statistics->share);
  if (const std::optional<RecordWeights>& weights = request.column.selection.weights) {
    require_short("weight_bounds", weights->lower);
    require_short("weight_bounds", weights->upper);
    require_short("weight_step", weights->step);
    if (weights->mean) require_short("expected_weight", *weights->mean);
  }
}

}  // namespace

void require_short_numbers(const QuantileQuery& query, const Lattice& lattice) {
  require_short(lattice);
  require_short(query.budget);
  for (const Rational& quantile : query.quantiles) require_short("quantiles", quantile);
  if (query.intervals) require_short("intervals", query.intervals->level);
}

QuantileQuery ReleaseRequest::over_counted(std::uint32_t sql_stability) const {
  QuantileQuery promised = query;
  promised.records_per_person = std::max(query.records_per_person, column.selection.records_per_person);
  const QuantileQuery over_rows = over_query(promised, sql_stability);
  return column.selection.weights ? over_weights(over_rows, *column.selection.weights) : over_rows;
}

void ReleaseRequest::validate(std::uint32_t sql_stability) const {
  const RecordSelection& selection = column.selection;
  column.validate();
  require_short(*this);
  if (column.public_rows) selection.require_public_rows();
  const QuantileQuery counted = over_counted(sql_stability);
  require_query(counted, column.lattice);
  if (counted.quantiles.empty() && !statistics) counted.validate();  // throws, since there is nothing to release
  const QuantileQuery each = selection.by.empty() ? counted : group_query(counted);
  if (statistics) statistics->validate(column.lattice, each, bounds ? bounds->share : Rational(0));
  const Rational others = (statistics ? statistics->share : Rational(0)) + (bounds ? bounds->share : Rational(0));
  if (!each.quantiles.empty() && others < Rational(1)) {
    const QuantileQuery drawn = with_part(each, Rational(1) - others);
    require_narrow_noise(drawn);
    require_short_joint(drawn);
  }
  if (!bounds) return;
  if (bounds->share <= Rational(0) || bounds->share >= Rational(1)) {
    throw Error(ErrorCode::usage, "the bounds' share of the budget is not between 0 and 1", "write for example 0.1");
  }
  if (!(column.lattice == bounds->search.lattice())) {
    throw Error(ErrorCode::usage,
                "bounds are found on the lattice of their search, but the column was counted on another one",
                "count the column on the lattice of the search");
  }
}

}  // namespace fractile
