// How many of the others are counted, where one person's value is unknown and all others' are known.
// Proof: docs/proofs/target_loss.md
#pragma once

#include <cstddef>
#include <vector>

#include "exact/enclosure.hpp"
#include "flow/algebra/ring.hpp"
#include "flow/algebra/truncated_law.hpp"

namespace fractile::flow {

/// The law of the others' count, and its sums from the left; what the truncated law leaves out may be anywhere.
class CountLaw {
 public:
  /// Values with nobody in the histogram may have any probability of being counted.
  CountLaw(const std::vector<Enclosure>& counted, const std::vector<std::size_t>& histogram);

  std::size_t others() const { return others_; }
  /// Outside of first() .. last(), all together is negligible.
  std::size_t first() const { return truncated_.first; }
  std::size_t last() const { return truncated_.first + truncated_.size - 1; }
  Enclosure at(std::size_t y) const;
  /// Q(from) + ... + Q(to - 1).
  Enclosure between(std::size_t from, std::size_t to) const;
  /// From 0 to what all counts outside of first() .. last() have at most, together.
  const Enclosure& rest() const { return truncated_.rest; }

 private:
  TruncatedLaw truncated_;
  std::size_t others_ = 0;
  std::vector<Enclosure> sums_;
};

}  // namespace fractile::flow
