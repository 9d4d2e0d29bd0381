// Turns words into a plan: what a release will be worth.
#pragma once

#include <cstdint>
#include <optional>

#include "fractile/planning.hpp"
#include "fractile/reports.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// All that was asked for, as values.
struct PlanRequest {
  Lattice lattice;
  PlanOptions options;
  QuantileQuery query;                             ///< with wanted_ranks, planned() solves for its budget
  std::optional<std::uint64_t> wanted_ranks = {};  ///< the rank error that the budget must achieve
  std::optional<PersonGuess> guess = {};           ///< the plan says how often this guess is right
  std::optional<ReleaseAnalyst> analyst = {};      ///< if given, epsilon is the least one that serves this analyst
  std::string analyst_file = {};
  Rational least_epsilon = {};  ///< the smallest epsilon that may serve the analyst
  Rational largest_epsilon = {};
  std::string reference = {};  ///< a public file of similar values; empty: values of the plan's shape
  std::string reference_column = {};
  std::string library = {};  ///< as in TableOptions, to read `reference`
  /// For weighted records. The query is then about units of weight.
  std::optional<WeightsDescription> weights = {};

  /// Throws `usage` for impossible options.
  static PlanRequest of(const Typed& typed);
};

/// With `with_others`, the report also has plans under other budgets, for a chart.
PlanReport planned(const PlanRequest& request, bool with_others);

}  // namespace fractile::requests
