#include "ranks/position_list.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fractile {
namespace {

constexpr std::size_t first_chunk = 1024;
constexpr std::size_t largest_chunk = 2 * large_page / sizeof(Position);

}  // namespace

std::span<Position> PositionList::room() {
  if (chunks_.empty() || chunks_.back().used == chunks_.back().room.size()) {
    const std::size_t size = chunks_.empty() ? first_chunk : std::min(2 * chunks_.back().room.size(), largest_chunk);
    chunks_.push_back({LargeArray<Position>(size), 0});
  }
  const PositionChunk& last = chunks_.back();
  return std::span(last.room.data(), last.room.size()).subspan(last.used);
}

void PositionList::keep(std::size_t written) {
  varying_.see(room().first(written));
  chunks_.back().used += written;
}

void PositionList::take(PositionList& other) {
  std::ranges::move(other.chunks_, std::back_inserter(chunks_));
  varying_.see(other.varying_);
  other = {};
}

std::vector<Position> PositionList::take_sorted(std::size_t threads) {
  PositionList list = std::exchange(*this, {});
  return fractile::take_sorted(std::move(list.chunks_), list.varying_, threads);
}

}  // namespace fractile
