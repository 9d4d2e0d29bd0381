#include "quantiles/stages/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "quantiles/draws/calibration.hpp"
#include "quantiles/stages/critical_values.hpp"
#include "quantiles/stages/cuts.hpp"
#include "ranks/span.hpp"

namespace fractile {
namespace {

/// The numbers of bands that divide [0, 1] for shares, and 0 .. M for means. The noise in a band is bounded by its largest value
/// there.
constexpr std::int64_t share_bands = 16;
constexpr std::int64_t mean_bands = 8;

Rational level_of(const QuantileQuery& query) { return query.intervals ? query.intervals->level : Rational(19, 20); }

std::uint64_t candidate_of(const Lattice& lattice, const Rational& value) {
  return first_entry(0, lattice.size() - 1, [&](std::uint64_t k) { return lattice.at(k) >= value; });
}

/// The positions that divide the records: a record below one is at a smaller position.
std::vector<Position> cuts_at(const std::vector<Rational>& below, const Lattice& lattice) {
  std::vector<Position> cuts;
  for (const Rational& value : below) cuts.push_back(2 * candidate_of(lattice, value) + 1);
  return cuts;
}

/// M.
std::int64_t width_of(const Lattice& lattice) { return static_cast<std::int64_t>(lattice.size() - 1); }

/// The sum of 2 i - M, clamped. A record still moves it by at most M.
std::int64_t centered_sum(const RankProfile& profile) {
  const std::int64_t width = width_of(profile.lattice());
  int128 sum = 0;
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    const auto candidate = static_cast<std::int64_t>(profile.position(k) / 2);
    sum += static_cast<int128>(2 * candidate - width) * static_cast<int128>(profile.count(k));
  }
  return static_cast<std::int64_t>(std::clamp<int128>(sum, -most_sum, most_sum));
}

/// No release has a number beyond this range, but a file that Fractile did not write may.
std::int64_t clamped(std::int64_t value) { return std::clamp(value, -most_sum, most_sum); }

/// Adds numbers of at most twice this range.
std::int64_t clamped_sum(std::int64_t a, std::int64_t b) { return clamped(a + b); }

CountInterval interval_about(std::int64_t value, std::uint64_t half_width) {
  const auto most = static_cast<std::int64_t>(half_width);
  const auto within = [](std::int64_t n) { return static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0)); };
  return {within(value - most), within(value + most)};
}

/// The part of the statistics' budget that pays for counts.
Rational counts_part(const StatisticsRequest& request) { return request.mean ? Rational(1, 2) : Rational(1); }

CountTreeNoise noise_of_bins(const StatisticsRequest& request, const QuantileQuery& query) {
  const QuantileQuery paid = with_part(query, counts_part(request));
  return request.below.empty() ? CountTreeNoise::of_all_records(paid) : CountTreeNoise(paid, 1);
}

std::optional<CountTreeNoise> noise_of_sum(const StatisticsRequest& request, const QuantileQuery& query,
                                           const Lattice& lattice) {
  if (!request.mean) return {};
  return CountTreeNoise::of_sum(with_part(query, Rational(1) - counts_part(request)), width_of(lattice));
}

CountNoise described(const CountTreeNoise& noise) { return {noise.measure(), noise.rate(), noise.sigma_squared()}; }

/// A power of ten that is at most about 1/100 of the width, and at most about the step.
Rational resolution_of(const Rational& width, const Rational& step) {
  constexpr double most_decimals = 12;
  const double most = width.sign() > 0 ? std::min(step, width / Rational(100)).to_double() : step.to_double();
  return Rational(10).pow(static_cast<std::int64_t>(std::floor(std::clamp(std::log10(most), -most_decimals, 18.0))));
}

