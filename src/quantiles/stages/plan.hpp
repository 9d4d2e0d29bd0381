// What a query will run, decided from public facts before any row is read.
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

/// What is run for a given approximate number of records.
struct Choice {
  Mechanism mechanism;                ///< never automatic
  Decision decision;                  ///< independent of what is found, except as QuantilePlan::stages() says
  std::string reason = {};            ///< of automatic's choice, in words; empty otherwise
  std::vector<RoundGrid> grids = {};  ///< among which a granularity is selected first; empty: none is selected
  /// Whether heaps are selected next, unless the search for a granularity found none.
  bool finds_heaps = false;
};

/// One of the choices among which a noisy count of the records decides.
struct ChoiceByRows {
  std::int64_t from;   ///< noisy counts from here on; the first choice is also for smaller counts
  std::uint64_t rows;  ///< the number of records that these counts stand for
  Choice choice;
};

/// One of the numbers of records among which a noisy count decides before a query with intervals continues.
struct CountedRows {
  std::int64_t from;  ///< as in ChoiceByRows
  std::uint64_t rows;
};

/// Whether the bounds of a lattice were declared, or found in the records. In the latter case the lattice is not known in advance.
enum class BoundsOrigin { declared, found };

/// What a query runs on a lattice. stages() is the one place that decides what comes after what.
struct QuantilePlan {
  QuantileQuery query;
  Lattice lattice;
  const AutoPolicy* policy;  ///< must outlive the plan
  Choice choice;             ///< the choice unless a count decides, or before it has decided
  /// The choices by a noisy count: at least two if records are counted first, otherwise none.
  std::vector<ChoiceByRows> by_rows = {};
  std::vector<CountedRows> counted = {};  ///< for a query with intervals, which begins with this count
  /// For a query with intervals after its count; the plan's quantiles include the brackets.
  std::optional<Brackets> brackets = {};
  BoundsOrigin bounds = BoundsOrigin::declared;

  /// The choice when this is found.
  const Choice& choice_for(const PreliminaryOutcome& found) const {
    return found.rows && counted.empty() ? by_rows.at(*found.rows).choice : choice;
  }
  /// For a query with intervals: the plan after the count has selected one of `counted`. The budget of its query is what is left
  /// for selections.
  QuantilePlan with_rows(std::size_t rows) const;
  /// All stages of a release whose preliminary stages find this. The stages up to a preliminary one depend only on what the stages
  /// before it found. Under pure privacy, automatic counts on a tree in place of selecting when what was found leaves many
  /// quantiles among few candidates; if records heap, fewer quantiles suffice for this.
  std::vector<Stage> stages(const PreliminaryOutcome& found = {}) const;
  /// All outcomes of the preliminary stages; first the one in which nothing is found.
  std::vector<PreliminaryOutcome> outcomes() const;
  /// The outcomes after the rows are counted.
  std::vector<PreliminaryOutcome> outcomes_after(std::vector<PreliminaryOutcome> outcomes) const;
  /// The description of a release with this outcome. It has a granularity or heaps only if the release searched for them.
  MechanismUsed used(const PreliminaryOutcome& found) const { return used(found, stages(found)); }
  /// The same, where `run` is stages(found).
  MechanismUsed used(const PreliminaryOutcome& found, const std::vector<Stage>& run) const;

  bool is_recursion() const { return std::holds_alternative<SelectQuantiles>(choice.decision); }
  bool counts_anyway() const { return std::holds_alternative<CountOnTree>(choice.decision); }
  /// For mechanisms that are recursions.
  const SelectQuantiles& recursion() const { return std::get<SelectQuantiles>(choice.decision); }
};

namespace detail {

/// How a release ran.
struct Course {
  /// The plan for one group, with what was spent as the budget of its query; with intervals, the result of
  /// QuantilePlan::with_rows(). Groups share it.
  std::shared_ptr<const QuantilePlan> plan;
  PreliminaryOutcome found;
  std::vector<std::uint64_t> selected;  ///< one candidate for each of the plan's quantiles, including brackets
};

}  // namespace detail

/// The calibration of a preliminary selection.
Calibration preliminary_calibration(const QuantileQuery& query);

/// The query with the budget that is left after this many preliminary shares.
QuantileQuery query_after(const QuantileQuery& query, int shares);

/// The largest number of candidates that the query's mechanism takes.
std::uint64_t largest_lattice(const QuantileQuery& query);

/// Throws `usage` as QuantileQuery::validate(lattice) does.
QuantilePlan plan_of(const QuantileQuery& query, const Lattice& lattice,
                     const AutoPolicy& policy = AutoPolicy::standard(), BoundsOrigin bounds = BoundsOrigin::declared);

}  // namespace fractile
