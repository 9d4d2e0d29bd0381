// Counts beyond the limit of memory: sorted runs in a nameless file, which are added up after the last record.
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

/// The number of records at a position of a key.
struct PlaceCount {
  std::uint32_t key;
  Position position;
  std::uint64_t count;
};

/// Where the counters of a column put what they do not hold in memory. Thread-safety: all functions may be called from any thread.
class CountSpool {
 public:
  static constexpr std::size_t unlimited = ~std::size_t{0};
  /// Each counter holds at most `most_held` records, 8 bytes each.
  explicit CountSpool(std::size_t most_held = unlimited) : most_held_(most_held) {}

  std::size_t most_held() const { return most_held_; }
  bool is_limited() const { return most_held_ != unlimited; }
  /// The file, which is created at the first call. Throws SpoolFailure.
  NamelessFile& file();

 private:
  std::size_t most_held_;
  std::mutex mutex_;
  std::optional<NamelessFile> file_;
};

/// The number of records that each counter may hold, for a CountSpool. A quarter of `memory`, as in TableOptions, is for the
/// records that all threads hold of all columns; another quarter is for sorting.
std::size_t most_held_of(std::uint64_t memory, std::size_t threads, std::size_t columns);

/// The places of a sorted run of counts in the file, block by block.
struct CountRun {
  struct Block {
    std::uint32_t first_key;
    std::uint32_t bytes;
    std::uint64_t counts;  ///< the number of PlaceCounts
    std::uint64_t from;
  };
  std::vector<Block> blocks;
};

/// Writes one run.
class RunWriter {
 public:
  explicit RunWriter(CountSpool& spool) : file_(spool.file()) {}

  /// Adds a place. Places must come in the order of keys and of positions within a key, each once. Throws SpoolFailure.
  void add(const PlaceCount& place);
  /// Ends the run. Throws SpoolFailure.
  CountRun finish();

 private:
  void write_block();

  NamelessFile& file_;
  CountRun run_;
  std::vector<char> bytes_;
  CountRun::Block block_{};
  PlaceCount last_{};
};

/// The runs of one counter, or of all counters.
class CountRuns {
 public:
  bool empty() const { return by_level_.empty(); }
  /// Adds a run. Many runs are merged to one, so that adding up all runs takes little memory. Throws SpoolFailure.
  void add(CountSpool& spool, CountRun run);
  /// Takes all runs of `other`, which is empty afterwards.
  void take(CountRuns& other);
  std::vector<const CountRun*> all() const;

 private:
  // Each run of a level is merged from the same number of runs of the level below.
  std::vector<std::vector<CountRun>> by_level_;
};

/// Adds up runs, place by place. For one thread; several sums may read the same runs.
class SumOfRuns {
 public:
  /// For the keys first .. end - 1. The runs must outlive this object. Throws SpoolFailure.
  SumOfRuns(CountSpool& spool, const std::vector<const CountRun*>& runs, std::uint32_t first, std::uint32_t end);

  /// The next place, in the order of keys and positions; nothing after the last one. Throws SpoolFailure.
  std::optional<PlaceCount> next();
  /// An upper bound of the number of places that will come.
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