/// The ratio with as many digits as its interval justifies. Ends are rounded outwards, but not out of the range.
Statistics::Ratio rounded(const Statistics::Ratio& ratio, const Rational& least, const Rational& most,
                          const Rational& from, const Rational& resolution) {
  const auto clamped = [&](const Rational& value) { return std::clamp(value, least, most); };
  const auto down = [&](const Rational& value) {
    return clamped(from + ((value - from) / resolution).floor() * resolution);
  };
  const auto up = [&](const Rational& value) {
    return clamped(from + ((value - from) / resolution).ceil() * resolution);
  };
  Statistics::Ratio result{{}, down(ratio.lower), up(ratio.upper)};
  if (ratio.value) result.value = clamped(down(*ratio.value + resolution / Rational(2)));
  return result;
}

/// The hull of the numbers that are added to it.
class Hull {
 public:
  void add(const Rational& low, const Rational& high) {
    if (low > high) return;
    low_ = low_ ? std::min(*low_, low) : low;
    high_ = high_ ? std::max(*high_, high) : high;
  }
  /// Without numbers, the whole range.
  Statistics::Ratio around(std::optional<Rational> value, const Rational& least, const Rational& most) const {
    if (!low_) return {std::move(value), least, most};
    return {std::move(value), *low_, *high_};
  }

 private:
  std::optional<Rational> low_;
  std::optional<Rational> high_;
};

/// A whole number w with P(|factor_x X + factor_y Y| > w) <= failure, for independent symmetric X and Y of these laws.
std::int64_t width_of_two(const LowerLaw& x, std::int64_t factor_x, const LowerLaw& y, std::int64_t factor_y,
                          double deviation, double failure) {
  const int log2_step = step_below(deviation / 256);
  const LowerLaw one = x.times(static_cast<std::uint64_t>(factor_x), log2_step);
  const LowerLaw other = y.times(static_cast<std::uint64_t>(factor_y), log2_step);
  return -largest_rejected(one, other, other.masses_below(), failure / 2) << log2_step;
}

}  // namespace

void require_mean_of(const Lattice& lattice) {
  if (!lattice.is_regular()) {
    throw Error(ErrorCode::usage, "a mean needs bounds and a step, not a list of candidates",
                {"write ", Field("bounds").blanks("LO", "HI"), " and ", Field("step")}, "mean");
  }
  if (lattice.size() == 1)
    throw Error(ErrorCode::usage, "with one possible value, the mean is that value", "leave it out", "mean");
  if (lattice.size() > StatisticsRequest::largest_mean_lattice) {
    throw Error(ErrorCode::usage, "a mean takes at most 2^32 possible values",
                {"take a coarser ", Field("step"), ", or narrower ", Field("bounds")}, "mean");
  }
}

void StatisticsRequest::validate(const Lattice& lattice, const QuantileQuery& query,
                                 const Rational& bounds_share) const {
  const OwnEnvironment own;
  const bool are_alone = query.quantiles.empty();
  if (are_alone && (share != Rational(1) || bounds_share.sign() > 0)) {
    throw Error(ErrorCode::usage,
                "in a release without quantiles, counts and means take the whole budget, and no bounds are found",
                "give them a share of 1, and declare the bounds", "count_budget");
  }
  if (!are_alone && (share <= Rational(0) || share >= Rational(1))) {
    throw Error(ErrorCode::usage, "the share of the budget for counts and means is not between 0 and 1",
                {"write for example ", Field("count_budget").number("0.1")}, "count_budget");
  }
  if (!are_alone && share + bounds_share >= Rational(1)) {
    throw Error(ErrorCode::usage, "the shares of the bounds and of the counts leave nothing for the quantiles",
                "write smaller ones", "count_budget");
  }
  if (query.budget.measure() == Measure::approximate) {
    throw Error(ErrorCode::usage, "counts and means take no delta",
                {"leave ", Field("delta"), " out, or use ", Field("rho")}, "delta");
  }
  if (below.size() > most_below) {
    throw Error(ErrorCode::usage, {Field("below"), fmt::format(" takes at most {} values", most_below)}, "name fewer",
                "below");
  }
  for (std::size_t i = 0; i < below.size(); ++i) {
    const bool is_written = lattice.kind() != ValueKind::number || below[i].is_decimal();
    const std::string text = is_written ? value_text(lattice.kind(), below[i]) : below[i].to_string();
    if (i > 0 && below[i] <= below[i - 1]) {
      throw Error(ErrorCode::usage, "the value " + text + " is not above the one before it",
                  "write them once each, in increasing order", "below");
    }
    if (below[i] <= lattice.lower() || below[i] > lattice.upper()) {
      throw Error(ErrorCode::usage,
                  below[i] == lattice.lower() ? "nothing can lie below " + text + ", the smallest possible value"
                                              : text + " lies outside the possible values",
                  {"write one above ", lattice.text(0), " and at most ", lattice.text(lattice.size() - 1)}, "below");
    }
    const std::uint64_t at = candidate_of(lattice, below[i]);
    if (lattice.at(at) != below[i]) {
      throw Error(ErrorCode::usage, text + " is not one of the possible values, at which records count",
                  {"write ", at == 1 ? "" : lattice.text(at - 1) + " or ", lattice.text(at)}, "below");
    }
  }
  const CountTreeNoise of_bins = noise_of_bins(*this, with_part(query, share));
  // The constructor throws if the noise is too wide for intervals.
  NoiseSum(of_bins.measure(), of_bins.price(), below.size() + 1);
  if (!mean) return;
  if (bounds_share.sign() > 0) {
    throw Error(ErrorCode::usage, "a mean needs bounds that are declared",
                {"write ", Field("bounds").blanks("LO", "HI")}, "mean");
  }
  require_mean_of(lattice);
  const CountTreeNoise of_sum = noise_of_sum(*this, with_part(query, share), lattice).value();
  NoiseSum(of_sum.measure(), of_sum.price(), 1);
}

