// One participant's perturbation, as numerators over a common denominator.
#pragma once

#include <vector>

#include "flow/algebra/ring.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

template <class Ring>
struct Noise {
  std::vector<std::vector<Ring>> numerators;  ///< row: the true value; column: the answer
  Ring denominator;

  std::size_t values() const { return numerators.size(); }
  std::size_t answers() const { return numerators.front().size(); }
};

/// Numerators `entry(value, answer)`, whose denominator is to be filled in.
template <class Entry>
Noise<Polynomial> with_numerators(std::size_t values, std::size_t answers, const Entry& entry) {
  Noise<Polynomial> noise{std::vector<std::vector<Polynomial>>(values), Polynomial()};
  for (std::size_t x = 0; x < values; ++x) {
    for (std::size_t y = 0; y < answers; ++y) noise.numerators[x].push_back(entry(x, y));
  }
  return noise;
}

[[noreturn]] void refuse_perturber(const char* what);
/// Throws `usage` for fewer than two values.
void require_values(std::size_t values);

// A perturber's probabilities are polynomials in a root of odds, which are kept in memory.
constexpr std::int64_t most_root_degree = 1000;
constexpr std::int64_t most_degree = 1'000'000;
constexpr std::int64_t most_coefficients = std::int64_t{1} << 28;  // of all polynomials together: 2 GiB

/// Throws `usage` for a perturber of fewer than two values, or with more probabilities than a channel may have entries.
void require_perturber_size(std::size_t values, std::size_t answers);
/// The number of answers if there are `reach` beyond the values on either side. Throws `usage` as require_perturber_size().
std::size_t wide_answers(std::size_t values, std::size_t reach);
/// Throws `usage` above the limits. `degree`: the highest one of a perturber's polynomials. `coefficients`: of all of them together.
void require_short_polynomials(const Rational& degree, const Rational& coefficients);
/// Throws `usage` above the limit.
void require_root_degree(const Rational& degree);

/// `preserving`: another family for which a smaller epsilon is known to be a refinement.
enum class Family { randomized_response, geometric, fixed, in_odds, preserving };

}  // namespace fractile::flow

namespace fractile::detail {

/// Polynomials in base, where odds = base^root_degree; valid at all odds >= 1.
class PolynomialNoise : public flow::Noise<flow::Polynomial> {
 public:
  PolynomialNoise(flow::Family kind, flow::Noise<flow::Polynomial> noise, std::int64_t degree = 1)
      : flow::Noise<flow::Polynomial>(std::move(noise)), family(kind), root_degree(degree) {}
  flow::Family family;
  std::int64_t root_degree;
};

}  // namespace fractile::detail

namespace fractile::flow {

using detail::PolynomialNoise;

/// Entries as polynomials in base. Throws `internal` for a release, and for participants that differ.
const PolynomialNoise& noise_of(const Perturber& perturber);

/// Numerators of showing 0 and 1, over their sum.
struct Bit {
  Polynomial zero;
  Polynomial one;
};
/// The probability of an answer with one bit per value, the first value's bit leading. Bits are independent; the bit of value `x`
/// has the law `own`, the others have the law `other`.
Polynomial chance_of_bits(std::size_t values, std::size_t x, std::size_t answer, const Bit& own, const Bit& other);

/// Whether all probabilities are the same at all odds.
bool have_one_law(const PolynomialNoise& one, const PolynomialNoise& other);

/// The sizes of the groups of neighboring participants with one perturber; empty if all have the same.
std::vector<std::size_t> alike_neighbors(const Perturber& perturber);

/// Throws `usage` when odds < 1, or their root is not rational.
Noise<Integer> noise_at(const PolynomialNoise& noise, const Rational& odds);
/// `odds` encloses a number >= 1.
Noise<Enclosure> noise_at(const PolynomialNoise& noise, const Enclosure& odds);

}  // namespace fractile::flow
