#include "quantiles/stages/noise_sum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "exact/enclosure.hpp"
#include "fractile/error.hpp"

namespace fractile {
namespace {

[[noreturn]] void refuse_wide() {
  throw Error(ErrorCode::usage, "noise too wide for an interval", "give the release a larger budget");
}

void require_few(std::uint64_t draws) {
  if (draws > most_noise_draws) throw Error(ErrorCode::usage, "a sum of more than 2^20 noisy counts", "add up fewer");
}

/// Covers the rounding errors of 2^22 steps of four roundings, and of their sum.
constexpr double rounding = 0x1p-26;

/// The number of failures before this many successes, in independent trials that fail with probability exp(-unit rate), as weights
/// around the mode.
class NegativeBinomial {
 public:
  NegativeBinomial(const Exponent& rate_of_unit, std::uint64_t successes) {
    const auto n = static_cast<double>(successes);
    const double p = exp_of_minus(rate_of_unit).to_double();
    const double mode = std::floor((n - 1) * p / -std::expm1(-rate_of_unit.to_double()));
    first_ = static_cast<std::uint64_t>(std::max(mode, 0.0));
    const auto at_mode = static_cast<double>(first_);
    double weight = 1;
    double ratio = 0;
    for (double j = at_mode; j > 0 && weight > negligible; --j) {
      ratio = j / ((n + j - 1) * p);
      weights_.push_back(weight *= ratio);
    }
    first_ -= weights_.size();
    below_ = first_ > 0 ? rest_of(weight, ratio) : 0;
    std::ranges::reverse(weights_);
    weights_.push_back(weight = 1);
    for (double j = at_mode; weight > negligible; ++j) {
      ratio = (n + j) / (j + 1) * p;
      weights_.push_back(weight *= ratio);
    }
    above_ = rest_of(weight, ratio);
    double total = 0;
    for (const double each : weights_) total += each;
    const double scale = (1 + 4 * rounding) / total;  // weights that were left out would only make the total larger
    for (double& each : weights_) each *= scale;
    below_ *= scale;
    above_ *= scale;
  }

  std::uint64_t first() const { return first_; }
  const std::vector<double>& weights() const { return weights_; }
  double below() const { return below_; }
  double above() const { return above_; }

 private:
  static constexpr double negligible = 1e-16;

  /// A bound of the sum of all weights beyond the last one; their ratios fall from this one on.
  static double rest_of(double weight, double ratio) {
    if (!(ratio < 1)) refuse_wide();
    return weight * ratio / (1 - ratio) * (1 + 4 * rounding) + 0x1p-1000;
  }

  std::uint64_t first_ = 0;
  std::vector<double> weights_;
  double below_ = 0;
  double above_ = 0;
};

/// A sum of n draws of discrete Laplace noise is A - B, each of them the failures before n successes. With units of u =
/// 2^log2_unit, a geometric variable lies between u k and u (k + 1), where k is its whole number of units, and k is geometric
/// again.
struct LaplaceParts {
  LowerLaw up;
  LowerLaw down;
};

/// On steps of at most this part of the deviation. The units are as coarse as that allows, or as 2^21 weights at most require.
LaplaceParts laplace_parts(const Exponent& rate, std::uint64_t draws, double part) {
  const double r = rate.to_double();
  const auto n = static_cast<double>(draws);
  if (n / r > 0x1p60) refuse_wide();
  const double deviation = noise_deviation(Measure::pure, {rate, 0}) * std::sqrt(n);
  const double width = (9 * std::sqrt(n) + 40) / r;  // of the weights that are not negligible
  const int log2_unit = step_below(std::max(width * 0x1p-21, deviation * part / (4 * n)));
  const int log2_step = std::max(log2_unit, step_below(deviation * part));
  const NegativeBinomial counted(rate * Rational(std::int64_t{1} << log2_unit), draws);
  const int in_step = log2_step - log2_unit;
  const auto listed = [&](auto place_of, double missing, double beyond) {
    std::vector<double> masses;
    std::int64_t first = 0;
    const std::vector<double>& weights = counted.weights();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto [place, weight] = place_of(i);
      if (i == 0) first = place;
      const auto at = static_cast<std::size_t>(place - first);
      if (at >= masses.size()) masses.resize(at + 1, 0);
      masses[at] += weight;
    }
    for (double& mass : masses) mass *= 1 + rounding;
    masses.back() += beyond;
    return LowerLaw(log2_step, first, std::move(masses), missing);
  };
  const auto last = counted.weights().size() - 1;
  const auto at = [&](std::size_t i) { return static_cast<std::int64_t>(counted.first() + i); };
  const std::int64_t rounded_away = log2_unit > 0 ? static_cast<std::int64_t>(draws) : 0;
  return {listed([&](std::size_t i) { return std::pair(at(i) >> in_step, counted.weights()[i]); }, counted.below(),
                 counted.above()),
          listed(
              [&](std::size_t i) {
                return std::pair(-(at(last - i) + rounded_away) >> in_step, counted.weights()[last - i]);
              },
              counted.above(), counted.below())};
}

LowerLaw gaussian_part(const Rational& sigma_squared, std::uint64_t draws, double part) {
  const double deviation = noise_deviation(Measure::zcdp, {{}, sigma_squared}) * std::sqrt(static_cast<double>(draws));
  return gaussian_sum_law(sigma_squared, draws, step_below(deviation * part));
}

}  // namespace

LowerLaw noise_sum_law(Measure measure, const NoisePrice& noise, std::uint64_t draws) {
  constexpr double part = 1.0 / 128;
  require_few(draws);
  if (measure == Measure::zcdp) return gaussian_part(noise.sigma_squared, draws, part);
  const LaplaceParts parts = laplace_parts(noise.rate, draws, part);
  return LowerLaw::sum(parts.up, parts.down);
}

NoiseSum::NoiseSum(Measure measure, const NoisePrice& noise, std::uint64_t draws) {
  require_few(draws);
  if (measure == Measure::zcdp) {
    first_ = gaussian_part(noise.sigma_squared, draws, 1.0 / 4096);
    second_ = LowerLaw(first_.log2_step(), 0, {1}, 0);
  } else {
    LaplaceParts parts = laplace_parts(noise.rate, draws, 1.0 / 1024);
    first_ = std::move(parts.up);
    second_ = std::move(parts.down);
  }
  below_ = second_.masses_below();
}

std::int64_t largest_rejected(const LowerLaw& x, const LowerLaw& y, const std::vector<double>& below, double failure) {
  const auto is_within = [&](std::int64_t t) {
    return x.expectation({y.end(), below.data(), below.size()}, t) <= failure;
  };
  std::int64_t low = std::min<std::int64_t>(x.first() + y.first(), 0);
  if (!is_within(low)) refuse_wide();
  std::int64_t high = 0;
  while (low < high) {
    const std::int64_t middle = high - (high - low) / 2;
    is_within(middle) ? low = middle : high = middle - 1;
  }
  return low;
}

std::uint64_t NoiseSum::half_width(double failure) const {
  const std::int64_t t = largest_rejected(first_, second_, below_, failure / 2);
  return static_cast<std::uint64_t>(-t) << first_.log2_step();
}

double failure_of(const Rational& level) { return (Rational(1) - level).to_double() * (1 - 0x1p-50); }

}  // namespace fractile
