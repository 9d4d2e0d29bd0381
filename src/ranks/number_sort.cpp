#include "ranks/number_sort.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <utility>

#include "exact/workers.hpp"

namespace fractile {
namespace {

// A pass writes to 2^11 places in turn, about as many pages as a processor's TLB holds.
constexpr int widest_digit = 11;
constexpr std::size_t aimed_at = std::size_t{1} << 15;      // numbers that a thread sorts within its cache
constexpr std::size_t small_enough = std::size_t{1} << 17;  // numbers that are sorted from their lowest digit
constexpr std::size_t fewest_by_digits = 128;
constexpr std::size_t few = 4096;  // fewer numbers than this are not worth the places of a wide digit
constexpr int few_digit = 8;

/// A few neighboring bits.
struct Digit {
  std::size_t values() const { return std::size_t{1} << width; }
  std::size_t of(std::uint64_t number) const { return (number >> lowest) & (values() - 1); }
  int lowest;
  int width;
};

int highest_bit(std::uint64_t bits) { return static_cast<int>(std::bit_width(bits)); }

/// The highest varying bits, enough of them that at most about `aimed_at` numbers agree in all, if each bit is 1 half of the time.
Digit highest_digit(std::uint64_t varying_bits, std::size_t size) {
  const int wanted = highest_bit(size / aimed_at) + 1;
  const int there = highest_bit(varying_bits) - static_cast<int>(std::countr_zero(varying_bits));
  const int width = std::min({widest_digit, wanted, there});
  return {highest_bit(varying_bits) - width, width};
}

/// For every value of a digit: first how many numbers have it, and later the place of the next such number.
class Places {
 public:
  explicit Places(const Digit& digit) : digit_(digit), next_(digit.values()) {}
  template <class Number>
  void count(std::span<const Number> numbers) {
    for (const Number number : numbers) ++next_[digit_.of(number)];
  }
  /// Turns counts into places.
  void add_up() {
    std::size_t before = 0;
    for (std::size_t value = 0; value < next_.size(); ++value) add_up(value, before);
  }
  /// The same for one value, when `before` numbers come first.
  void add_up(std::size_t value, std::size_t& before) { before += std::exchange(next_[value], before); }
  template <class Number>
  void move(std::span<const Number> numbers, Number* to) {
    for (const Number number : numbers) to[next_[digit_.of(number)]++] = number;
  }

 private:
  Digit digit_;
  std::vector<std::size_t> next_;
};

/// Moves the numbers of each piece to the places of their digits. Returns, for every value of the digit, where its numbers begin,
/// and then the end.
template <class Number>
std::vector<std::size_t> distribute(const std::vector<std::span<const Number>>& pieces, const Digit& digit, Number* to,
                                    std::size_t threads, const std::function<void(std::size_t)>& when_moved) {
  std::vector<Places> places(pieces.size(), Places(digit));
  share_among_threads(threads, pieces.size(), [&](std::size_t i) { places[i].count(pieces[i]); });
  std::vector<std::size_t> begins;
  std::size_t before = 0;
  for (std::size_t value = 0; value < digit.values(); ++value) {
    begins.push_back(before);
    for (Places& of_piece : places) of_piece.add_up(value, before);
  }
  begins.push_back(before);
  share_among_threads(threads, pieces.size(), [&](std::size_t i) {
    places[i].move(pieces[i], to);
    when_moved(i);
  });
  return begins;
}

/// Numbers, room for as many, and the place where they must end up.
template <class Number>
struct Stretch {
  Stretch part(std::size_t from, std::size_t to) const { return {here + from, there + from, to - from, to_there}; }
  std::span<const Number> numbers() const { return {here, size}; }
  void finish() const {
    if (to_there) std::copy_n(here, size, there);
  }

  Number* here;
  Number* there;
  std::size_t size;
  bool to_there;
};

/// Sorts from the lowest digit to the highest; each pass keeps the order that the earlier passes made.
template <class Number>
void sort_by_all_digits(Stretch<Number> stretch, Number varying_bits) {
  const int lowest = std::countr_zero(varying_bits);
  const int bits = highest_bit(varying_bits) - lowest;
  const int widest = stretch.size < few ? few_digit : widest_digit;
  const int count = (bits + widest - 1) / widest;
  const int width = (bits + count - 1) / count;
  for (int which = 0; which < count; ++which) {
    Places places({lowest + which * width, width});
    places.count(stretch.numbers());
    places.add_up();
    places.move(stretch.numbers(), stretch.there);
    std::swap(stretch.here, stretch.there);
    stretch.to_there = !stretch.to_there;
  }
  stretch.finish();
}

/// Memory that is reused.
template <class Number>
class Room {
 public:
  Number* of(std::size_t size) {
    if (size > array_.size()) {
      const std::size_t larger = std::max(size, 2 * array_.size());
      array_ = LargeArray<Number>(0);
      array_ = LargeArray<Number>(larger);
    }
    return array_.data();
  }

