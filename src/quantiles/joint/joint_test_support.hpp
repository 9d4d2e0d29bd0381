#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quantiles/joint/joint.hpp"

namespace fractile::testing {

/// A target of k + 1 equal cells for k quantiles.
inline JointTarget equal_cells(std::size_t quantiles) {
  return {std::vector<std::uint64_t>(quantiles + 1, 1), quantiles + 1};
}

}  // namespace fractile::testing
