// What a query will run: resolved from what is public, before any row is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quantiles/stages/auto_policy.hpp"
#include "quantiles/stages/stages.hpp"

namespace fractile {

/// How quantiles are decided.
using Decision = std::variant<SelectQuantiles, SelectEach, CountOnTree>;

/// What is run for about this many records.
struct Choice {
  Mechanism mechanism;                ///< never automatic
  Decision decision;                  ///< whatever is found, except as QuantilePlan::stages() says
  std::string reason = {};            ///< of automatic's choice, in words; empty otherwise
  std::vector<RoundGrid> grids = {};  ///< among which a granularity is selected first; empty: it is not
  bool finds_heaps = false;           ///< whether heaps are, next, unless a granularity was looked for in vain
};

/// One of the choices among which a noisy count of the records decides.
struct ChoiceByRows {
  std::int64_t from;   ///< noisy counts from here on; the first is taken for those below, too
  std::uint64_t rows;  ///< the number of records that they are taken for
  Choice choice;
};

/// One of the numbers of records among which a noisy count decides, before a query with intervals goes on.
struct CountedRows {
  std::int64_t from;  ///< as of ChoiceByRows
  std::uint64_t rows;
};

/// What a query runs on a lattice. stages() is the one place that decides what comes after what.
struct QuantilePlan {
  QuantileQuery query;
  Lattice lattice;
  const AutoPolicy* policy;                ///< which must stay
  Choice choice;                           ///< unless a count decides, or as long as it has not
  std::vector<ChoiceByRows> by_rows = {};  ///< at least two when the records are counted first; none otherwise
  std::vector<CountedRows> counted = {};   ///< of a query with intervals, which begins with that count
  std::optional<Brackets> brackets = {};   ///< of one of which the rows are counted(); they are among its quantiles

  /// What runs when this is found.
  const Choice& choice_for(const PreliminaryOutcome& found) const {
    return found.rows && counted.empty() ? by_rows.at(*found.rows).choice : choice;
  }
  /// For a query with intervals: how it goes on when the count reaches one of `counted`. Its query has what is left of the budget for what is
  /// selected.
  QuantilePlan with_rows(std::size_t rows) const;
  /// All stages of a release whose preliminary stages find this. The stages up to a preliminary one depend only on what the stages
  /// before it found. Automatic counts on a tree in place of selecting when what was found leaves many quantiles among few
  /// candidates, under pure privacy, and fewer quantiles where records heap.
  std::vector<Stage> stages(const PreliminaryOutcome& found = {}) const;
  /// All that the preliminary stages may find, nothing first.
  std::vector<PreliminaryOutcome> outcomes() const;
  /// The same, once the rows are counted.
  std::vector<PreliminaryOutcome> outcomes_after(std::vector<PreliminaryOutcome> counts) const;
  /// What is said of a release that found this. Its granularity and heaps are of what it looked for.
  MechanismUsed used(const PreliminaryOutcome& found) const { return used(found, stages(found)); }
  /// The same for one that ran these, which are stages(found).
  MechanismUsed used(const PreliminaryOutcome& found, const std::vector<Stage>& run) const;

  bool is_recursion() const { return std::holds_alternative<SelectQuantiles>(choice.decision); }
  bool counts_anyway() const { return std::holds_alternative<CountOnTree>(choice.decision); }
  /// For mechanisms that are recursions.
  const SelectQuantiles& recursion() const { return std::get<SelectQuantiles>(choice.decision); }
};

namespace detail {

/// How a release ran.
struct Course {
  /// Its query has what the release spent, and is that of one group; with intervals, QuantilePlan::with_rows(). Groups share it.
  std::shared_ptr<const QuantilePlan> plan;
  PreliminaryOutcome found;
  std::vector<std::uint64_t> selected;  ///< one candidate for each of the plan's quantiles, brackets among them
};

}  // namespace detail

/// What such a selection is calibrated to.
Calibration preliminary_calibration(const QuantileQuery& query);

/// The query with what this many shares leave of the budget.
QuantileQuery query_after(QuantileQuery query, int shares);

/// At most how many candidates the query's mechanism takes.
std::uint64_t largest_lattice(const QuantileQuery& query);

/// Throws `usage` as QuantileQuery::validate(lattice) does.
QuantilePlan plan_of(const QuantileQuery& query, const Lattice& lattice,
                     const AutoPolicy& policy = AutoPolicy::standard());

}  // namespace fractile
