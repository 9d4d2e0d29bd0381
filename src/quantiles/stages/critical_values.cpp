#include "quantiles/stages/critical_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace fractile {

WorstNoise::WorstNoise(std::vector<Parts> noises, std::int64_t one_from)
    : first_(std::numeric_limits<std::int64_t>::max()) {
  const auto log2_step_of = [](const Parts& parts) { return parts.one.log2_step(); };
  const int finest = log2_step_of(*std::ranges::min_element(noises, {}, log2_step_of));
  for (Parts& parts : noises) {
    const int coarser = log2_step_of(parts) - finest;
    first_ = std::min(first_, (parts.one.first() + parts.other.first()) * (std::int64_t{1} << coarser));
    sums_.push_back({std::move(parts.one), parts.other.end(), parts.other.masses_below(), coarser});
  }
  largest_ = sums_.size() - 1;
  one_from_ = std::max(one_from, first_ + 1);
  values_.resize(static_cast<std::size_t>(one_from_ - first_) + 1);
  values_.front() = 1;
  known_from_ = known_to_ = one_from_;
}

/// A sum whose bound at a larger t is at most the current maximum is not evaluated again.
double WorstNoise::at(std::int64_t t) {
  double worst = 0;
  const auto look_at = [&](std::size_t i) {
    Sum& sum = sums_[i];
    if (sum.last_at >= t && sum.last_bound <= worst) return;
    sum.last_at = t;
    const std::int64_t from = -(-t >> sum.coarser);  // the first of the coarser steps that is not below t
    sum.last_bound = sum.one.expectation({sum.end, sum.below.data(), sum.below.size()}, from);
    if (sum.last_bound <= worst) return;
    worst = sum.last_bound;
    largest_ = i;
  };
  const std::size_t first = largest_;
  look_at(first);
  for (std::size_t i = sums_.size(); i-- > 0;) {
    if (i != first) look_at(i);
  }
  return std::min(worst, 1.0);
}

IncreasingBound WorstNoise::between(std::int64_t least, std::int64_t most) {
  least = std::clamp(least, first_, one_from_);
  most = std::clamp(most, least, one_from_);
  const auto learn = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t t = to; t-- > from;) values_[static_cast<std::size_t>(one_from_ - t)] = at(t);
  };
  const std::int64_t to = std::min(most + 1, one_from_);
  if (known_from_ == known_to_) known_from_ = known_to_ = std::min(least, to);
  learn(least, known_from_);
  learn(known_to_, to);
  known_from_ = std::min(known_from_, least);
  known_to_ = std::max(known_to_, to);
  return {most, values_.data() + (one_from_ - most), static_cast<std::size_t>(most - least) + 1};
}

double deviate_of(double failure) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > failure ? low : high) = middle;
  }
  return high;
}

CriticalValues::CriticalValues(Measure measure, const NoisePrice& noise, std::size_t cells)
    : CriticalValues(noise_deviation(measure, noise),
                     std::make_shared<const std::vector<LowerLaw>>(noise_sums(measure, noise, cells)), cells) {}

CriticalValues::LowerEnd CriticalValues::lower_end(const QuantileFraction& q, IntervalEnd end, std::size_t innermost,
                                                   const CutMargins& margins) const {
  if (end == IntervalEnd::lower) return {q, innermost, margins};
  return {{q.denominator - q.numerator, q.denominator}, cells_ - innermost, margins};
}

double CriticalValues::deviation_of_noise(const LowerEnd& end, std::size_t below) const {
  const double p = end.probability();
  const auto lower = static_cast<double>(below);
  const auto upper = static_cast<double>(cells_ - below);
  return deviation_ * std::sqrt((1 - p) * (1 - p) * lower + p * p * upper) * static_cast<double>(end.q.denominator);
}

std::int64_t CriticalValues::margin(const LowerEnd& end, std::size_t below) const {
  const double innermost = deviation_of_noise(end);
  const double wider = std::max(end.margins.times * (deviation_of_noise(end, below) - innermost), 0.0);
  const bool is_beyond = below > end.innermost && !end.is_median();
  return static_cast<std::int64_t>(std::ceil(wider + (is_beyond ? end.margins.beyond * innermost : 0)));
}

std::int64_t CriticalValues::margin(const QuantileFraction& q, IntervalEnd side, std::size_t innermost,
                                    std::size_t cells_below, const CutMargins& margins) const {
  const bool is_lower = side == IntervalEnd::lower;
  return margin(lower_end(q, side, innermost, margins), is_lower ? cells_below : cells_ - cells_below);
}

