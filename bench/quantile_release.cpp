// Ours: release_quantiles, exact, from a profile that is there already.
#include "contenders.hpp"
#include "quantile_cases.hpp"

namespace fractile::bench {
namespace {

void measure(benchmark::State& state, std::uint64_t n, int bits, const std::string& ask) {
  const RankProfile& profile = profile_of(n, bits);
  const Lattice lattice = lattice_of(bits);
  const QuantileQuery query = query_of(ask);
  RandomBits random = RandomBits::system();
  for (auto _ : state) benchmark::DoNotOptimize(release_quantiles(profile, lattice, query, random));
  state.counters["distinct"] = static_cast<double>(profile.distinct());
}

void add(std::uint64_t n, int bits, const std::string& ask) {
  const std::string name = "release/" + std::to_string(n) + "/" + std::to_string(bits) + "/" + ask + "/release";
  register_quantiles(name, [=](benchmark::State& state) { measure(state, n, bits, ask); });
}

}  // namespace

void register_release() {
  for (const std::uint64_t n : table_sizes) {
    for (const int bits : {10, 20, 30, 40}) {
      for (const char* ask : {"median", "quartiles", "percentiles"}) add(n, bits, ask);
    }
  }
  for (const char* ask : {"m10", "m50", "m120"}) add(1000, 40, ask);
}

}  // namespace fractile::bench
