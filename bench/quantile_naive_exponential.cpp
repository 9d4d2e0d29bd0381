// Insecure: the exponential mechanism for the median in double over every candidate, its records counted already.
#include <algorithm>
#include <cmath>
#include <random>

#include "contenders.hpp"
#include "quantile_cases.hpp"

namespace fractile::bench {
namespace {

std::vector<std::uint32_t> counts_of(std::uint64_t n, int bits) {
  const RankProfile& profile = profile_of(n, bits);
  std::vector<std::uint32_t> counts(profile.candidates());
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    counts[profile.position(k) / 2] += static_cast<std::uint32_t>(profile.count(k));
  }
  return counts;
}

/// The median's interval_score, 0 on it: max(0, 2 below - n, n - 2 (below + equal)).
std::size_t select(const std::vector<std::uint32_t>& counts, double n, std::vector<double>& cumulative,
                   std::mt19937_64& random) {
  double below = 0;
  double sum = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const double score = std::max({0.0, 2 * below - n, n - 2 * (below + counts[c])});
    sum += std::exp(-0.5 * score);
    cumulative[c] = sum;
    below += counts[c];
  }
  const double target = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53 * sum;
  return static_cast<std::size_t>(std::ranges::upper_bound(cumulative, target) - cumulative.begin());
}

void measure(benchmark::State& state, std::uint64_t n, int bits) {
  const std::vector<std::uint32_t> counts = counts_of(n, bits);
  std::vector<double> cumulative(counts.size());
  std::mt19937_64 random(1);
  for (auto _ : state) benchmark::DoNotOptimize(select(counts, static_cast<double>(n), cumulative, random));
}

}  // namespace

void register_naive_exponential() {
  for (const std::uint64_t n : table_sizes) {
    register_quantiles("release/" + std::to_string(n) + "/20/median/naive_exponential",
                       [=](benchmark::State& state) { measure(state, n, 20); });
  }
}

}  // namespace fractile::bench
