#include "fractile/planning.hpp"

#include <algorithm>
#include <utility>

#include "fractile/error.hpp"
#include "quantiles/plan.hpp"

namespace fractile {
namespace {

/// A reference table of more rows than this says nothing new: beyond some thousand records, rank errors do not depend on them.
constexpr std::uint64_t most_reference_rows = 100'000;

/// So that a plan takes a second or two.
std::uint64_t affordable_releases(const QuantileQuery& query, std::uint64_t rows, std::uint64_t wanted) {
  const std::uint64_t affordable = std::min(40'000 / query.quantiles.size(), 20'000'000 / rows);
  return std::min(std::max<std::uint64_t>(affordable, 20), wanted);
}

}  // namespace

ReleasePlan plan_release(const QuantileQuery& query, const Lattice& lattice, const PlanOptions& options) {
  const QuantilePlan plan = plan_of(query, lattice);
  MechanismUsed used = plan.used({});
  used.granularity.reset();  // nobody has looked yet
  const std::uint64_t rows = std::min(query.expected_rows.value_or(options.rows), most_reference_rows);
  return {query, lattice, std::move(used), worst_case(query, lattice, options.confidence),
          typical_error(query, lattice, options.shape, rows, affordable_releases(query, rows, options.releases))};
}

namespace {

constexpr int significant_digits = 4;
constexpr int largest_exponent = 3;    // 1000
constexpr int smallest_exponent = -9;  // what is tried

/// 1000 .. 9999 times a power of ten.
struct ShortDecimal {
  std::int64_t digits;
  int exponent;

  static constexpr std::int64_t first = 1000;
  static constexpr std::int64_t per_decade = 9000;
  static ShortDecimal at(std::int64_t place) {
    return {first + place % per_decade,
            static_cast<int>(place / per_decade) + smallest_exponent - significant_digits + 1};
  }
  Rational value() const { return Rational(digits) * Rational(10).pow(exponent); }
};

Budget budget_like(const Budget& budget, const Rational& value) {
  return budget.measure() == Measure::zcdp ? Budget::zcdp(value) : Budget::pure(value);
}

}  // namespace

QuantileQuery query_for_rank_error(QuantileQuery query, const Lattice& lattice, std::uint64_t ranks,
                                   const Rational& confidence) {
  if (query.budget.measure() == Measure::approximate) {
    throw Error(ErrorCode::usage, "a budget with a delta is not solved for", "ask for epsilon or rho alone");
  }
  WorstCase worst;
  const auto enough = [&](std::int64_t place) {
    query.budget = budget_like(query.budget, ShortDecimal::at(place).value());
    worst = worst_case(query, lattice, confidence);
    const std::optional<std::uint64_t> largest = worst.largest();
    return largest && *largest <= ranks;
  };
  std::int64_t low = 0;
  std::int64_t high = (largest_exponent - smallest_exponent) * ShortDecimal::per_decade;
  if (!enough(high)) {
    throw Error(ErrorCode::usage,
                "no budget gives that rank error" + (worst.without.empty() ? "" : ": " + worst.without),
                "ask for a larger rank error, or for another mechanism");
  }
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (enough(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  query.budget = budget_like(query.budget, ShortDecimal::at(high).value());
  return query;
}

}  // namespace fractile