namespace {

NoisePrice price_of(const CountNoise& noise) { return {noise.rate, noise.sigma_squared}; }

}  // namespace

StatisticsIntervals::StatisticsIntervals(const StatisticsTerms& terms, const Lattice& lattice, std::uint64_t groups)
    : lattice_(lattice) {
  const Measure measure = terms.count_noise.measure;
  const NoisePrice price = price_of(terms.count_noise);
  const double failure = failure_of(terms.level);
  const std::size_t bins = terms.request.below.size() + 1;
  // Laws of the sums of no bins, of the first bin of all groups, of the first two bins, ...
  std::vector<LowerLaw> sums{LowerLaw(0, 0, {1}, 0)};
  for (std::size_t i = 1; i <= bins; ++i) {
    half_widths_.push_back(NoiseSum(measure, price, i * groups).half_width(failure));
    sums.push_back(noise_sum_law(measure, price, i * groups));
  }
  const double deviation = noise_deviation(measure, price) * std::sqrt(static_cast<double>(groups));
  // For p in [i, i + 1] / 16, |(1 - p) A - p B| is bounded like ((16 - i) A + (i + 1) B) / 16, up to two records.
  for (std::size_t below = 1; below < bins; ++below) {
    Bands& bands = of_shares_.emplace_back();
    for (std::int64_t i = 0; i < share_bands; ++i) {
      const auto a = static_cast<double>((share_bands - i) * (share_bands - i)) * static_cast<double>(below);
      const auto b = static_cast<double>((i + 1) * (i + 1)) * static_cast<double>(bins - below);
      const std::int64_t wide =
          width_of_two(sums[below], share_bands - i, sums[bins - below], i + 1, deviation * std::sqrt(a + b), failure);
      bands.within.push_back((wide + share_bands - 1) / share_bands + 2);
    }
  }
  if (!terms.sum_noise) return;
  const NoisePrice of_sum = price_of(*terms.sum_noise);
  const LowerLaw sum = noise_sum_law(measure, of_sum, groups);
  const double sum_deviation = noise_deviation(measure, of_sum) * std::sqrt(static_cast<double>(groups));
  const std::uint64_t reach = NoiseSum(measure, of_sum, 1).half_width(failure);
  reach_of_sum_ = static_cast<std::int64_t>(std::min<std::uint64_t>(reach, most_sum));
  of_mean_.emplace();
  // For |u| <= U, |Y - u Z| is bounded like Y + U Z, up to one.
  for (std::int64_t j = 1; j <= mean_bands; ++j) {
    const std::int64_t most = (width_of(lattice) * j + mean_bands - 1) / mean_bands;
    const double all =
        std::hypot(sum_deviation, deviation * std::sqrt(static_cast<double>(bins)) * static_cast<double>(most));
    of_mean_->within.push_back(width_of_two(sum, 1, sums.back(), most, all, failure) + 1);
  }
}

