// Ours: the profile of records in no order, on a lattice; and for scale one pass that only reads them.
#include <span>

#include "contenders.hpp"
#include "quantile_cases.hpp"

namespace fractile::bench {
namespace {

void measure(benchmark::State& state, std::uint64_t n, int bits) {
  const std::vector<double>& records = records_of(n);
  const Lattice lattice = lattice_of(bits);
  for (auto _ : state) {
    ProfileBuilder builder(lattice);
    builder.add(records);
    benchmark::DoNotOptimize(builder.finish());
  }
}

/// Eight sums side by side, so that the additions do not wait for one another.
double sum_of(const std::vector<double>& records) {
  double sums[8] = {};
  for (std::size_t i = 0; i + 8 <= records.size(); i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += records[i + lane];
  }
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

void measure_read(benchmark::State& state, std::uint64_t n) {
  const std::vector<double>& records = records_of(n);
  for (auto _ : state) benchmark::DoNotOptimize(sum_of(records));
}

void add(std::uint64_t n, std::span<const int> lattices) {
  const std::string work = "profile/" + std::to_string(n) + "/";
  for (const int bits : lattices) {
    register_quantiles(work + std::to_string(bits) + "/profile",
                       [=](benchmark::State& state) { measure(state, n, bits); });
  }
  register_quantiles(work + "any/read", [=](benchmark::State& state) { measure_read(state, n); });
}

}  // namespace

void register_profile() {
  constexpr int all_bits[] = {10, 17, 20, 30, 40};
  for (const std::uint64_t n : table_sizes) add(n, all_bits);
  add(most_records, usual_bits);
}

}  // namespace fractile::bench
