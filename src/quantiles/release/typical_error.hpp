// Simulated releases of public tables: how wrong their quantiles are, and how wide their intervals.
#pragma once

#include <cstdint>
#include <vector>

#include "fractile/planning.hpp"

namespace fractile {

struct TypicalRelease {
  TypicalError errors;
  std::vector<double>
      interval_widths;  ///< medians, in records between the ends; one per quantile, none without intervals
};

/// As typical_error().
TypicalRelease typical_release(const QuantileQuery& query, const Lattice& lattice, Shape shape, std::uint64_t rows,
                               std::uint64_t releases);

}  // namespace fractile
