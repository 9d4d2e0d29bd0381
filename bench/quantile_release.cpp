// Ours: release(), exact, from a profile that is there already.
#include "contenders.hpp"
#include "fractile/release.hpp"
#include "quantile_cases.hpp"

namespace fractile::bench {
namespace {

void measure(benchmark::State& state, std::uint64_t n, int bits, const std::string& ask,
             std::optional<Mechanism> mechanism = {}) {
  const RankProfile& profile = profile_of(n, bits);
  QuantileQuery query = query_of(ask);
  if (mechanism) {
    query.mechanism = *mechanism;
    if (mechanism == Mechanism::automatic) query.expected_rows = n;
  }
  RandomBits random = RandomBits::system();
  const CountedColumn counted(profile, 1);
  for (auto _ : state) benchmark::DoNotOptimize(release(counted, query, random));
  state.counters["distinct"] = static_cast<double>(profile.distinct());
}

void add(std::uint64_t n, int bits, const std::string& ask) {
  const std::string name = "release/" + std::to_string(n) + "/" + std::to_string(bits) + "/" + ask + "/release";
  register_quantiles(name, [=](benchmark::State& state) { measure(state, n, bits, ask); });
}

/// Quartiles of which `auto` knows about how many records there are; "of" what their intervals are, nothing for none.
void measure_intervals(benchmark::State& state, std::uint64_t n, const Budget& budget,
                       std::optional<IntervalSubject> of) {
  const RankProfile& profile = profile_of(n, 40);
  QuantileQuery query = query_of("quartiles");
  query.mechanism = Mechanism::automatic;
  query.budget = budget;
  query.expected_rows = n;
  if (of) query.intervals = IntervalRequest{Rational(19, 20), *of, false};
  RandomBits random = RandomBits::system();
  const CountedColumn counted(profile, 1);
  for (auto _ : state) benchmark::DoNotOptimize(release(counted, query, random));
}

void add_intervals(std::uint64_t n, const std::string& measure, const Budget& budget) {
  const std::string name = "intervals/" + std::to_string(n) + "/quartiles/" + measure + "/";
  const auto add_one = [&](const std::string& of_what, std::optional<IntervalSubject> of) {
    register_quantiles(name + of_what, [=](benchmark::State& state) { measure_intervals(state, n, budget, of); });
  };
  add_one("alone", {});
  for (const IntervalSubject of : {IntervalSubject::table, IntervalSubject::population}) add_one(to_string(of), of);
}

}  // namespace

void register_release() {
  for (const std::uint64_t n : table_sizes) {
    for (const int bits : {10, 20, 30, 40}) {
      for (const char* ask : {"median", "quartiles", "percentiles"}) add(n, bits, ask);
    }
  }
  for (const char* ask : {"m10", "m50", "m120"}) {
    for (const Mechanism mechanism : {Mechanism::approximate, Mechanism::automatic, Mechanism::joint_tree,
                                      Mechanism::joint, Mechanism::tree, Mechanism::independent}) {
      const std::string name = "release/1000/40/" + std::string(ask) + "/" + to_string(mechanism);
      register_quantiles(name, [=](benchmark::State& state) { measure(state, 1000, 40, ask, mechanism); });
    }
  }
  for (const std::uint64_t n : std::initializer_list<std::uint64_t>{1000, 10'000, 100'000}) {
    add_intervals(n, "pure", Budget::pure(Rational(1)));
    add_intervals(n, "zcdp", Budget::zcdp(Rational(1, 2)));
  }
  register_quantiles("release/1000000/40/m10/joint-total",
                     [](benchmark::State& state) { measure(state, 1'000'000, 40, "m10", Mechanism::joint_total); });
}

}  // namespace fractile::bench
