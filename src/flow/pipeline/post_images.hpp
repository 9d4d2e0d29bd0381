// The images of tuples of values under a post-processor, one by one: for releases, and where there is no shortcut.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::flow {

struct Images {
  std::vector<std::size_t> image;  ///< for each tuple, an index in `names`
  std::vector<std::string> names;  ///< of the observations, in increasing order
};

/// `tuples`: indices of the pipeline's values, as many as released quantiles or participants.
Images images_of(const Pipeline& pipeline, const std::vector<std::vector<std::size_t>>& tuples);

}  // namespace fractile::flow
