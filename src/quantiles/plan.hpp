// What a query will run: resolved from what is public, before any row is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantiles/recursion.hpp"

namespace fractile {

/// From what sizes on a plan does what. Privacy does not depend on them: audits take small ones, where every table can be tried.
struct PlanScale {
  std::uint64_t fine_lattice = 100'000;        ///< a granularity that is not declared costs more than finding it
  std::uint64_t heaped_lattice = 100;          ///< heaps are worth finding
  std::size_t many_quantiles = 25;             ///< that automatic counts among few candidates
  std::size_t many_of_heaps = 12;              ///< the same where records heap
  std::optional<std::uint64_t> subcells = {};  ///< parts of a cell; empty: by the lattice's size
};

struct QuantilePlan {
  Mechanism mechanism;                ///< never automatic
  RecursionShape shape;               ///< of the mechanisms that are recursions
  Rational levels;                    ///< among which the budget is divided: a selection spends 1/levels of it
  std::vector<Rational> released;     ///< the quantiles that are selected; the others are interpolated
  std::string reason;                 ///< of automatic's choice, in words; empty otherwise
  std::vector<RoundGrid> grids = {};  ///< among which a granularity is selected first; empty: it is not
  bool finds_heaps = false;           ///< whether heaps are, next, unless no granularity was found
  PlanScale scale = {};

  bool finds_heaps_after(const std::optional<RoundGrid>& grid) const { return finds_heaps && (grids.empty() || grid); }
  /// How many selections of round numbers come before the quantiles' when they find this.
  int findings(const RoundNumbers& found) const {
    return (grids.empty() ? 0 : 1) + (finds_heaps_after(found.grid) ? 1 : 0);
  }
};

/// The share of the budget that a selection of round numbers costs; under zCDP a smaller one finds as much.
Rational finding_share(Measure measure);

/// What such a selection is calibrated to.
Calibration finding_calibration(const QuantileQuery& query);

/// The query with what so many findings leave of the budget.
QuantileQuery query_after(QuantileQuery query, int findings);

/// After how many findings automatic counts on a tree in place of selecting: many quantiles among few candidates, under pure
/// privacy, and fewer quantiles where records heap. Nothing while it does not.
std::optional<int> findings_before_counting(const QuantileQuery& query, const QuantilePlan& plan,
                                            std::uint64_t candidates, const RoundNumbers& found);

/// At most how many candidates the query's mechanism takes.
std::uint64_t largest_lattice(const QuantileQuery& query);

/// Error(usage) as QuantileQuery::validate(lattice).
QuantilePlan plan_of(const QuantileQuery& query, const Lattice& lattice, const PlanScale& scale = {});

}  // namespace fractile
