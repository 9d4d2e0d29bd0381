// Ours: is a pipeline at odds 3 always worth at least as much as at lower odds? From the pipeline to a checked certificate, and
// from channels that are there already; and one analyst's expected loss. Exact.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>

#include "contenders.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::bench {
namespace {

using flow::Perturber;
using flow::Pipeline;
using flow::PostProcessor;

Pipeline pipeline_of(std::size_t participants, Perturber perturber, PostProcessor post) {
  std::vector<Rational> values;
  for (std::size_t value = 0; value < perturber.values(); ++value)
    values.emplace_back(static_cast<std::int64_t>(value));
  return {participants, std::move(values), std::move(perturber), std::move(post), {}};
}

/// 1 yes, 0 no; there is always a verdict.
double verdict_of(const flow::Refinement& refinement) {
  if (!refinement.refines() && !refinement.refuted()) throw Error(ErrorCode::internal, "a benchmark is undecided");
  return refinement.refines() ? 1 : 0;
}

void measure_check(benchmark::State& state, const Pipeline& pipeline, const Rational& less) {
  for (auto _ : state) benchmark::DoNotOptimize(flow::check_refinement(pipeline, flow::Odds(3), flow::Odds(less)));
  state.counters["refines"] = verdict_of(flow::check_refinement(pipeline, flow::Odds(3), flow::Odds(less)).refinement);
}

void measure_ready(benchmark::State& state, const Pipeline& pipeline, const Rational& less) {
  const flow::Channel from = flow::channel_at(pipeline, flow::Odds(3)).channel;
  const flow::Channel to = flow::channel_at(pipeline, flow::Odds(less)).channel;
  for (auto _ : state) benchmark::DoNotOptimize(flow::refines(from, to));
  state.counters["refines"] = verdict_of(flow::refines(from, to));
}

/// Appendix D.1 of kronecker-utility 2023: four people with values 0 .. 6, three of them known, zeros are counted.
void measure_utility(benchmark::State& state) {
  Pipeline pipeline = pipeline_of(4, Perturber::geometric(7), {PostProcessor::Kind::count, {0}, {}});
  pipeline.secret = flow::Secret::target_knowing({0, 1, 1});
  flow::Analyst analyst;
  analyst.goal = flow::Analyst::Goal::linear_error;
  analyst.scale = 1000;
  for (auto _ : state) benchmark::DoNotOptimize(flow::expected_loss(pipeline, analyst, flow::Odds(Rational(7, 2))));
}

void add(const std::string& work, const Pipeline& pipeline, const std::string& less = "2") {
  const std::string name = "refinement/" + work + "/" + less + "/" + std::to_string(pipeline.participants) + "/";
  const Rational odds = Rational::parse(less);
  benchmark::RegisterBenchmark((name + "check_refinement").c_str(), measure_check, pipeline, odds)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark((name + "refines").c_str(), measure_ready, pipeline, odds)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void register_refinement() {
  const PostProcessor count{PostProcessor::Kind::count, {0}, {}};
  const PostProcessor sum{PostProcessor::Kind::sum, {}, {}};
  const Perturber randomized = Perturber::randomized_response(3);
  for (const std::size_t participants : {2U, 3U, 4U, 5U, 8U, 20U, 50U}) {
    add("randomized_response/count", pipeline_of(participants, randomized, count));
  }
  for (const std::size_t participants : {2U, 3U, 4U, 5U, 8U, 20U}) {
    add("randomized_response/sum", pipeline_of(participants, randomized, sum));
    add("randomized_response/sum", pipeline_of(participants, randomized, sum), "2.999999");
  }
  add("geometric/count", pipeline_of(8, Perturber::geometric(3), count));
  benchmark::RegisterBenchmark("utility/known_others/4/utility", measure_utility)->Unit(benchmark::kMicrosecond);
}

}  // namespace fractile::bench
