#include "ranks/number_list.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "exact/lists.hpp"

namespace fractile {
namespace {

constexpr std::size_t first_chunk = 1024;
constexpr std::size_t largest_chunk_bytes = 2 * kept_by_malloc;

}  // namespace

template <class Number>
std::span<Number> NumberList<Number>::room() {
  if (chunks_.empty() || chunks_.back().used == chunks_.back().room.size()) {
    const std::size_t size =
        chunks_.empty() ? first_chunk : std::min(2 * chunks_.back().room.size(), largest_chunk_bytes / sizeof(Number));
    chunks_.push_back({LargeArray<Number>(size), 0});
  }
  const NumberChunk<Number>& last = chunks_.back();
  return std::span(last.room.data(), last.room.size()).subspan(last.used);
}

template <class Number>
void NumberList<Number>::keep(std::size_t written) {
  varying_.see(room().first(written));
  chunks_.back().used += written;
}

template <class Number>
std::size_t NumberList<Number>::size() const {
  return sum_over<std::size_t>(chunks_, &NumberChunk<Number>::used);
}

template <class Number>
void NumberList<Number>::take(NumberList& other) {
  std::ranges::move(other.chunks_, std::back_inserter(chunks_));
  varying_.see(other.varying_);
  other = {};
}

template <class Number>
LargeArray<Number> NumberList<Number>::take_sorted(std::size_t threads, std::size_t spare) {
  NumberList list = std::exchange(*this, {});
  return fractile::take_sorted(std::move(list.chunks_), list.varying_, threads, spare);
}

template class NumberList<std::uint32_t>;
template class NumberList<std::uint64_t>;

}  // namespace fractile