StatisticsSampler::StatisticsSampler(const StatisticsRequest& request, const QuantileQuery& query,
                                     const Lattice& lattice)
    : cuts_(cuts_at(request.below, lattice)),
      count_noise_(noise_of_bins(request, query)),
      sum_noise_(noise_of_sum(request, query, lattice)),
      terms_{request, level_of(query), described(count_noise_),
             sum_noise_ ? std::optional(described(*sum_noise_)) : std::nullopt},
      intervals_(terms_, lattice) {}

DrawnStatistics StatisticsSampler::drawn(const RankProfile& profile, Share share, Draws& draws) const {
  DrawnStatistics drawn{cell_counts(profile, cuts_), {}};
  Share of_counts = share.take(counts_part(terms_.request));
  draws.begin("count", std::move(of_counts)).add_noise(count_noise_, {drawn.bins.size()}, drawn.bins);
  if (!sum_noise_) return drawn;
  drawn.sum = centered_sum(profile);
  draws.begin("sum", share.take_rest()).add_noise(*sum_noise_, {1}, {&*drawn.sum, 1});
  return drawn;
}

Statistics StatisticsSampler::sample(const RankProfile& profile, Share share, Draws& draws) const {
  return intervals_.computed(drawn(profile, std::move(share), draws));
}

Statistics::Records StatisticsIntervals::records(std::int64_t value, std::size_t bins) const {
  return {value, interval_about(value, half_widths_.at(bins - 1))};
}

Statistics::Ratio StatisticsIntervals::share_of(std::int64_t below, std::int64_t count, const Bands& bands) const {
  const Rational all(count);
  if (count <= 0) return {{}, 0, 1};
  Hull hull;
  for (std::int64_t i = 0; i < share_bands; ++i) {
    const std::int64_t within = bands.within[static_cast<std::size_t>(i)];
    const bool is_above = int128{share_bands} * (below - within) > int128{i + 1} * count;
    const bool is_below = int128{share_bands} * (below + within) < int128{i} * count;
    if (is_above || is_below) continue;  // the case for most bands
    hull.add(std::max(Rational(below - within) / all, Rational(i, share_bands)),
             std::min(Rational(below + within) / all, Rational(i + 1, share_bands)));
  }
  const Rational value = std::clamp(Rational(below) / all, Rational(0), Rational(1));
  const Statistics::Ratio ratio = hull.around(value, 0, 1);
  return rounded(ratio, 0, 1, 0, resolution_of(ratio.upper - ratio.lower, Rational(1, 1000)));
}

/// Computed with u = 2 i - M, whose mean is sum / count; the value is lower + step (M + u) / 2.
Statistics::Ratio StatisticsIntervals::mean_of(std::int64_t sum, std::int64_t count, bool is_cut_off) const {
  const Rational least = lattice_.lower();
  const Rational most = lattice_.upper();
  if (count <= 0) return {{}, least, most};
  const Rational width(width_of(lattice_));
  const auto value_at = [&](const Rational& u) { return least + lattice_.step() * (width + u) / Rational(2); };
  const Rational all(count);
  Hull hull;
  const auto add = [&](const Rational& low, const Rational& high) {
    if (low <= high) hull.add(value_at(low), value_at(high));
  };
  for (std::int64_t j = 1; j <= mean_bands && !is_cut_off; ++j) {
    const Rational within(of_mean_->within[static_cast<std::size_t>(j - 1)]);
    const Rational low = (Rational(sum) - within) / all;
    const Rational high = (Rational(sum) + within) / all;
    const Rational inner = width * Rational(j - 1, mean_bands);
    const Rational outer = width * Rational(j, mean_bands);
    add(std::max(low, inner), std::min(high, outer));
    add(std::max(low, -outer), std::min(high, -inner));
  }
  const Rational u = std::clamp(Rational(sum) / all, -width, width);
  const Statistics::Ratio ratio = hull.around(value_at(u), least, most);
  const bool is_number = lattice_.kind() == ValueKind::number;
  if (!is_number) return rounded(ratio, least, most, least, lattice_.step());
  return rounded(ratio, least, most, 0, resolution_of(ratio.upper - ratio.lower, lattice_.step()));
}

