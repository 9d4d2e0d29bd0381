// What a post-processor makes of tuples of values, one by one: for releases, and where no shortcut is known.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::flow {

struct Images {
  std::vector<std::size_t> image;  ///< of each tuple, an index of names
  std::vector<std::string> names;  ///< of what is observed, in increasing order
};

/// `tuples`: indices of the pipeline's values, as many as released quantiles or participants.
Images images_of(const Pipeline& pipeline, const std::vector<std::vector<std::size_t>>& tuples);

}  // namespace fractile::flow
