// A lattice in the units of decimals, which are read as whole numbers.
#pragma once

#include <string>

#include "fractile/ranks.hpp"

namespace fractile::source_detail {

/// The lattice divided by 10^-scale. Error(usage) when its ends are not 64-bit integers then; `column` and `type` are for messages.
Lattice in_units(const Lattice& lattice, int scale, const std::string& column, const std::string& type);

}  // namespace fractile::source_detail
