// A lattice in the units of decimals, which are read as whole numbers.
#pragma once

#include <cstdint>
#include <string>

#include "fractile/ranks.hpp"

namespace fractile::source_detail {

/// The lattice divided by 10^-scale. Throws `usage` when its ends then are not 64-bit integers; `column` and `type` are for
/// messages.
Lattice in_units(const Lattice& lattice, int scale, const std::string& column, const std::string& type);

/// The lattice on which numbers of units are counted.
struct UnitLattice {
  Lattice counted_on;
  std::uint64_t left_out = 0;  ///< points of the original lattice before the first point of `counted_on`

  /// The profile on the original lattice.
  RankProfile back_on(const Lattice& lattice, RankProfile profile) const;
};

/// in_units(). If 64 bits hold all numbers of `digits` digits, points of a regular lattice that no such number comes near are left
/// out. `digits`: 0 when numbers may be beyond 64 bits.
UnitLattice unit_lattice(const Lattice& lattice, int digits, int scale, const std::string& column,
                         const std::string& type);

}  // namespace fractile::source_detail
