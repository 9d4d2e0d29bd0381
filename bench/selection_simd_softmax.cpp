// Insecure: softmax for speed alone. The compiler makes vector code for this very machine (-O3 -march=native
// -ffast-math, libmvec's exp); sums per block, so that the search reads one block.
#include <algorithm>
#include <cmath>

#include "contenders.hpp"
#include "selection_cases.hpp"

namespace fractile::bench {
namespace {

constexpr std::size_t block_size = 512;

struct Buffers {
  explicit Buffers(std::size_t k) : weights(k), sums(k / block_size + 1) {}
  std::vector<double> weights;
  std::vector<double> sums;
};

std::uint64_t least(const std::uint64_t* scores, std::size_t count) {
  std::uint64_t best = scores[0];
  for (std::size_t i = 1; i < count; ++i) best = scores[i] < best ? scores[i] : best;
  return best;
}

double weigh(const std::uint64_t* scores, std::size_t count, std::uint64_t best, double rate, double* weights) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double exponent = -rate * static_cast<double>(scores[i] - best);
    weights[i] = std::exp(exponent > -700 ? exponent : -700);  // libmvec leaves underflow to slow scalar code
    sum += weights[i];
  }
  return sum;
}

/// The index at which the running sum of `values` passes `target`, which is reduced by what lies before.
std::size_t locate(const double* values, std::size_t count, double& target) {
  std::size_t at = 0;
  for (; at + 1 < count && target >= values[at]; ++at) target -= values[at];
  return at;
}

std::size_t select(const Scores& scores, double rate, Buffers& buffers, std::mt19937_64& random) {
  const std::size_t k = scores.size();
  const std::uint64_t best = least(scores.data(), k);
  double sum = 0;
  for (std::size_t start = 0; start < k; start += block_size) {
    const std::size_t count = std::min(block_size, k - start);
    const double mass = weigh(&scores[start], count, best, rate, &buffers.weights[start]);
    buffers.sums[start / block_size] = mass;
    sum += mass;
  }
  double target = uniform_double(random) * sum;
  const std::size_t start = block_size * locate(buffers.sums.data(), (k + block_size - 1) / block_size, target);
  return start + locate(&buffers.weights[start], std::min(block_size, k - start), target);
}

void measure(benchmark::State& state, const SelectionCase& c) {
  const Scores& scores = c.scores();
  Buffers buffers(scores.size());
  const double rate = c.rate_double();
  std::mt19937_64 random(1);
  for (auto _ : state) benchmark::DoNotOptimize(select(scores, rate, buffers, random));
}

}  // namespace

void register_simd_softmax() { register_selections("simd_softmax", 1'000'000, measure); }

}  // namespace fractile::bench
