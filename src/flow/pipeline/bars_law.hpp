// How many people give each answer, when they answer one by one and each by a law of their own: in any of the rings of ring.hpp.
// Proof: docs/proofs/stability.md, "Modes among known others"
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/enclosure.hpp"

namespace fractile::flow {

/// All ways to spread up to so many people over the answers; one number each, and nothing else of the kind is kept.
template <class Ring>
class BarsLaw {
 public:
  /// For up to `people`, of whom none has answered yet.
  BarsLaw(std::size_t people, std::size_t answers);

  /// One more person: the numerators of their answers' probabilities. At most as many people as said above.
  void add(const std::vector<Ring>& person);

  /// Numerators of: the first of the highest bars is the second answer when one more person, who has not been added, gives the first.
  std::vector<std::vector<Ring>> modes_with_one_more() const;

 private:
  std::size_t answers_;
  std::size_t added_ = 0;
  std::vector<std::uint32_t> others_;  ///< by way, then answer but the last: how many give it
  std::vector<std::uint32_t> totals_;  ///< by way: how many give any answer but the last
  std::vector<std::uint32_t> before_;  ///< by way, then answer but the last: the way with one fewer of it
  std::vector<Ring> numerators_;       ///< by way
};

/// So many people, and the probabilities of their answers.
struct AlikePeople {
  std::size_t count;
  std::vector<Enclosure> answers;
};

/// How many ways fixed_modes() lists, about.
double fixed_ways(std::size_t people, std::size_t answers);

/// Probabilities, as modes_with_one_more(), with an absolute error of some 2^-150: in fixed point, where ways that hardly ever come about
/// are left out. Time and memory about like fixed_ways().
std::vector<std::vector<Enclosure>> fixed_modes(const std::vector<AlikePeople>& groups, std::size_t answers);

}  // namespace fractile::flow
