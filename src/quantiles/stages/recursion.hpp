// The recursion over a column: a node decides some of its quantiles, and these divide its records among its children. With single
// quantiles it is ApproximateQuantiles (Algorithm 1 of approximate-quantiles 2021); with joint selections (joint.hpp) it is
// joint_total, joint and joint_tree. A single quantile on which no other depends is drawn among candidates with interval_score
// (appendix A).
// Proofs: docs/proofs/single_quantile.md, docs/proofs/approximate_quantiles.md, docs/proofs/joint_total.md
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "fractile/release.hpp"
#include "quantiles/draws/calibration.hpp"
#include "quantiles/draws/draws.hpp"
#include "quantiles/joint/joint.hpp"
#include "ranks/span.hpp"
#include "ranks/tiles.hpp"

namespace fractile {

/// What a node with several quantiles runs: one exponential mechanism for one of them, JointExp, or joint_total.
enum class NodeKind { single, joint, joint_total };

struct RecursionShape {
  NodeKind kind;
  std::vector<std::size_t> widths;  ///< for each level, the most quantiles that one node decides
  bool edges = false;               ///< outermost nodes expect the empty part of the range (base_measure.hpp)
  RoundNumbers numbers = {};        ///< candidates that weigh more
  /// For pure budgets: the share of each level, as a multiple of an equal share; these add up to the number of levels. Empty: all
  /// shares are equal.
  std::vector<Rational> emphasis = {};
  std::vector<std::size_t> first = {};  ///< the quantiles that the root decides; empty: evenly spaced ones
  /// Near which candidates weigh more, in nodes that have an end of the range and no edge.
  std::optional<Origin> origin = {};

  /// ApproximateQuantiles: one quantile per node, over floor(log2 m) + 1 levels.
  static RecursionShape binary(std::size_t quantiles);
};

/// The quantiles first .. last - 1 of the query among the records of `span`, which stand for the part [from, to] of the
/// distribution, in units of 1/denominator().
struct Subproblem {
  RankSpan span;
  std::size_t first;
  std::size_t last;
  std::uint64_t from;
  std::uint64_t to;
  std::size_t level;
  std::optional<Edge> edge = {};

  std::size_t quantiles() const { return last - first; }
};

/// Decides its one quantile, on which no other depends, among candidates.
struct LeafNode : Subproblem {};
/// Decides one quantile, on which others depend, among splits.
struct SplitNode : Subproblem {};
/// Decides several quantiles, or one with special weights, by a joint selection.
struct JointNode : Subproblem {};

struct QuantileNode : std::variant<LeafNode, SplitNode, JointNode> {
  using variant::variant;
  operator const Subproblem&() const {  // NOLINT(google-explicit-constructor)
    return std::visit([](const Subproblem& node) -> const Subproblem& { return node; }, *this);
  }
  const Subproblem* operator->() const { return &static_cast<const Subproblem&>(*this); }
};

inline bool are_leaves(const std::vector<QuantileNode>& nodes) {
  return std::ranges::all_of(nodes, [](const QuantileNode& node) { return std::holds_alternative<LeafNode>(node); });
}

/// Runs of candidates as runs of units: candidate c has as many as its weight, from mass(0, c) on.
class WeighedCandidates {
 public:
  WeighedCandidates(CandidateCursor candidates, const BaseMeasure& weights)
      : candidates_(candidates), weights_(weights) {}
  bool next(Run& run) {
    if (!candidates_.next(run)) return false;
    run = weights_.weighed(run);
    return true;
  }

 private:
  CandidateCursor candidates_;
  RunWeights<std::uint64_t> weights_;
};

/// Tiles of such runs.
class WeighedTiles {
 public:
  using Tile = CandidateTiles::Tile;

  WeighedTiles(CandidateTiles tiles, const BaseMeasure& weights) : tiles_(std::move(tiles)), weights_(&weights) {}
  std::vector<Tile> parts() const { return tiles_.parts(); }
  std::vector<Tile> parts(const Tile& tile) const { return tiles_.parts(tile); }
  Run all(const Tile& tile) const { return weights_->weighed(tiles_.all(tile)); }
  std::uint64_t score_of(const Tile& tile, std::uint64_t unit) const {
    return tiles_.score_of(tile, weights_->holder(unit));
  }
  WeighedCandidates cursor(const Tile& tile) const { return {tiles_.cursor(tile), *weights_}; }

 private:
  CandidateTiles tiles_;
  const BaseMeasure* weights_;
};

/// Everything in a recursion except the records. Profiles on lattices of equally many candidates share it.
struct RecursionTerms {
  RecursionTerms(std::uint64_t candidates, const std::vector<Rational>& of_quantiles, RecursionShape of_shape,
                 const Calibration& of_rates, std::uint64_t of_subcells);

