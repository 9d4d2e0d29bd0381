// Ours: the expected loss of an analyst who wants one person's value and knows all others', at epsilon 1, enclosed to some 40
// digits.
#include <benchmark/benchmark.h>

#include "contenders.hpp"
#include "flow_utility_cases.hpp"

namespace fractile::bench {
namespace {

void measure(benchmark::State& state, const flow::Pipeline& pipeline) {
  const flow::Analyst analyst;
  for (auto _ : state) benchmark::DoNotOptimize(flow::utility_bounds(pipeline, analyst, Rational(1)));
  state.counters["loss"] = flow::utility_bounds(pipeline, analyst, Rational(1)).lower.to_double();
}

}  // namespace

void register_utility() {
  for (const TargetCase& each : target_cases()) {
    benchmark::RegisterBenchmark(("utility/target/" + each.name + "/enclosed").c_str(), measure, each.pipeline)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace fractile::bench
