// What a release does, stage by stage, as data. The sampler draws the stages of a list, audits enumerate what it draws, the odometer
// charges each by its name, and worst cases bound them.
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

/// The share of the budget that a preliminary stage costs; under zCDP a smaller one finds as much.
inline Rational preliminary_share(Measure measure) { return {1, measure == Measure::zcdp ? 160 : 40}; }

/// A preliminary count with noise: how many of these borders, in increasing order, it reaches, which tells how many records the plan
/// goes on for. It costs preliminary_share() of the budget this many times.
/// Proof: docs/proofs/counted_rows.md
struct CountRows {
  std::vector<std::int64_t> borders;
  int shares;
};

/// What the preliminary stages have found, and nothing else.
struct PreliminaryOutcome : RoundNumbers {
  std::optional<std::size_t> rows = {};  ///< one of QuantilePlan::by_rows

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's 0
  friend auto operator<=>(const PreliminaryOutcome&, const PreliminaryOutcome&) = default;
};

/// A preliminary selection: on which of these grids most values lie, if on any. It costs preliminary_share() of the budget.
struct FindGranularity {
  std::vector<RoundGrid> grids;
};

/// A preliminary selection: on which of these many values heap, if on any. It costs preliminary_share() of the budget.
struct FindHeaps {
  std::vector<HeapGrid> heaps;
};

/// Selects quantiles by a recursion, with the rest of the budget.
struct SelectQuantiles {
  RecursionShape shape;
  Rational levels;  ///< among which the budget is divided: a selection spends 1/levels of it
  std::vector<Rational> released;
  std::uint64_t subcells;             ///< parts of a candidate's cell
  Wanted wants = Wanted::candidates;  ///< splits, when they are interpolated next
};

/// Selects each quantile by itself, with the rest of the budget.
struct SelectEach {};

/// Counts on a tree, with the rest of the budget: among the grid's candidates, each record on the nearest of them, or among all.
struct CountOnTree {
  std::optional<RoundGrid> grid = {};
};

/// All quantiles from the splits of those that were selected: linearly between two, beyond the outermost with the slope of the
/// last two. Where one of two is zero, half of what is between them is zero too: many columns have a tie there, which ends no one knows
/// where.
struct Interpolate {
  std::vector<Rational> released;
  std::uint64_t subcells;
  std::optional<std::uint64_t> zero;  ///< the candidate
};

/// Each value becomes the nearest of the grid.
struct RoundToGrid {
  RoundGrid grid;
};

/// What a quantile that was selected is for: to be published, or to tell where intervals may end.
enum class Role { point, bracket };

/// Where an interval may end: at this quantile, as what was selected tells. At the quantiles 0 and 1 it is a cut far out, for what no
/// other settles.
struct CutTarget {
  Rational quantile;
  IntervalEnd end;
  std::size_t owner;  ///< whose interval it is, among the wanted quantiles
  friend bool operator==(const CutTarget&, const CutTarget&) = default;
};

/// How a budget is divided; the shares add up to 1.
struct IntervalShares {
  Rational rows;    ///< the count that says where cuts go
  Rational points;  ///< the wanted quantiles
  Rational brackets;
  Rational cells;
};

/// What a query with intervals selects, and between which cuts it counts. From the query and a noisy count of the records alone.
struct Brackets {
  std::vector<Rational> selected;  ///< the wanted quantiles and some about them, strictly increasing
  std::vector<Role> roles;         ///< one each
  std::vector<CutTarget> cuts;     ///< never decreasing
  IntervalShares shares;
};

/// Counts the records of the cells between cuts, with noise, with the share of the budget that was kept for that. Last, since
/// all else is over when the cells are known.
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

/// Whether what comes next depends on what this stage finds.
inline bool is_preliminary(const Stage& stage) {
  return std::holds_alternative<CountRows>(stage) || std::holds_alternative<FindGranularity>(stage) ||
         std::holds_alternative<FindHeaps>(stage);
}

/// How many preliminary_share()s of the budget the preliminary ones among the stages have taken.
inline int shares_taken(const std::vector<Stage>& stages) {
  const auto* counts = stage_in<CountRows>(stages);
  return static_cast<int>(std::ranges::count_if(stages, is_preliminary)) + (counts ? counts->shares - 1 : 0);
}

}  // namespace fractile
