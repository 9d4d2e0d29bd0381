// A release, composed by hand of its parts: shares of the budget, levels, ranges and rates are written down here as the pages in docs/proofs
// have them, without plan, calibration or release, and the parts' own samplers are called with them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exact/majorant.hpp"
#include "exact/tiled_selection.hpp"
#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"
#include "fractile/release.hpp"
#include "quantiles/release/private_bounds.hpp"
#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/granularity.hpp"
#include "quantiles/stages/heaping.hpp"
#include "quantiles/stages/plan.hpp"
#include "quantiles/stages/recursion.hpp"
#include "ranks/tiles.hpp"

namespace fractile::branches {

// --- What is run ------------------------------------------------------------------------------------------------------

/// Records on a lattice from 0 on.
enum class Records { anywhere, on_tens, mostly_on_tens, on_hundreds, on_thousands, mostly_on_ten_thousands };

/// The part that runs after round numbers were looked for.
enum class Part { single, joint, joint_total, independent, counts };

struct Branch {
  const char* name;
  Mechanism asked;
  std::int64_t m;  ///< quantiles
  Lattice lattice;
  Records records;
  Part part;
  std::vector<std::size_t> widths = {};   ///< of the levels of a recursion
  std::vector<Rational> emphasis = {};    ///< of the levels, adding up to their number
  bool adaptive = false;                  ///< looks for round numbers, and expects empty outer parts
  bool counts_after_granularity = false;  ///< when one was found
  bool counts_after_heaps = false;        ///< when some were found
  std::vector<Measure> measures = {Measure::pure, Measure::zcdp};
  Rates rates = Rates::tight;
  Base base = Base::by_mechanism;
  std::optional<std::uint64_t> expected_rows = {};
  bool interpolate = true;
  bool tails = false;  ///< five quantiles, most of them far out, where two nodes that share a change cost more than one
  std::uint64_t rows = 1500;  ///< in the table
  std::uint64_t seeds = 8;    ///< to be drawn from
  const char* epsilon = "3";
  const char* rho = "1/2";
  std::vector<const char*> reaches = {
      ""};  ///< what the preliminary selections find, and every combination must have met
};

inline Lattice numbers_to(std::int64_t last) { return Lattice::regular(0, Rational(last), 1); }
inline Lattice hundredths_to(std::int64_t last) { return Lattice::regular(0, Rational(last), Rational(1, 100)); }

inline Lattice numbers_to_2_to_the_47() { return Lattice::regular(0, Rational::dyadic(1, 47), 1); }

// --- The budget, by hand ------------------------------------------------------------------------------------------------

/// The largest dyadic numbers whose squares are within x: rounding is checked, not trusted.
inline Rational root_within(const Rational& x) {
  const Rational root = sqrt_down(x);
  EXPECT_LE(root * root, x);
  EXPECT_GE(root * root * (Rational(1) + Rational::dyadic(1, -40)), x);
  return root;
}

/// The bounded range that one selection may spend on all records of a person, from its share of a budget.
inline Exponent range_for(const Budget& budget, const Rational& share) {
  if (budget.measure() == Measure::zcdp) return root_within(Rational(8) * budget.rho() * share);  // range^2 / 8 = rho
  return budget.epsilon() * share;
}

struct Person {
  Neighbors neighbors;
  std::uint32_t records;
};

/// scores.md: of a quantile num/den the scores, in units of 1/den, move by -num or den - num.
inline Rational range_added(const QuantileFraction& q) {
  if (q.numerator == 0 || q.numerator == q.denominator) return static_cast<std::int64_t>(q.denominator);
  return static_cast<std::int64_t>(2 * std::max(q.numerator, q.denominator - q.numerator));
}
inline Rational range_changed(const QuantileFraction& q) {
  const bool monotone = q.numerator == 0 || q.numerator == q.denominator;
  return static_cast<std::int64_t>((monotone ? 1 : 2) * q.denominator);
}

/// The rate at which a selection by a score of that range costs `range` to a person, all of whose records it sees.
inline Exponent rate_of(const Exponent& range, const Rational& score_range, const Person& person) {
  return range / (score_range * Rational(person.records));
}

/// granularity.md and heaping.md: 1/40 of epsilon, 1/160 of rho for each.
inline Rational preliminary_share(const Budget& budget) { return {1, budget.measure() == Measure::zcdp ? 160 : 40}; }

// --- The release, by hand -----------------------------------------------------------------------------------------------

/// The cost of a part of a release to a person, in epsilon or rho.
struct Cost {
  std::string on;
  EpsilonSum amount;
  Rational delta = {};
};

struct Outcome {
  std::vector<std::uint64_t> indices;
  std::optional<std::uint64_t> grid;   ///< its stride
  std::optional<std::uint64_t> heaps;  ///< the same
  std::string found;                   ///< what was looked for, and whether it was there, in words
  std::vector<Cost> costs = {};
};

/// A release by the proofs, written again without a plan: it shares no stage with the tested code.
class ByHand {
 public:
  ByHand(const Branch& branch, const QuantileQuery& query, const Lattice& lattice, const Person& person,
         RandomBits& bits)
      : branch_(branch), query_(query), lattice_(lattice), person_(person), bits_(bits) {}