namespace {

/// For an increasing function: the largest c in [lowest, highest] with failure_at(c) <= failure, searched for around a guess;
/// Threshold::none when there is none.
template <class FailureAt>
std::int64_t largest_within(std::int64_t lowest, std::int64_t highest, std::int64_t guess, double failure,
                            FailureAt&& failure_at) {
  constexpr std::int64_t nothing = CriticalValues::Threshold::none;
  const auto is_within = [&](std::int64_t c) { return failure_at(c) <= failure; };
  if (highest < lowest) return is_within(highest) ? highest : nothing;
  guess = std::clamp(guess, lowest, highest);
  std::int64_t stride = 8;
  if (is_within(guess)) {
    lowest = guess;
    while (lowest < highest) {  // the largest c is here or above
      const std::int64_t next = std::min(guess + stride, highest);
      if (!is_within(next)) {
        highest = next - 1;
        break;
      }
      lowest = guess = next;
      stride *= 2;
    }
  } else {
    for (highest = guess;; stride *= 2) {  // the largest c is below
      const std::int64_t next = std::max(highest - stride, lowest);
      if (is_within(next)) {
        lowest = next;
        --highest;
        break;
      }
      if (next == lowest) return nothing;
      highest = next;
    }
  }
  while (lowest < highest) {
    const std::int64_t middle = highest - (highest - lowest) / 2;
    if (is_within(middle)) {
      lowest = middle;
    } else {
      highest = middle - 1;
    }
  }
  return lowest;
}

}  // namespace

WorstNoise CriticalValues::computed_worst(const LowerEnd& end, int log2_step) const {
  std::vector<WorstNoise::Parts> noises;
  const auto add = [&](std::size_t i, int log2_step_of_bound) {
    LowerLaw below = sum_of(i).times(end.q.denominator - end.q.numerator, log2_step_of_bound).less(-margin(end, i));
    LowerLaw above = sum_of(cells_ - i).times(end.q.numerator, log2_step_of_bound);
    const bool is_shorter = below.masses().size() < above.masses().size();
    noises.push_back(is_shorter ? WorstNoise::Parts{std::move(below), std::move(above)}
                                : WorstNoise::Parts{std::move(above), std::move(below)});
  };
  // Beyond the innermost cut a bound on steps of a fourth of its deviation will do, since the margin is larger than what rounding adds.
  const int coarse = std::clamp(step_below(deviation_of_noise(end) / 4), log2_step, log2_step + 5);
  if (!end.is_median()) {
    for (std::size_t i = end.innermost + 1; i < cells_; ++i) add(i, coarse);
    for (std::size_t i = 1; i < end.innermost; ++i) add(i, log2_step);
  }
  add(end.innermost, log2_step);  // the last one is looked at first, and is nearly always the largest
  // Larger noise is very rare.
  const double most = std::ldexp(4 * deviation_of_noise(end), -log2_step) + 1;
  return {std::move(noises), static_cast<std::int64_t>(most)};
}

/// Z_i and -Z_i have one law, the law of (1 - q) S_i + q S_j, where j is the number of cells above.
WorstNoise& CriticalValues::worst_noise(const LowerEnd& end, int log2_step) {
  const std::tuple key(end.key(), log2_step);
  const auto place = worst_.find(key);
  if (place != worst_.end()) return place->second;
  return worst_.emplace(key, computed_worst(end, log2_step)).first->second;
}

CriticalValues::Threshold CriticalValues::of_table(const QuantileFraction& q, IntervalEnd side, std::size_t innermost,
                                                   double failure) {
  LowerEnd end = lower_end(q, side, innermost, {});
  const std::tuple key(end.key(), failure);
  if (const auto known = of_tables_.find(key); known != of_tables_.end()) return known->second;
  end.margins = CutMargins::of_table(failure);
  const double deviation = deviation_of_noise(end);
  const int log2_step = step_below(std::max(deviation, static_cast<double>(end.q.denominator)) / 128);
  WorstNoise worst = computed_worst(end, log2_step);
  const auto guess = static_cast<std::int64_t>(std::ldexp(-deviate_of(failure) * deviation, -log2_step));
  const std::int64_t c = largest_within(std::min<std::int64_t>(worst.first(), 0), 0, guess, failure,
                                        [&](std::int64_t t) { return worst.at(t); });
  return of_tables_[key] = {c, log2_step};
}

std::optional<CriticalValues::Records> CriticalValues::records(std::int64_t noisy_records, double failure) const {
  const LowerLaw& all = sum_of(cells_);
  const std::vector<double> below = all.masses_below();  // decreasing
  const auto place = std::ranges::find_if(below, [&](double mass) { return mass <= failure / 2; });
  if (place == below.end()) return {};
  const int128 most_noise = -(static_cast<int128>(all.end() - (place - below.begin())) << all.log2_step());
  if (noisy_records + most_noise > static_cast<int128>(most_sampled_records)) return {};
  const auto within = [](int128 n) { return static_cast<std::uint64_t>(std::max<int128>(n, 0)); };
  return Records{within(noisy_records - most_noise), within(noisy_records + most_noise)};
}

