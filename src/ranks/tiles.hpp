// Tiles: a pass over runs cut into stretches, each with as many members and as good a score as it has, found without
// listing its runs. What lies between two tiles' borders is passed by the same cursors as the whole.
// Proof: docs/proofs/selection.md, theorem 6.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "ranks/span.hpp"

namespace fractile {

/// So many tiles of `runs` runs that weighing all of them takes about as long as listing one: a root, to a factor of two.
constexpr std::uint64_t tiles_for(std::uint64_t runs) { return std::uint64_t{1} << (std::bit_width(runs) / 2); }

/// Borders between tiles of about equally many records, and what follows from the scores' shape: with v = den * (records
/// below) - num * n, which grows along the pass, a score is |v|.
class Tiling {
 public:
  std::size_t size() const { return borders_.size() - 1; }

 protected:
  struct Border {
    std::uint64_t at;      // the member that a tile begins with
    std::uint64_t before;  // records of the pass that the last member before it has below itself or on itself
    std::uint64_t below;   // records of the pass below `at`
  };

  Tiling(const RankProfile& profile, const RankSpan& span, QuantileFraction alpha);
  /// Adds a border unless it encloses nothing. `before` and `below` count from the profile's first record.
  void add(std::uint64_t at, std::uint64_t before, std::uint64_t below);
  PassPart part(std::size_t tile) const;
  /// The least score, where it is that of the first or the last run.
  std::optional<std::uint64_t> outer_score(std::size_t tile) const;
  /// All members of a tile of `tiles`, with the least score of one.
  template <class Tiles>
  static Run whole_tile(const Tiles& tiles, std::size_t tile);
  /// The entry of the record with this rank, `near` that of one with a lower rank.
  std::size_t entry_of(std::uint64_t rank, std::size_t near) const;

  const RankProfile& profile_;
  RankSpan span_;
  QuantileFraction alpha_;
  std::vector<Border> borders_;
};

/// Of a SplitCursor.
class SplitTiles : public Tiling {
 public:
  /// About `tiles` of them, at least 1.
  SplitTiles(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, QuantileFraction alpha,
             std::uint64_t tiles);
  /// All its members, with the least score of one.
  Run tile(std::size_t i) const;
  SplitCursor cursor(std::size_t i) const { return {profile_, part(i), subcells_, alpha_}; }

 private:
  std::uint64_t below(Split split, std::size_t near) const;

  std::uint64_t subcells_;
};

/// Of a CandidateCursor.
class CandidateTiles : public Tiling {
 public:
  CandidateTiles(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, QuantileFraction alpha,
                 std::uint64_t tiles);
  Run tile(std::size_t i) const;
  CandidateCursor cursor(std::size_t i) const { return {profile_, part(i), alpha_}; }

 private:
  std::size_t entry_at(Position position, std::size_t near) const;
};

}  // namespace fractile
