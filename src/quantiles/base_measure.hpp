// The base measure of a joint selection: an integer weight for every split, fixed by what is public or already released.
// Proof: docs/proofs/joint_total.md, lemma 3.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exact/uniform.hpp"
#include "fractile/random.hpp"
#include "ranks/span.hpp"

namespace fractile {

/// How the weight falls off towards an open end of the range: by 4^-i at distances from scale (2^i - 1) on.
struct Edge {
  bool is_left;         ///< the open end is the lowest split; otherwise the highest
  std::uint64_t scale;  ///< in splits, at least 1
};

class BaseMeasure {
 public:
  /// All splits lowest .. highest alike; with an edge, falling off from the other end.
  BaseMeasure(Split lowest, Split highest, std::optional<Edge> edge = {});

  /// Of splits from .. to - 1, below 2^100.
  uint128 mass(Split from, Split to) const;
  uint128 total() const { return mass(pieces_.front().start, end_); }
  /// One of them, with probability weight / mass, which must be positive.
  Split draw(Split from, Split to, RandomBits& bits) const;

 private:
  /// Splits from start on have weight 2^shift.
  struct Piece {
    Split start;
    int shift;
  };
  template <class Visit>
  void visit(Split from, Split to, Visit&& piece) const;

  std::vector<Piece> pieces_;
  Split end_;
};

}  // namespace fractile