  Outcome released(const RankProfile& profile, const Budget& budget) {
    measure_ = budget.measure();
    Outcome outcome;
    count_rows(profile, budget);
    const RoundNumbers found = find(profile, budget, outcome);
    if (found.grid) outcome.grid = found.grid->stride;
    if (found.heaps) outcome.heaps = found.heaps->stride;
    const bool on_grid_at_once = found.grid && branch_.counts_after_granularity;
    const std::uint64_t candidates = found.grid ? found.grid->size(lattice_.size()) : lattice_.size();
    const bool counts = candidates <= 400 && (on_grid_at_once || (found.heaps && branch_.counts_after_heaps));
    const Budget rest = budget.scaled(Rational(1) - Rational(preliminary_) * preliminary_share(budget));
    if (counts || branch_.part == Part::counts) {
      outcome.indices = counted(profile, rest, found.grid.value_or(RoundGrid{0, 1}));
    } else if (branch_.part == Part::independent) {
      outcome.indices = independent(profile, rest);
    } else {
      outcome.indices = recursion(profile, rest, found);
    }
    outcome.costs = costs_;
    return outcome;
  }

 private:
  /// Where the choice depends on them, the records are counted with noise; otherwise the expected number is used.
  void count_rows(const RankProfile& profile, const Budget& budget) {
    rows_ = query_.expected_rows;
    const QuantilePlan plan = plan_of(query_, lattice_);
    if (plan.by_rows.empty()) return;
    const bool few =
        static_cast<double>(query_.expected_rows.value_or(0)) * budget.epsilon().to_double() / person_.records < 500;
    const Rational share = Rational(few ? 2 : 1) * preliminary_share(budget);
    const DiscreteLaplace noise(budget.epsilon() * share / Rational(person_.records));
    const std::int64_t noisy = static_cast<std::int64_t>(profile.records()) + noise(bits_);
    rows_ = plan.by_rows.front().rows;
    for (const ChoiceByRows& each : plan.by_rows) {
      if (noisy >= each.from) rows_ = each.rows;
    }
    preliminary_ += few ? 2 : 1;
    costs_.push_back({"rows", budget.epsilon() * share});
  }

  /// The known rows times a pure epsilon, divided by a person's records.
  std::optional<double> records() const {
    if (!rows_ || query_.budget.measure() != Measure::pure) return {};
    return static_cast<double>(*rows_) * query_.budget.epsilon().to_double() / person_.records;
  }
  /// Perhaps by half an octave.
  bool are_few(std::size_t selected) const {
    return records().value_or(0) < std::sqrt(2) * std::max(200.0, 30 * static_cast<double>(selected + 1));
  }
  bool ends_at_zero() const {
    const std::optional<std::uint64_t> zero = zero_of(lattice_);
    return zero == 0 || zero == lattice_.size() - 1;
  }
  bool looks() const { return branch_.adaptive && records().value_or(300) >= 300; }

