#include "quantiles/interval_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "exact/enclosure.hpp"
#include "fractile/error.hpp"

namespace fractile {
namespace {

/// Above the relative error of a sum of 2^20 products of doubles, or of a million steps of eight roundings; the constant is for what
/// underflows.
double rounded_up(double value) { return value * (1 + 0x1p-26) + 0x1p-1000; }

constexpr double negligible = 1e-11;  // a tail of less mass is moved below everything else, and counted there
constexpr std::size_t most_masses = std::size_t{1} << 20;

std::int64_t floor_division(int128 a, int128 b) {
  const int128 quotient = a / b;
  return static_cast<std::int64_t>(quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0));
}

/// floor(value * 2^from * numerator / (denominator * 2^to)).
std::int64_t on_step(std::int64_t value, int from, std::uint64_t numerator, std::uint64_t denominator, int to) {
  int128 up = static_cast<int128>(value) * static_cast<int128>(numerator);
  auto down = static_cast<int128>(denominator);
  if (from > to) up <<= from - to;
  if (to > from) down <<= to - from;
  return floor_division(up, down);
}

}  // namespace

void LowerLaw::trim() {
  std::size_t low = 0;
  double below = 0;
  while (low + 1 < masses_.size() && below + masses_[low] < negligible) below += masses_[low++];
  missing_ = rounded_up(missing_ + below);
  std::size_t high = masses_.size();
  double above = 0;
  while (high > low + 1 && above + masses_[high - 1] < negligible) above += masses_[--high];
  masses_.resize(high);
  masses_.back() = rounded_up(masses_.back() + above);
  masses_.erase(masses_.begin(), masses_.begin() + static_cast<std::ptrdiff_t>(low));
  first_ += static_cast<std::int64_t>(low);
}

namespace {

/// sums[j] += mass * others[j], four at a time: nearly all of the time of critical values is spent here. Each is rounded as if alone.
void add_multiple(double* sums, double mass, const std::vector<double>& others) {
  using Four = double __attribute__((vector_size(32)));
  std::size_t j = 0;
  for (; j + 4 <= others.size(); j += 4) {
    Four sum;
    Four other;
    std::memcpy(&sum, sums + j, sizeof sum);
    std::memcpy(&other, others.data() + j, sizeof other);
    sum += mass * other;
    std::memcpy(sums + j, &sum, sizeof sum);
  }
  for (; j < others.size(); ++j) sums[j] += mass * others[j];
}

}  // namespace

LowerLaw LowerLaw::sum(const LowerLaw& a, const LowerLaw& b) {
  std::vector<double> masses(a.masses_.size() + b.masses_.size() - 1);
  for (std::size_t i = 0; i < a.masses_.size(); ++i) {
    const double mass = a.masses_[i];
    if (mass == 0) continue;  // of a law on a coarser step, most are
    add_multiple(masses.data() + i, mass, b.masses_);
  }
  for (double& mass : masses) mass = rounded_up(mass);
  LowerLaw law(a.log2_step_, a.first_ + b.first_, std::move(masses), rounded_up(a.missing_ + b.missing_));
  law.trim();
  return law;
}

LowerLaw LowerLaw::scaled(std::uint64_t numerator, std::uint64_t denominator, int log2_step) const {
  const auto at = [&](std::int64_t k) { return on_step(k, log2_step_, numerator, denominator, log2_step); };
  const std::int64_t first = at(first_);
  std::vector<double> masses(static_cast<std::size_t>(at(end() - 1) - first) + 1);
  for (std::size_t k = 0; k < masses_.size(); ++k) {
    masses[static_cast<std::size_t>(at(first_ + static_cast<std::int64_t>(k)) - first)] += masses_[k];
  }
  for (double& mass : masses) mass = rounded_up(mass);
  return {log2_step, first, std::move(masses), missing_};
}

std::vector<double> LowerLaw::masses_below() const {
  std::vector<double> below{missing_};
  for (const double mass : masses_) below.push_back(below.back() + mass);
  for (double& mass : below) mass = rounded_up(mass);
  return below;
}

double noise_deviation(Measure measure, const NoisePrice& noise) {
  if (measure == Measure::zcdp) return std::sqrt(noise.sigma_squared.to_double());
  const double rate = noise.rate.to_double();
  return std::sqrt(2 * std::exp(-rate)) / -std::expm1(-rate);
}

