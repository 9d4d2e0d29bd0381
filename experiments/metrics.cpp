#include "experiments/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fractile::experiments {
namespace {

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a < b ? b - a : a - b; }

/// floor(q n).
std::uint64_t rank_of(const RankProfile& profile, const QuantileFraction& q) {
  return q.numerator * profile.records() / q.denominator;
}

/// The records in [min(a, b), max(a, b)) are those below one of the two and not below the other.
std::uint64_t gap(const RankProfile& profile, std::uint64_t a, std::uint64_t b) {
  return distance(profile.below(a), profile.below(b));
}

double tie_rank_error(const RankProfile& profile, const QuantileFraction& q, std::uint64_t candidate) {
  const std::uint64_t score = interval_score(q, profile.below(candidate), profile.equal(candidate), profile.records());
  return static_cast<double>(score) / static_cast<double>(q.denominator);
}

}  // namespace

std::vector<QuantileFraction> uniform_quantiles(std::uint64_t m) {
  std::vector<QuantileFraction> result;
  for (std::uint64_t i = 1; i <= m; ++i) result.push_back({i, m + 1});
  return result;
}

std::uint64_t record_at(const RankProfile& profile, std::uint64_t rank) {
  std::size_t first = 0;
  std::size_t last = profile.distinct() - 1;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (profile.cumulative(middle + 1) > rank) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return profile.position(first) / 2;
}

std::uint64_t true_quantile(const RankProfile& profile, const QuantileFraction& q) {
  return record_at(profile, std::min(rank_of(profile, q), profile.records() - 1));
}

Errors errors_of(const RankProfile& profile, std::span<const QuantileFraction> quantiles,
                 std::span<const std::uint64_t> released) {
  Errors errors;
  for (std::size_t j = 0; j < quantiles.size(); ++j) {
    const QuantileFraction& q = quantiles[j];
    const std::uint64_t missed = distance(profile.below(released[j]), rank_of(profile, q));
    errors.gap += static_cast<double>(gap(profile, true_quantile(profile, q), released[j]));
    errors.missed = std::max(errors.missed, static_cast<double>(missed));
    errors.tie_rank += tie_rank_error(profile, q, released[j]);
  }
  errors.gap /= static_cast<double>(quantiles.size());
  errors.tie_rank /= static_cast<double>(quantiles.size());
  return errors;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void Average::add(double value) {
  count_ += 1;
  const double before = value - mean_;
  mean_ += before / count_;
  squares_ += before * (value - mean_);
}

Estimate Average::estimate() const {
  if (count_ < 2) return {mean_, 0};
  return {mean_, std::sqrt(squares_ / (count_ - 1) / count_)};
}

namespace {

double unit_of(const QuantileQuery& query) {
  const bool is_pure = query.budget.measure() == Measure::pure;
  const double epsilon = is_pure ? query.budget.epsilon().to_double() : std::sqrt(2 * query.budget.rho().to_double());
  return query.records_per_person / epsilon;
}

double at(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const auto place = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  return values[std::min(place, values.size() - 1)];
}

}  // namespace

double TableWidths::most() const {
  constexpr double least_between = 5;
  constexpr double enough_between = 10;
  if (between < least_between) return 0;
  return 12 + (between < enough_between ? 8 : 4) * alone;
}

TableEnds::TableEnds(const QuantileQuery& query, std::uint64_t rows)
    : unit_(unit_of(query)),
      between_(static_cast<double>(rows) / (unit_ * static_cast<double>(query.quantiles.size() + 1))) {
  for (const Rational& q : query.quantiles) quantiles_.push_back(QuantileFraction::of(q));
}

void TableEnds::add(const RankProfile& table, std::span<const Interval> intervals,
                    std::span<const std::uint64_t> alone) {
  constexpr double enough_beyond = 20;
  const auto n = static_cast<double>(table.records());
  const std::uint64_t last = table.candidates() - 1;
  const double above_first = n - static_cast<double>(table.equal(0));
  const double below_last = static_cast<double>(table.below(last));
  for (std::size_t i = 0; i < quantiles_.size(); ++i) {
    const QuantileFraction& q = quantiles_[i];
    const double rank = n * static_cast<double>(q.numerator) / static_cast<double>(q.denominator);
    const Interval& interval = intervals[i];
    const auto up_to_lower = static_cast<double>(table.below(interval.lower) + table.equal(interval.lower));
    halves_.push_back(std::max(0.0, rank - up_to_lower) / unit_);
    halves_.push_back(std::max(0.0, static_cast<double>(table.below(interval.upper)) - rank) / unit_);
    const std::uint64_t off = interval_score(q, table.below(alone[i]), table.equal(alone[i]), table.records());
    alone_.push_back(static_cast<double>(off) / static_cast<double>(q.denominator) / unit_);
    const auto count = [&](bool can_be_found, bool is_open) {
      ends_ += can_be_found ? 1 : 0;
      open_ += can_be_found && is_open ? 1 : 0;
    };
    count(rank - (n - above_first) >= enough_beyond * unit_, interval.or_below);
    count(below_last - rank >= enough_beyond * unit_, interval.or_above);
  }
}

TableWidths TableEnds::widths() const {
  return {between_, at(halves_, 0.5), at(halves_, 0.9), at(alone_, 0.95), ends_ > 0 ? open_ / ends_ : 0};
}

}  // namespace fractile::experiments
