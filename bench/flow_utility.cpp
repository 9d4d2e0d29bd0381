// Ours: expected losses, enclosed to some 40 digits.
#include <benchmark/benchmark.h>

#include "contenders.hpp"
#include "flow_utility_cases.hpp"

namespace fractile::bench {
namespace {

void measure(benchmark::State& state, const UtilityCase& of) {
  Rational loss;
  for (auto _ : state) loss = flow::expected_loss_bounds(of.pipeline, of.analyst, Exponent(1)).lower;
  state.counters["loss"] = loss.to_double();
}

}  // namespace

void register_utility() {
  for (const UtilityCase& each : all_utility_cases()) {
    benchmark::RegisterBenchmark(("utility/" + each.name + "/enclosed").c_str(), measure, each)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace fractile::bench
