// Counts of records by key and position, for many keys at once: memory grows with the records or the positions that there are, not with
// keys times candidates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fractile/ranks.hpp"
#include "ranks/position_list.hpp"

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
    if (builder_) return builder_->add_position(keys_ == 1 ? record.position : 2 * number_of(record) + 1, 1);
    if (are_listed_) return add_number(number_of(record));
    add_cell({record, 1});
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

  /// The places of all keys, one key behind the other, are numbered.
  std::uint64_t number_of(const KeyedRecord& record) const {
    return record.key * places_ + (on_candidates_ ? record.position / 2 : record.position);
  }
  Position position_of(std::uint64_t number, std::size_t key) const {
    const std::uint64_t place = number - key * places_;
    return on_candidates_ ? 2 * place + 1 : place;
  }
  void add_number(std::uint64_t number) {
    if (written_ == room_.size()) more_room();
    room_[written_++] = number;
  }
  void more_room();
  void add_cell(const Cell& cell);
  /// Sorts the cells and adds up those of one key and position.
  void compact();

  std::vector<RankProfile> of_builder();
  std::vector<RankProfile> of_list();
  std::vector<RankProfile> of_cells();

  Lattice lattice_;
  std::size_t keys_;
  std::size_t threads_;
  bool on_candidates_;    // and nowhere else, lie the records of a regular lattice
  std::uint64_t places_;  // of records of one key

  std::optional<ProfileBuilder> builder_;  // of one key, or of few places: a counter for each
  bool are_listed_ = false;                // of many: the number of each record's place
  PositionList list_;
  std::span<Position> room_;  // in the list, of which the first ones are written
  std::size_t written_ = 0;
  std::vector<Cell> cells_;  // of more than numbers tell apart
  std::size_t limit_ = fewest;
};

}  // namespace fractile::source_detail
