// Quantiles from noisy counts on a tree of intervals ("AggTree"; Hay et al. 2010 for the consistency).
// Proof: docs/proofs/count_tree.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fractile/release.hpp"
#include "quantiles/draws/count_noise.hpp"
#include "quantiles/draws/draws.hpp"

namespace fractile {

/// A tree whose leaves are blocks of consecutive candidates, as equal as possible: one candidate each, or branching^height blocks
/// when there are more candidates than that. The shape is public. Above the leaves, every level has as few nodes as the branching
/// allows, and the numbers of children are as equal as possible. The root's children are level 1, the leaves level `height`; nodes
/// are numbered level by level, without the root.
class CountTreeShape {
 public:
  /// Requires branching^height <= 2^24.
  CountTreeShape(std::uint64_t candidates, std::size_t branching, int height);

  std::uint64_t candidates() const { return candidates_; }
  std::size_t branching() const { return branching_; }
  int height() const { return static_cast<int>(sizes_.size()) - 1; }
  /// The size of a level, from 0, the root alone, to `height`.
  std::size_t level_size(int level) const { return sizes_[static_cast<std::size_t>(level)]; }
  /// The first node of a level, level 1 .. height + 1.
  std::size_t level_start(int level) const { return starts_[static_cast<std::size_t>(level)]; }
  std::size_t leaves() const { return sizes_.back(); }
  std::size_t nodes() const { return starts_.back(); }
  /// Whether every candidate has a separate leaf.
  bool tells_all_apart() const { return leaves() == candidates_; }
  /// The first child of a level's node, as a place in the next level; for node level_size(level), the size of the next level.
  std::size_t first_child(int level, std::size_t node) const;
  /// The node above one of level 1 .. height, as a place in the level above.
  std::size_t parent(int level, std::size_t node) const;
  /// The leaf that holds a candidate.
  std::size_t leaf_of(std::uint64_t candidate) const;
  /// The first candidate of a leaf; for leaf leaves(), the number of candidates.
  std::uint64_t leaf_start(std::size_t leaf) const;

 private:
  std::uint64_t candidates_;
  std::size_t branching_;
  std::vector<std::size_t> sizes_;   // of levels 0 .. height
  std::vector<std::size_t> starts_;  // of levels 0 (unused), 1 .. height + 1
};

/// The shape for a number of candidates: as few levels, and then as few branches, as suffice to give every candidate a leaf, but at
/// most `height` and `branching`. Branching 16 and height 4 are those of Gillenwater, Joseph and Kulesza's code. Throws `usage`
/// unless branching >= 2, height >= 1, branching^height <= 2^24.
CountTreeShape count_tree_shape(std::uint64_t candidates, std::size_t branching = 16, int height = 4);

/// The exact counts of a profile's records in the nodes below the root. A record between two candidates counts with the
/// upper one, a record above all candidates with the last.
std::vector<std::int64_t> node_counts(const RankProfile& profile, const CountTreeShape& shape);

/// What is released: every count with independent noise, the sum clamped to +-2^61. Everything else is computed from this.
std::vector<std::int64_t> noisy_counts(const RankProfile& profile, const CountTreeShape& shape,
                                       const CountTreeNoise& noise, PaidPart part);

// Post-processing, in ordinary floating point: it reads only noisy counts and public numbers.

/// The least-squares estimate of all counts such that every node is the sum of its children (Hay et al. 2010, theorem 3,
/// with a root that was not counted).
std::vector<double> consistent_counts(const std::vector<std::int64_t>& noisy, const CountTreeShape& shape);

/// One candidate per quantile, in order. From the root down, the running sums of a node's children are made increasing (isotonic
/// regression) and clamped to [0, the node's sum]; the quantile's share decides the child. Inside a leaf, and below a node whose
/// sums are all zero, all candidates are assumed to hold equal shares.
std::vector<std::uint64_t> quantiles_of_counts(const std::vector<double>& counts, const CountTreeShape& shape,
                                               const std::vector<Rational>& quantiles);

/// One candidate per quantile, never decreasing when the quantiles are increasing.
/// Proof: docs/proofs/count_tree.md
std::vector<std::uint64_t> sample_tree_quantiles(const RankProfile& profile, const std::vector<Rational>& quantiles,
                                                 const CountTreeShape& shape, const CountTreeNoise& noise,
                                                 PaidPart part);

}  // namespace fractile
