// The numbers that answers add to a count or a sum.
#pragma once

#include <cstddef>
#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// What each answer adds: `least` per participant, plus a number of steps of `unit`.
struct Additions {
  std::vector<std::size_t> steps;
  Rational least;
  Rational unit = 1;
};
Additions additions_of(const Pipeline& pipeline);

/// The totals of steps that are possible for the participants' answers, increasing. Throws `usage` when there may be more than a
/// million.
std::vector<std::size_t> reachable(const Additions& additions, std::size_t participants);

}  // namespace fractile::flow
