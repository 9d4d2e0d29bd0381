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

}  // namespace fractile::experiments
