// What a release will be worth, from words.
#pragma once

#include <cstdint>
#include <optional>

#include "fractile/planning.hpp"
#include "fractile/reports.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// All that was asked for, in values.
struct PlanRequest {
  Lattice lattice;
  PlanOptions options;
  QuantileQuery query;                             ///< with wanted_ranks, its budget is solved for
  std::optional<std::uint64_t> wanted_ranks = {};  ///< the rank error that the budget must achieve
  std::optional<PersonGuess> guess = {};           ///< how often this guess is right is computed, too
  std::optional<ReleaseAnalyst> analyst = {};      ///< epsilon is the least one that serves this analyst
  std::string analyst_file = {};
  Rational least_epsilon = {};  ///< of an analyst: among these
  Rational largest_epsilon = {};
  std::string reference = {};  ///< among the values of this public file; empty: of the plan's shape
  std::string reference_column = {};
  std::string library = {};  ///< as TableOptions has it, to read that
  /// For weighted records; the query is asked of their units.
  std::optional<WeightsDescription> weights = {};

  /// Throws `usage` for what cannot be.
  static PlanRequest of(const Typed& typed);
};

/// `with_others`: also under other budgets, for a chart.
PlanReport planned(const PlanRequest& request, bool with_others);

}  // namespace fractile::requests