  RoundNumbers find(const RankProfile& profile, const Budget& budget, Outcome& outcome) {
    RoundNumbers found;
    const Exponent range = range_for(budget, preliminary_share(budget));
    if (looks() && lattice_.size() >= 100'000) {
      const std::vector<RoundGrid> grids = round_grids(lattice_);
      const std::vector<std::uint64_t> scores = granularity_scores(profile, grids);
      std::vector<std::uint64_t> lengths(grids.size() + 1, 1);
      lengths[0] = 20 * grids.size();
      const std::size_t chosen = select_softmax(scores, lengths, rate_of(range, by_relation(16, 23), person_), bits_);
      ++preliminary_;
      costs_.push_back({"granularity", of_range(range)});
      if (chosen > 0) found.grid = grids[chosen - 1];
      outcome.found += found.grid ? "grid" : "no grid";
      if (!found.grid || branch_.counts_after_granularity) return found;
    }
    if (!looks() || lattice_.size() < 100) return found;
    const std::vector<HeapGrid> heaps = heap_grids(lattice_, found.grid);
    std::vector<std::uint64_t> lengths(heaps.size() + 1, 1);
    lengths[0] = 20;
    const std::size_t chosen =
        select_softmax(heaping_scores(profile, heaps), lengths, rate_of(range, by_relation(133, 266), person_), bits_);
    ++preliminary_;
    costs_.push_back({"heaps", of_range(range)});
    if (chosen > 0) found.heaps = heaps[chosen - 1].grid;
    outcome.found += std::string(outcome.found.empty() ? "" : ", ") + (found.heaps ? "heaps" : "no heaps");
    return found;
  }

  /// conversions.md: a bounded range r is r-DP and r^2/8-zCDP.
  Exponent of_range(const Exponent& range) const {
    if (measure_ != Measure::zcdp) return range;
    return range.coefficient() * range.coefficient() / Rational(8);
  }

  /// The cost of a selection at this rate, when a person's records each spread its scores by `score_range`.
  Exponent cost_of(const Exponent& rate, const Rational& score_range) const {
    return of_range(rate * (score_range * Rational(person_.records)));
  }

  Rational by_relation(std::int64_t added, std::int64_t changed) const {
    return person_.neighbors == Neighbors::add_remove ? added : changed;
  }

  // - counts on a tree

  std::vector<std::uint64_t> counted(const RankProfile& profile, const Budget& budget, const RoundGrid& grid) {
    const bool moves = grid.stride > 1;
    const RankProfile moved = moves ? on_grid(profile, grid) : profile;
    const CountTreeShape shape = count_tree_shape(moved.candidates());
    const Rational changed = by_relation(shape.height(), 2 * shape.height());
    const Rational records(person_.records);
    std::vector<std::int64_t> counts = node_counts(moved, shape);
    if (budget.measure() == Measure::pure) {
      const DiscreteLaplace noise(budget.epsilon() / (changed * records));
      for (std::int64_t& count : counts) count += noise(bits_);
    } else {
      const DiscreteGaussian noise(changed * records * records / (Rational(2) * budget.rho()));
      for (std::int64_t& count : counts) count += noise(bits_);
    }
    // count_tree.md: in a tree of that height every count that a record is in moves by 1; all of the budget is spent.
    costs_.push_back({"counts", budget.measure() == Measure::pure ? budget.epsilon() : Exponent(budget.rho())});
    std::vector<std::uint64_t> result = quantiles_of_counts(consistent_counts(counts, shape), shape, query_.quantiles);
    for (std::uint64_t& candidate : result) candidate = grid.offset + candidate * grid.stride;
    return result;
  }

  // - one selection a quantile

  std::vector<std::uint64_t> independent(const RankProfile& profile, const Budget& budget) {
    const auto m = static_cast<std::int64_t>(query_.quantiles.size());
    const Exponent range =
        budget.measure() == Measure::approximate
            ? largest_bounded_range_composed(query_.quantiles.size(), budget.epsilon(), budget.delta())
            : range_for(budget, Rational(1, m));
    if (budget.measure() == Measure::approximate) {
      costs_.push_back({"quantiles", budget.epsilon(), budget.delta()});
    } else {
      costs_.push_back({"quantiles", of_range(range) * Rational(m)});
    }
    std::vector<std::uint64_t> result;
    for (const Rational& q : query_.quantiles) result.push_back(candidate(profile, q, range, person_, bits_));
    std::ranges::sort(result);
    return result;
  }

