#include "experiments/interval_laws.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

#include "experiments/variates.hpp"
#include "libraries/fmt.hpp"

namespace fractile::experiments {
namespace {

constexpr std::size_t candidates = 10'001;
constexpr std::size_t steps_of_one = 10;
constexpr double nothing = 1e-9;  // larger than the rounding errors of a sum of masses

std::vector<double> atoms(const std::vector<std::pair<std::size_t, double>>& all) {
  std::vector<double> masses(candidates);
  for (const auto& [value, mass] : all) masses[value * steps_of_one] += mass;
  return masses;
}

/// The law that has this density, up to a factor, at the candidates from 0.1 on.
template <class LogDensity>
std::vector<double> smooth(const LogDensity& log_density) {
  std::vector<double> masses(candidates);
  for (std::size_t k = 1; k < candidates; ++k)
    masses[k] = std::exp(log_density(static_cast<double>(k) / double{steps_of_one}));
  return masses;
}

std::vector<double> lognormal() {
  return smooth([](double x) { return -std::pow((std::log(x) - 5) / 0.7, 2) / 2 - std::log(x); });
}

std::vector<double> normal() {
  return smooth([](double x) { return -std::pow((x - 500) / 100, 2) / 2; });
}

std::vector<double> uniform_law() {
  return smooth([](double) { return 0.0; });
}

std::vector<double> zeros() {
  std::vector<double> masses = lognormal();
  double others = 0;
  for (const double mass : masses) others += mass;
  masses[0] = others * 0.6 / 0.4;
  return masses;
}

/// Half of the records lie around 125, and half around 825.
std::vector<double> law_with_a_gap() {
  std::vector<double> masses(candidates);
  for (std::size_t k = 0; k < 50 * steps_of_one; ++k) {
    masses[100 * steps_of_one + k] = masses[800 * steps_of_one + k] = 1;
  }
  return masses;
}

std::vector<double> counts() { return atoms({{0, .3}, {1, .25}, {2, .2}, {3, .13}, {4, .07}, {5, .05}}); }
std::vector<double> two_points() { return atoms({{10, .5}, {900, .5}}); }
std::vector<double> ends() { return atoms({{0, .4}, {1000, .6}}); }
std::vector<double> quarter_at_an_end() { return atoms({{0, .25}, {1000, .75}}); }
std::vector<double> one_point() { return atoms({{500, 1}}); }

constexpr std::array all_laws{
    IntervalLaw{"lognormal", "lognormal", lognormal},
    IntervalLaw{"normal", "normal", normal},
    IntervalLaw{"uniform", "uniform", uniform_law},
    IntervalLaw{"zeros", "60 % zeros, the others lognormal", zeros},
    IntervalLaw{"gap", "a gap at the median", law_with_a_gap},
    IntervalLaw{"counts", "counts 0 to 5", counts},
    IntervalLaw{"two-points", "10 and 900, half each", two_points},
    IntervalLaw{"quarter-at-an-end", "a quarter at 0, the others at 1000", quarter_at_an_end},
    IntervalLaw{"ends", "0 and 1000, the ends of the lattice", ends},
    IntervalLaw{"one-point", "500 alone", one_point},
};

}  // namespace

std::span<const IntervalLaw> interval_laws() { return all_laws; }

Lattice interval_lattice() { return Lattice::regular(0, 1000, Rational(1, steps_of_one)); }

LawSource::LawSource(const IntervalLaw& law) : law_(&law), up_to_(law.masses()) {
  for (std::size_t k = 1; k < up_to_.size(); ++k) up_to_[k] += up_to_[k - 1];
  for (double& sum : up_to_) sum /= up_to_.back();
}

RankProfile LawSource::table(std::uint64_t records, const Seed& seed) const {
  std::mt19937_64 engine(seed.with(law_->name).value());
  std::vector<std::uint64_t> drawn(candidates);
  for (std::uint64_t i = 0; i < records; ++i) {
    ++drawn[static_cast<std::size_t>(std::ranges::lower_bound(up_to_, uniform_variate(engine)) - up_to_.begin())];
  }
  ProfileBuilder builder(interval_lattice());
  for (std::size_t k = 0; k < candidates; ++k) {
    if (drawn[k] > 0) builder.add_position(2 * k + 1, drawn[k]);
  }
  return builder.finish();
}

std::uint64_t LawSource::lowest_quantile(double q) const {
  return static_cast<std::uint64_t>(std::ranges::lower_bound(up_to_, q - nothing) - up_to_.begin());
}

std::uint64_t LawSource::highest_quantile(double q) const {
  return static_cast<std::uint64_t>(std::ranges::upper_bound(up_to_, q + nothing) - up_to_.begin());
}

double LawSource::distance(std::uint64_t candidate, double q) const {
  const double below = candidate == 0 ? 0 : up_to_[candidate - 1];
  return std::max({0.0, below - q, q - up_to_[candidate]});
}

std::string LawSource::to_csv() const {
  std::string text = "candidate,mass\n";
  double before = 0;
  for (std::size_t k = 0; k < candidates; ++k) {
    const double mass = std::exchange(before, up_to_[k]);
    if (up_to_[k] > mass) text += fmt::format("{},{:.8g}\n", k, up_to_[k] - mass);
  }
  return text;
}

}  // namespace fractile::experiments
