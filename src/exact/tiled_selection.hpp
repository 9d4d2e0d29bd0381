// Exact selection from very many runs without visiting all of them: each tile of runs has one majorant. When a proposal from a tile
// is refused, the tile is divided into smaller tiles, or weighed run by run when it has few runs.
// Proof: docs/proofs/selection.md, theorem 6.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

#include "exact/majorant.hpp"

namespace fractile {

/// Stretches of a pass over runs. all(tile) is a run of all members of the runs of cursor(tile), which are consecutive, with the
/// least of their scores.
template <class T>
concept RunTiles = requires(const T& tiles, const typename T::Tile& tile, std::uint64_t member) {
  { tiles.parts() } -> std::same_as<std::vector<typename T::Tile>>;      // the whole pass
  { tiles.parts(tile) } -> std::same_as<std::vector<typename T::Tile>>;  // empty: list the tile's runs instead
  { tiles.all(tile) } -> std::same_as<Run>;
  { tiles.score_of(tile, member) } -> std::same_as<std::uint64_t>;  // of the run that has the member
  { tiles.cursor(tile) } -> RunCursor;
};

template <RunTiles Tiles>
class TiledSelection {
 public:
  TiledSelection(const Tiles& tiles, const Exponent& rate, const RateBounds& bounds)
      : tiles_(tiles), rate_(rate), bounds_(bounds) {
    const std::vector<Part> parts = tiles.parts();
    weighed_.reserve(2 * parts.size());  // most draws divide a tile
    for (const Part& part : parts) weighed_.push_back({part, tiles.all(part), 0, 0, 0});
    for (const Tile& tile : weighed_) best_ = std::min(best_, tile.all.score);
    for (Tile& tile : weighed_) {
      tile.mass = majorant(tile.all);
      total_ += tile.mass;
    }
  }

  /// A member, with probability exactly proportional to exp(-rate * score of its run).
  std::uint64_t draw(RandomBits& bits, Filter filter = {}, SelectionCost* cost = nullptr) {
    for (;;) {
      if (cost != nullptr) ++cost->trials;
      uint128 target = uniform_below(bits, total_);
      std::size_t at = 0;
      for (; target >= weighed_[at].mass; ++at) target -= weighed_[at].mass;
      const Tile& tile = weighed_[at];
      const bool in_runs = tile.last_run != 0;
      const Proposal proposal = in_runs ? among_runs(tile, target, bits) : among_members(tile, bits);
      const double at_least = in_runs ? least_acceptance(proposal.mass) : 0;
      if (accept(bounds_, rate_, proposal.score - best_, proposal.length, proposal.mass, at_least, bits, filter,
                 cost)) {
        return proposal.member;
      }
      if (!in_runs) open(at);
    }
  }

  /// How many tiles and runs have been weighed.
  std::size_t weighed() const { return weighed_.size() + runs_.size(); }

 private:
  using Part = typename Tiles::Tile;

  struct Tile {
    Part part;
    Run all;
    uint128 mass;           // 0: the tile has been divided
    std::size_t first_run;  // index in runs_, once the tile's runs are weighed
    std::size_t last_run;   // 0: its runs are not weighed
  };

  /// One of `length` members that share a majorant.
  struct Proposal {
    std::uint64_t member;
    std::uint64_t score;
    std::uint64_t length;
    uint128 mass;
  };

  uint128 majorant(const Run& run) const { return bounds_.majorant(run.score - best_, run.length); }

  /// Draws a run by its mass.
  Proposal among_runs(const Tile& tile, uint128 target, RandomBits& bits) const {
    const Run* run = &runs_[tile.first_run];
    uint128 mass = majorant(*run);
    for (; target >= mass; mass = majorant(*run)) {
      target -= mass;
      ++run;
    }
    return {run->start + uniform_below(bits, run->length), run->score, run->length, mass};
  }

  /// Draws any member, by the tile's mass.
  Proposal among_members(const Tile& tile, RandomBits& bits) const {
    const std::uint64_t member = tile.all.start + uniform_below(bits, tile.all.length);
    return {member, tiles_.score_of(tile.part, member), tile.all.length, tile.mass};
  }

  /// Replaces the tile by smaller tiles or by its runs.
  void open(std::size_t at) {
    total_ -= weighed_[at].mass;
    const std::vector<Part> parts = tiles_.parts(weighed_[at].part);
    if (parts.empty()) {
      weigh_runs(weighed_[at]);
      total_ += weighed_[at].mass;
      return;
    }
    weighed_[at].mass = 0;
    for (const Part& part : parts) {
      const Run all = tiles_.all(part);
      weighed_.push_back({part, all, majorant(all), 0, 0});
      total_ += weighed_.back().mass;
    }
  }

  void weigh_runs(Tile& tile) {
    tile.mass = 0;
    tile.first_run = runs_.size();
    auto cursor = tiles_.cursor(tile.part);
    // The cursor writes where the run stays, as in ListedRuns.
    for (;;) {
      Run& run = runs_.emplace_back();
      if (!cursor.next(run)) break;
      tile.mass += majorant(run);
    }
    runs_.pop_back();
    tile.last_run = runs_.size();
  }

  const Tiles& tiles_;
  const Exponent& rate_;
  const RateBounds& bounds_;
  std::uint64_t best_ = ~std::uint64_t{0};
  std::vector<Tile> weighed_;
  std::vector<Run> runs_;
  uint128 total_ = 0;
};

}  // namespace fractile
