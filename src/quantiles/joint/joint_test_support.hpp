#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quantiles/joint/joint.hpp"

namespace fractile::testing {

/// As many records between any two neighboring quantiles as beyond the outermost ones.
inline JointTarget equal_cells(std::size_t quantiles) {
  return {std::vector<std::uint64_t>(quantiles + 1, 1), quantiles + 1};
}

}  // namespace fractile::testing
