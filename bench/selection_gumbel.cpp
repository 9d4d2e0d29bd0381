// The exact reference, as published: select_gumbel, a lazily sampled Gumbel variable a candidate.
#include "contenders.hpp"
#include "fractile/exact.hpp"
#include "selection_cases.hpp"

namespace fractile::bench {
namespace {

void measure(benchmark::State& state, const SelectionCase& c) {
  const Scores& scores = c.scores();
  const Exponent rate = Exponent::parse(c.rate);
  RandomBits bits = RandomBits::system();
  for (auto _ : state) benchmark::DoNotOptimize(select_gumbel(scores, {}, rate, bits));
}

}  // namespace

void register_gumbel() { register_selections("gumbel", 10'000, measure); }

}  // namespace fractile::bench
