// Simulated releases of public tables: how wrong their quantiles are, and how wide their intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fractile/planning.hpp"

namespace fractile {

struct TypicalRelease {
  TypicalError errors;
  std::vector<double>
      interval_widths;  ///< medians, in records between the ends; one per quantile, none without intervals
};

/// As typical_error(). The releases are drawn in this many pieces, each with its own bits, which threads share.
TypicalRelease typical_release(const QuantileQuery& query, const Lattice& lattice, Shape shape, std::uint64_t rows,
                               std::uint64_t releases, std::size_t pieces = 1);

}  // namespace fractile
