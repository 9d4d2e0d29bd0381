#include "ranks/tiles.hpp"

#include <algorithm>

namespace fractile {

Tiling::Tiling(const RankProfile& profile, const RankSpan& span, QuantileFraction alpha)
    : profile_(profile), span_(span), alpha_(alpha) {}

void Tiling::add(std::uint64_t at, std::uint64_t before, std::uint64_t below) {
  if (!borders_.empty() && at <= borders_.back().at) return;
  const auto of_span = [&](std::uint64_t rank) {
    return std::clamp(rank, span_.first_rank, span_.last_rank) - span_.first_rank;
  };
  borders_.push_back({at, of_span(before), of_span(below)});
}

PassPart Tiling::part(std::size_t tile) const {
  const Border& first = borders_[tile];
  const Border& last = borders_[tile + 1];
  return {
      span_.first_rank + first.below, span_.first_rank + last.below, first.at, last.at, first.below, span_.records()};
}

std::optional<std::uint64_t> Tiling::outer_score(std::size_t tile) const {
  const std::uint64_t target = alpha_.numerator * span_.records();
  const std::uint64_t first = alpha_.denominator * borders_[tile].below;
  const std::uint64_t last = alpha_.denominator * borders_[tile + 1].before;
  if (first >= target) return first - target;
  if (last <= target) return target - last;
  return std::nullopt;
}

std::size_t Tiling::entry_of(std::uint64_t rank, std::size_t near) const {
  // An entry has a record or more, so it is at most so far; without ties it is there.
  const std::size_t farthest = std::min(near + (rank - profile_.cumulative(near)), profile_.distinct() - 1);
  if (profile_.cumulative(farthest) <= rank) return farthest;
  return first_entry(near, farthest, [&](std::size_t k) { return profile_.cumulative(k + 1) > rank; });
}

namespace {

std::uint64_t least_of(auto cursor) {
  std::uint64_t least = ~std::uint64_t{0};
  for (Run run{}; cursor.next(run);) least = std::min(least, run.score);
  return least;
}

/// The entry of the record that comes first in `span`.
std::size_t first_entry_of(const RankProfile& profile, const RankSpan& span) {
  return first_entry(0, profile.distinct(), [&](std::size_t k) { return profile.cumulative(k + 1) > span.first_rank; });
}

}  // namespace

template <class Tiles>
Run Tiling::whole_tile(const Tiles& tiles, std::size_t tile) {
  const Tiling& all = tiles;
  const std::uint64_t start = all.borders_[tile].at;
  const auto score = all.outer_score(tile);
  return {start, all.borders_[tile + 1].at - start, score ? *score : least_of(tiles.cursor(tile))};
}

// A border is the first split above a record. Records that share it lie below it, and not below the split before it.
SplitTiles::SplitTiles(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells, QuantileFraction alpha,
                       std::uint64_t tiles)
    : Tiling(profile, span, alpha), subcells_(subcells) {
  const TieOrder order(std::countr_zero(subcells));
  const Split end = span.highest + 1;
  const std::uint64_t stride = std::max<std::uint64_t>(1, span.records() / tiles);
  add(span.lowest, 0, records_below(profile, subcells, span.lowest));
  std::size_t entry = stride < span.records() ? first_entry_of(profile, span) : 0;
  for (std::uint64_t rank = span.first_rank + stride; rank < span.last_rank; rank += stride) {
    entry = entry_of(rank, entry);
    const Position position = profile.position(entry);
    Split at = position / 2 * subcells;
    if (position % 2 == 1) at += order.part_of(profile.count(entry), rank - profile.cumulative(entry)) + 1;
    if (at <= span.lowest || at >= end) continue;
    add(at, below(at - 1, entry), below(at, entry));
  }
  add(end, records_below(profile, subcells, span.highest), span.last_rank);
}

std::uint64_t SplitTiles::below(Split split, std::size_t near) const {
  const Position position = split / subcells_ * 2;
  while (near > 0 && profile_.position(near - 1) > position) --near;
  while (near < profile_.distinct() && profile_.position(near) <= position) ++near;
  return records_below(profile_, subcells_, split, near);
}

Run SplitTiles::tile(std::size_t i) const { return whole_tile(*this, i); }

// A border is a candidate with a record on it, or just before it.
CandidateTiles::CandidateTiles(const RankProfile& profile, const RankSpan& span, std::uint64_t subcells,
                               QuantileFraction alpha, std::uint64_t tiles)
    : Tiling(profile, span, alpha) {
  const std::uint64_t lowest = span.lowest / subcells;
  const std::uint64_t end = span.highest / subcells + 1;
  const std::uint64_t stride = std::max<std::uint64_t>(1, span.records() / tiles);
  const auto all_to = [&](Position position) {  // records at positions up to it
    const auto above = [&](std::size_t k) { return profile.position(k) > position; };
    return profile.cumulative(first_entry(0, profile.distinct(), above));
  };
  add(lowest, 0, all_to(2 * lowest));
  std::size_t entry = stride < span.records() ? first_entry_of(profile, span) : 0;
  for (std::uint64_t rank = span.first_rank + stride; rank < span.last_rank; rank += stride) {
    entry = entry_of(rank, entry);
    const Position between = profile.position(entry) / 2 * 2;
    if (between / 2 <= lowest || between / 2 >= end) continue;
    add(between / 2, profile.cumulative(entry_at(between, entry)), profile.cumulative(entry_at(between + 1, entry)));
  }
  add(end, all_to(2 * end - 1), span.last_rank);
}

/// The first entry at that position or above.
std::size_t CandidateTiles::entry_at(Position position, std::size_t near) const {
  while (near > 0 && profile_.position(near - 1) >= position) --near;
  while (near < profile_.distinct() && profile_.position(near) < position) ++near;
  return near;
}

Run CandidateTiles::tile(std::size_t i) const { return whole_tile(*this, i); }

}  // namespace fractile