namespace {

/// F_n(t) of the proof, certified from above for all n of a piece.
class FailureOfAPopulation {
 public:
  FailureOfAPopulation(WorstNoise& noise, std::int64_t least_noise, LowerLaw sampled)
      : noise_(noise), least_noise_(least_noise), sampled_(std::move(sampled)) {}

  std::int64_t lowest() const { return least_noise_ + sampled_.first(); }
  double operator()(std::int64_t t) const {
    const std::int64_t least = std::max(t - (sampled_.end() - 1), least_noise_);
    return sampled_.expectation(noise_.between(least, std::max(t - sampled_.first(), least)), t);
  }

 private:
  WorstNoise& noise_;
  std::int64_t least_noise_;  // smaller values are replaced by this
  LowerLaw sampled_;
};

/// The largest power of two that is below 1 / 2^digits of the number; at least 1.
std::uint64_t unit_of(std::uint64_t number, int digits) {
  return std::uint64_t{1} << std::max(static_cast<int>(std::bit_width(number)) - 1 - digits, 0);
}

/// A few more numbers of records, which other groups share, so that their thresholds are computed once. The largest number, on which widths
/// depend, grows by less than 1/128. Neither bound moves by more than half of their distance, since each number between them takes time.
CriticalValues::Records shared(const CriticalValues::Records& n) {
  const std::uint64_t between = std::bit_floor(std::max<std::uint64_t>((n.most - n.least) / 2, 1));
  const std::uint64_t fine = std::min(unit_of(n.most, 7), between);
  const std::uint64_t most = (n.most + fine - 1) / fine * fine;
  return {n.least - n.least % std::min(unit_of(n.least, 2), between), std::min(most, most_sampled_records)};
}

}  // namespace

CriticalValues::Threshold CriticalValues::of_population(const QuantileFraction& q, IntervalEnd side,
                                                        std::size_t innermost, double failure,
                                                        std::int64_t noisy_records, double failure_of_n) {
  const LowerEnd end = lower_end(q, side, innermost, CutMargins::of_population());
  const std::optional<Records> known_records = records(noisy_records, failure_of_n);
  if (!known_records) return {Threshold::none, 0};
  const Records n = shared(*known_records);
  const std::tuple key(end.key(), failure, n.least, n.most);
  if (const auto known = of_populations_.find(key); known != of_populations_.end()) return known->second;
  const double p = end.probability();
  const double sampling = static_cast<double>(end.q.denominator) * std::sqrt(static_cast<double>(n.most) * p * (1 - p));
  const double deviation = std::hypot(deviation_of_noise(end), sampling);
  const int log2_step = step_below(std::max(deviation, static_cast<double>(end.q.denominator)) / 192);
  const auto in_steps = [&](double value) { return static_cast<std::int64_t>(std::ldexp(value, -log2_step)); };

  const double slack = failure / 4096;  // the part of the failure probability that is not computed closely
  WorstNoise& noise = worst_noise(end, log2_step);
  const std::int64_t least_noise =
      std::max(noise.first(), largest_within(noise.first(), 0, in_steps(-4 * deviation_of_noise(end)), slack,
                                             [&](std::int64_t t) { return noise.at(t); }));
  // Numbers of records are taken in pieces, from the largest down. The first piece nearly always decides, and each other piece then
  // needs one evaluation. In a narrow piece, q n varies by two steps; a piece that exceeds the failure probability is tried again
  // as narrower ones.
  const auto narrow =
      static_cast<std::uint64_t>(std::max(1.0, std::ldexp(2 / static_cast<double>(end.q.numerator), log2_step)));
  std::int64_t c = 0;
  std::uint64_t width = narrow;
  std::uint64_t most = n.most;
  int kept = 0;  // pieces in a row since one was made narrower
  while (true) {
    const std::uint64_t least = most - std::min(width - 1, most - n.least);
    const FailureOfAPopulation failure_at(noise, least_noise, sample_law(end.q, least, most, log2_step, slack));
    if (failure_at(c) > failure) {
      if (width > narrow) {
        width = std::max(width / 2, narrow);
        kept = -1;
        continue;
      }
      const std::int64_t guess = c == 0 ? in_steps(-2 * deviation) : c;
      c = largest_within(failure_at.lowest(), c, guess, failure, failure_at);
      if (c == Threshold::none) break;
    }
    if (least == n.least) break;
    most = least - 1;
    if (++kept > 0) width *= 2;
  }
  return of_populations_[key] = {c, log2_step};
}

}  // namespace fractile
