// The exact law of what a QuantileTree draws, in any kind of numbers: enclosures for audits, rationals and rational functions for
// the mechanism's channel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "exact/law.hpp"
#include "quantiles/stages/recursion.hpp"

namespace fractile {

/// From an output (one candidate per quantile) to its probability.
template <class Number>
using LawIn = std::map<std::vector<std::uint64_t>, Number>;

/// Ring: numbers with +, * and /, and the laws of selections in them. `masses` returns the probability of each run, `joint` the
/// probabilities of a joint node's splits.
template <class Ring>
class TreeLaw {
 public:
  using Number = typename Ring::Number;
  using Law = LawIn<Number>;

  TreeLaw(const QuantileTree& tree, const Ring& ring) : tree_(tree), ring_(ring) {}

  Law law() const { return of_node(tree_.root()); }

 private:
  /// Splits after which the rest of the draws has the same law, with their total probability.
  struct Splits {
    std::vector<Split> first;
    Number probability;
  };

  static void add(Law& law, const std::vector<std::uint64_t>& output, const Number& p) {
    const auto [at, fresh] = law.try_emplace(output, p);
    if (!fresh) at->second = at->second + p;
  }

  Law of_node(const QuantileNode& node) const {
    if (const auto* leaf = std::get_if<LeafNode>(&node)) return of_leaf(*leaf);
    Law law;
    for (const Splits& splits : splits_of(node)) {
      for (const auto& [output, p] : of_parts(node, splits)) add(law, output, p);
    }
    return law;
  }

  Law of_leaf(const LeafNode& node) const {
    Law law;
    const std::vector<Run> runs = runs_of(tree_.candidates(node));
    const std::vector<Number> masses = ring_.masses(runs, tree_.rate(node));
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const Number each = masses[k] / ring_.whole(runs[k].length);
      for (std::uint64_t i = 0; i < runs[k].length; ++i) {
        add(law, {tree_.candidate_weights(node).holder(runs[k].start + i)}, each);
      }
    }
    return law;
  }

  std::vector<Splits> splits_of(const QuantileNode& node) const {
    std::vector<Splits> result;
    if (const auto* joint = std::get_if<JointNode>(&node)) {
      for (auto& [splits, p] : ring_.joint(tree_.problem(*joint))) result.push_back({splits, p});
      return result;
    }
    const std::vector<Run> runs = runs_of(tree_.splits(std::get<SplitNode>(node)));
    const std::vector<Number> masses = ring_.masses(runs, tree_.rate(node));
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const Number each = masses[k] / ring_.whole(runs[k].length);
      const std::uint64_t end = runs[k].start + runs[k].length;
      for (Split at = runs[k].start; at < end;) {
        const Split next = std::min(end, end_of_alike(node, at));
        result.push_back({{at}, each * ring_.whole(next - at)});
        at = next;
      }
    }
    return result;
  }

  /// Splits from `at` to below the result are alike if they have equally many records below: the rest of the draws has the same law
  /// after each of them. When only single quantiles are left, all splits inside the cell are alike, since such quantiles are drawn
  /// among the candidates whose cells their parts touch. Otherwise only `at` itself is.
  Split end_of_alike(const Subproblem& node, Split at) const {
    const bool single = are_leaves(tree_.parts(node, std::span(&at, 1)));
    const Split cell = tree_.candidate_of(at) * tree_.subcells();
    return single && at > cell ? cell + tree_.subcells() : at + 1;
  }

  /// The law of the outputs of the parts, with the pivots between them. The parts are independent given the splits.
  Law of_parts(const Subproblem& node, const Splits& splits) const {
    Law law{{{}, splits.probability}};
    const std::vector<QuantileNode> parts = tree_.parts(node, splits.first);
    const std::vector<std::size_t> pivots = tree_.pivots(node);
    auto part = parts.begin();
    for (std::size_t i = 0; i <= pivots.size(); ++i) {
      const std::size_t next = i < pivots.size() ? pivots[i] : node.last;
      if (part != parts.end() && (*part)->first < next) law = product(law, of_node(*part++));
      if (i < pivots.size()) law = product(law, {{{tree_.candidate_of(splits.first[i])}, ring_.whole(1)}});
    }
    return law;
  }

  /// The law of an output of `heads` followed by an independent output of `tails`.
  static Law product(const Law& heads, const Law& tails) {
    Law law;
    for (const auto& [head, p_head] : heads) {
      for (const auto& [tail, p_tail] : tails) {
        std::vector<std::uint64_t> both = head;
        both.insert(both.end(), tail.begin(), tail.end());
        add(law, both, p_head * p_tail);
      }
    }
    return law;
  }

  const QuantileTree& tree_;
  const Ring& ring_;
};

}  // namespace fractile
