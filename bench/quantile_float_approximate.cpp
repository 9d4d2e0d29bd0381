// The rival for many quantiles: ApproximateQuantiles in double precision and an ordinary generator, from sorted records, by
// racing exponentials in log space as its authors do. Insecure: the law depends on roundings.
#include <algorithm>
#include <cmath>
#include <random>

#include "contenders.hpp"
#include "quantile_cases.hpp"

namespace fractile::bench {
namespace {

struct FloatApproximate {
  const std::vector<double>& sorted;
  const std::vector<double>& quantiles;
  double epsilon;  // of a level
  std::mt19937_64& random;
  std::vector<double>& released;

  /// One quantile q of records first .. last - 1 in (low, high).
  double select(std::size_t first, std::size_t last, double low, double high, double q) {
    const double rate = epsilon / (2 * std::max(q, 1 - q));
    const auto n = static_cast<double>(last - first);
    std::uniform_real_distribution<double> uniform(0, 1);
    double best = HUGE_VAL;
    double left = low;
    double right = high;
    for (std::size_t k = 0; k <= last - first; ++k) {
      const double a = k == 0 ? low : sorted[first + k - 1];
      const double b = k == last - first ? high : sorted[first + k];
      if (!(a < b)) continue;
      const double weight = std::log(b - a) - rate * std::abs(static_cast<double>(k) - q * n);
      const double time = std::log(-std::log(uniform(random))) - weight;
      if (time < best) best = time, left = a, right = b;
    }
    return left + (right - left) * uniform(random);
  }

  void recurse(std::size_t first, std::size_t last, double low, double high, std::size_t from, std::size_t to,
               double share_low, double share_high) {
    if (from == to) return;
    const std::size_t middle = (from + to) / 2;
    const double q = (quantiles[middle] - share_low) / (share_high - share_low);
    const double v = released[middle] = select(first, last, low, high, q);
    const auto split =
        static_cast<std::size_t>(std::lower_bound(sorted.begin() + static_cast<std::ptrdiff_t>(first),
                                                  sorted.begin() + static_cast<std::ptrdiff_t>(last), v) -
                                 sorted.begin());
    recurse(first, split, low, v, from, middle, share_low, quantiles[middle]);
    recurse(split, last, v, high, middle + 1, to, quantiles[middle], share_high);
  }
};

void measure(benchmark::State& state, std::uint64_t n, std::size_t m) {
  std::vector<double> sorted = records_of(n);
  std::ranges::sort(sorted);
  std::vector<double> quantiles;
  for (std::size_t i = 1; i <= m; ++i) quantiles.push_back(static_cast<double>(i) / static_cast<double>(m + 1));
  std::mt19937_64 random(1);
  std::vector<double> released(m);
  for (auto _ : state) {
    FloatApproximate{sorted, quantiles, 1 / (std::log2(static_cast<double>(m)) + 1), random, released}.recurse(
        0, n, 0, 1024, 0, m, 0, 1);
    benchmark::DoNotOptimize(released.data());
  }
}

}  // namespace

void register_float_approximate() {
  for (const std::size_t m : {std::size_t{10}, std::size_t{50}, std::size_t{120}}) {
    register_quantiles("release/1000/any/m" + std::to_string(m) + "/float_approximate",
                       [=](benchmark::State& state) { measure(state, 1000, m); });
  }
}

}  // namespace fractile::bench
