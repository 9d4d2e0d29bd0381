// Counts of records by key and position, for many keys at once: memory grows with the records or the positions that there are, not with
// keys times candidates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"

namespace fractile::source_detail {

/// A record as the profiles know it: where it lies, and which of the keys it has.
struct KeyedRecord {
  Position position;
  std::uint32_t key;
  friend bool operator==(const KeyedRecord&, const KeyedRecord&) = default;
};

/// Not for two threads at once: a part for each, which then add up.
class KeyedCounts {
 public:
  /// Of the keys 0 .. keys - 1, at least one; `threads` as of a ProfileBuilder, which sorts.
  KeyedCounts(const Lattice& lattice, std::size_t keys, std::size_t threads = 1);

  void add(const KeyedRecord& record) {
    if (builder_) {
      builder_->add_position(together(record), 1);
    } else {
      add_cell({record, 1});
    }
  }
  /// All that was added to another one over the same lattice and keys, which is empty afterwards.
  void take(KeyedCounts& other);
  /// The profile of each key; nothing is left here.
  std::vector<RankProfile> finish();

 private:
  struct Cell {
    KeyedRecord at;
    std::uint64_t count;
  };
  static constexpr std::size_t fewest = std::size_t{1} << 16;

  /// Where a record lies when the places of all keys lie behind one another, each on a candidate of its own.
  Position together(const KeyedRecord& record) const {
    if (keys_ == 1) return record.position;
    return 2 * (record.key * places_ + (on_candidates_ ? record.position / 2 : record.position)) + 1;
  }
  Position alone(Position together, std::size_t key) const {
    const Position place = together / 2 - key * places_;
    return on_candidates_ ? 2 * place + 1 : place;
  }
  RankProfile part_of(const RankProfile& all, std::size_t key) const;
  std::vector<RankProfile> of_cells();
  void add_cell(const Cell& cell);
  /// Sorts the cells and adds up those of one key and position.
  void compact();

  std::uint64_t candidates_;
  std::size_t keys_;
  std::size_t threads_;
  bool on_candidates_;                     // and nowhere else, lie the records of a regular lattice
  std::uint64_t places_;                   // of records of one key
  std::optional<ProfileBuilder> builder_;  // unless all places together are more than a lattice may have
  std::vector<Cell> cells_;                // then
  std::size_t limit_ = fewest;
};

}  // namespace fractile::source_detail
