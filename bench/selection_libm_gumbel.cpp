// Insecure: argmax over k of -rate * score - log(-log U), in double.
#include <cmath>
#include <limits>

#include "contenders.hpp"
#include "selection_cases.hpp"

namespace fractile::bench {
namespace {

std::size_t select(const Scores& scores, double rate, std::mt19937_64& random) {
  double largest = -std::numeric_limits<double>::infinity();
  std::size_t winner = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double value = -rate * static_cast<double>(scores[i]) - std::log(-std::log(uniform_double(random)));
    if (value > largest) {
      largest = value;
      winner = i;
    }
  }
  return winner;
}

void measure(benchmark::State& state, const SelectionCase& c) {
  const Scores& scores = c.scores();
  const double rate = c.rate_double();
  std::mt19937_64 random(1);
  for (auto _ : state) benchmark::DoNotOptimize(select(scores, rate, random));
}

}  // namespace

void register_libm_gumbel() { register_selections("libm_gumbel", 1'000'000, measure); }

}  // namespace fractile::bench
