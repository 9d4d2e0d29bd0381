// Without privacy: the quantiles themselves, by std::nth_element (after the quantile found before) or std::sort, on a
// copy of the records.
#include <algorithm>

#include "contenders.hpp"
#include "quantile_cases.hpp"

namespace fractile::bench {
namespace {

void by_nth_element(std::vector<double>& records, const std::vector<std::size_t>& ranks) {
  auto from = records.begin();
  for (const std::size_t rank : ranks) {
    const auto at = records.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(from, at, records.end());
    from = at;
  }
}

void by_sort(std::vector<double>& records, const std::vector<std::size_t>&) { std::ranges::sort(records); }

using Method = void (*)(std::vector<double>&, const std::vector<std::size_t>&);

void measure(benchmark::State& state, std::uint64_t n, const std::string& ask, Method method) {
  const std::vector<double>& records = records_of(n);
  const std::vector<std::size_t> ranks = ranks_of(query_of(ask), n);
  std::vector<double> copy(n);
  for (auto _ : state) {
    std::ranges::copy(records, copy.begin());
    method(copy, ranks);
    for (const std::size_t rank : ranks) benchmark::DoNotOptimize(copy[rank]);
  }
}

void add(std::uint64_t n, const std::string& ask, const std::string& contender, Method method) {
  register_quantiles("release/" + std::to_string(n) + "/any/" + ask + "/" + contender,
                     [=](benchmark::State& state) { measure(state, n, ask, method); });
}

}  // namespace

void register_sort() {
  for (const std::uint64_t n : table_sizes) {
    for (const char* ask : {"median", "quartiles", "percentiles"}) add(n, ask, "nth_element", by_nth_element);
    add(n, "median", "sort", by_sort);
  }
}

}  // namespace fractile::bench