 public:
  /// One candidate for one quantile.
  static std::uint64_t candidate(const RankProfile& profile, const Rational& quantile, const Exponent& range,
                                 const Person& person, RandomBits& bits) {
    const QuantileFraction q = QuantileFraction::of(quantile);
    const bool adds = person.neighbors == Neighbors::add_remove;
    const CandidateTiles tiles(profile, whole_span(profile, 1), 1, q, tiles_for(profile.distinct()));
    const Exponent rate = rate_of(range, adds ? range_added(q) : range_changed(q), person);
    return TiledSelection<CandidateTiles>(tiles, rate, RateBounds(rate)).draw(bits);
  }

 private:
  // - recursions: the tree tells which quantiles a node decides and what its parts are; its rates are not looked at

  std::vector<std::uint64_t> recursion(const RankProfile& profile, const Budget& budget, const RoundNumbers& found) {
    const NodeKind kind = branch_.part == Part::single  ? NodeKind::single
                          : branch_.part == Part::joint ? NodeKind::joint
                                                        : NodeKind::joint_total;
    const std::vector<Rational> selected = anchors();
    std::vector<std::size_t> widths = branch_.widths;
    if (selected.size() < query_.quantiles.size()) widths = widths_of(selected.size());
    const QuantileQuery unused{{Rational(1, 2)}, Budget::pure(Rational(1))};
    const Calibration no_rates(unused, 1);
    const std::uint64_t subcells = subcells_for(profile.candidates());
    RecursionShape shape{kind, widths, branch_.adaptive, found};
    if (branch_.adaptive && (ends_at_zero() || are_few(selected.size()))) shape.origin = origin_of(lattice_);
    const QuantileTree tree(profile, selected, shape, no_rates, subcells);
    levels_ = static_cast<std::int64_t>(widths.size());
    if (branch_.rates == Rates::as_published) levels_ = published(selected.size());
    rest_ = budget;
    std::vector<Split> splits(selected.size());
    nodes_.assign(widths.size(), {});
    walk(tree, tree.root(), splits);
    for (std::size_t level = 0; level < nodes_.size(); ++level) {
      costs_.push_back({"level " + std::to_string(level + 1), level_cost(nodes_[level])});
    }
    splits = between(selected, splits, whole_span(profile, subcells).highest, subcells);
    for (Split& split : splits) {
      const std::uint64_t candidate = tree.candidate_of(split);
      const bool rounds = found.grid && selected.size() < query_.quantiles.size();
      split = rounds ? found.grid->nearest(candidate, profile.candidates()) : candidate;
    }
    return splits;
  }

  /// The costs of the selections of one level's nodes, by the change in each.
  struct Nodes {
    std::vector<Exponent> added;
    std::vector<Exponent> changed;
  };

  /// approximate_quantiles.md, lemma 3: a record more is in one node; one replaced is in one, or in two as a record less and
  /// a record more.
  EpsilonSum level_cost(Nodes nodes) const {
    std::ranges::sort(nodes.added, std::greater());
    nodes.added.resize(std::max<std::size_t>(nodes.added.size(), 2));
    if (person_.neighbors == Neighbors::add_remove) return nodes.added[0];
    const Exponent within = nodes.changed.empty() ? Exponent() : *std::ranges::max_element(nodes.changed);
    return std::max(EpsilonSum(within), EpsilonSum(nodes.added[0]) + nodes.added[1]);
  }

  /// Records the cost of a node's selection, which is made at this rate.
  void spend(const Subproblem& node, const Exponent& rate, const Rational& added, const Rational& changed) {
    nodes_[node.level].added.push_back(cost_of(rate, added));
    nodes_[node.level].changed.push_back(cost_of(rate, changed));
  }

