// What a query will run: resolved from what is public, before any row is read.
#pragma once

#include <string>
#include <vector>

#include "quantiles/recursion.hpp"

namespace fractile {

struct QuantilePlan {
  Mechanism mechanism;             ///< never automatic
  RecursionShape shape;            ///< of the mechanisms that are recursions
  Rational levels;                 ///< among which the budget is divided
  std::vector<Rational> released;  ///< the quantiles that are selected; the others are interpolated
  std::string reason;              ///< of automatic's choice, in words; empty otherwise
};

/// Error(usage) as QuantileQuery::validate().
QuantilePlan plan_of(const QuantileQuery& query, const Lattice& lattice);

}  // namespace fractile
