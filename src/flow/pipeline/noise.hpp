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

enum class Family { randomized_response, geometric, fixed, in_odds };

/// Valid at all odds >= 1.
class PolynomialNoise : public Noise<Polynomial> {
 public:
  PolynomialNoise(Family kind, Noise<Polynomial> noise) : Noise<Polynomial>(std::move(noise)), family(kind) {}
  Family family;
};

Noise<Integer> noise_at(const PolynomialNoise& noise, const Rational& odds);
/// `odds` encloses a number >= 1.
Noise<Enclosure> noise_at(const PolynomialNoise& noise, const Enclosure& odds);

}  // namespace fractile::flow
