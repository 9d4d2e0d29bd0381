// ApproximateQuantiles (Algorithm 1 of approximate-quantiles 2021) on the lattice; its leaves, and a single quantile as the
// case m = 1, are the exponential mechanism of appendix A with interval_score.
// Proofs: docs/proofs/single_quantile.md, docs/proofs/approximate_quantiles.md
#pragma once

#include <cstdint>
#include <vector>

#include "fractile/quantiles.hpp"
#include "quantiles/calibration.hpp"
#include "ranks/span.hpp"

namespace fractile {

/// A subproblem: the quantiles first .. last - 1 of the query among the records of `span`, which stand for the part
/// [from, to] of the distribution.
struct QuantileNode {
  RankSpan span;
  std::size_t first;
  std::size_t last;
  Rational from;
  Rational to;
  bool is_root;

  bool is_leaf() const { return last - first == 1; }
};

/// The recursion: which quantile a node decides, at which rate, and what its parts are. The sampler and the exact law
/// both walk it.
class QuantileTree {
 public:
  QuantileTree(const RankProfile& profile, const std::vector<Rational>& quantiles, const Calibration& calibration,
               std::uint64_t subcells);

  QuantileNode root() const;
  /// The quantile that the node decides: the middle one, ceil(m / 2).
  static std::size_t pivot(const QuantileNode& node) { return node.first + (node.last - node.first + 1) / 2 - 1; }
  QuantileFraction alpha(const QuantileNode& node) const;
  Exponent rate(const QuantileNode& node) const { return calibration_.rate(alpha(node), node.is_root); }
  SplitCursor splits(const QuantileNode& node) const { return {profile_, node.span, subcells_, alpha(node)}; }
  CandidateCursor candidates(const QuantileNode& node) const { return {profile_, node.span, subcells_, alpha(node)}; }
  std::uint64_t candidate_of(Split split) const { return split / subcells_; }

  /// The parts below and above `split`, when the node has quantiles there.
  std::vector<QuantileNode> parts(const QuantileNode& node, Split split) const;

 private:
  const RankProfile& profile_;
  const std::vector<Rational>& quantiles_;
  const Calibration& calibration_;
  std::uint64_t subcells_;
};

/// One candidate a quantile.
std::vector<std::uint64_t> sample_quantiles(const QuantileTree& tree, std::size_t quantiles, RandomBits& bits,
                                            Filter filter);

}  // namespace fractile
