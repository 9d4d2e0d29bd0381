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

}  // namespace fractile::flow

namespace fractile::detail {

/// Valid at all odds >= 1.
class PolynomialNoise : public flow::Noise<flow::Polynomial> {
 public:
  PolynomialNoise(flow::Family kind, flow::Noise<flow::Polynomial> noise)
      : flow::Noise<flow::Polynomial>(std::move(noise)), family(kind) {}
  flow::Family family;
};

}  // namespace fractile::detail

namespace fractile::flow {

using detail::PolynomialNoise;

/// Entries as polynomials in odds; not of a release, and not of participants that differ: Error(internal).
const PolynomialNoise& noise_of(const Perturber& perturber);

Noise<Integer> noise_at(const PolynomialNoise& noise, const Rational& odds);
/// `odds` encloses a number >= 1.
Noise<Enclosure> noise_at(const PolynomialNoise& noise, const Enclosure& odds);

}  // namespace fractile::flow
