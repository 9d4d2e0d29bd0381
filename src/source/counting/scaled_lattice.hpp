// A lattice in the units of decimals, which are read as whole numbers.
#pragma once

#include <cstdint>
#include <string>

#include "fractile/ranks.hpp"

namespace fractile::source_detail {

/// The lattice divided by 10^-scale. Throws `usage` when its ends are not 64-bit integers then; `column` and `type` are
/// for messages.
Lattice in_units(const Lattice& lattice, int scale, const std::string& column, const std::string& type);

/// What numbers of units are counted on in place of a lattice.
struct UnitLattice {
  Lattice counted_on;
  std::uint64_t left_out = 0;  ///< points of the lattice before the first one of `counted_on`

  /// The profile on the lattice itself.
  RankProfile back_on(const Lattice& lattice, RankProfile profile) const;
};

/// in_units(); of a regular lattice without the points that no number of `digits` digits comes near, where there are so few digits that
/// 64 bits hold all numbers. `digits`: 0 when numbers may be beyond 64 bits.
UnitLattice unit_lattice(const Lattice& lattice, int digits, int scale, const std::string& column,
                         const std::string& type);

}  // namespace fractile::source_detail
