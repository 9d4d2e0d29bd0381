// Tiles: stretches of a pass over runs. A tile's number of members and its least score are found without listing its runs, and a
// tile can be cut again. The cursors that pass over the whole also pass over the part between two borders.
// Proof: docs/proofs/selection.md, theorem 6.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "ranks/span.hpp"

namespace fractile {

/// The number of tiles of `runs` runs at which weighing all of them takes about as long as listing one: the square root of `runs`,
/// to a factor of two, but no more than are worth weighing before one tile is divided again.
constexpr std::uint64_t tiles_for(std::uint64_t runs) {
  constexpr int widest = 16;  // bits
  return std::uint64_t{1} << (std::min(widest, static_cast<int>(std::bit_width(runs))) / 2);
}

/// Borders between tiles of about equally many records, and the least scores of tiles. A score is |v|, where v = den * (records
/// below) - num * n grows along the pass.
class Tiling {
 public:
  struct Border {
    std::uint64_t at;      // the member that a tile begins with
    std::uint64_t before;  // records of the pass that are below or on the last member before `at`
    std::uint64_t below;   // records of the pass below `at`
    std::size_t entry;     // the profile's first entry that is not below the candidate of `at`
  };
  struct Tile {
    Border first;
    Border last;
    std::uint64_t records() const { return last.below - first.below; }
  };

  virtual ~Tiling() = default;

  /// The tiles of the whole pass, at least one.
  std::vector<Tile> parts() const { return cut(whole_, tiles_); }
  /// Smaller tiles. Empty when the tile has few runs, or all its records are at one position.
  std::vector<Tile> parts(const Tile& tile) const;
  /// All members of the tile, with the least of their scores.
  Run all(const Tile& tile) const;
  std::uint64_t score_of(const Tile& tile, std::uint64_t member) const;

 protected:
  /// `subcells`: of a member's candidate.
  Tiling(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, QuantileFraction alpha,
         std::uint64_t tiles, std::uint64_t listed)
      : profile_(profile), span_(span), subcells_(subcells), alpha_(alpha), tiles_(tiles), listed_(listed) {}
  Tiling(const Tiling&) = default;

  /// Members `at` .. end - 1.
  void set_whole(std::uint64_t at, std::uint64_t end);
  PassPart part(const Tile& tile) const;
  std::uint64_t of_span(std::uint64_t rank) const {
    return std::clamp(rank, span_.first_rank, span_.last_rank) - span_.first_rank;
  }

  /// The first member that has the record with this rank, which is one of the entry's records, below it or on it.
  virtual std::uint64_t first_after(std::uint64_t rank, std::size_t entry) const = 0;
  /// Records of the pass that are below a member or, for candidates, on it; `entry` as in a Border.
  virtual std::uint64_t reached(std::uint64_t member, std::size_t entry) const = 0;
  /// The same for records below the member alone.
  virtual std::uint64_t below(std::uint64_t member, std::size_t entry) const = 0;
  /// The tile has at most this many runs, plus two.
  virtual std::uint64_t runs(const Tile& tile) const = 0;

  const RankProfile& profile_;
  RankSpan span_;
  std::uint64_t subcells_;
  QuantileFraction alpha_;

 private:
  std::size_t entry_of_member(std::uint64_t member, std::size_t low, std::size_t high) const {
    const Position position = member / subcells_ * 2;
    return first_entry(low, high, [&](std::size_t k) { return profile_.position(k) > position; });
  }
  /// The same, searched for from a nearby entry.
  std::size_t entry_of_member_near(std::uint64_t member, std::size_t near) const {
    const Position position = member / subcells_ * 2;
    while (near > 0 && profile_.position(near - 1) > position) --near;
    while (near < profile_.distinct() && profile_.position(near) <= position) ++near;
    return near;
  }
  /// The entry of the record with this rank, from `low` on; `high` if it has none below. Searched for from where it would be if the
  /// entries had equally many records.
  std::size_t entry_of_rank(std::uint64_t rank, std::size_t low, std::size_t high) const {
    if (low >= high || profile_.cumulative(low) > rank) return low;
    if (profile_.cumulative(high) <= rank) return high;
    const std::uint64_t passed = rank - profile_.cumulative(low);
    const std::uint64_t records = profile_.cumulative(high) - profile_.cumulative(low);
    if (records == high - low) return low + passed;  // no ties
    const double share = static_cast<double>(passed) / static_cast<double>(records);
    const std::size_t near = low + static_cast<std::size_t>(share * static_cast<double>(high - low));
    return first_entry_near(std::min(near, high - 1), low, high,
                            [&](std::size_t k) { return profile_.cumulative(k + 1) > rank; });
  }
  /// One past the last entry of the tile's records.
  std::size_t end_of(const Tile& tile) const { return std::min(tile.last.entry + 1, profile_.distinct()); }
  uint128 target() const { return uint128{alpha_.numerator} * span_.records(); }
  std::uint64_t score(std::uint64_t member, std::size_t entry) const;
  /// `entry`: the first entry that is not below the candidate of `at`.
  Border border(std::uint64_t at, std::size_t entry) const;
  std::vector<Tile> cut(const Tile& tile, std::uint64_t tiles) const;
  std::vector<Tile> cut_at(const Tile& tile, const std::vector<std::uint64_t>& ranks) const;
  std::uint64_t least_inside(const Tile& tile) const;

  std::uint64_t tiles_;
  std::uint64_t listed_;
  Tile whole_{};
};

/// A tile of at most this many runs is listed when it is opened.
inline constexpr std::uint64_t listed_runs = 2048;

/// For a SplitCursor.
class SplitTiles final : public Tiling {
 public:
  /// About `tiles` >= 1 tiles at first.
  SplitTiles(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, QuantileFraction alpha,
             std::uint64_t tiles, std::uint64_t listed = listed_runs);
  SplitCursor cursor(const Tile& tile) const { return {profile_, part(tile), subcells_, alpha_}; }

 private:
  std::uint64_t first_after(std::uint64_t rank, std::size_t entry) const override;
  std::uint64_t reached(std::uint64_t split, std::size_t entry) const override { return below(split, entry); }
  std::uint64_t below(std::uint64_t split, std::size_t entry) const override {
    return of_span(records_below(profile_, subcells_, split, entry));
  }
  std::uint64_t runs(const Tile& tile) const override { return tile.records(); }
};

/// For a CandidateCursor.
class CandidateTiles final : public Tiling {
 public:
  CandidateTiles(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, QuantileFraction alpha,
                 std::uint64_t tiles, std::uint64_t listed = listed_runs);
  CandidateCursor cursor(const Tile& tile) const { return {profile_, part(tile), alpha_}; }

 private:
  std::uint64_t first_after(std::uint64_t /*rank*/, std::size_t entry) const override {
    return profile_.position(entry) / 2;
  }
  std::uint64_t reached(std::uint64_t candidate, std::size_t entry) const override;
  std::uint64_t below(std::uint64_t /*candidate*/, std::size_t entry) const override {
    return of_span(profile_.cumulative(entry));
  }
  std::uint64_t runs(const Tile& tile) const override { return 2 * (tile.last.entry - tile.first.entry); }
};

}  // namespace fractile
