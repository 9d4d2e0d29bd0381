// How counting is mostly done: a binary search among the candidates for every record.
#include <algorithm>

#include "contenders.hpp"
#include "quantile_cases.hpp"

namespace fractile::bench {
namespace {

std::vector<double> candidates_of(const Lattice& lattice) {
  std::vector<double> candidates;
  for (std::uint64_t index = 0; index < lattice.size(); ++index) candidates.push_back(lattice.at(index).to_double());
  return candidates;
}

/// How many records lie at or below each candidate, but not the one before.
void measure(benchmark::State& state, std::uint64_t n, int bits) {
  const std::vector<double>& records = records_of(n);
  const std::vector<double> candidates = candidates_of(lattice_of(bits));
  for (auto _ : state) {
    std::vector<std::uint64_t> counts(candidates.size() + 1);
    for (const double record : records) {
      ++counts[static_cast<std::size_t>(std::ranges::lower_bound(candidates, record) - candidates.begin())];
    }
    benchmark::DoNotOptimize(counts.data());
  }
}

}  // namespace

void register_binary_search() {
  for (const std::uint64_t n : table_sizes) {
    for (const int bits : usual_bits) {
      register_quantiles("profile/" + std::to_string(n) + "/" + std::to_string(bits) + "/binary_search",
                         [=](benchmark::State& state) { measure(state, n, bits); });
    }
  }
}

}  // namespace fractile::bench
