#include "quantiles/release/planned_intervals.hpp"

#include <algorithm>
#include <utility>

#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "quantiles/release/short_budgets.hpp"
#include "quantiles/release/typical_error.hpp"
#include "quantiles/stages/brackets.hpp"
#include "ranks/span.hpp"

namespace fractile {

namespace {

/// Two significant digits, rounded up.
std::uint64_t two_digits_up(std::uint64_t number) {
  std::uint64_t unit = 1;
  while (number / unit >= 100) unit *= 10;
  return (number + unit - 1) / unit * unit;
}

}  // namespace

std::optional<std::uint64_t> settled_from(const QuantileQuery& query) {
  constexpr std::uint64_t most = std::uint64_t{1} << 50;
  if (!query.intervals) return {};
  std::uint64_t high = 1;
  while (!ends_are_settled(query, high)) {
    if (high >= most) return {};
    high *= 2;
  }
  return two_digits_up(
      first_entry(high / 2 + 1, high, [&](std::uint64_t rows) { return ends_are_settled(query, rows); }));
}

namespace {

/// The least budget of two digits with which the ends are settled among these few rows.
std::optional<Budget> budget_that_settles(QuantileQuery query, std::uint64_t rows) {
  const auto settles = [&](std::int64_t place) {
    query.budget = budget_like(query.budget, TwoDigits::at(place));
    return ends_are_settled(query, rows);
  };
  if (!settles(TwoDigits::last)) return {};
  // Reported numbers of records are rounded up.
  for (std::int64_t place = first_entry(0, TwoDigits::last, settles); place <= TwoDigits::last; ++place) {
    if (!settles(place)) continue;
    const std::optional<std::uint64_t> from = settled_from(query);
    if (from && *from <= rows) return query.budget;
  }
  return {};
}

std::optional<UnsettledEnds> ends_among(const QuantileQuery& query, std::uint64_t rows) {
  const std::optional<std::uint64_t> from = settled_from(query);
  if (!from || rows >= *from) return {};
  return UnsettledEnds{rows, *from, budget_that_settles(query, std::max<std::uint64_t>(rows, 1))};
}

}  // namespace

std::optional<std::uint64_t> records_that_settle(const QuantileQuery& query) {
  const OwnEnvironment own;
  query.validate();
  return settled_from(query);
}

std::optional<UnsettledEnds> unsettled_ends(const QuantileQuery& query, std::uint64_t rows) {
  const OwnEnvironment own;
  query.validate();
  return ends_among(query, rows);
}

std::optional<UnsettledEnds> unsettled_ends(const Release& release) {
  const OwnEnvironment own;
  std::optional<std::uint64_t> fewest;
  const Release::Group* of = nullptr;
  for (const Release::Group& group : release.groups) {
    const auto is_open = [](const Interval& each) { return each.or_below || each.or_above; };
    if (!group.used.rows || std::ranges::none_of(group.intervals, is_open)) continue;
    if (fewest && *fewest <= *group.used.rows) continue;
    fewest = group.used.rows;
    of = &group;
  }
  if (!of) return {};
  const Rational left = left_for_quantiles(release);
  QuantileQuery query = release.is_grouped() ? group_query(release.query) : release.query;
  query.budget = query.budget.scaled(left);
  return enough_of_all(ends_among(query, *fewest), left);
}

/// For intervals of the table, widths do not depend on the number of rows once there are many; for the population, they grow with
/// the sample.
std::optional<PlannedIntervals> planned_intervals(const QuantileQuery& query, std::vector<double> widths,
                                                  std::uint64_t simulated, std::uint64_t rows) {
  if (!query.intervals) return {};
  std::optional<UnsettledEnds> unsettled = unsettled_ends(query, rows);
  if (query.intervals->subject == IntervalSubject::table) rows = simulated;
  for (std::size_t i = 0; i < widths.size() && rows != simulated; ++i) {
    const Rational& q = query.quantiles[i];
    widths[i] *= expected_half_width(query, q, rows) / expected_half_width(query, q, simulated);
  }
  return PlannedIntervals{rows, std::move(widths), records_that_settle(query), std::move(unsettled)};
}

namespace {

double widest(const std::vector<double>& widths) { return *std::ranges::max_element(widths); }

/// The search for a budget at which the intervals of a query are as narrow as wanted.
class NarrowEnough {
 public:
  NarrowEnough(QuantileQuery query, const Lattice& lattice, std::uint64_t rows)
      : query_(std::move(query)), lattice_(lattice), rows_(rows) {}

  const QuantileQuery& query_at(std::int64_t place) {
    query_.budget = budget_like(query_.budget, TwoDigits::at(place));
    return query_;
  }

  /// The number of records between the ends of the widest interval, by formula.
  double expected_at(std::int64_t place) {
    query_at(place);
    double half = 0;
    for (const Rational& q : query_.quantiles) half = std::max(half, expected_half_width(query_, q, rows_));
    return 2 * half;
  }

  /// The same for simulated releases.
  double simulated_at(std::int64_t place) {
    constexpr std::uint64_t most_rows = 20'000;
    constexpr std::uint64_t releases = 60;
    query_at(place);
    const std::uint64_t rows = std::min(rows_, most_rows);
    TypicalRelease typical = typical_release(query_, lattice_, Shape::normal, rows, releases);
    return widest(planned_intervals(query_, std::move(typical.interval_widths), rows, rows_)->widths);
  }

  /// The least place at which the formula, times the correction `times`, is at most `wanted`; nothing if there is none.
  std::optional<std::int64_t> first_within(double wanted, double times) {
    const auto is_within = [&](std::int64_t place) { return times * expected_at(place) <= wanted; };
    if (!is_within(TwoDigits::last)) return {};
    return first_entry(0, TwoDigits::last, is_within);
  }

 private:
  QuantileQuery query_;
  const Lattice& lattice_;
  std::uint64_t rows_;
};

}  // namespace

QuantileQuery query_for_interval_width(QuantileQuery query, const Lattice& lattice, std::uint64_t rows,
                                       const Rational& share) {
  const OwnEnvironment own;
  if (!query.intervals) {
    throw Error(ErrorCode::usage, "a width needs intervals, and none are asked for",
                {"write for example ", Field("intervals").number("0.95")}, "intervals");
  }
  if (rows == 0 || share <= Rational(0) || share >= Rational(1)) {
    throw Error(ErrorCode::usage, "the width of an interval is a share of some records, between 0 and 1",
                "write for example 0.1");
  }
  query.validate(lattice);
  constexpr int rounds = 3;
  const double wanted = share.to_double() * static_cast<double>(rows);
  NarrowEnough narrow(query, lattice, rows);
  double times = 1;
  std::optional<std::int64_t> place;
  for (int round = 0; round < rounds; ++round) {
    place = narrow.first_within(wanted, times);
    if (!place) break;
    times = narrow.simulated_at(*place) / narrow.expected_at(*place);
  }
  if (!place) {
    throw Error(ErrorCode::usage, "no budget makes intervals that narrow",
                "ask for wider intervals, for a lower level, or for intervals of the table in place of the population");
  }
  return narrow.query_at(*place);
}

}  // namespace fractile
