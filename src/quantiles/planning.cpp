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
  return std::min(std::max<std::uint64_t>(query.intervals ? 20 : affordable, 20), wanted);
}

/// The median number of records between the ends of each interval, on a reference table; nothing without intervals.
std::vector<double> interval_widths(const QuantileQuery& query, const Lattice& lattice, Shape shape,
                                    std::uint64_t rows) {
  if (!query.intervals) return {};
  constexpr std::size_t releases = 15;
  const RankProfile table = reference_table(lattice, shape, rows);
  RandomBits bits = RandomBits::unsafe_seeded(0);  // nobody's data
  std::vector<std::vector<double>> widths(query.quantiles.size());
  for (std::size_t i = 0; i < releases; ++i) {
    const QuantileRelease release = release_quantiles(table, lattice, query, bits);
    for (std::size_t j = 0; j < widths.size(); ++j) {
      const auto [lower, upper, or_below, or_above] = release.intervals[j];
      const std::uint64_t until = table.below(lower) + table.equal(lower);
      widths[j].push_back(static_cast<double>(std::max(table.below(upper), until) - until));
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& of_one : widths) {
    std::ranges::sort(of_one);
    medians.push_back(of_one[releases / 2]);
  }
  return medians;
}

}  // namespace

ReleasePlan plan_release(const QuantileQuery& query, const Lattice& lattice, const PlanOptions& options) {
  const QuantilePlan plan = plan_of(query, lattice);
  MechanismUsed used = plan.used({});
  used.granularity.reset();  // nobody has looked yet
  const std::uint64_t rows = std::min(query.expected_rows.value_or(options.rows), most_reference_rows);
  return {query,
          lattice,
          std::move(used),
          worst_case(query, lattice, options.confidence),
          typical_error(query, lattice, options.shape, rows, affordable_releases(query, rows, options.releases)),
          interval_widths(query, lattice, options.shape, rows)};
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
