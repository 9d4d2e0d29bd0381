// What a release does, stage by stage, as data. The sampler draws the stages of a list, audits enumerate the draws, the odometer
// charges each stage by its name, and worst cases bound their errors.
// Proofs: docs/proofs/granularity.md, docs/proofs/heaping.md, docs/proofs/rank_error.md
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "quantiles/stages/critical_values.hpp"
#include "quantiles/stages/heaping.hpp"
#include "quantiles/stages/recursion.hpp"

namespace fractile {

/// The share of the budget that a preliminary stage costs. Under zCDP, a smaller share suffices.
inline Rational preliminary_share(Measure measure) { return {1, measure == Measure::zcdp ? 160 : 40}; }

/// A preliminary noisy count. The number of these increasing borders that it reaches selects the number of records for which the
/// plan continues. It costs `shares` times preliminary_share() of the budget.
/// Proof: docs/proofs/counted_rows.md
struct CountRows {
  std::vector<std::int64_t> borders;
  int shares;
};

/// Everything that the preliminary stages have found.
struct PreliminaryOutcome : RoundNumbers {
  std::optional<std::size_t> rows = {};  ///< index in QuantilePlan::by_rows

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's 0
  friend auto operator<=>(const PreliminaryOutcome&, const PreliminaryOutcome&) = default;
};

/// A preliminary selection of the grid on which most values lie, if any. It costs preliminary_share() of the budget.
struct FindGranularity {
  std::vector<RoundGrid> grids;
};

/// A preliminary selection of the multiples on which many values heap, if any. It costs preliminary_share() of the budget.
struct FindHeaps {
  std::vector<HeapGrid> heaps;
};

/// Selects quantiles by a recursion, with the rest of the budget.
struct SelectQuantiles {
  RecursionShape shape;
  Rational levels;  ///< the budget is divided among them: a selection spends 1/levels of it
  std::vector<Rational> released;
  std::uint64_t subcells;             ///< parts of a candidate's cell
  Wanted wants = Wanted::candidates;  ///< splits if quantiles are interpolated next
};

/// Selects each quantile separately, with the rest of the budget.
struct SelectEach {};

/// Counts on a tree, with the rest of the budget: among the grid's candidates, with each record moved to the nearest of them, or
/// among all candidates.
struct CountOnTree {
  std::optional<RoundGrid> grid = {};
};

/// All quantiles from the splits of those that were selected: linear between two selected splits, and beyond the outermost with the
/// slope of the last two. Where one of two neighbors is zero, half of the quantiles between them are zero, too: many columns have a
/// tie at zero, and it is not known where the tie ends.
struct Interpolate {
  std::vector<Rational> released;
  std::uint64_t subcells;
  std::optional<std::uint64_t> zero;  ///< the candidate that is zero
};

/// Rounds each value to the nearest candidate of the grid.
struct RoundToGrid {
  RoundGrid grid;
};

/// A possible end of an interval: a quantile, whose place is interpolated between selected ones. The quantiles 0 and 1 stand for
/// cuts far out, for ends that no other cut settles.
struct CutTarget {
  Rational quantile;
  IntervalEnd end;
  std::size_t owner;  ///< index of the wanted quantile whose interval it is
  friend bool operator==(const CutTarget&, const CutTarget&) = default;
};

/// How a budget is divided; the shares add up to 1.
struct IntervalShares {
  Rational rows;    ///< for the count that determines the cuts
  Rational points;  ///< the wanted quantiles
  Rational brackets;
  Rational cells;
};

/// What a query with intervals selects, and the cuts between which it counts. Depends only on the query and on a noisy count of the
/// records.
struct Brackets {
  std::vector<Rational> wanted;    ///< the quantiles that are published
  std::vector<Rational> selected;  ///< all or some of these, and some around them, strictly increasing
  std::vector<CutTarget> cuts;     ///< never decreasing
  IntervalShares shares;
  /// Whether cuts that divide nothing more are left out. The number of cells then depends on what was selected, which intervals of the
  /// population do not allow.
  bool leaves_out_cuts = false;

  bool is_wanted(const Rational& quantile) const { return std::ranges::binary_search(wanted, quantile); }
};

/// Counts the records of the cells between cuts, with noise, for the share of the budget that was kept for this. It is the last
/// stage, since the cells are known only after all other stages.
struct CountCells {
  Brackets brackets;
};

using Stage = std::variant<CountRows, FindGranularity, FindHeaps, SelectQuantiles, SelectEach, CountOnTree, Interpolate,
                           RoundToGrid, CountCells>;

/// The stage of a kind, which a list has at most once.
template <class Kind>
const Kind* stage_in(const std::vector<Stage>& stages) {
  for (const Stage& stage : stages) {
    if (const Kind* found = std::get_if<Kind>(&stage)) return found;
  }
  return nullptr;
}

/// Whether later stages depend on what this stage finds.
inline bool is_preliminary(const Stage& stage) {
  return std::holds_alternative<CountRows>(stage) || std::holds_alternative<FindGranularity>(stage) ||
         std::holds_alternative<FindHeaps>(stage);
}

/// How many times preliminary_share() of the budget the preliminary stages have taken.
inline int shares_taken(const std::vector<Stage>& stages) {
  const auto* counts = stage_in<CountRows>(stages);
  return static_cast<int>(std::ranges::count_if(stages, is_preliminary)) + (counts ? counts->shares - 1 : 0);
}

}  // namespace fractile