  /// As many quantiles as persons' records at epsilon 1 carry: evenly spaced between the first and the last that have
  /// 20 to 35 of them beyond, 24 apart, or 55 if they are more than 17; all where that is nearly all, and 24 where each has 16.
  /// Where five or more can find a tie of all records, they are at least as far apart as that takes.
  std::vector<Rational> anchors() const {
    const std::vector<Rational>& all = query_.quantiles;
    const bool may = query_.mechanism == Mechanism::automatic && query_.interpolate && all.size() > 4;
    if (!may || !records()) return all;
    double tie = 2 * (std::log(static_cast<double>(lattice_.size())) + 3);
    if (!query_.expected_rows) tie *= std::sqrt(2);  // perhaps half an octave fewer
    if (*records() < 5 * tie) tie = 0;
    if (all.size() <= 24 && *records() >= std::max(16.0, tie) * static_cast<double>(all.size() + 1)) return all;
    std::size_t first = 0;
    std::size_t last = all.size() - 1;
    const double beyond = std::clamp(*records() / 30, 20.0, 35.0) - 1e-6;
    while (first + 1 < all.size() / 2 && all[first].to_double() * *records() < beyond) ++first;
    while (last > all.size() / 2 + 1 && (1 - all[last].to_double()) * *records() < beyond) --last;
    const double apart = (all[last] - all[first]).to_double() * *records() / std::max(24.0, tie);
    const auto cells = static_cast<std::size_t>(std::max(std::min(apart, std::max(*records() / 55, 17.0) - 1), 1.0));
    const std::size_t count = std::min(cells + 1, last - first + 1);
    if (count + count / 8 >= all.size()) return all;
    std::vector<Rational> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(all[first + i * (last - first) / (count - 1)]);
    return result;
  }