bool StatisticsIntervals::may_be_cut_off(std::int64_t sum) const { return std::abs(sum) >= most_sum - reach_of_sum_; }

Statistics StatisticsIntervals::computed(const DrawnStatistics& drawn) const {
  return computed(drawn, drawn.sum && may_be_cut_off(*drawn.sum));
}

Statistics StatisticsIntervals::computed(const DrawnStatistics& drawn, bool is_cut_off) const {
  Statistics statistics{{}, {}, {}, {}, drawn.sum};
  const std::size_t bins = drawn.bins.size();
  std::vector<std::int64_t> below;
  std::int64_t sum = 0;
  for (const std::int64_t bin : drawn.bins) below.push_back(sum = clamped_sum(sum, bin));
  statistics.count = records(below.back(), bins);
  for (std::size_t i = 0; i + 1 < bins; ++i) {
    statistics.below.push_back(records(below[i], i + 1));
    statistics.shares.push_back(share_of(below[i], below.back(), of_shares_[i]));
  }
  if (drawn.sum) statistics.mean = mean_of(*drawn.sum, below.back(), is_cut_off);
  return statistics;
}

StatisticsErrors StatisticsIntervals::errors(std::uint64_t rows) const {
  if (rows == 0) throw Error(ErrorCode::usage, "the errors of counts need at least one row");
  StatisticsErrors errors{rows, half_widths_.back()};
  for (std::size_t i = 0; i < of_shares_.size(); ++i) {
    errors.below.push_back(half_widths_[i]);
    errors.shares.push_back(Rational(*std::ranges::max_element(of_shares_[i].within)) / Rational(rows));
  }
  if (of_mean_) {
    const Rational each = lattice_.step() / Rational(2) / Rational(rows);
    // A mean of dates or times is rounded to a possible value.
    const Rational rounding = lattice_.kind() == ValueKind::number ? Rational(0) : lattice_.step() / Rational(2);
    errors.mean = each * Rational(of_mean_->within.front()) + rounding;
    errors.mean_at_ends = each * Rational(of_mean_->within.back()) + rounding;
  }
  return errors;
}

ReleasedCount count_of(const Statistics& statistics, const StatisticsTerms& terms) {
  const std::size_t bins = terms.request.below.size() + 1;
  return {statistics.count.value, terms.count_noise, bins};
}

ReleasedCount count_below(const Statistics& statistics, const StatisticsTerms& terms, std::size_t i) {
  if (i >= statistics.below.size()) throw Error(ErrorCode::usage, "no count below that value was released");
  const std::size_t bins = i + 1;
  return {statistics.below[i].value, terms.count_noise, bins};
}

Margins::Margins(StatisticsTerms terms, Lattice lattice) : terms_(std::move(terms)), lattice_(std::move(lattice)) {}
Margins::~Margins() = default;
Margins::Margins(Margins&&) noexcept = default;
Margins& Margins::operator=(Margins&&) noexcept = default;

