#include "flow/refinement/single_bet.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/flint.hpp"
#include "flow/refinement/elastic_program.hpp"

namespace fractile::flow {
namespace {

double log2_of(const Rational& value) {
  slong above = 0;
  slong below = 0;
  const double numerator = fmpz_get_d_2exp(&above, fmpq_numref(flint_of(value)));
  const double denominator = fmpz_get_d_2exp(&below, fmpq_denref(flint_of(value)));
  return std::log2(numerator / denominator) + static_cast<double>(above - below);
}

/// The probability of each of the first channel's observations, in units of that of one of the second channel's.
std::vector<double> most_of(const RoughColumns& from, double magnitude) {
  constexpr double plenty = 40;
  std::vector<double> most;
  for (const double here : from.magnitudes) {
    most.push_back(here - magnitude > plenty ? unlimited : std::exp2(here - magnitude));
  }
  return most;
}

/// The costs, rounded to multiples of 2^-60, plus a small cost that makes a worthless bet certainly not worth taking.
std::vector<Rational> costs_of(const Mixture& mixture) {
  constexpr int bits = 60;
  const double margin = mixture.missing / 8;
  std::vector<Rational> costs;
  for (const double price : mixture.prices) {
    costs.push_back(Rational::dyadic(std::llround(std::ldexp(margin - price, bits)), -bits));
  }
  return costs;
}

}  // namespace

RoughColumns columns_of(const Matrix& channel) {
  RoughColumns columns;
  for (std::size_t y = 0; y < channel.columns(); ++y) {
    Rational sum;
    for (std::size_t x = 0; x < channel.rows(); ++x) sum += channel(x, y);
    if (sum.sign() == 0) continue;
    columns.directions.emplace_back();
    for (std::size_t x = 0; x < channel.rows(); ++x) {
      columns.directions.back().push_back((channel(x, y) / sum).to_double());
    }
    columns.magnitudes.push_back(log2_of(sum));
  }
  return columns;
}

std::string SingleBet::how_seldom() const {
  constexpr double digits_of_seldom = 6;
  const double digits = -magnitude * std::numbers::log10e * std::numbers::ln2;
  return digits < digits_of_seldom ? "" : " once in some 10^" + std::to_string(std::lround(digits)) + " cases";
}

std::optional<SingleBet> single_bet(const RoughColumns& from, const RoughColumns& to) {
  constexpr double rounding = 1e-6;
  constexpr std::size_t most_entries = 20'000;
  constexpr std::size_t most_outputs = 32;
  const std::size_t secrets = from.directions.front().size();
  if (from.directions.size() * secrets > most_entries) return {};
  const std::size_t outputs = to.directions.size();
  const std::size_t tried = std::min(outputs, most_outputs);
  std::optional<Mixture> best;
  double gain_of_best = 0;
  double magnitude_of_best = 0;
  for (std::size_t i = 0; i < tried; ++i) {
    checkpoint();
    const std::size_t z = tried == 1 ? 0 : i * (outputs - 1) / (tried - 1);
    const double magnitude = to.magnitudes[z];
    Mixture mixture = nearest_mixture(from.directions, most_of(from, magnitude), to.directions[z]);
    if (!(mixture.missing > rounding)) continue;
    const double gain = std::log2(mixture.missing) + magnitude;
    if (best && gain <= gain_of_best) continue;
    best = std::move(mixture);
    gain_of_best = gain;
    magnitude_of_best = magnitude;
  }
  if (!best) return {};
  return SingleBet{costs_of(*best), magnitude_of_best - std::log2(static_cast<double>(secrets))};
}

}  // namespace fractile::flow
