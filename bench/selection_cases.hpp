// The work of the selection contenders: one of k candidates with weight exp(-rate * score), scores in no known order.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace fractile::bench {

using Scores = std::vector<std::uint64_t>;

/// dense: the V of a median with a record at every candidate. sparse: the same with 1000 records in all, so that long
/// stretches of candidates tie. random: uniform in 0 .. 1000.
const Scores& scores_of(const std::string& family, std::uint64_t k);

struct SelectionCase {
  std::string family;
  std::uint64_t k;
  std::string rate;

  const Scores& scores() const { return scores_of(family, k); }
  double rate_double() const { return std::stod(rate); }
};

using Measure = std::function<void(benchmark::State&, const SelectionCase&)>;

/// Every family, size up to `largest` and rate, as "selection/FAMILY/K/RATE/CONTENDER".
void register_selections(const std::string& contender, std::uint64_t largest, const Measure& measure);

/// The bits of the insecure contenders.
inline double uniform_double(std::mt19937_64& random) { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; }

}  // namespace fractile::bench
