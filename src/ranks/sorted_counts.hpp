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

/// How many words hold the cumulative counts of this many positions, whichever words are skipped before them.
inline std::size_t words_for_counts(std::size_t positions) { return positions + 1 + most_words_to_skip; }

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
    write(positions, cumulative, [](std::span<const Number>) {});
  }
  /// The same in new memory.
  ProfileMemory parts() const {
    const Arrays arrays(distinct_);
    write(arrays.positions, arrays.cumulative);
    return memory(arrays);
  }

  /// The same if `sorted` holds the numbers. They are gone afterwards: if they are many, their memory goes back to the system as
  /// they are read, since some systems give a page sooner if it was in use before.
  ProfileMemory parts_of(LargeArray<Number> sorted) const {
    if (sorted.size() * sizeof(Number) <= kept_by_malloc) return parts();
    const Arrays arrays(distinct_);
    write(arrays.positions, arrays.cumulative, [&](std::span<const Number> read) {
      give_back(sorted.data() + (read.data() - sorted.data()), read.size_bytes());
    });
    return memory(arrays);
  }

  /// The same if the numbers are positions, in the memory of these, unless half of it would be left.
  ProfileMemory parts_in(LargeArray<Position> sorted) const {
    if (distinct_ < sorted.size() / 2) return parts_of(std::move(sorted));
    const Arrays arrays(std::move(sorted), distinct_);
    *arrays.cumulative = 0;
    Position* const first = arrays.positions;
    share_among_threads(threads_, parts_.size(), [&](std::size_t i) {
      Written written = before(parts_[i], first + parts_[i].begin, arrays.cumulative);
      count(numbers_of(parts_[i]), written);
    });
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

  /// Where the next position and the next count are written, and what was counted before.
  struct Written {
    Position* once;
    std::uint64_t* cumulative;
    std::uint64_t records;
    Position last = nowhere;
  };
  /// Calls when_read with each stretch of numbers once it is read.
  void write(Position* positions, std::uint64_t* cumulative, const auto& when_read) const {
    *cumulative = 0;
    share_among_threads(threads_, parts_.size(), [&](std::size_t i) {
      const Part& part = parts_[i];
      Written written = before(part, positions + part.distinct_before, cumulative);
      for (std::size_t begin = part.begin; begin < part.end;) {
        const std::size_t end = std::min(part.end, (begin / read_at_once + 1) * read_at_once);
        const std::span<const Number> numbers = sorted_.subspan(begin, end - begin);
        count(numbers, written);
        when_read(numbers);
        begin = end;
      }
    });
  }
  Written before(const Part& part, Position* once, std::uint64_t* cumulative) const {
    return {once, cumulative + part.distinct_before, part.records_before};
  }

  /// Writes no more positions than it has read numbers.
  void count(std::span<const Number> numbers, Written& written) const {
    Written here = written;
    std::size_t k = 0;
    for (const Number number : numbers) {
      const RecordsAt at = read_(number);
      k += at.position != here.last ? 1U : 0U;
      here.last = at.position;
      here.records += at.records;
      here.once[k - 1] = here.last;
      here.cumulative[k] = here.records;
    }
    written = {here.once + k, here.cumulative + k, here.records, here.last};
  }

  /// Memory for positions and counts: one piece, which malloc then keeps for the next profile more often than two, or two if the
  /// positions have no room for the counts behind them.
  struct Memory {
    Memory(LargeArray<Position> numbers, std::size_t counts)
        : positions(std::move(numbers)), apart(positions.spare() < counts ? counts : 0) {}
    std::uint64_t* counts() const { return apart.size() > 0 ? apart.data() : positions.data() + positions.size(); }
    LargeArray<Position> positions;
    LargeArray<std::uint64_t> apart;
  };
  struct Arrays {
    explicit Arrays(std::size_t distinct)
        : Arrays(LargeArray<Position>(distinct, words_for_counts(distinct)), distinct) {}
    /// With the positions in place of `numbers`, of which there may be more.
    Arrays(LargeArray<Position> numbers, std::size_t distinct)
        : memory(std::make_shared<const Memory>(std::move(numbers), words_for_counts(distinct))),
          positions(memory->positions.data()),
          cumulative(memory->counts() + words_to_skip(positions, memory->counts())) {}
    std::shared_ptr<const Memory> memory;
    Position* positions;
    std::uint64_t* cumulative;
  };
  ProfileMemory memory(const Arrays& arrays) const {
    return {arrays.memory, {arrays.positions, distinct_}, {arrays.cumulative, distinct_ + 1}};
  }

  static constexpr std::size_t read_at_once = 2 * large_page / sizeof(Number);  // numbers: whole pages
  static constexpr Position nowhere = ~Position{0};

  std::span<const Number> sorted_;
  std::size_t threads_;
  Read read_;
  std::vector<Part> parts_;
  std::size_t distinct_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace fractile
