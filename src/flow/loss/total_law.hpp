// Where one person's value is unknown and all others' are known: the law of how many steps the others' answers add to a total.
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

/// By value: the probabilities of the steps that its answer adds to the total.
using StepLaws = std::vector<std::vector<Enclosure>>;

/// The numbers p_0, p_1 ratio, p_2 ratio^2 ..
StepLaws tilted(StepLaws laws, const Rational& ratio);

/// The product of the tilted laws' sums, each to the power of how many people have it.
Enclosure expectation_of(const StepLaws& tilted, const Composition& people);

/// The law of the total, the tilted laws made to add up to 1 again.
TruncatedLaw total_law(const StepLaws& tilted, const Composition& people);

/// A law of totals by its sums from the left; what the truncated law leaves out may be anywhere.
class RunningLaw {
 public:
  RunningLaw() = default;
  explicit RunningLaw(const TruncatedLaw& law) : RunningLaw(law.first, law.sums(), law.rest) {}
  /// `sums`: of none, one .. of the totals from the first one on; `rest`: what all others have at most, together.
  RunningLaw(std::size_t first, std::vector<Enclosure> sums, const Enclosure& rest)
      : first_(first), sums_(std::move(sums)), rest_(from_zero_to(rest)) {}

  /// Outside of first() .. last(), all together is negligible.
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