namespace {

void require_listable(double masses) {
  if (masses < static_cast<double>(most_masses)) return;
  throw Error(ErrorCode::usage, "noise too wide for an interval", "give the release a larger budget");
}

/// With r = exp(-rate), P(N >= k) = P(N <= -k) = r^k / (1 + r) for k >= 1.
LowerLaw laplace_law(const Exponent& rate, int log2_step) {
  const double reach = -std::log(negligible) / rate.to_double() / std::ldexp(1.0, log2_step) + 2;
  require_listable(reach);
  const auto most = static_cast<std::int64_t>(reach);
  const auto power = [&](std::int64_t k) {
    return (Enclosure::of(Rational(0)) - Enclosure::of(rate * Rational(k))).exp();
  };
  const Enclosure one = Enclosure::of(Rational(1));
  const std::int64_t step = std::int64_t{1} << log2_step;
  const Enclosure tail = one / (one + power(1));
  const Enclosure of_step = one - power(step);
  const Enclosure ratio = power(step);
  const Enclosure first = power(1) * tail * of_step;  // of -step .. -1
  std::vector<double> masses(static_cast<std::size_t>(2 * most + 1));
  const auto centre = static_cast<std::size_t>(most);
  masses[centre] = (one - power(1) * tail - ratio * tail).upper_double();
  Enclosure from_zero = tail;
  for (std::size_t j = 1; j <= centre; ++j) {
    masses[centre - j] = (first * from_zero / tail).upper_double();
    from_zero *= ratio;
    masses[centre + j] = (from_zero * of_step).upper_double();
  }
  const double beyond = (from_zero * power(1)).upper_double();  // on either side
  masses.back() = rounded_up(masses.back() + beyond);
  return {log2_step, -most, std::move(masses), beyond};
}

/// exp(-k^2 / (2 sigma^2)) over its sum, which is at least sqrt(2 pi sigma^2) (Poisson summation) and at least any part of it. Of
/// several k in a step, as many times the largest.
LowerLaw gaussian_law(const Rational& sigma_squared, int log2_step) {
  const double step = std::ldexp(1.0, log2_step);
  const double reach = 8 * std::sqrt(sigma_squared.to_double()) / step + 2;
  require_listable(reach);
  const auto most = static_cast<std::int64_t>(reach);
  const auto weight = [&](std::int64_t k) {
    return (Enclosure::of(Rational(0)) - Enclosure::of(Rational(k) * Rational(k) / (Rational(2) * sigma_squared)))
        .exp();
  };
  const std::int64_t whole = std::int64_t{1} << log2_step;
  Enclosure total = Enclosure::of(Rational(1));
  const std::int64_t listed = log2_step == 0 ? most : 0;
  for (std::int64_t k = 1; k <= listed; ++k) total += weight(k) * Enclosure::of(Rational(2));
  // 2 pi > 6283185/10^6
  const Rational root = sqrt_down(Rational(6283185, 1000000) * sigma_squared);
  const double least = std::max(total.lower_double(), root.to_double() * (1 - 0x1p-50));
  std::vector<double> masses(static_cast<std::size_t>(2 * most + 1));
  for (std::int64_t j = -most; j <= most; ++j) {
    const std::int64_t nearest = j >= 0 ? j * whole : (j + 1) * whole - 1;
    masses[static_cast<std::size_t>(j + most)] = rounded_up(weight(nearest).upper_double() * step / least);
  }
  const std::int64_t next = most * whole;  // all further ones weigh at most exp(-next / sigma^2) of the one before
  const double ratio =
      (Enclosure::of(Rational(0)) - Enclosure::of(Rational(next) / sigma_squared)).exp().upper_double();
  const double beyond = rounded_up(weight(next).upper_double() / (1 - ratio) / least * (1 + 0x1p-40));
  masses.back() = rounded_up(masses.back() + beyond);
  return {log2_step, -most, std::move(masses), beyond};
}

}  // namespace

LowerLaw noise_law(Measure measure, const NoisePrice& noise, int log2_step) {
  return measure == Measure::zcdp ? gaussian_law(noise.sigma_squared, log2_step) : laplace_law(noise.rate, log2_step);
}

