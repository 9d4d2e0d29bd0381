#include "quantiles/stages/interval_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "exact/enclosure.hpp"
#include "exact/wide_integers.hpp"
#include "fractile/error.hpp"

namespace fractile {

namespace {

/// Covers the relative error of a sum of 2^20 products of doubles, or of a million steps of eight roundings. The constant covers
/// underflow.
double rounded_up(double value) { return value * (1 + 0x1p-26) + 0x1p-1000; }

constexpr double negligible = 1e-11;  // a tail of less mass is moved below everything else and counted there
constexpr std::size_t most_masses = std::size_t{1} << 20;

// Critical values spend nearly all of their time in these operations.
using Four = double __attribute__((vector_size(32)));

void load(Four& four, const double* values) { std::memcpy(&four, values, sizeof four); }

/// The dot product. In any order, a sum of at most 2^20 products has a relative error that `rounded_up` covers.
double dot(const double* a, const double* b, std::size_t size) {
  Four sums[4] = {};
  std::size_t k = 0;
  for (; k + 16 <= size; k += 16) {
    for (std::size_t i = 0; i < 4; ++i) {
      Four of_a;
      Four of_b;
      load(of_a, a + k + 4 * i);
      load(of_b, b + k + 4 * i);
      sums[i] += of_a * of_b;
    }
  }
  const Four all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  double sum = (all[0] + all[1]) + (all[2] + all[3]);
  for (; k < size; ++k) sum += a[k] * b[k];
  return sum;
}

/// sums[j] += mass * others[j].
void add_multiple(double* sums, double mass, const std::vector<double>& others) {
  std::size_t j = 0;
  for (; j + 4 <= others.size(); j += 4) {
    Four sum;
    Four other;
    load(sum, sums + j);
    load(other, others.data() + j);
    sum += mass * other;
    std::memcpy(sums + j, &sum, sizeof sum);
  }
  for (; j < others.size(); ++j) sums[j] += mass * others[j];
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

LowerLaw LowerLaw::sum(const LowerLaw& a, const LowerLaw& b) {
  std::vector<double> masses(a.masses_.size() + b.masses_.size() - 1);
  for (std::size_t i = 0; i < a.masses_.size(); ++i) {
    const double mass = a.masses_[i];
    if (mass == 0) continue;  // on a coarser step, most masses of the law are 0
    add_multiple(masses.data() + i, mass, b.masses_);
  }
  for (double& mass : masses) mass = rounded_up(mass);
  LowerLaw law(a.log2_step_, a.first_ + b.first_, std::move(masses), rounded_up(a.missing_ + b.missing_));
  law.trim();
  return law;
}

LowerLaw LowerLaw::times(std::uint64_t factor, int log2_step) const {
  const auto at = [&](std::int64_t k) {
    return static_cast<std::int64_t>((static_cast<int128>(k) * static_cast<int128>(factor) << log2_step_) >> log2_step);
  };
  const std::int64_t first = at(first_);
  std::vector<double> masses(static_cast<std::size_t>(at(end() - 1) - first) + 1);
  for (std::size_t k = 0; k < masses_.size(); ++k) {
    masses[static_cast<std::size_t>(at(first_ + static_cast<std::int64_t>(k)) - first)] += masses_[k];
  }
  for (double& mass : masses) mass = rounded_up(mass);
  return {log2_step, first, std::move(masses), missing_};
}

LowerLaw LowerLaw::less(std::int64_t number) const {
  LowerLaw law = *this;
  law.first_ += -number >> log2_step_;
  return law;
}

std::vector<double> LowerLaw::masses_below() const {
  std::vector<double> below(masses_.size() + 1);
  double sum = missing_;
  for (std::size_t k = 0; k < masses_.size(); ++k) {
    below[masses_.size() - k] = rounded_up(sum);
    sum += masses_[k];
  }
  below.front() = rounded_up(sum);
  return below;
}

double LowerLaw::expectation(const IncreasingBound& f, std::int64_t t) const {
  const auto size = static_cast<std::int64_t>(masses_.size());
  const std::int64_t place = f.last - (t - first_);  // place of the first mass among the values
  const std::int64_t low = std::clamp<std::int64_t>(-place, 0, size);
  const std::int64_t high = std::clamp<std::int64_t>(static_cast<std::int64_t>(f.size) - place, low, size);
  const double* masses = masses_.data();
  const double inside =
      high > low ? dot(masses + low, f.values + (place + low), static_cast<std::size_t>(high - low)) : 0;
  return rounded_up(missing_ + f.values[0] * std::accumulate(masses, masses + low, 0.0) + inside +
                    f.values[f.size - 1] * std::accumulate(masses + high, masses + size, 0.0));
}

int step_below(double most) { return static_cast<int>(std::floor(std::log2(std::max(most, 1.0)))); }

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

/// One draw N of discrete Laplace noise, on a step of s. With r = exp(-rate) and rho = r^s, floor(N / s) is k >= 0 with probability
/// rho^k (1 - rho) / (1 + r), and -k < 0 with r rho^(k - 1) (1 - rho) / (1 + r).
class LaplaceDraw {
 public:
  LaplaceDraw(const Exponent& rate, int log2_step) {
    const double reach = -std::log(negligible) / (rate.to_double() * std::ldexp(1.0, log2_step)) + 2;
    require_listable(reach);
    reach_ = static_cast<std::size_t>(reach);
    const Enclosure one = Enclosure::of(Rational(1));
    const Enclosure r = exp_of_minus(rate);
    const Enclosure of_step = exp_of_minus(rate * Rational(std::int64_t{1} << log2_step));
    const Enclosure nearest = (one - of_step) / (one + r);
    up_ = nearest.upper_double();
    down_ = (nearest * r).upper_double();
    ratio_ = of_step.upper_double();
    beyond_ = (of_step / (one - of_step)).upper_double();  // the sum of all later masses divided by the last mass
  }

  /// The law of X + N: two geometric series, computed by first-order recursions from both ends.
  LowerLaw added_to(const LowerLaw& law) const {
    const std::vector<double>& masses = law.masses();
    std::vector<double> rising(masses.size() + 2 * reach_);   // at j: sum over k >= 0 of rho^k x_(j - k)
    std::vector<double> falling(masses.size() + 2 * reach_);  // at j: sum over k >= 1 of rho^(k - 1) x_(j + k)
    double up = 0;
    for (std::size_t k = 0; k < masses.size() + reach_; ++k) {
      up = ratio_ * up + (k < masses.size() ? masses[k] : 0);
      rising[k + reach_] = up;
    }
    double down = 0;
    for (std::size_t k = masses.size() + reach_ - 1; k-- > 0;) {
      down = ratio_ * down + (k + 1 >= reach_ ? masses[k + 1 - reach_] : 0);
      falling[k] = down;
    }
    const double below = down_ * falling.front() * beyond_;
    const double above = up_ * rising.back() * beyond_;
    for (std::size_t k = 0; k < rising.size(); ++k) rising[k] = rounded_up(up_ * rising[k] + down_ * falling[k]);
    rising.back() = rounded_up(rising.back() + above);
    LowerLaw sum(law.log2_step(), law.first() - static_cast<std::int64_t>(reach_), std::move(rising),
                 rounded_up(law.missing() + below));
    sum.trim();
    return sum;
  }

 private:
  std::size_t reach_;
  double up_;
  double down_;
  double ratio_;
  double beyond_;
};

/// The draws of a sum of discrete Gaussian noise have a common law: if sigma^2 >= 2, it is exp(-k^2 / (2 tau^2)) / sqrt(2 pi tau^2)
/// times less than 1 + draws / 2^27, where tau^2 = draws sigma^2. A step with several k gets the largest of their masses times
/// their number.
class GaussianSum {
 public:
  GaussianSum(const Rational& sigma_squared, std::size_t draws, int log2_step)
      : tau_squared_(sigma_squared * Rational(draws)), log2_step_(log2_step), step_(std::int64_t{1} << log2_step) {
    const double reach = 8 * std::sqrt(tau_squared_.to_double()) / std::ldexp(1.0, log2_step) + 2;
    require_listable(reach);
    most_ = static_cast<std::size_t>(reach);
    // 2 pi > 6283185/10^6
    const double root = sqrt_down(Rational(6283185, 1000000) * tau_squared_).to_double() * (1 - 0x1p-50);
    scale_ = std::ldexp(1.0, log2_step) / root * (1 + static_cast<double>(draws) * 0x1p-27);
  }

  LowerLaw law() const {
    const std::vector<double> up = weights_from(0);
    const std::vector<double> down = weights_from(1);
    std::vector<double> masses(down.rbegin(), down.rend());
    masses.insert(masses.end(), up.begin(), up.end());
    for (double& mass : masses) mass = rounded_up(mass * scale_);
    // Each further weight w_k is at most exp(-next / tau^2) times the weight before, and 1 / (1 - exp(-x)) <= 1 + 1 / x.
    const double next = static_cast<double>(most_) * static_cast<double>(step_);
    const double beyond = rounded_up(masses.back() * (1 + tau_squared_.to_double() / next) * (1 + 0x1p-40));
    masses.back() = rounded_up(masses.back() + beyond);
    LowerLaw law(log2_step_, -static_cast<std::int64_t>(most_), std::move(masses), beyond);
    law.trim();
    return law;
  }

 private:
  /// exp(-k^2 / (2 tau^2)) at first, first + step, ...: upper bounds once `rounded_up` is applied.
  std::vector<double> weights_from(std::int64_t first) const {
    constexpr std::size_t at_once = 1024;  // weights computed from one certified number: errors grow with the square
    const double decay = exp_of_minus(Rational(step_) * Rational(step_) / tau_squared_).upper_double();
    std::vector<double> weights;
    double weight = 0;
    double ratio = 0;
    for (std::size_t j = 0; j < most_; ++j) {
      if (j % at_once == 0) {
        const Rational k = Rational(first) + Rational(j) * Rational(step_);
        const Rational next = k + Rational(step_);
        const Rational twice = Rational(2) * tau_squared_;
        weight = exp_of_minus(k * k / twice).upper_double();
        ratio = exp_of_minus((next * next - k * k) / twice).upper_double();
      }
      weights.push_back(weight);
      weight *= ratio;
      ratio *= decay;
    }
    return weights;
  }

  Rational tau_squared_;
  int log2_step_;
  std::int64_t step_;
  std::size_t most_;
  double scale_;
};

constexpr std::int64_t wide_variance = 2;

/// For one draw with small sigma: exp(-k^2 / (2 sigma^2)) divided by a lower bound of the sum of these.
LowerLaw narrow_gaussian_law(const Rational& sigma_squared) {
  constexpr std::int64_t most = 16;
  const auto weight = [&](std::int64_t k) { return exp_of_minus(Rational(k * k) / (Rational(2) * sigma_squared)); };
  Enclosure total = Enclosure::of(Rational(1));
  for (std::int64_t k = 1; k <= most; ++k) total += weight(k) * Enclosure::of(Rational(2));
  std::vector<double> masses;
  for (std::int64_t k = -most; k <= most; ++k) masses.push_back((weight(k) / total).upper_double());
  // Each later weight is at most exp(-16 / 2) times the weight before.
  const double beyond = rounded_up(masses.back() * 0.001);
  masses.back() = rounded_up(masses.back() + beyond);
  LowerLaw law(0, -most, std::move(masses), beyond);
  law.trim();
  return law;
}

LowerLaw nothing_drawn(int log2_step) { return {log2_step, 0, {1}, 0}; }

constexpr double steps_in_deviation = 64;

}  // namespace

LowerLaw noise_law(Measure measure, const NoisePrice& noise, int log2_step) {
  if (measure != Measure::zcdp) return LaplaceDraw(noise.rate, log2_step).added_to(nothing_drawn(log2_step));
  if (noise.sigma_squared < Rational(wide_variance))
    return narrow_gaussian_law(noise.sigma_squared).times(1, log2_step);
  return GaussianSum(noise.sigma_squared, 1, log2_step).law();
}

LowerLaw gaussian_sum_law(const Rational& sigma_squared, std::uint64_t draws, int log2_step) {
  if (sigma_squared >= Rational(wide_variance)) return GaussianSum(sigma_squared, draws, log2_step).law();
  LowerLaw power = narrow_gaussian_law(sigma_squared);
  LowerLaw sum = nothing_drawn(0);
  for (std::uint64_t left = draws; left > 0; left /= 2) {
    if (left % 2 == 1) sum = LowerLaw::sum(sum, power);
    if (left > 1) power = LowerLaw::sum(power, power);
  }
  return sum.times(1, log2_step);
}

std::vector<LowerLaw> noise_sums(Measure measure, const NoisePrice& noise, std::size_t most) {
  const auto step_of = [&](double draws) {
    return step_below(noise_deviation(measure, noise) * std::sqrt(draws) / steps_in_deviation);
  };
  const bool is_wide = measure == Measure::zcdp && noise.sigma_squared >= Rational(wide_variance);
  std::vector<LowerLaw> sums{nothing_drawn(step_of(1))};
  if (is_wide) {
    for (std::size_t draws = 1; draws <= most; ++draws) {
      sums.push_back(GaussianSum(noise.sigma_squared, draws, step_of(static_cast<double>(draws))).law());
    }
  } else if (measure == Measure::zcdp) {
    const LowerLaw one = narrow_gaussian_law(noise.sigma_squared);
    while (sums.size() <= most) sums.push_back(LowerLaw::sum(sums.back(), one));
  } else {
    const LaplaceDraw one(noise.rate, step_of(1));
    while (sums.size() <= most) sums.push_back(one.added_to(sums.back()));
  }
  return sums;
}

LowerLaw sample_law(const QuantileFraction& q, std::uint64_t least, std::uint64_t most, int log2_step,
                    double negligible_mass) {
  const auto n = static_cast<double>(least);
  const double p = static_cast<double>(q.numerator) / static_cast<double>(q.denominator);
  const double other = static_cast<double>(q.denominator - q.numerator) / static_cast<double>(q.denominator);
  const auto mean = static_cast<std::uint64_t>(static_cast<uint128>(q.numerator) * least / q.denominator);
  // Weights relative to that of floor(q n), from its neighbors outwards. The ratio of successive weights falls on both sides.
  std::vector<double> weights;
  weights.reserve(static_cast<std::size_t>(std::min(8 * std::sqrt(n * p * other) + 64, n + 2)));
  double ratio = 1;
  double weight = 1;
  for (std::uint64_t k = mean; k > 0 && weight > negligible_mass; --k) {
    ratio = static_cast<double>(k) * other / ((n - static_cast<double>(k) + 1) * p);
    weights.push_back(weight *= ratio);
  }
  const std::uint64_t bottom = mean - weights.size();
  const auto beyond = [&] {
    return rounded_up(ratio < 1 ? weight * ratio / (1 - ratio) : std::numeric_limits<double>::infinity());
  };
  const double below = bottom > 0 ? beyond() : 0;
  std::ranges::reverse(weights);
  weights.push_back(1);
  ratio = weight = 1;
  std::uint64_t top = mean;
  double more = 0;  // the weight above floor(q n), which counts at floor(q n)
  for (; top < least && weight > negligible_mass; ++top) {
    ratio = (n - static_cast<double>(top)) * p / ((static_cast<double>(top) + 1) * other);
    more += (weight *= ratio);
  }
  const double above = top < least ? beyond() : 0;
  const double total = std::accumulate(weights.begin(), weights.end(), more);
  weights.back() += more + above;
  const double scale = (1 + 0x1p-26) / total;  // the exact sum of the listed weights is at least total / (1 + 2^-26)
  // The first position is the floor of (k - q most) times the denominator, in steps; the others follow from there.
  const int128 lowest = static_cast<int128>(bottom) * static_cast<int128>(q.denominator) -
                        static_cast<int128>(most) * static_cast<int128>(q.numerator);
  const int128 first = lowest >> log2_step;
  const auto within = static_cast<std::uint64_t>(lowest - (first << log2_step));
  const auto place = [&](std::size_t k) { return (within + k * q.denominator) >> log2_step; };
  std::vector<double> masses(place(weights.size() - 1) + 1);
  for (std::size_t k = 0; k < weights.size(); ++k) masses[place(k)] += weights[k];
  for (double& mass : masses) mass = rounded_up(mass * scale);
  return {log2_step, static_cast<std::int64_t>(first), std::move(masses), rounded_up(below * scale)};
}

}  // namespace fractile
