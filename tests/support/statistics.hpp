// Shared by tests: effort scaling, chi-square tests against exact laws, and random bits that a test places.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "exact/enclosure.hpp"
#include "exact/uniform.hpp"
#include "fractile/exact.hpp"
#if __has_include(<flint/arb_hypgeom.h>)
#include <flint/arb_hypgeom.h>
#else
#include <arb_hypgeom.h>
#endif

namespace fractile::testing {

/// The factor that `text` states. Throws std::invalid_argument unless the whole text is a finite number above 0.
inline double effort_factor(const char* text) {
  char* end = nullptr;
  const double factor = std::strtod(text, &end);
  if (end == text || *end != '\0' || !std::isfinite(factor) || factor <= 0) {
    throw std::invalid_argument("FRACTILE_TEST_EFFORT must be a number above 0, not '" + std::string(text) + "'");
  }
  return factor;
}

/// `normal` repetitions, times FRACTILE_TEST_EFFORT (default 1), and at least `least`: with fewer, chance would decide, or nothing
/// would be tested.
inline std::uint64_t effort(std::uint64_t normal, std::uint64_t least = 0) {
  const char* factor = std::getenv("FRACTILE_TEST_EFFORT");
  if (factor == nullptr) return std::max(normal, least);
  return std::max(static_cast<std::uint64_t>(static_cast<double>(normal) * effort_factor(factor)), least);
}

/// The probability that a chi-square statistic with `degrees` degrees of freedom is at least `statistic`.
inline double chi_square_tail(double statistic, double degrees) {
  arb_t s, z, q;
  arb_init(s), arb_init(z), arb_init(q);
  arb_set_d(s, degrees / 2), arb_set_d(z, statistic / 2);
  arb_hypgeom_gamma_upper(q, s, z, 1, 128);
  const double result = arf_get_d(arb_midref(q), ARF_RND_NEAR);
  arb_clear(s), arb_clear(z), arb_clear(q);
  return result;
}

/// Twice the probability that a Poisson variable is at least as far from its mean as `count`, on the same side.
inline double poisson_p(double mean, double count) {
  double below = 0;  // P(X < count)
  double term = std::exp(-mean);
  for (double k = 0; k < count; term *= mean / ++k) below += term;
  // Above the mean, the tail itself is summed, because 1 - below would lose its digits.
  double above = 0;
  for (double k = count; term > 0 && k < count + 100; term *= mean / ++k) above += term;
  return std::min(
      1.0, 2 * (count > mean ? above : below + std::exp(-mean + count * std::log(mean) - std::lgamma(count + 1))));
}

/// p-value of observed counts against exact probabilities. Cells with an expectation below 10 are pooled. If the pool's expectation is
/// still below 10, its count is not nearly Gaussian, and is tested separately. If it is below 1e-6, the pool must not occur at all.
inline double chi_square_p(const std::vector<std::uint64_t>& counts, const std::vector<double>& law) {
  std::uint64_t draws = 0;
  for (const std::uint64_t c : counts) draws += c;
  double statistic = 0, pooled_expected = 0, pooled_count = 0;
  int cells = 0;
  const auto add = [&](double expected, double count) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t k = 0; k < law.size(); ++k) {
    const double expected = law[k] * static_cast<double>(draws);
    if (expected >= 10) {
      add(expected, static_cast<double>(counts[k]));
    } else {
      pooled_expected += expected;
      pooled_count += static_cast<double>(counts[k]);
    }
  }
  if (pooled_expected <= 1e-6 && pooled_count > 0) return 0;
  if (pooled_expected >= 10) add(pooled_expected, pooled_count);
  const double of_cells = cells < 2 ? 1 : chi_square_tail(statistic, cells - 1);
  const bool is_rare = pooled_expected > 1e-6 && pooled_expected < 10;
  return is_rare ? std::min(of_cells, poisson_p(pooled_expected, pooled_count)) : of_cells;
}

/// The least word that uniform_below turns into `outcome` among n, n >= 2.
inline std::uint64_t word_that_draws(std::uint64_t outcome, std::uint64_t n) {
  const std::uint64_t rejected = (0 - n) % n;
  return static_cast<std::uint64_t>(((uint128{outcome} << 64) + rejected + n - 1) / n);
}

/// Random bits that return these words in order, and throw when the words run out.
inline RandomBits placed_bits(std::vector<std::uint64_t> words) {
  return RandomBits::from_source([words = std::move(words), next = std::size_t{0}](std::span<std::byte> out) mutable {
    if (next == words.size()) throw std::runtime_error("the placed bits ran out");
    std::memset(out.data(), 0, out.size());
    const std::size_t count = std::min(out.size() / 8, words.size() - next);
    std::memcpy(out.data(), words.data() + next, count * 8);
    next += count;
  });
}

}  // namespace fractile::testing
