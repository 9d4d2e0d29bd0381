// The mechanisms that are compared, by name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/release.hpp"

namespace fractile::experiments {

struct StudiedMechanism {
  const char* name;
  const char* title;                   ///< for figures
  std::optional<Mechanism> mechanism;  ///< none for tree_as_published, which the library does not release
  Rates rates;
  bool interpolate;
  Base base;
  std::uint64_t quick_up_to;  ///< the largest m at which a release takes less than a second
  const char* colour;         ///< the color of its line in figures, "#rrggbb"
  int dash;                   ///< as in figures::Line; 1 is a full line
};

std::span<const StudiedMechanism> studied_mechanisms();

/// The query for m uniform quantiles from the mechanism under the budget, for samples of `records` records.
QuantileQuery query_for(const StudiedMechanism& mechanism, const Budget& budget, std::uint64_t m,
                        std::uint64_t records);

/// Returns one candidate per quantile. Throws `usage` when the mechanism cannot answer the query.
std::vector<std::uint64_t> run_mechanism(const StudiedMechanism& mechanism, const RankProfile& profile,
                                         const QuantileQuery& query, RandomBits& bits);

}  // namespace fractile::experiments
