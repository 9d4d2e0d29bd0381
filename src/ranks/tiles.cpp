#include "ranks/tiles.hpp"

namespace fractile {

/// The borders at the pass's ends count all of its records, wherever these lie.
void Tiling::set_whole(std::uint64_t at, std::uint64_t end) {
  whole_.first = border(at, entry_of_member(at, 0, profile_.distinct()));
  whole_.first.before = 0;
  whole_.last = border(end, entry_of_member(end, 0, profile_.distinct()));
  whole_.last.below = span_.records();
}

PassPart Tiling::part(const Tile& tile) const {
  return {span_.first_rank + tile.first.below,
          span_.first_rank + tile.last.below,
          tile.first.at,
          tile.last.at,
          tile.first.below,
          span_.records()};
}

Tiling::Border Tiling::border(std::uint64_t at, std::size_t entry) const {
  if (at == 0) return {at, 0, below(at, entry), entry};
  return {at, reached(at - 1, entry_of_member_near(at - 1, entry)), below(at, entry), entry};
}

/// Cuts at the first members after the records of these increasing ranks.
std::vector<Tiling::Tile> Tiling::cut_at(const Tile& tile, const std::vector<std::uint64_t>& ranks) const {
  std::vector<Tile> tiles;
  tiles.reserve(ranks.size() + 1);
  Border from = tile.first;
  std::size_t entry = tile.first.entry;
  for (const std::uint64_t rank : ranks) {
    entry = entry_of_rank(rank, entry, end_of(tile));
    const std::uint64_t at = first_after(rank, entry);
    if (at <= from.at || at >= tile.last.at) continue;
    const Border to = border(at, entry_of_member_near(at, entry));
    tiles.push_back({from, to});
    from = to;
  }
  tiles.push_back({from, tile.last});
  return tiles;
}

std::vector<Tiling::Tile> Tiling::cut(const Tile& tile, std::uint64_t tiles) const {
  std::vector<std::uint64_t> ranks;
  const std::uint64_t stride = std::max<std::uint64_t>(1, tile.records() / tiles);
  ranks.reserve(tile.records() / stride);
  for (std::uint64_t passed = stride; passed < tile.records(); passed += stride) {
    ranks.push_back(span_.first_rank + tile.first.below + passed);
  }
  return cut_at(tile, ranks);
}

// One position with very many records may hold all ranks at which the tile would be cut. The tile is then cut by places instead.
std::vector<Tiling::Tile> Tiling::parts(const Tile& tile) const {
  if (runs(tile) <= listed_) return {};
  std::vector<Tile> parts = cut(tile, tiles_for(tile.records()));
  if (parts.size() > 1) return parts;
  std::vector<std::uint64_t> ranks;
  const std::size_t entries = end_of(tile) - tile.first.entry;
  const std::size_t stride = std::max<std::size_t>(1, entries / tiles_for(entries));
  for (std::size_t k = tile.first.entry; k < end_of(tile); k += stride) {
    const std::uint64_t rank = profile_.cumulative(k);
    if (rank >= span_.first_rank + tile.first.below && rank < span_.first_rank + tile.last.below) ranks.push_back(rank);
  }
  parts = cut_at(tile, ranks);
  if (parts.size() == 1) parts.clear();
  return parts;
}

std::uint64_t Tiling::score(std::uint64_t member, std::size_t entry) const {
  return saturated_distance_from(uint128{alpha_.denominator} * below(member, entry),
                                 uint128{alpha_.denominator} * reached(member, entry), target());
}

std::uint64_t Tiling::score_of(const Tile& tile, std::uint64_t member) const {
  return score(member, entry_of_member(member, tile.first.entry, tile.last.entry));
}

/// For a tile in which v passes 0: the least score is that of the first member that has the record with rank num * n / den below it
/// or on it, or of the member before.
std::uint64_t Tiling::least_inside(const Tile& tile) const {
  const std::uint64_t rank = span_.first_rank + static_cast<std::uint64_t>(target() / alpha_.denominator);
  const std::uint64_t after = first_after(rank, entry_of_rank(rank, tile.first.entry, end_of(tile)));
  const auto here = [&](std::uint64_t member) {
    return score_of(tile, std::clamp(member, tile.first.at, tile.last.at - 1));
  };
  return std::min(here(after), here(after > 0 ? after - 1 : 0));
}

Run Tiling::all(const Tile& tile) const {
  const uint128 first = uint128{alpha_.denominator} * tile.first.below;
  const uint128 last = uint128{alpha_.denominator} * tile.last.before;
  const bool passes_zero = first < target() && last > target();
  const std::uint64_t least = passes_zero ? least_inside(tile) : saturated_distance_from(first, last, target());
  return {tile.first.at, tile.last.at - tile.first.at, least};
}

// A border is the first split above a record. All records with this first split lie below it, and not below the split before it.
SplitTiles::SplitTiles(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, QuantileFraction alpha,
                       std::uint64_t tiles, std::uint64_t listed)
    : Tiling(profile, span, subcells, alpha, tiles, listed) {
  set_whole(span.lowest, span.highest + 1);
}

std::uint64_t SplitTiles::first_after(std::uint64_t rank, std::size_t entry) const {
  const Position position = profile_.position(entry);
  const Split cell = position / 2 * subcells_;
  if (position % 2 == 0) return cell;
  const TieOrder order(std::countr_zero(subcells_));
  return cell + order.part_of(profile_.count(entry), rank - profile_.cumulative(entry)) + 1;
}

// A border is a candidate with a record on it, or just before it.
CandidateTiles::CandidateTiles(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells,
                               QuantileFraction alpha, std::uint64_t tiles, std::uint64_t listed)
    : Tiling(profile, span, 1, alpha, tiles, listed) {
  set_whole(span.lowest / subcells, span.highest / subcells + 1);
}

std::uint64_t CandidateTiles::reached(std::uint64_t candidate, std::size_t entry) const {
  const bool is_on = entry < profile_.distinct() && profile_.position(entry) == 2 * candidate + 1;
  return of_span(profile_.cumulative(entry + (is_on ? 1 : 0)));
}

}  // namespace fractile