Statistics Margins::of(std::span<const Statistics> groups) {
  const OwnEnvironment own;
  if (groups.empty()) throw Error(ErrorCode::usage, "no groups to add up");
  const std::size_t values = terms_.request.below.size();
  std::unique_ptr<StatisticsIntervals>& intervals = of_groups_[groups.size()];
  if (!intervals) intervals = std::make_unique<StatisticsIntervals>(terms_, lattice_, groups.size());
  DrawnStatistics sums{std::vector<std::int64_t>(values + 1), {}};
  int128 sum = 0;  // not cut off on the way, since other groups may bring it back
  bool is_cut_off = false;
  for (const Statistics& each : groups) {
    if (each.below.size() != values || each.centered_sum.has_value() != terms_.request.mean) {
      throw Error(ErrorCode::usage, "a group has other statistics", "add up groups of one release");
    }
    std::int64_t before = 0;
    for (std::size_t i = 0; i <= values; ++i) {
      const std::int64_t up_to = clamped(i < values ? each.below[i].value : each.count.value);
      sums.bins[i] = clamped_sum(sums.bins[i], up_to - before);
      before = up_to;
    }
    if (!terms_.request.mean) continue;
    const std::int64_t of_group = clamped(*each.centered_sum);
    is_cut_off = is_cut_off || intervals->may_be_cut_off(of_group);
    sum += of_group;
  }
  if (terms_.request.mean) {
    sums.sum = static_cast<std::int64_t>(std::clamp<int128>(sum, -most_sum, most_sum));
    is_cut_off = is_cut_off || *sums.sum != sum;
  }
  return intervals->computed(sums, is_cut_off);
}

namespace {

constexpr std::uint64_t most_draws = std::uint64_t{1} << 40;

void require_noise(const CountNoise& noise) {
  const bool is_pure = noise.measure == Measure::pure && !noise.rate.is_zero();
  const bool is_concentrated = noise.measure == Measure::zcdp && noise.sigma_squared.sign() > 0;
  if (is_pure || is_concentrated) return;
  throw Error(ErrorCode::usage, "the noise of a count has a rate or a variance above 0",
              "take the noise from the terms of a release");
}

}  // namespace

ReleasedCount::ReleasedCount(std::int64_t value, CountNoise noise, std::uint64_t draws)
    : value_(clamped(value)), noise_(std::move(noise)), draws_(draws) {
  if (draws == 0) throw Error(ErrorCode::usage, "a released count has the noise of at least one draw");
  if (draws > most_draws) throw Error(ErrorCode::usage, "a released count has the noise of too many draws");
}

ReleasedCount& ReleasedCount::operator+=(const ReleasedCount& other) {
  if (noise_ != other.noise_) {
    throw Error(ErrorCode::usage, "these counts have noise of two distributions", "add up counts of one release");
  }
  if (other.draws_ > most_draws - draws_) throw Error(ErrorCode::usage, "too many counts are added up");
  value_ = clamped_sum(value_, other.value_);
  draws_ += other.draws_;
  return *this;
}

ReleasedCount sum_of(std::span<const ReleasedCount> counts) {
  if (counts.empty()) throw Error(ErrorCode::usage, "no counts to add up");
  ReleasedCount sum = counts.front();
  for (const ReleasedCount& each : counts.subspan(1)) sum += each;
  return sum;
}

std::vector<CountInterval> intervals_of(std::span<const ReleasedCount> counts, const Rational& level) {
  const OwnEnvironment own;
  if (level <= Rational(0) || level >= Rational(1)) {
    throw Error(ErrorCode::usage, "a level lies between 0 and 1", "write for example 0.95");
  }
  struct Known {
    CountNoise noise;
    std::map<std::uint64_t, std::uint64_t> half_widths;  // by the number of draws
  };
  std::vector<Known> known;  // there are few laws and few numbers of draws
  std::vector<CountInterval> intervals;
  for (const ReleasedCount& each : counts) {
    require_noise(each.noise());
    auto law = std::ranges::find(known, each.noise(), &Known::noise);
    if (law == known.end()) law = known.insert(law, {each.noise(), {}});
    const auto [at, is_new] = law->half_widths.try_emplace(each.draws());
    if (is_new) {
      const CountNoise& noise = each.noise();
      const NoiseSum sum(noise.measure, price_of(noise), each.draws());
      at->second = sum.half_width(failure_of(level));
    }
    intervals.push_back(interval_about(each.value(), at->second));
  }
  return intervals;
}

}  // namespace fractile
