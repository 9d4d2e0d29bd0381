// The work of quantile contenders: records of one column, lattices of many sizes over the same bounds, what is asked.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "fractile/release.hpp"

namespace fractile::bench {

inline constexpr std::uint64_t table_sizes[] = {1'000'000, 10'000'000};

/// Records to be counted: more of them on the lattices that are mostly used.
inline constexpr std::uint64_t most_records = 100'000'000;
inline constexpr int usual_bits[] = {10, 17};

/// n records in no order, multiples of 2^-20 in [0, 1024), thick in the middle; few repeat.
const std::vector<double>& records_of(std::uint64_t n);

/// 2^bits candidates on [0, 1024).
Lattice lattice_of(int bits);

/// Built once for every pair.
const RankProfile& profile_of(std::uint64_t n, int bits);

/// median: 1/2 by the exponential mechanism; quartiles, percentiles and m<M> (M evenly spaced) by the approximate one.
/// Epsilon 1, neighbors by adding or removing a record.
QuantileQuery query_of(const std::string& ask);

/// Ranks at which the quantiles of n sorted records stand.
std::vector<std::size_t> ranks_of(const QuantileQuery& query, std::uint64_t n);

/// A benchmark in milliseconds, named by its parts.
template <class Measure>
void register_quantiles(const std::string& name, Measure&& measure) {
  benchmark::RegisterBenchmark(name.c_str(), measure)->Unit(benchmark::kMillisecond);
}

}  // namespace fractile::bench
