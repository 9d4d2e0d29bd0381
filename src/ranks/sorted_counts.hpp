// Turns sorted numbers that stand for records into the parts of a profile, on several threads. Whether a number's position differs
// from the one before is unpredictable, so nothing branches on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "exact/workers.hpp"
#include "fractile/ranks.hpp"
#include "ranks/large_array.hpp"
#include "ranks/number_sort.hpp"
#include "ranks/profile_parts.hpp"

namespace fractile {

/// The records that a number stands for.
struct RecordsAt {
  Position position;
  std::uint64_t records;
};

/// `read` returns the RecordsAt of a number; positions never decrease from one number to the next.
template <class Number, class Read>
class SortedCounts {
 public:
  /// Reads all numbers, which must outlive this object, on at most `threads` threads.
  SortedCounts(std::span<const Number> sorted, std::size_t threads, Read read)
      : sorted_(sorted), threads_(threads), read_(std::move(read)) {
    divide(threads_for(sorted.size(), fewest_to_share, threads));
    share_among_threads(threads_, parts_.size(), [&](std::size_t i) { look_through(parts_[i]); });
    for (Part& part : parts_) {
      part.distinct_before = distinct_;
      part.records_before = records_;
      distinct_ += part.distinct;
      records_ += part.records;
    }
  }

  /// How many positions there are.
  std::size_t distinct() const { return distinct_; }
  /// How many records there are.
  std::uint64_t records() const { return records_; }
  /// Writes each position once; and 0 and the cumulative numbers of records, one more than positions.
  void write(Position* positions, std::uint64_t* cumulative) const {
    *cumulative = 0;
    share_among_threads(threads_, parts_.size(),
                        [&](std::size_t i) { count(parts_[i], positions + parts_[i].distinct_before, cumulative); });
  }
  /// The same in new memory.
  ProfileMemory parts() const {
    const auto arrays = std::make_shared<const Arrays>(LargeArray<Position>(distinct_, threads_), distinct_, threads_);
    write(arrays->positions.data(), arrays->cumulative);
    return memory(arrays);
  }

  /// The same for numbers that are positions. Writes into their memory, unless half of it would be left.
  ProfileMemory parts_in(LargeArray<Position> sorted) const {
    if (distinct_ < sorted.size() / 2) return parts();
    const auto arrays = std::make_shared<const Arrays>(std::move(sorted), distinct_, threads_);
    *arrays->cumulative = 0;
    Position* const first = arrays->positions.data();
    share_among_threads(threads_, parts_.size(),
                        [&](std::size_t i) { count(parts_[i], first + parts_[i].begin, arrays->cumulative); });
    for (const Part& part : parts_) {
      if (part.begin == part.distinct_before) continue;
      std::copy_n(first + part.begin, part.distinct, first + part.distinct_before);
    }
    return memory(arrays);
  }

 private:
  /// A stretch of the numbers that ends only where the position changes.
  struct Part {
    std::size_t begin;
    std::size_t end;
    std::size_t distinct = 0;          // positions in it
    std::uint64_t records = 0;         // in it
    std::size_t distinct_before = 0;   // positions in the parts before it
    std::uint64_t records_before = 0;  // records in the parts before it
  };

  void divide(std::size_t count) {
    const auto position_of = [this](Number number) { return read_(number).position; };
    for (std::size_t i = 0, begin = 0; i < count; ++i) {
      std::size_t end = sorted_.size() * (i + 1) / count;
      if (i + 1 < count) {
        const auto first = std::ranges::lower_bound(sorted_, position_of(sorted_[end]), {}, position_of);
        end = static_cast<std::size_t>(first - sorted_.begin());
      }
      parts_.push_back({begin, std::max(begin, end)});
      begin = parts_.back().end;
    }
  }

  std::span<const Number> numbers_of(const Part& part) const {
    return sorted_.subspan(part.begin, part.end - part.begin);
  }

  void look_through(Part& part) const {
    Position last = nowhere;
    std::size_t distinct = 0;
    std::uint64_t records = 0;
    for (const Number number : numbers_of(part)) {
      const RecordsAt at = read_(number);
      distinct += at.position != last ? 1U : 0U;
      records += at.records;
      last = at.position;
    }
    part.distinct = distinct;
    part.records = records;
  }

  /// Writes no more positions than it has read numbers.
  void count(const Part& part, Position* once, std::uint64_t* cumulative) const {
    std::uint64_t* const up_to = cumulative + part.distinct_before;
    Position last = nowhere;
    std::size_t k = 0;
    std::uint64_t records = part.records_before;
    for (const Number number : numbers_of(part)) {
      const RecordsAt at = read_(number);
      k += at.position != last ? 1U : 0U;
      last = at.position;
      records += at.records;
      once[k - 1] = last;
      up_to[k] = records;
    }
  }

  struct Arrays {
    Arrays(LargeArray<Position> of_positions, std::size_t distinct, std::size_t threads)
        : positions(std::move(of_positions)),
          words(distinct + 1 + most_words_to_skip, threads),
          cumulative(words.data() + words_to_skip(positions.data(), words.data())) {}
    LargeArray<Position> positions;
    LargeArray<std::uint64_t> words;
    std::uint64_t* cumulative;  // within them
  };
  ProfileMemory memory(const std::shared_ptr<const Arrays>& arrays) const {
    return {arrays, {arrays->positions.data(), distinct_}, {arrays->cumulative, distinct_ + 1}};
  }

  static constexpr Position nowhere = ~Position{0};

  std::span<const Number> sorted_;
  std::size_t threads_;
  Read read_;
  std::vector<Part> parts_;
  std::size_t distinct_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace fractile
