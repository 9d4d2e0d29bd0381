#include "selection_cases.hpp"

#include <map>
#include <utility>

namespace fractile::bench {
namespace {

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

Scores make_scores(const std::string& family, std::uint64_t k) {
  constexpr std::uint64_t few = 1000;
  std::mt19937_64 random(k);
  Scores scores(k);
  for (std::uint64_t i = 0; i < k; ++i) {
    if (family == "dense") scores[i] = distance(2 * i, k);
    if (family == "sparse") scores[i] = distance(2 * (i * few / k), few);
    if (family == "random") scores[i] = random() % (few + 1);
  }
  return scores;
}

}  // namespace

const Scores& scores_of(const std::string& family, std::uint64_t k) {
  static std::map<std::pair<std::string, std::uint64_t>, Scores> made;
  auto& scores = made[{family, k}];
  if (scores.empty()) scores = make_scores(family, k);
  return scores;
}

void register_selections(const std::string& contender, std::uint64_t largest, const Measure& measure) {
  for (const char* family : {"dense", "sparse", "random"}) {
    for (std::uint64_t k = 10; k <= largest; k *= 10) {
      for (const char* rate : {"0.1", "1", "10"}) {
        const SelectionCase c{family, k, rate};
        const std::string name = "selection/" + c.family + "/" + std::to_string(k) + "/" + rate + "/" + contender;
        benchmark::RegisterBenchmark(name.c_str(), [measure, c](benchmark::State& state) { measure(state, c); });
      }
    }
  }
}

}  // namespace fractile::bench
