// The law of how many participants give each answer, when each answers by a different law: in any of the rings of ring.hpp.
// Proof: docs/proofs/stability.md, "Modes among known others"
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/enclosure.hpp"

namespace fractile::flow {

/// All ways to distribute up to a given number of participants over the answers, with one number for each way.
template <class Ring>
class BarsLaw {
 public:
  /// For up to `people` participants; none has answered yet.
  BarsLaw(std::size_t people, std::size_t answers);

  /// Adds one participant, by the numerators of their answers' probabilities. At most `people` may be added.
  void add(const std::vector<Ring>& person);

  /// [a][b]: the numerator of the probability that the first of the highest bars is answer b when one more participant, who has not
  /// been added, gives answer a.
  std::vector<std::vector<Ring>> modes_with_one_more() const;

 private:
  std::size_t answers_;
  std::size_t added_ = 0;
  std::vector<std::uint32_t> others_;  ///< by way, then by answer except the last: how many give it
  std::vector<std::uint32_t> totals_;  ///< by way: how many give any answer except the last
  std::vector<std::uint32_t> before_;  ///< by way, then by answer except the last: the way with one fewer of it
  std::vector<Ring> numerators_;       ///< by way
};

/// A number of participants with one law, and the probabilities of their answers.
struct AlikePeople {
  std::size_t count;
  std::vector<Enclosure> answers;
};

/// About how many ways fixed_modes() lists.
double fixed_ways(std::size_t people, std::size_t answers);

/// The probabilities of modes_with_one_more(), with an absolute error of some 2^-150: computed in fixed point, without ways of
/// negligible probability. Time and memory are about proportional to fixed_ways().
std::vector<std::vector<Enclosure>> fixed_modes(const std::vector<AlikePeople>& groups, std::size_t answers);

}  // namespace fractile::flow
