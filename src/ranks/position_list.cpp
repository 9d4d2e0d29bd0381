#include "ranks/position_list.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace fractile {
namespace {

constexpr std::size_t first_chunk = 1024;
constexpr std::size_t largest_chunk = 2 * large_page / sizeof(Position);
constexpr int widest_digit = 11;  // a pass writes to 2^11 places in turn: as many pages as a processor remembers

}  // namespace

/// The digits that tell positions apart, from the lowest.
struct PositionList::Digits {
  explicit Digits(Position varying_bits) : lowest(std::countr_zero(varying_bits)) {
    const int bits = static_cast<int>(std::bit_width(varying_bits)) - lowest;
    count = (bits + widest_digit - 1) / widest_digit;
    width = (bits + count - 1) / count;
  }
  std::size_t of(Position position, int which) const {
    return (position >> (lowest + which * width)) & ((Position{1} << width) - 1);
  }
  int lowest;
  int count;
  int width;
};

/// Of every value of a digit: how many positions have it, and then, where the next of them goes.
class PositionList::Places {
 public:
  explicit Places(const Digits& digits) : next_(std::size_t{1} << digits.width) {}
  void count(std::size_t digit) { ++next_[digit]; }
  void add_up() {
    std::uint32_t before = 0;
    for (std::uint32_t& next : next_) before += std::exchange(next, before);
  }
  std::uint32_t take(std::size_t digit) { return next_[digit]++; }

 private:
  std::vector<std::uint32_t> next_;
};

std::span<Position> PositionList::room() {
  if (chunks_.empty() || chunks_.back().used == chunks_.back().room.size()) {
    const std::size_t size = chunks_.empty() ? first_chunk : std::min(2 * chunks_.back().room.size(), largest_chunk);
    chunks_.push_back({LargeArray<Position>(size), 0});
  }
  const Chunk& last = chunks_.back();
  return std::span(last.room.data(), last.room.size()).subspan(last.used);
}

void PositionList::keep(std::size_t written) {
  for (const Position position : room().first(written)) {
    any_ |= position;
    all_ &= position;
  }
  chunks_.back().used += written;
  size_ += written;
}

std::vector<Position> PositionList::take_sorted() {
  const Position varying_bits = any_ & ~all_;
  std::vector<Position> sorted =
      size_ > 0 && varying_bits != 0 ? sorted_by(Digits(varying_bits)) : std::vector<Position>(size_, any_);
  *this = {};
  return sorted;
}

std::vector<PositionList::Places> PositionList::counted(const Digits& digits) const {
  std::vector<Places> places(static_cast<std::size_t>(digits.count), Places(digits));
  for (const Chunk& chunk : chunks_) {
    for (int which = 0; which < digits.count; ++which) {
      Places& of_digit = places[static_cast<std::size_t>(which)];
      for (const Position position : chunk.positions()) of_digit.count(digits.of(position, which));
    }
  }
  for (Places& of_digit : places) of_digit.add_up();
  return places;
}

/// By the lowest digit; a chunk is given back as soon as it has been read.
void PositionList::move_chunks(Position* to, const Digits& digits, Places& places) {
  for (Chunk& chunk : chunks_) {
    for (const Position position : chunk.positions()) to[places.take(digits.of(position, 0))] = position;
    chunk = {LargeArray<Position>(0), 0};
  }
}

/// From the lowest digit to the highest; each pass keeps the order that those before it made. No more than two copies of the
/// positions are there at any time, so that of sorted and other, the one that is written first comes first.
std::vector<Position> PositionList::sorted_by(const Digits& digits) {
  std::vector<Places> places = counted(digits);
  const bool is_odd = digits.count % 2 == 1;
  std::vector<Position> sorted = large_vector<Position>(is_odd ? size_ : 0);
  LargeArray<Position> other(is_odd ? 0 : size_);
  move_chunks(is_odd ? sorted.data() : other.data(), digits, places.front());
  if (digits.count == 1) return sorted;
  if (is_odd) {
    other = LargeArray<Position>(size_);
  } else {
    sorted = large_vector<Position>(size_);
  }
  Position* from = is_odd ? sorted.data() : other.data();
  Position* to = is_odd ? other.data() : sorted.data();
  for (int which = 1; which < digits.count; ++which) {
    Places& of_digit = places[static_cast<std::size_t>(which)];
    for (std::size_t i = 0; i < size_; ++i) to[of_digit.take(digits.of(from[i], which))] = from[i];
    std::swap(from, to);
  }
  return sorted;
}

}  // namespace fractile
