// Where one person's value is unknown and all others' are known: the law of how many steps the others' answers add to a total.
// Proof: docs/proofs/target_loss.md
#pragma once

#include <cstddef>
#include <vector>

#include "exact/enclosure.hpp"
#include "flow/algebra/ring.hpp"
#include "flow/algebra/truncated_law.hpp"
#include "flow/pipeline/composition.hpp"

namespace fractile::flow {

/// By value: the probabilities of the steps that its answer adds to the total.
using StepLaws = std::vector<std::vector<Enclosure>>;

/// The numbers p_0, p_1 ratio, p_2 ratio^2 ..
StepLaws tilted(StepLaws laws, const Rational& ratio);

/// Of all steps together: the product of the tilted laws' sums, each to the power of how many people have it.
Enclosure expectation_of(const StepLaws& tilted, const Composition& people);

/// Of the total, the tilted laws made to add up to 1 again.
TruncatedLaw total_law(const StepLaws& tilted, const Composition& people);

/// A law of totals and its sums from the left; what the truncated law leaves out may be anywhere.
class RunningLaw {
 public:
  /// `highest`: of all totals.
  RunningLaw(TruncatedLaw law, std::size_t highest);

  std::size_t highest() const { return highest_; }
  /// Outside of first() .. last(), all together is negligible.
  std::size_t first() const { return law_.first; }
  std::size_t last() const { return law_.first + law_.size - 1; }
  Enclosure at(std::size_t total) const;
  /// Q(from) + ... + Q(to - 1).
  Enclosure between(std::size_t from, std::size_t to) const;
  /// From 0 to what all totals outside of first() .. last() have at most, together.
  const Enclosure& rest() const { return law_.rest; }

 private:
  TruncatedLaw law_;
  std::size_t highest_;
  std::vector<Enclosure> sums_;
};

}  // namespace fractile::flow
