// Releases that are said to have found what a test wants.
#pragma once

#include <memory>

#include "quantiles/stages/plan.hpp"

namespace fractile::testing {

/// The release as if its preliminary selections had found this. Its values stay.
inline QuantileRelease as_if_found(QuantileRelease release, const PreliminaryOutcome& found) {
  const QuantilePlan plan = release.course->plan;
  release.used = plan.used(found);
  release.course = std::make_shared<detail::Course>(detail::Course{plan, found, {}});
  return release;
}

}  // namespace fractile::testing
