// The rival that everyone writes first: doubles, and the law of the count by adding one person after the other. No certificate.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "contenders.hpp"
#include "flow_utility_cases.hpp"

namespace fractile::bench {
namespace {

/// P(a participant with this value is counted) at epsilon 1.
std::vector<double> counted_probabilities(const flow::Pipeline& pipeline) {
  const flow::Channel channel = pipeline.perturber.at(flow::Odds(Rational::from_double(2.718281828459045)));
  std::vector<double> result;
  for (std::size_t value = 0; value < channel.secrets().size(); ++value)
    result.push_back(channel(value, 0).to_double());
  return result;
}

double dense_loss(const flow::Pipeline& pipeline, const std::vector<double>& counted) {
  std::vector<double> law{1};
  for (std::size_t value = 0; value < pipeline.secret.known.size(); ++value) {
    const double p = counted[value];
    for (std::size_t person = 0; person < pipeline.secret.known[value]; ++person) {
      law.push_back(0);
      for (std::size_t y = law.size() - 1; y > 0; --y) law[y] = law[y] * (1 - p) + law[y - 1] * p;
      law[0] *= 1 - p;
    }
  }
  double right = 0;
  for (std::size_t y = 0; y <= law.size(); ++y) {
    const double one_fewer = y > 0 ? law[y - 1] : 0;
    const double same = y < law.size() ? law[y] : 0;
    double best = 0;
    for (const double p : counted) best = std::max(best, p * one_fewer + (1 - p) * same);
    right += best / static_cast<double>(counted.size());
  }
  return 1 - right;
}

void measure(benchmark::State& state, const flow::Pipeline& pipeline) {
  const std::vector<double> counted = counted_probabilities(pipeline);
  for (auto _ : state) benchmark::DoNotOptimize(dense_loss(pipeline, counted));
  state.counters["loss"] = dense_loss(pipeline, counted);
}

}  // namespace

void register_dense_utility() {
  for (const UtilityCase& each : target_cases()) {
    benchmark::RegisterBenchmark(("utility/" + each.name + "/dense").c_str(), measure, each.pipeline)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace fractile::bench
