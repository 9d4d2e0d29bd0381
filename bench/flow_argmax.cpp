// Ours: the expected loss of an analyst who sees the highest of a histogram's perturbed bars, without listing histograms.
#include <benchmark/benchmark.h>

#include "contenders.hpp"
#include "flow_argmax_cases.hpp"

namespace fractile::bench {
namespace {

void measure(benchmark::State& state, const flow::Pipeline& pipeline) {
  flow::Analyst analyst;
  analyst.goal = flow::Analyst::Goal::argmax_accuracy;
  Rational loss;
  for (auto _ : state) loss = flow::utility_bounds(pipeline, analyst, Rational(1)).lower;
  state.counters["loss"] = loss.to_double();
}

}  // namespace

void register_argmax() {
  for (const ArgmaxCase& each : argmax_cases()) {
    benchmark::RegisterBenchmark(("utility/" + each.name + "/enclosed").c_str(), measure, each.pipeline)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace fractile::bench
