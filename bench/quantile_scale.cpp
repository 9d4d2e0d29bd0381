// What the number of records costs: releases of profiles that were counted elsewhere, the same positions with ever more records.
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "contenders.hpp"
#include "fractile/release.hpp"
#include "quantile_cases.hpp"

namespace fractile::bench {
namespace {

struct Counted {
  Lattice lattice;
  RankProfile profile;
};

/// About n records on every other of 2 * positions candidates, thick in the middle: one at least on each.
const Counted& counted(std::uint64_t n, std::uint64_t positions) {
  static std::map<std::pair<std::uint64_t, std::uint64_t>, std::unique_ptr<Counted>> made;
  auto& counted = made[{n, positions}];
  if (counted) return *counted;
  const auto size = static_cast<std::int64_t>(2 * positions);
  const Lattice lattice = Lattice::regular(0, size - 1, 1);
  ProfileBuilder builder(lattice);
  const auto width = static_cast<double>(positions) / 6;
  const double highest = static_cast<double>(n - positions) / (width * std::sqrt(2 * M_PI));
  for (std::uint64_t i = 0; i < positions; ++i) {
    const double off = (static_cast<double>(i) - static_cast<double>(positions) / 2) / width;
    const auto more = static_cast<std::uint64_t>(highest * std::exp(-off * off / 2));
    builder.add_position(2 * (2 * i) + 1, 1 + more);
  }
  counted = std::make_unique<Counted>(Counted{lattice, builder.finish()});
  return *counted;
}

void measure(benchmark::State& state, std::uint64_t n, std::uint64_t positions, const std::string& ask,
             Mechanism mechanism) {
  const Counted& table = counted(n, positions);
  QuantileQuery query = query_of(ask);
  query.mechanism = mechanism;
  RandomBits random = RandomBits::system();
  const CountedColumn column(table.profile, 1);
  for (auto _ : state) benchmark::DoNotOptimize(release(column, query, random));
}

}  // namespace

void register_scale() {
  constexpr std::array mechanisms{Mechanism::automatic,   Mechanism::approximate, Mechanism::joint,
                                  Mechanism::joint_total, Mechanism::joint_tree,  Mechanism::independent,
                                  Mechanism::tree};
  for (const std::uint64_t positions : {std::uint64_t{100'000}, std::uint64_t{1'000'000}}) {
    for (const std::uint64_t n : {std::uint64_t{1'000'000}, std::uint64_t{100'000'000}, std::uint64_t{10'000'000'000},
                                  std::uint64_t{1'000'000'000'000}}) {
      for (const char* ask : {"quartiles", "m24", "m120"}) {
        for (const Mechanism mechanism : mechanisms) {
          const bool at_once = mechanism == Mechanism::joint || mechanism == Mechanism::joint_total;
          if (at_once && ask == std::string("m120")) continue;  // a table of 120 quantiles: nobody would ask for it
          const std::string parts =
              "scale/" + std::to_string(n) + "/" + std::to_string(positions) + "/" + ask + "/" + to_string(mechanism);
          register_quantiles(parts, [=](benchmark::State& state) { measure(state, n, positions, ask, mechanism); });
        }
      }
    }
  }
}

}  // namespace fractile::bench
