// Insecure: the textbook sampler. exp and a running sum in double, a uniform double, upper_bound.
#include <algorithm>
#include <cmath>

#include "contenders.hpp"
#include "selection_cases.hpp"

namespace fractile::bench {
namespace {

std::size_t select(const Scores& scores, double rate, std::vector<double>& cumulative, std::mt19937_64& random) {
  const std::uint64_t best = *std::ranges::min_element(scores);
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    sum += std::exp(-rate * static_cast<double>(scores[i] - best));
    cumulative[i] = sum;
  }
  const auto at = std::ranges::upper_bound(cumulative, uniform_double(random) * sum);
  return static_cast<std::size_t>(at - cumulative.begin());
}

void measure(benchmark::State& state, const SelectionCase& c) {
  const Scores& scores = c.scores();
  const double rate = c.rate_double();
  std::vector<double> cumulative(scores.size());
  std::mt19937_64 random(1);
  for (auto _ : state) benchmark::DoNotOptimize(select(scores, rate, cumulative, random));
}

}  // namespace

void register_libm_softmax() { register_selections("libm_softmax", 1'000'000, measure); }

}  // namespace fractile::bench