 private:
  LargeArray<Number> array_{0};
};

/// First all threads together sort each stretch that is too long for one thread. Then each thread takes the next of the other
/// stretches.
template <class Number>
void sort_all(const std::vector<std::size_t>& begins, std::size_t threads, auto sort_part) {
  const std::size_t longest =
      threads == 1 ? begins.back() : std::max<std::size_t>(begins.back() / (8 * threads), fewest_to_share);
  const auto size = [&](std::size_t k) { return begins[k + 1] - begins[k]; };
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
    Room<Number> room;
    if (size(k) > longest) sort_part(begins[k], begins[k + 1], threads, room);
  }
  std::atomic<std::size_t> next = 0;
  share_among_threads(threads, threads, [&](std::size_t) {
    Room<Number> room;
    for (std::size_t k = next++; k + 1 < begins.size(); k = next++) {
      if (size(k) <= longest) sort_part(begins[k], begins[k + 1], std::size_t{1}, room);
    }
  });
}

template <class Number>
std::vector<std::span<const Number>> pieces_of(std::span<const Number> numbers, std::size_t count) {
  std::vector<std::span<const Number>> pieces;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = numbers.size() * i / count;
    pieces.push_back(numbers.subspan(begin, numbers.size() * (i + 1) / count - begin));
  }
  return pieces;
}

template <class Number>
VaryingBits<Number> bits_of(const std::vector<std::span<const Number>>& pieces, std::size_t threads) {
  std::vector<VaryingBits<Number>> of_piece(pieces.size());
  share_among_threads(threads, pieces.size(), [&](std::size_t i) { of_piece[i].see(pieces[i]); });
  VaryingBits<Number> all;
  for (const VaryingBits<Number>& bits : of_piece) all.see(bits);
  return all;
}

template <class Number>
void sort(const Stretch<Number>& stretch, std::size_t threads) {
  if (stretch.size < fewest_by_digits) {
    std::sort(stretch.here, stretch.here + stretch.size);
    return stretch.finish();
  }
  threads = threads_for(stretch.size, fewest_to_share, threads);
  const std::vector<std::span<const Number>> pieces = pieces_of(stretch.numbers(), threads);
  const Number varying_bits = bits_of(pieces, threads).bits();
  if (varying_bits == 0) return stretch.finish();
  if (stretch.size <= small_enough) return sort_by_all_digits(stretch, varying_bits);
  const Digit digit = highest_digit(varying_bits, stretch.size);
  const std::vector<std::size_t> begins = distribute(pieces, digit, stretch.there, threads, [](std::size_t) {});
  const Stretch<Number> moved{stretch.there, stretch.here, stretch.size, !stretch.to_there};
  sort_all<Number>(begins, threads, [&](std::size_t from, std::size_t to, std::size_t shared_by, Room<Number>&) {
    sort(moved.part(from, to), shared_by);
  });
}

}  // namespace

template <class Number>
LargeArray<Number> take_sorted(std::vector<NumberChunk<Number>> chunks, const VaryingBits<Number>& varying,
                               std::size_t threads, std::size_t spare) {
  std::vector<std::span<const Number>> pieces;
  std::size_t size = 0;
  for (const NumberChunk<Number>& chunk : chunks) {
    pieces.push_back(chunk.numbers());
    size += chunk.used;
  }
  threads = threads_for(size, fewest_to_share, threads);
  LargeArray<Number> sorted(size, spare);
  if (varying.bits() == 0 || size == 0) {
    std::ranges::fill(sorted.numbers(), varying.any);
    return sorted;
  }
  const std::vector<std::size_t> begins =
      distribute(pieces, highest_digit(varying.bits(), size), sorted.data(), threads, [&](std::size_t i) {
        LargeArray<Number>& room = chunks[i].room;
        if (size * sizeof(Number) > kept_by_malloc) give_back(room.data(), room.size() * sizeof(Number));
        room = LargeArray<Number>(0);
      });
  sort_all<Number>(begins, threads, [&](std::size_t from, std::size_t to, std::size_t shared_by, Room<Number>& room) {
    sort(Stretch<Number>{sorted.data() + from, room.of(to - from), to - from, false}, shared_by);
  });
  return sorted;
}

template LargeArray<std::uint32_t> take_sorted(std::vector<NumberChunk<std::uint32_t>>,
                                               const VaryingBits<std::uint32_t>&, std::size_t, std::size_t);
template LargeArray<std::uint64_t> take_sorted(std::vector<NumberChunk<std::uint64_t>>,
                                               const VaryingBits<std::uint64_t>&, std::size_t, std::size_t);

}  // namespace fractile