LowerLaw binomial_law(const QuantileFraction& q, std::uint64_t least, std::uint64_t most, int log2_step) {
  const auto n = static_cast<double>(least);
  const double p = static_cast<double>(q.numerator) / static_cast<double>(q.denominator);
  const double other = static_cast<double>(q.denominator - q.numerator) / static_cast<double>(q.denominator);
  const auto mode = static_cast<std::uint64_t>(static_cast<uint128>(q.numerator) * least / q.denominator);
  // Relative to the mode's, from its neighbours outwards; the ratio of two neighbours falls on both sides.
  std::vector<double> down;
  double ratio = 1;
  double weight = 1;
  for (std::uint64_t k = mode; k > 0 && weight > negligible / 100; --k) {
    ratio = static_cast<double>(k) * other / ((n - static_cast<double>(k) + 1) * p);
    down.push_back(weight *= ratio);
  }
  const double below = mode > down.size() ? rounded_up(weight * ratio / (1 - std::min(ratio, 0.999999))) : 0;
  std::vector<double> weights(down.rbegin(), down.rend());
  weights.push_back(1);
  ratio = weight = 1;
  std::uint64_t top = mode;
  for (; top < least && weight > negligible / 100; ++top) {
    ratio = (n - static_cast<double>(top)) * p / ((static_cast<double>(top) + 1) * other);
    weights.push_back(weight *= ratio);
  }
  const double above = top < least ? rounded_up(weight * ratio / (1 - std::min(ratio, 0.999999))) : 0;
  weights.back() += above;
  double total = 0;
  for (const double each : weights) total += each;
  total -= above;
  total *= 1 - 0x1p-26;                   // what was listed weighs at least that
  const auto at = [&](std::uint64_t k) {  // floor of (k - q most) / 2^log2_step
    const int128 scaled = static_cast<int128>(k) * static_cast<int128>(q.denominator) -
                          static_cast<int128>(most) * static_cast<int128>(q.numerator);
    const auto den = static_cast<int128>(q.denominator);
    return log2_step >= 0 ? floor_division(scaled, den << log2_step) : floor_division(scaled << -log2_step, den);
  };
  const std::uint64_t bottom = mode - down.size();
  const std::int64_t first = at(bottom);
  std::vector<double> masses(static_cast<std::size_t>(at(top) - first) + 1);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    masses[static_cast<std::size_t>(at(bottom + k) - first)] += weights[k] / total;
  }
  for (double& mass : masses) mass = rounded_up(mass);
  return {log2_step, first, std::move(masses), rounded_up(below / total)};
}

CriticalValues::CriticalValues(Measure measure, const NoisePrice& noise, std::size_t cells)
    : deviation_(noise_deviation(measure, noise)) {
  const int log2_step = std::max(0, static_cast<int>(std::floor(std::log2(deviation_ / 32))) + 1);
  const LowerLaw one = noise_law(measure, noise, log2_step);
  sums_.push_back({log2_step, 0, {1}, 0});
  while (sums_.size() <= cells) sums_.push_back(LowerLaw::sum(sums_.back(), one));
}

double CriticalValues::Worst::at(std::int64_t t) const {
  if (t <= first) return below.front();
  const auto place = static_cast<std::uint64_t>(t - first);
  return place < below.size() ? below[place] : 1;
}

/// Z_i and -Z_i have one law, that of (1 - q) S_i + q S_j, j the number of cells above.
const CriticalValues::Worst& CriticalValues::worst_noise(const QuantileFraction& q, const CellsBelow& below,
                                                         int log2_step) {
  const auto [place, is_new] = worst_.try_emplace({q.numerator, q.denominator, below.first, below.last, log2_step});
  if (is_new) place->second = computed_worst(q, below, log2_step);
  return place->second;
}

const LowerLaw& CriticalValues::sampled(const QuantileFraction& q, std::uint64_t least, std::uint64_t most,
                                        int log2_step) {
  const auto [place, is_new] = sampled_.try_emplace({q.numerator, q.denominator, least, most, log2_step});
  if (is_new) place->second = binomial_law(q, least, most, log2_step);
  return place->second;
}

CriticalValues::Worst CriticalValues::computed_worst(const QuantileFraction& q, const CellsBelow& below,
                                                     int log2_step) const {
  std::vector<LowerLaw> laws;
  for (std::size_t i = below.first; i <= below.last; ++i) {
    laws.push_back(LowerLaw::sum(sums_[i].scaled(q.denominator - q.numerator, q.denominator, log2_step),
                                 sums_[sums_.size() - 1 - i].scaled(q.numerator, q.denominator, log2_step)));
  }
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  Worst worst{log2_step, std::numeric_limits<std::int64_t>::max(), {}};
  for (const LowerLaw& law : laws) {
    worst.first = std::min(worst.first, law.first());
    end = std::max(end, law.end());
  }
  worst.below.assign(static_cast<std::size_t>(end - worst.first) + 1, 0);
  for (const LowerLaw& law : laws) {
    const std::vector<double> masses = law.masses_below();
    for (std::int64_t t = worst.first; t <= end; ++t) {
      const std::int64_t place = std::clamp<std::int64_t>(t - law.first(), 0, law.end() - law.first());
      double& most = worst.below[static_cast<std::size_t>(t - worst.first)];
      most = std::max(most, masses[static_cast<std::size_t>(place)]);
    }
  }
  return worst;
}