  std::uint64_t denominator;             ///< common to all quantiles
  std::vector<std::uint64_t> quantiles;  ///< in units of 1/denominator
  RecursionShape shape;
  Calibration calibration;
  std::uint64_t subcells;         ///< parts of a candidate's cell
  BaseMeasure candidate_weights;  ///< of whole candidates, from the grids
  BaseMeasure weights_from_origin;
};

/// The recursion: which quantiles a node decides, at which rate, and what its parts are. The sampler and the exact law
/// both walk it.
class QuantileTree {
 public:
  /// `terms`: computed for the profile's number of candidates.
  QuantileTree(const RankProfile& profile, std::shared_ptr<const RecursionTerms> terms)
      : profile_(profile), terms_(std::move(terms)) {}
  QuantileTree(const RankProfile& profile, const std::vector<Rational>& quantiles, RecursionShape shape,
               const Calibration& calibration, std::uint64_t subcells);
  /// ApproximateQuantiles.
  QuantileTree(const RankProfile& profile, const std::vector<Rational>& quantiles, const Calibration& calibration,
               std::uint64_t subcells);

  const RankProfile& profile() const { return profile_; }
  QuantileNode root() const;
  /// Common to all quantiles.
  std::uint64_t denominator() const { return terms_->denominator; }
  /// The quantiles that the node decides: all of its quantiles, or as many as its level allows, evenly spaced. A single one of m is
  /// the ceil(m / 2)-th.
  std::vector<std::size_t> pivots(const Subproblem& node) const;
  std::size_t first_pivot(const Subproblem& node) const { return pivot(node, 0, width(node)); }

  /// For nodes that decide one quantile.
  QuantileFraction alpha(const Subproblem& node) const;
  Exponent rate(const Subproblem& node) const {
    return emphasised(terms_->calibration.rate(alpha(node), node.level == 0), node);
  }
  /// The price of a node's draw.
  SelectionPrice price(const LeafNode& node) const { return single_price(node); }
  SelectionPrice price(const SplitNode& node) const { return single_price(node); }
  SelectionPrice price(const JointNode& node) const { return joint_price(node, target(node)); }
  SplitCursor splits(const SplitNode& node) const { return {profile_, node.span, subcells(), alpha(node)}; }
  /// Members are units of candidate_weights(node).
  WeighedCandidates candidates(const LeafNode& node) const {
    return {{profile_, node.span, subcells(), alpha(node)}, candidate_weights(node)};
  }
  /// The same in tiles.
  SplitTiles tiles(const SplitNode& node) const {
    return {profile_, node.span, subcells(), alpha(node), tiles_for(node.span.records())};
  }
  WeighedTiles tiles(const LeafNode& node) const {
    const std::uint64_t tiles = tiles_for(std::min<std::uint64_t>(node.span.records(), profile_.distinct()));
    return {{profile_, node.span, subcells(), alpha(node), tiles}, candidate_weights(node)};
  }
  const BaseMeasure& candidate_weights(const LeafNode& node) const {
    return origin_at(node) ? terms_->weights_from_origin : terms_->candidate_weights;
  }
  JointProblem problem(const JointNode& node) const;

  /// Parts of a candidate's cell.
  std::uint64_t subcells() const { return terms_->subcells; }
  std::uint64_t candidate_of(Split split) const { return split / subcells(); }
  Split middle_of(std::uint64_t candidate) const { return candidate * subcells() + subcells() / 2; }
  /// The parts between the splits of the node's pivots that have quantiles left.
  std::vector<QuantileNode> parts(const Subproblem& node, std::span<const Split> splits) const;

 private:
  const RecursionShape& shape() const { return terms_->shape; }
  const std::vector<std::uint64_t>& quantiles() const { return terms_->quantiles; }
  QuantileNode node_of(const Subproblem& node) const;
  const std::optional<Origin>& origin_at(const Subproblem& node) const {
    static const std::optional<Origin> none;
    const bool is_outer = node.from == 0 || node.to == denominator();
    return is_outer && !node.edge ? shape().origin : none;
  }
  /// How many quantiles the node decides.
  std::size_t width(const Subproblem& node) const;
  /// The i-th of the `count` quantiles that the node decides.
  std::size_t pivot(const Subproblem& node, std::size_t i, std::size_t count) const;
  Exponent emphasised(const Exponent& rate, const Subproblem& node) const {
    return shape().emphasis.empty() ? rate : rate * shape().emphasis[node.level];
  }
  SelectionPrice single_price(const Subproblem& node) const;
  SelectionPrice joint_price(const JointNode& node, const JointTarget& target) const;
  JointTarget target(const JointNode& node) const;
  std::optional<Edge> edge_below(const Subproblem& node, std::span<const Split> splits) const;
  std::optional<Edge> edge_above(const Subproblem& node, std::span<const Split> splits) const;

  const RankProfile& profile_;
  std::shared_ptr<const RecursionTerms> terms_;
};

/// The least common denominator.
Rational common_denominator(const std::vector<Rational>& quantiles);

/// What is needed of the drawn splits, besides what further draws need: their candidates, or the splits themselves.
enum class Wanted { candidates, splits };

/// One split per quantile, in order; a quantile that was drawn among candidates gets the middle of its cell, or of the part of the
/// cell that its node has. A node of level i is paid for by levels[i].
std::vector<Split> sample_splits(const QuantileTree& tree, std::size_t quantiles, std::vector<PaidPart> levels,
                                 Wanted wanted);

}  // namespace fractile
