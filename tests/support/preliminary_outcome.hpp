// Releases that claim to have found what a test wants.
#pragma once

#include <memory>

#include "quantiles/stages/plan.hpp"

namespace fractile::testing {

/// The release as if its preliminary selections had found this outcome. Its values are unchanged.
inline Release as_if_found(Release release, const PreliminaryOutcome& found) {
  Release::Group& group = release.groups.front();
  const std::shared_ptr<const QuantilePlan> plan = group.course->plan;
  group.used = plan->used(found);
  group.course = std::make_shared<detail::Course>(detail::Course{plan, found, {}});
  return release;
}

}  // namespace fractile::testing
