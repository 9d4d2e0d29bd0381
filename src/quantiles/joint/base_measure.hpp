// The base measure of a selection: an integer weight for every split, determined by public facts and by what was already released.
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

/// How the weight falls off towards an open end of the range: by a factor of 4^-i from a distance of scale (2^i - 1) on.
struct Edge {
  bool is_left;         ///< the open end is the lowest split; otherwise the highest
  std::uint64_t scale;  ///< in splits, at least 1
};

/// The place of zero. Weights double whenever the distance from zero halves, from 1/32 of the range down to one candidate or to the
/// stride of a grid that was found. Zero itself weighs four times as much again. So values of any order of magnitude are expected,
/// and a range that is a thousand times too wide costs about as much as one that is a hundred times too wide.
struct Origin {
  std::int64_t candidate;  ///< may lie outside the range, on the continued lattice
  std::uint64_t reach;     ///< the distance, in candidates, of the farther end of the range
};

/// The candidate that is zero, if there is one. Nothing for an explicit list.
std::optional<std::uint64_t> zero_of(const Lattice& lattice);

/// The place of zero on a regular lattice. Nothing where zero does not matter, because it is too far outside or there are too few
/// candidates; and nothing for an explicit list.
std::optional<Origin> origin_of(const Lattice& lattice);

class BaseMeasure {
 public:
  /// Splits lowest .. highest of cells of `subcells` splits. Every split has weight 1. Splits of the grid weigh 128 strides more,
  /// so the grid as a whole weighs 128 times as much as everything else. Splits of the heaps weigh eight times as much as others of
  /// the grid. With an edge, all weights fall off from the other end; without an edge, they fall off from the origin.
  BaseMeasure(Split lowest, Split highest, std::uint64_t subcells, std::optional<Edge> edge = {},
              const RoundNumbers& numbers = {}, const std::optional<Origin>& origin = {});

  /// Whether every split has weight 1.
  bool is_uniform() const { return pieces_.size() == 1 && pieces_.front().shift == 0 && favoured_.empty(); }
  /// The mass of splits from .. to - 1, below 2^100.
  uint128 mass(Split from, Split to) const;
  /// The mass of the splits below a split of the range, or below the range's end.
  uint128 mass_below(Split split) const;
  /// The same for a series of splits that mostly increase. `piece`, 0 at first, is set to the split's piece, and the search for the
  /// next split begins there.
  template <class Mass>
  Mass mass_below(Split split, std::size_t& piece) const {
    if (split < pieces_[piece].start) piece = 0;
    while (piece + 1 < pieces_.size() && pieces_[piece + 1].start <= split) ++piece;
    return mass_below<Mass>(split, pieces_[piece]);
  }
  /// The run of units of a run of splits: split s has mass(s, s + 1) units, from mass(lowest, s) on.
  Run weighed(const Run& run) const {
    if (is_uniform()) return run;
    const Split lowest = pieces_.front().start;
    return {static_cast<std::uint64_t>(mass(lowest, run.start)),
            static_cast<std::uint64_t>(mass(run.start, run.start + run.length)), run.score};
  }
  uint128 total() const { return mass(pieces_.front().start, end_); }
  /// Draws one of the splits from .. to - 1 with probability weight / mass. The mass must be positive.
  Split draw(Split from, Split to, RandomBits& bits) const;
  /// The split s with mass(lowest, s) <= unit < mass(lowest, s + 1).
  Split holder(uint128 unit) const;

 private:
  /// A piece: splits from `start` on, whose weights are multiplied by 2^shift.
  struct Piece {
    Split start;
    int shift;           ///< below 64
    uint128 before = 0;  ///< the mass of the pieces before it
  };
  /// Candidates whose splits weigh more, and by how much.
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
  /// `at`: the piece of the split, or the piece that ends there.
  template <class Mass>
  Mass mass_below(Split split, const Piece& at) const {
    const Mass mass = favoured_.empty() ? Mass{split - at.start} : static_cast<Mass>(level_mass(at.start, split));
    return static_cast<Mass>(at.before) + (mass << at.shift);
  }
  Split member(Split from, Split to, uint128 index) const;

  std::uint64_t subcells_;  // a power of two
  int subcell_bits_;        // its base-2 logarithm
  std::vector<Favoured> favoured_;
  std::vector<Piece> pieces_;
  Split end_;
};

/// Weighs runs as BaseMeasure does. Most runs begin where the run before them ends, so the mass below them is known. `Mass`: uint128; or
/// std::uint64_t for runs of units, whose masses fit it: they are computed modulo 2^64, which loses nothing.
template <class Mass>
class RunWeights {
 public:
  explicit RunWeights(const BaseMeasure& weights) : weights_(&weights) {}

  Run weighed(const Run& run) {
    if (weights_->is_uniform()) return run;
    const Mass own = mass(run.start, run.start + run.length);
    return {static_cast<std::uint64_t>(below_ - own), static_cast<std::uint64_t>(own), run.score};
  }
  Mass mass(Split from, Split to) {
    if (from != end_) below_ = weights_->mass_below<Mass>(from, piece_);
    end_ = to;
    const Mass before = std::exchange(below_, weights_->mass_below<Mass>(to, piece_));
    return below_ - before;
  }

 private:
  const BaseMeasure* weights_;
  Split end_ = ~Split{0};  // end of the last run; at first no split
  Mass below_ = 0;         // the mass below it
  std::size_t piece_ = 0;  // the piece of end_
};

}  // namespace fractile
