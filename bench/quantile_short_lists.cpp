// Several quantiles at once among a short list of candidates, with most records between them: no selection is near its
// targets. The rival is the published mechanism, one quantile at a time.
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "contenders.hpp"
#include "fractile/release.hpp"
#include "quantile_cases.hpp"

namespace fractile::bench {
namespace {

struct Listed {
  Lattice lattice;
  RankProfile profile;
};

/// Ages, rounded down: normal with mean 38 and deviation 13 years, from 17 on. Candidates: 20, 30, 40 and 50, or 17 .. 56.
const Listed& ages(std::uint64_t n, std::int64_t candidates) {
  static std::map<std::pair<std::uint64_t, std::int64_t>, std::unique_ptr<Listed>> made;
  auto& ages = made[{n, candidates}];
  if (ages) return *ages;
  std::vector<Rational> points;
  for (std::int64_t i = 0; i < candidates; ++i) points.emplace_back(candidates == 4 ? 20 + 10 * i : 17 + i);
  const Lattice lattice = Lattice::explicit_points(points);
  std::mt19937_64 random(n);
  std::normal_distribution<double> age(38, 13);
  std::vector<double> records(n);
  for (double& record : records) record = std::floor(std::max(17.0, age(random)));
  ProfileBuilder builder(lattice);
  builder.add(records);
  ages = std::make_unique<Listed>(Listed{lattice, builder.finish()});
  return *ages;
}

void measure(benchmark::State& state, std::uint64_t n, std::int64_t candidates, const std::string& ask,
             Mechanism mechanism, const Rational& epsilon) {
  const Listed& listed = ages(n, candidates);
  QuantileQuery query = query_of(ask);
  query.mechanism = mechanism;
  query.budget = Budget::pure(epsilon);
  RandomBits random = RandomBits::system();
  const CountedColumn column(listed.profile, 1);
  for (auto _ : state) benchmark::DoNotOptimize(release(column, query, random));
}

}  // namespace

void register_short_lists() {
  const std::array<std::pair<const char*, Rational>, 4> epsilons{
      {{"0.1", Rational(1, 10)}, {"1", Rational(1)}, {"10", Rational(10)}, {"100", Rational(100)}}};
  for (const std::uint64_t n : {std::uint64_t{100'000}, std::uint64_t{1'000'000}}) {
    for (const std::int64_t candidates : {4, 40}) {
      for (const char* ask : {"quartiles", "m10"}) {
        for (const Mechanism mechanism :
             {Mechanism::joint, Mechanism::joint_total, Mechanism::joint_tree, Mechanism::approximate}) {
          for (const auto& [name, epsilon] : epsilons) {
            const std::string parts = "short_list/" + std::to_string(n) + "/" + std::to_string(candidates) + "/" + ask +
                                      "/" + to_string(mechanism) + "/" + name;
            register_quantiles(parts, [=, value = epsilon](benchmark::State& state) {
              measure(state, n, candidates, ask, mechanism, value);
            });
          }
        }
      }
    }
  }
}

}  // namespace fractile::bench
