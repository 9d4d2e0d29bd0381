// Counts that memory does not hold: sorted runs in a nameless file, which are added up when all records have come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "fractile/ranks.hpp"
#include "source/files/nameless_file.hpp"

namespace fractile::source_detail {

/// How many records lie at a position of a key.
struct PlaceCount {
  std::uint32_t key;
  Position position;
  std::uint64_t count;
};

/// Where those who count a column put what they do not hold. Thread-safety: all calls from any thread.
class CountSpool {
 public:
  static constexpr std::size_t unlimited = ~std::size_t{0};
  /// Each of those who count holds at most so many records, 8 bytes each.
  explicit CountSpool(std::size_t most_held = unlimited) : most_held_(most_held) {}

  std::size_t most_held() const { return most_held_; }
  bool is_limited() const { return most_held_ != unlimited; }
  /// Made when it is first asked for. Throws SpoolFailure.
  NamelessFile& file();

 private:
  std::size_t most_held_;
  std::mutex mutex_;
  std::optional<NamelessFile> file_;
};

/// How many records each of those who count may hold, for a CountSpool: of `memory`, as in TableOptions, a quarter is for what all threads hold
/// of all columns, and another one is there while a thread sorts.
std::size_t most_held_of(std::uint64_t memory, std::size_t threads, std::size_t columns);

/// Where a sorted run of counts lies in the file, block by block.
struct CountRun {
  struct Block {
    std::uint32_t first_key;
    std::uint32_t bytes;
    std::uint64_t counts;  ///< how many PlaceCounts
    std::uint64_t from;
  };
  std::vector<Block> blocks;
};

/// Writes one run.
class RunWriter {
 public:
  explicit RunWriter(CountSpool& spool) : file_(spool.file()) {}

  /// In the order of keys, and of positions within a key, each place once. Throws SpoolFailure.
  void add(const PlaceCount& place);
  /// The same.
  CountRun finish();

 private:
  void write_block();

  NamelessFile& file_;
  CountRun run_;
  std::vector<char> bytes_;
  CountRun::Block block_{};
  PlaceCount last_{};
};

/// The runs of one who counts, or of all of them.
class CountRuns {
 public:
  bool empty() const { return by_level_.empty(); }
  /// Many runs become one, so that adding all of them up takes little memory. Throws SpoolFailure.
  void add(CountSpool& spool, CountRun run);
  /// All of another one, which is empty afterwards.
  void take(CountRuns& other);
  std::vector<const CountRun*> all() const;

 private:
  std::vector<std::vector<CountRun>> by_level_;  // of a level are those made of as many of the level below
};

/// Adds up runs, place by place. For one thread; several sums may read the same runs.
class SumOfRuns {
 public:
  /// For the keys from `first` to before `end`. The runs outlive this. Throws SpoolFailure.
  SumOfRuns(CountSpool& spool, const std::vector<const CountRun*>& runs, std::uint32_t first, std::uint32_t end);

  /// The next place, in the order of keys and positions; nothing behind the last one. Throws SpoolFailure.
  std::optional<PlaceCount> next();
  /// No more places than this will come.
  std::uint64_t most() const;

 private:
  class Cursor {
   public:
    Cursor(const NamelessFile& file, const CountRun& run, std::uint32_t first, std::uint32_t end);
    bool is_at_end() const { return is_at_end_; }
    const PlaceCount& place() const { return place_; }
    void advance();
    std::uint64_t most() const;

   private:
    std::uint64_t number();

    const NamelessFile* file_;
    const CountRun* run_;
    std::uint32_t end_;
    std::size_t next_block_;
    std::vector<char> bytes_;
    std::size_t at_ = 0;
    PlaceCount place_{};
    bool is_at_end_ = false;
  };
  static bool is_behind(const std::unique_ptr<Cursor>& a, const std::unique_ptr<Cursor>& b);

  std::vector<std::unique_ptr<Cursor>> cursors_;  // a heap, whose top is the next place
};

}  // namespace fractile::source_detail
