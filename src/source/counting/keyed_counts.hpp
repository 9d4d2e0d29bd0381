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

/// A record as the profiles know it: where it lies, which of the keys it has, and as how many records it counts.
struct KeyedRecord {
  Position position;
  std::uint32_t key;
  std::uint32_t units = 1;  // of its weight
  friend bool operator==(const KeyedRecord&, const KeyedRecord&) = default;
};

/// Not for two threads at once: each has a part, and the parts then add up.
class KeyedCounts {
 public:
  /// For the keys 0 .. keys - 1, at least one; `threads` as for a ProfileBuilder, which sorts. No record is more than `most_units`.
  KeyedCounts(const Lattice& lattice, std::size_t keys, std::size_t threads = 1, std::uint32_t most_units = 1);

  void add(const KeyedRecord& record) {
    if (record.units == 0) return;
    if (builder_) return builder_->add_position(keys_ == 1 ? record.position : 2 * number_of(record) + 1, 1);
    if (!totals_.empty()) {
      totals_[number_of(record)] += record.units;
    } else if (are_listed_) {
      add_number(units_bits_ == 0 ? number_of(record) : number_of(record) << units_bits_ | record.units);
    } else {
      add_cell({{record.position, record.key}, record.units});
    }
  }
  /// Records of the only key, each at its position and as so many units as units_at(i) says, except for those at `missing`; whether
  /// there are any of these.
  template <class UnitsAt>
  bool add_all(std::span<const Position> positions, Position missing, UnitsAt units_at) {
    std::uint64_t* const totals = totals_.data();
    const bool are_totals = !totals_.empty();
    const int shift = on_candidates_ ? 1 : 0;
    bool any_nowhere = false;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (positions[i] == missing) {
        any_nowhere = true;
      } else if (are_totals) {
        totals[positions[i] >> shift] += units_at(i);
      } else {
        add({positions[i], 0, units_at(i)});
      }
    }
    return any_nowhere;
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

  /// The profile of a key with these sorted numbers, in `counts` for a while.
  RankProfile of_numbers(std::size_t key, std::span<const std::uint64_t> numbers,
                         std::vector<std::uint64_t>& counts) const;

  std::vector<RankProfile> of_builder();
  std::vector<RankProfile> of_totals();
  std::vector<RankProfile> of_list();
  std::vector<RankProfile> of_cells();

  Lattice lattice_;
  std::size_t keys_;
  std::size_t threads_;
  bool on_candidates_;    // and nowhere else, lie the records of a regular lattice
  std::uint64_t places_;  // of records of one key

  int units_bits_;  // that tell how many units a record is; none where each is one

  std::optional<ProfileBuilder> builder_;  // of one key, or of few places: a counter for each
  std::vector<std::uint64_t> totals_;      // the same for records that are several units
  bool are_listed_ = false;                // of many: the number of each record's place, and its units
  PositionList list_;
  std::span<Position> room_;  // in the list, of which the first ones are written
  std::size_t written_ = 0;
  std::vector<Cell> cells_;  // of more than numbers tell apart
  std::size_t limit_ = fewest;
};

}  // namespace fractile::source_detail
