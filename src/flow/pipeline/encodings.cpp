// Perturbers whose answers are not values: subsets, columns of a Hadamard matrix, and bits.
// Proof that a smaller epsilon is a refinement: docs/proofs/refinement.md, "Mixtures"
#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "exact/lists.hpp"
#include "flow/pipeline/noise.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

Polynomial chance_of_bits(std::size_t values, std::size_t x, std::size_t answer, const Bit& own, const Bit& other) {
  Polynomial p(1);
  for (std::size_t k = 0; k < values; ++k) {
    const Bit& bit = k == x ? own : other;
    p = p * (((answer >> (values - 1 - k)) & 1) != 0 ? bit.one : bit.zero);
  }
  return p;
}

namespace {

constexpr std::size_t most_answers = 256;

/// The noise with weight odds where `has` is true and 1 elsewhere. `has` must be true equally often in every row.
template <class Has>
std::shared_ptr<const PolynomialNoise> odds_where(std::size_t values, std::size_t answers, const Has& has) {
  const auto weight = [&](std::size_t x, std::size_t y) { return Polynomial::power(has(x, y) ? 1 : 0); };
  Noise<Polynomial> noise = with_numerators(values, answers, weight);
  for (const Polynomial& entry : noise.numerators.front()) noise.denominator = noise.denominator + entry;
  return std::make_shared<PolynomialNoise>(Family::preserving, std::move(noise));
}

/// 2^values. Throws `usage` when there are fewer than two values, or more than 256 answers.
std::size_t count_of_unary_answers(std::size_t values) {
  require_values(values);
  constexpr std::size_t most_bits = 8;
  if (values > most_bits) refuse_perturber("a unary encoding of more than 8 values has more than 256 answers");
  return std::size_t{1} << values;
}

std::shared_ptr<const PolynomialNoise> unary(std::size_t values, const Bit& other, const Bit& own,
                                             std::int64_t root_degree) {
  const auto chance = [&](std::size_t x, std::size_t y) { return chance_of_bits(values, x, y, own, other); };
  Noise<Polynomial> noise = with_numerators(values, count_of_unary_answers(values), chance);
  noise.denominator = own.zero + own.one;
  for (std::size_t k = 1; k < values; ++k) noise.denominator = noise.denominator * (other.zero + other.one);
  return std::make_shared<PolynomialNoise>(Family::preserving, std::move(noise), root_degree);
}

/// All subsets in lexicographic order; each says, by value, whether it has the value.
std::vector<std::vector<bool>> subsets_of(std::size_t values, std::size_t size) {
  require_values(values);
  if (size < 1 || size >= values) refuse_perturber("a subset has at least one value, and fewer than all");
  if (values > most_answers) refuse_perturber("there are more than 256 subsets of this size");
  std::vector<std::vector<bool>> subsets;
  std::vector<bool> chosen(values);
  for (std::size_t k = 0; k < size; ++k) chosen[k] = true;
  do {
    subsets.push_back(chosen);
    if (subsets.size() > most_answers) refuse_perturber("there are more than 256 subsets of this size");
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return subsets;
}

Rational digits(const std::vector<bool>& bits) {
  Rational number;
  for (const bool bit : bits) number = number * Rational(10) + Rational(bit ? 1 : 0);
  return number;
}

}  // namespace

std::vector<Rational> subset_answers(std::size_t values, std::size_t size) {
  return mapped(subsets_of(values, size), digits);
}

std::vector<Rational> unary_answers(std::size_t values) {
  const std::size_t count = count_of_unary_answers(values);
  std::vector<Rational> answers;
  for (std::size_t y = 0; y < count; ++y) {
    std::vector<bool> bits(values);
    for (std::size_t k = 0; k < values; ++k) bits[k] = ((y >> (values - 1 - k)) & 1) != 0;
    answers.push_back(digits(bits));
  }
  return answers;
}

Perturber Perturber::subset_selection(std::size_t values, std::size_t size) {
  const std::vector<std::vector<bool>> subsets = subsets_of(values, size);
  return Perturber(odds_where(values, subsets.size(), [&](std::size_t x, std::size_t y) { return subsets[y][x]; }));
}

// Sylvester's matrix: entry (r, c) is (-1)^(the number of bits that r and c share). Row 0, which reveals nothing, is not used for a
// value.
Perturber Perturber::hadamard(std::size_t values) {
  require_values(values);
  if (values >= most_answers) refuse_perturber("a Hadamard matrix of more than 256 columns");
  const std::size_t answers = std::bit_ceil(values + 1);
  return Perturber(
      odds_where(values, answers, [](std::size_t x, std::size_t y) { return std::popcount((x + 1) & y) % 2 == 0; }));
}

Perturber Perturber::symmetric_unary(std::size_t values) {
  const Polynomial one(1);
  const Polynomial root = Polynomial::power(1);
  Perturber perturber(unary(values, {root, one}, {one, root}, 2));
  perturber.root_degree_ = 2;
  return perturber;
}

Perturber Perturber::optimized_unary(std::size_t values) {
  const Polynomial one(1);
  return Perturber(unary(values, {Polynomial::power(1), one}, {one, one}, 1));
}

}  // namespace fractile::flow
