// What a query will run: resolved from what is public, before any row is read.
#pragma once

#include <string>
#include <vector>

#include "quantiles/recursion.hpp"

namespace fractile {

struct QuantilePlan {
  Mechanism mechanism;             ///< never automatic
  RecursionShape shape;            ///< of the mechanisms that are recursions
  Rational levels;                 ///< among which the budget is divided: a selection spends 1/levels of it
  std::vector<Rational> released;  ///< the quantiles that are selected; the others are interpolated
  std::vector<RoundGrid> grids;    ///< among which a granularity is selected first; empty: it is not
  std::string reason;              ///< of automatic's choice, in words; empty otherwise
};

/// The share of the budget that finding a granularity costs; under zCDP a smaller one finds as much.
Rational granularity_share(Measure measure);

/// What finding a granularity is calibrated to.
Calibration granularity_calibration(const QuantileQuery& query);

/// What is left for counts on the grid that was found.
QuantileQuery query_on_grid(QuantileQuery query);

/// Whether automatic counts on a tree in place of selecting: many quantiles among few candidates, under pure privacy.
bool counting_is_better(const QuantileQuery& query, std::uint64_t candidates);

/// At most how many candidates the query's mechanism takes.
std::uint64_t largest_lattice(const QuantileQuery& query);

/// Error(usage) as QuantileQuery::validate(lattice).
QuantilePlan plan_of(const QuantileQuery& query, const Lattice& lattice);

}  // namespace fractile
