// When one participant's value is unknown and all others' are known: the law of the number of steps that the others' answers add to
// a total.
// Proof: docs/proofs/target_loss.md
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "exact/enclosure.hpp"
#include "flow/algebra/ring.hpp"
#include "flow/algebra/truncated_law.hpp"
#include "flow/pipeline/composition.hpp"

namespace fractile::flow {

/// By value: the probabilities of the steps that the value's answer adds to the total.
using StepLaws = std::vector<std::vector<Enclosure>>;

/// The numbers p_0, p_1 ratio, p_2 ratio^2 ..
StepLaws tilted(StepLaws laws, const Rational& ratio);

/// The product of the tilted laws' sums, each raised to the number of participants with this value.
Enclosure expectation_of(const StepLaws& tilted, const Composition& people);

/// The law of the total, after the tilted laws are normalized.
TruncatedLaw total_law(const StepLaws& tilted, const Composition& people);

/// A law of totals by its sums from the left. The probability that the truncated law leaves out may be anywhere.
class RunningLaw {
 public:
  RunningLaw() = default;
  explicit RunningLaw(const TruncatedLaw& law) : RunningLaw(law.first, law.sums(), law.rest) {}
  /// `sums`: of no, one, ... totals from the first one on. `rest`: an upper bound of the probability of all other totals together.
  RunningLaw(std::size_t first, std::vector<Enclosure> sums, const Enclosure& rest)
      : first_(first), sums_(std::move(sums)), rest_(from_zero_to(rest)) {}

  /// The totals outside first() .. last() together are negligible.
  std::size_t first() const { return first_; }
  std::size_t last() const { return first_ + sums_.size() - 2; }
  /// Q(from) + ... + Q(to - 1).
  Enclosure between(std::size_t from, std::size_t to) const;

 private:
  std::size_t first_ = 0;
  std::vector<Enclosure> sums_;
  Enclosure rest_;
};

}  // namespace fractile::flow
