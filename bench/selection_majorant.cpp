// Ours: select_softmax, exact, with the system's cryptographic bits.
#include "contenders.hpp"
#include "exact/selection.hpp"
#include "selection_cases.hpp"

namespace fractile::bench {
namespace {

void measure(benchmark::State& state, const SelectionCase& c) {
  const Scores& scores = c.scores();
  const Exponent rate = Exponent::parse(c.rate);
  RandomBits bits = RandomBits::system();
  SelectionCost cost;
  for (auto _ : state) {
    benchmark::DoNotOptimize(detail::select_softmax(scores, rate, bits, Optimize::minimize, {}, &cost));
  }
  const auto per_selection = benchmark::Counter::kAvgIterations;
  state.counters["trials"] = {static_cast<double>(cost.trials), per_selection};
  state.counters["slow_coins"] = {static_cast<double>(cost.slow_coins), per_selection};
}

/// The same scores, each of one to seven members.
void measure_runs(benchmark::State& state, const SelectionCase& c) {
  const Scores& scores = c.scores();
  Scores lengths;
  for (std::size_t k = 0; k < scores.size(); ++k) lengths.push_back(1 + k % 7);
  const Exponent rate = Exponent::parse(c.rate);
  RandomBits bits = RandomBits::system();
  for (auto _ : state) benchmark::DoNotOptimize(select_softmax(scores, lengths, rate, bits));
}

/// The first selection of all: a new generator and its first page of bits included.
void measure_cold(benchmark::State& state, const SelectionCase& c) {
  const Scores& scores = c.scores();
  for (auto _ : state) {
    RandomBits bits = RandomBits::system();
    benchmark::DoNotOptimize(select_softmax(scores, Exponent::parse(c.rate), bits));
  }
}

}  // namespace

void register_majorant() {
  register_selections("majorant", 1'000'000, measure);
  register_selections("majorant_runs", 1'000'000, measure_runs);
  register_selections("majorant_cold", 10, measure_cold);
}

}  // namespace fractile::bench