  /// One node takes 24; of more, about the square root at first.
  static std::vector<std::size_t> widths_of(std::size_t selected) {
    if (selected <= 24) return {selected};
    const auto first = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(selected + 1)))) - 1;
    return {first, selected / (first + 1)};
  }

  /// The paper's log2 m + 1, rounded up by almost nothing.
  static Rational published(std::size_t m) {
    const Rational levels = published_levels(m);
    EXPECT_GE(levels.to_double(), 1 + std::log2(static_cast<double>(m)) - 1e-12);
    EXPECT_LE(levels.to_double(), 1 + std::log2(static_cast<double>(m)) + 1e-12);
    return levels;
  }

  /// The rate of a node's selection by a score of these ranges; below the root two nodes can share a changed record.
  Exponent node_rate(const Subproblem& node, const Rational& added, const Rational& changed) const {
    const bool pure = rest_->measure() == Measure::pure;
    const Rational emphasis = branch_.emphasis.empty() ? Rational(1) : branch_.emphasis[node.level];
    const Rational share = emphasis / levels_;
    // epsilon^2 / 2 of a level in the paper's theorem 3.10, in place of epsilon^2 / 8.
    const Rational published = branch_.rates == Rates::as_published && !pure ? Rational(1, 4) : Rational(1);
    const Exponent within = range_for(*rest_, share * published);
    if (person_.neighbors == Neighbors::add_remove) return rate_of(within, added, person_);
    const Exponent one_node = rate_of(within, changed, person_);
    if (node.level == 0) return one_node;
    const Exponent half = pure ? within / Rational(2) : range_for(*rest_, share * published / Rational(2));
    return std::min(one_node, rate_of(half, added, person_));
  }

  /// joint_total.md, lemmas 1 and 2: the ranges of a joint selection's cost.
  struct Ranges {
    Rational added;
    Rational changed;
  };
  Ranges joint_ranges(const QuantileTree& tree, const Subproblem& node, const JointProblem& problem) const {
    if (problem.target.quantiles() == 1) {  // twice the score of a single selection, in whole records
      const QuantileFraction q = tree.alpha(node);
      const Rational unit(2, static_cast<std::int64_t>(q.denominator));
      return {unit * range_added(q), unit * range_changed(q)};
    }
    if (branch_.part == Part::joint_total) return {2, 4};
    const std::uint64_t least = *std::ranges::min_element(problem.target.weights);
    const Rational share(static_cast<std::int64_t>(least), static_cast<std::int64_t>(problem.target.denominator));
    return {Rational(4) * (Rational(1) - share), 4};
  }

  std::vector<Split> joint(const QuantileTree& tree, const JointNode& node) {
    JointProblem problem = tree.problem(node);
    const Ranges ranges = joint_ranges(tree, node, problem);
    problem.rate = std::min(node_rate(node, ranges.added, ranges.changed), Exponent(Rational(64)));
    spend(node, problem.rate, ranges.added, ranges.changed);
    if (problem.totals) {
      const double spread = std::sqrt(2.0 * static_cast<double>(problem.target.quantiles() + 1));
      problem.totals->step =
          static_cast<std::uint64_t>(std::clamp(spread / (3 * problem.rate.to_double()), 1.0, 0x1p31));
    }
    return JointSelection(problem).draw(bits_).splits;
  }

  template <class Node, class Cursor>
  std::uint64_t single(const QuantileTree& tree, const Node& node, const Cursor& cursor) {
    const QuantileFraction q = tree.alpha(node);
    const Exponent rate = node_rate(node, range_added(q), range_changed(q));
    spend(node, rate, range_added(q), range_changed(q));
    const RateBounds bounds(rate);
    if (node.span.records() >= 128) return TiledSelection(tree.tiles(node), rate, bounds).draw(bits_);
    ListedRuns runs;
    runs.list(cursor);
    return runs.draw(rate, bounds, bits_);
  }

  void walk(const QuantileTree& tree, const QuantileNode& node, std::vector<Split>& result) {
    if (const auto* leaf = std::get_if<LeafNode>(&node)) {
      const std::uint64_t unit = single(tree, *leaf, tree.candidates(*leaf));
      const Split middle = tree.middle_of(tree.candidate_weights(*leaf).holder(unit));
      result[node->first] = std::clamp(middle, node->span.lowest, node->span.highest);
      return;
    }
    const auto* several = std::get_if<JointNode>(&node);
    const std::vector<Split> splits =
        several ? joint(tree, *several)
                : std::vector<Split>{single(tree, std::get<SplitNode>(node), tree.splits(std::get<SplitNode>(node)))};
    const std::vector<std::size_t> decided = tree.pivots(node);
    for (std::size_t i = 0; i < decided.size(); ++i) result[decided[i]] = splits[i];
    for (const QuantileNode& part : tree.parts(node, splits)) walk(tree, part, result);
  }

  /// On the line through the two anchors beside each quantile, rounded down; the line to an anchor at zero ends half way.
  std::vector<Split> between(const std::vector<Rational>& anchors, const std::vector<Split>& splits, Split highest,
                             std::uint64_t subcells) const {
    if (anchors.size() == query_.quantiles.size()) return splits;
    const auto number = [](Split split) { return Rational(static_cast<std::int64_t>(split)); };
    const auto is_zero = [&](Split split) { return lattice_.at(split / subcells) == Rational(0); };
    std::vector<Split> result;
    for (const Rational& q : query_.quantiles) {
      const auto above = std::ranges::upper_bound(anchors, q) - anchors.begin();
      const auto k = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above - 1, 0, std::ssize(anchors) - 2));
      const Rational rise = number(splits[k + 1]) - number(splits[k]);
      const Rational run = anchors[k + 1] - anchors[k];
      const Rational from = number(splits[k]);
      Rational at = from + rise / run * (q - anchors[k]);
      if (is_zero(splits[k]) && !is_zero(splits[k + 1])) {
        at = from + std::max(Rational(2) * rise / run * (q - anchors[k] - run / Rational(2)), Rational(0));
      } else if (is_zero(splits[k + 1]) && !is_zero(splits[k])) {
        at = from + std::min(Rational(2) * rise / run * (q - anchors[k]), rise);
      }
      at = at.floor();
      result.push_back(std::clamp(at, Rational(0), number(highest)).to_uint64());
    }
    return result;
  }

  const Branch& branch_;
  const QuantileQuery& query_;
  const Lattice& lattice_;
  Person person_;
  RandomBits& bits_;
  std::optional<std::uint64_t> rows_;  // about how many
  std::int64_t preliminary_ = 0;
  Rational levels_ = 1;
  std::optional<Budget> rest_;
  Measure measure_ = Measure::pure;
  std::vector<Nodes> nodes_;  // of each level
  std::vector<Cost> costs_;
};

}  // namespace fractile::branches
