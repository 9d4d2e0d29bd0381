// The base measure of a selection: an integer weight for every split, fixed by what is public or already released.
// Proof: docs/proofs/joint_total.md, section "Base measure".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "exact/majorant.hpp"
#include "exact/uniform.hpp"
#include "fractile/exact.hpp"
#include "fractile/ranks.hpp"
#include "quantiles/joint/round_grid.hpp"
#include "ranks/span.hpp"

namespace fractile {

/// How the weight falls off towards an open end of the range: by 4^-i at distances from scale (2^i - 1) on.
struct Edge {
  bool is_left;         ///< the open end is the lowest split; otherwise the highest
  std::uint64_t scale;  ///< in splits, at least 1
};

/// Where zero is, for weights that double whenever the distance from it halves, from a 32nd of the range down to a candidate or to the
/// stride of a grid that was found; zero itself weighs four times as much again. So values of any order of magnitude are expected, and a
/// range that is a thousand times too wide costs about as much as one that is a hundred times too wide.
struct Origin {
  std::int64_t candidate;  ///< may lie outside the range, on the lattice continued
  std::uint64_t reach;     ///< how many candidates away the farther end of the range is
};

/// The candidate that is zero, if one is; nothing of an explicit list.
std::optional<std::uint64_t> zero_of(const Lattice& lattice);

/// Where a regular lattice has zero, unless it is too far outside, or the candidates are too few, for that to matter; nothing of an
/// explicit list.
std::optional<Origin> origin_of(const Lattice& lattice);

class BaseMeasure {
 public:
  /// Splits lowest .. highest of cells of `subcells` splits. Every split has weight 1, those of the grid 128 strides more, so
  /// that the grid as a whole weighs 128 times as much as everything else, and those of the heaps eight times what others of the
  /// grid do. With an edge, all falls off from the other end; without one, from the origin.
  BaseMeasure(Split lowest, Split highest, std::uint64_t subcells, std::optional<Edge> edge = {},
              const RoundNumbers& numbers = {}, const std::optional<Origin>& origin = {});

  /// Whether every split has weight 1.
  bool is_uniform() const { return pieces_.size() == 1 && favoured_.empty(); }
  /// The mass of splits from .. to - 1, below 2^100.
  uint128 mass(Split from, Split to) const;
  /// The mass of those below a split of the range, or below its end.
  uint128 mass_below(Split split) const;
  /// The same, for splits that mostly increase. `piece`, 0 at first, is then where the split is, and the next one is looked for from there.
  uint128 mass_below(Split split, std::size_t& piece) const {
    if (split < pieces_[piece].start) piece = 0;
    while (piece + 1 < pieces_.size() && pieces_[piece + 1].start <= split) ++piece;
    return mass_below(split, pieces_[piece]);
  }
  /// A run of splits as the run of their units, of which split s has mass(s, s + 1), from mass(lowest, s) on.
  Run weighed(const Run& run) const {
    if (is_uniform()) return run;
    const Split lowest = pieces_.front().start;
    return {static_cast<std::uint64_t>(mass(lowest, run.start)),
            static_cast<std::uint64_t>(mass(run.start, run.start + run.length)), run.score};
  }
  uint128 total() const { return mass(pieces_.front().start, end_); }
  /// One of them, with probability weight / mass, which must be positive.
  Split draw(Split from, Split to, RandomBits& bits) const;
  /// The split s with mass(lowest, s) <= unit < mass(lowest, s + 1).
  Split holder(uint128 unit) const;

 private:
  /// Splits from start on weigh 2^shift times as much.
  struct Piece {
    Split start;
    int shift;
    uint128 before = 0;  ///< the mass of the pieces before it
  };
  /// Candidates of which every split weighs this much more.
  struct Favoured {
    RoundGrid grid;
    std::uint64_t more;
  };
  void fall_towards(const Edge& edge, Split lowest);
  void fall_away(const Origin& origin, std::uint64_t least, Split lowest);
  template <class Visit>
  void visit(Split from, Split to, Visit&& piece) const;
  std::uint64_t splits_below(Split split, const RoundGrid& grid) const;
  uint128 level_mass(Split from, Split to) const;
  /// `at`: the piece of the split, or the one that ends there.
  uint128 mass_below(Split split, const Piece& at) const {
    const uint128 mass = favoured_.empty() ? uint128{split - at.start} : level_mass(at.start, split);
    return at.before + (mass << at.shift);
  }
  Split member(Split from, Split to, uint128 index) const;

  std::uint64_t subcells_;  // a power of two
  int subcell_bits_;        // which one
  std::vector<Favoured> favoured_;
  std::vector<Piece> pieces_;
  Split end_;
};

/// Weighs runs as BaseMeasure does, of which most begin where the one before them ends, and so does their mass.
class RunWeights {
 public:
  explicit RunWeights(const BaseMeasure& weights) : weights_(&weights) {}

  Run weighed(const Run& run) {
    if (weights_->is_uniform()) return run;
    const uint128 own = mass(run.start, run.start + run.length);
    return {static_cast<std::uint64_t>(below_ - own), static_cast<std::uint64_t>(own), run.score};
  }
  uint128 mass(Split from, Split to) {
    if (from != end_) below_ = weights_->mass_below(from, piece_);
    end_ = to;
    const uint128 before = std::exchange(below_, weights_->mass_below(to, piece_));
    return below_ - before;
  }

 private:
  const BaseMeasure* weights_;
  Split end_ = ~Split{0};  // of the last run; no split
  uint128 below_ = 0;      // the mass below it
  std::size_t piece_ = 0;  // where it is
};

}  // namespace fractile
