// Exact selection from very many runs without passing all of them: a majorant for a tile of runs at a time. A tile is
// listed when it is proposed, and weighed run by run once a proposal from it was refused.
// Proof: docs/proofs/selection.md, theorem 6.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

#include "exact/majorant.hpp"

namespace fractile {

/// Stretches of a pass: tile(i) has all members of the runs of cursor(i), consecutive, and the least of their scores.
template <class T>
concept RunTiles = requires(const T& tiles, std::size_t i) {
  { tiles.size() } -> std::convertible_to<std::size_t>;
  { tiles.tile(i) } -> std::same_as<Run>;
  { tiles.cursor(i) } -> RunCursor;
};

template <RunTiles Tiles>
class TiledSelection {
 public:
  TiledSelection(const Tiles& tiles, const Exponent& rate, const RateBounds& bounds)
      : tiles_(tiles), rate_(rate), bounds_(bounds) {
    weighed_.reserve(tiles.size());
    for (std::size_t i = 0; i < tiles.size(); ++i) weighed_.push_back({tiles.tile(i), 0, 0, 0});
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
      auto tile = weighed_.begin();
      for (; target >= tile->mass; ++tile) target -= tile->mass;
      const bool in_runs = tile->last_run != 0;
      const Proposal proposal = in_runs ? among_runs(*tile, target, bits) : among_members(*tile, bits);
      const double at_least = in_runs ? least_acceptance(proposal.mass) : 0;
      if (accept(bounds_, rate_, proposal.score - best_, proposal.length, proposal.mass, at_least, bits, filter,
                 cost)) {
        return proposal.member;
      }
      if (!in_runs) weigh_runs(*tile);
    }
  }

 private:
  struct Tile {
    Run all;
    uint128 mass;
    std::size_t first_run;  // of runs_, once its runs are weighed
    std::size_t last_run;   // 0: they are not
  };

  /// A member of `length` with a common majorant.
  struct Proposal {
    std::uint64_t member;
    std::uint64_t score;
    std::uint64_t length;
    uint128 mass;
  };

  uint128 majorant(const Run& run) const { return bounds_.majorant(run.score - best_, run.length); }

  /// A run by its mass.
  Proposal among_runs(const Tile& tile, uint128 target, RandomBits& bits) const {
    const Run* run = &runs_[tile.first_run];
    uint128 mass = majorant(*run);
    for (; target >= mass; mass = majorant(*run)) {
      target -= mass;
      ++run;
    }
    return {run->start + uniform_below(bits, run->length), run->score, run->length, mass};
  }

  /// Any member, by the tile's mass.
  Proposal among_members(const Tile& tile, RandomBits& bits) const {
    const std::uint64_t member = tile.all.start + uniform_below(bits, tile.all.length);
    auto cursor = tiles_.cursor(index_of(tile));
    Run run{};
    do {
      cursor.next(run);
    } while (member - run.start >= run.length);
    return {member, run.score, tile.all.length, tile.mass};
  }

  void weigh_runs(Tile& tile) {
    total_ -= tile.mass;
    tile.mass = 0;
    tile.first_run = runs_.size();
    auto cursor = tiles_.cursor(index_of(tile));
    for (Run run{}; cursor.next(run);) {
      runs_.push_back(run);
      tile.mass += majorant(run);
    }
    tile.last_run = runs_.size();
    total_ += tile.mass;
  }

  std::size_t index_of(const Tile& tile) const { return static_cast<std::size_t>(&tile - weighed_.data()); }

  const Tiles& tiles_;
  const Exponent& rate_;
  const RateBounds& bounds_;
  std::uint64_t best_ = ~std::uint64_t{0};
  std::vector<Tile> weighed_;
  std::vector<Run> runs_;
  uint128 total_ = 0;
};

}  // namespace fractile