int CriticalValues::step_for(const QuantileFraction& q, const CellsBelow& below, double records) const {
  const double p = static_cast<double>(q.numerator) / static_cast<double>(q.denominator);
  const auto cells = static_cast<double>(sums_.size() - 1);
  const auto first = static_cast<double>(below.first);
  const double noise = deviation_ * std::sqrt((1 - p) * (1 - p) * first + p * p * (cells - first));
  const double both = std::sqrt(noise * noise + std::max(records, 0.0) * p * (1 - p));
  return std::max(-8, static_cast<int>(std::floor(std::log2(both / 48))));
}

bool CriticalValues::Threshold::exceeds(int128 statistic, std::uint64_t denominator) const {
  if (value == none) return false;
  const int128 threshold = static_cast<int128>(value) * static_cast<int128>(denominator);
  if (log2_step < 0) return (statistic << -log2_step) < threshold;
  return statistic < (threshold << log2_step);
}

namespace {

/// Of an increasing function: the largest c in [lowest, 0] with failure_at(c) <= failure.
template <class FailureAt>
std::int64_t largest_below(std::int64_t lowest, double failure, FailureAt&& failure_at) {
  if (failure_at(lowest) > failure) return CriticalValues::Threshold::none;
  std::int64_t highest = 0;
  while (lowest < highest) {
    const std::int64_t middle = highest - (highest - lowest) / 2;
    if (failure_at(middle) <= failure) {
      lowest = middle;
    } else {
      highest = middle - 1;
    }
  }
  return lowest;
}

}  // namespace

CriticalValues::Threshold CriticalValues::of_table(const QuantileFraction& q, const CellsBelow& below, double failure) {
  const Worst& worst = worst_noise(q, below, step_for(q, below, 0));
  const std::int64_t c =
      largest_below(std::min<std::int64_t>(worst.first, 0), failure, [&](std::int64_t t) { return worst.at(t); });
  return {c, worst.log2_step};
}

std::optional<CriticalValues::Records> CriticalValues::records(std::int64_t noisy_records, double failure) const {
  const LowerLaw& all = sums_.back();
  const std::vector<double> below = all.masses_below();
  std::size_t k = 0;
  while (k + 1 < below.size() && below[k + 1] <= failure / 2) ++k;
  const bool known = below[k] <= failure / 2;
  const std::int64_t most_noise = known ? -((all.first() + static_cast<std::int64_t>(k)) << all.log2_step()) : 0;
  if (!known) return {};
  const auto within = [](std::int64_t n) { return static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0)); };
  return Records{within(noisy_records - most_noise), within(noisy_records + most_noise)};
}

CriticalValues::Threshold CriticalValues::of_population(const QuantileFraction& q, IntervalEnd end,
                                                        const CellsBelow& below, double failure,
                                                        std::int64_t noisy_records, double failure_of_n) {
  const std::optional<Records> known = records(noisy_records, failure_of_n);
  if (!known || known->most > most_sampled_records) return {Threshold::none, 0};
  const Records n = *known;
  const int log2_step = step_for(q, below, static_cast<double>(noisy_records));
  const Worst& worst = worst_noise(q, below, log2_step);
  const QuantileFraction sampled_at{end == IntervalEnd::lower ? q.numerator : q.denominator - q.numerator,
                                    q.denominator};
  const double p = static_cast<double>(sampled_at.numerator) / static_cast<double>(sampled_at.denominator);
  const auto width = static_cast<std::uint64_t>(std::max(1.0, 2 * std::ldexp(1.0, log2_step) / p));
  std::int64_t c = 0;
  // From the largest numbers of records down: these decide nearly always, and the others then take one look each.
  for (std::uint64_t piece = (n.most - n.least) / width + 1; piece-- > 0;) {
    const std::uint64_t least = n.least + piece * width;
    const LowerLaw& drawn = sampled(sampled_at, least, std::min(least + width - 1, n.most), log2_step);
    const auto failure_at = [&](std::int64_t t) {
      double sum = drawn.missing();
      for (std::int64_t b = drawn.first(); b < drawn.end(); ++b) {
        const double mass = drawn.masses()[static_cast<std::size_t>(b - drawn.first())];
        if (mass > 0) sum += mass * worst.at(t - b);
      }
      return rounded_up(sum);
    };
    if (failure_at(c) <= failure) continue;
    c = largest_below(std::min<std::int64_t>(worst.first + drawn.first(), c), failure, failure_at);
    if (c == Threshold::none) break;
  }
  return {c, log2_step};
}

}  // namespace fractile
