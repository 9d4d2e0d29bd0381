// Counts of records by key and position, for many keys at once: memory grows with the records or the positions that there are, not with
// keys times candidates. Beyond a limit of memory they go to a nameless file.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fractile/ranks.hpp"
#include "ranks/number_list.hpp"
#include "source/counting/spooled_counts.hpp"

namespace fractile::source_detail {

/// A record as the profiles know it: where it lies, which of the keys it has, and as how many records it counts.
struct KeyedRecord {
  Position position;
  std::uint32_t key;
  std::uint32_t units = 1;  // of its weight
  friend bool operator==(const KeyedRecord&, const KeyedRecord&) = default;
};

/// In place of the number of a record's key that is not listed.
inline constexpr std::uint32_t no_key = ~std::uint32_t{0};

/// The places of all keys, one key behind the other, as numbers; written with a record's units in their lowest bits, where it has some.
struct PlaceNumbers {
  PlaceNumbers(const Lattice& lattice, std::uint32_t most_units)
      : on_candidates(lattice.is_regular()),
        places(on_candidates ? lattice.size() : 2 * lattice.size() + 1),
        units_bits(most_units == 1 ? 0 : static_cast<int>(std::bit_width(most_units))) {}

  std::uint64_t of(const KeyedRecord& record) const {
    return record.key * places + (on_candidates ? record.position / 2 : record.position);
  }
  Position position_of(std::uint64_t number, std::size_t key) const {
    const std::uint64_t place = number - key * places;
    return on_candidates ? 2 * place + 1 : place;
  }
  std::uint64_t written(const KeyedRecord& record) const {
    return units_bits == 0 ? of(record) : of(record) << units_bits | record.units;
  }
  std::uint64_t first_written(std::size_t key) const { return (key * places) << units_bits; }
  std::uint64_t read(std::uint64_t written) const { return written >> units_bits; }
  std::uint64_t units(std::uint64_t written) const {
    return units_bits == 0 ? 1 : written & ((std::uint64_t{1} << units_bits) - 1);
  }

  bool on_candidates;    ///< and nowhere else, lie the records of a regular lattice
  std::uint64_t places;  ///< of records of one key
  int units_bits;        ///< that tell how many units a record is; none where each is one
};

/// Numbers that come one by one.
template <class Number>
class WrittenNumbers {
 public:
  /// Whether there is no room for another one.
  bool is_full() const { return written_ == room_.size(); }
  /// Room for some more, but for no more than `most` in all, of which there are fewer.
  void more_room(std::size_t most) {
    keep();
    room_ = list_.room();
    room_ = room_.first(std::min(room_.size(), most - list_.size()));
  }
  void add(std::uint64_t number) { room_[written_++] = static_cast<Number>(number); }
  std::size_t size() const { return list_.size() + written_; }
  /// All that `other` has, which is empty afterwards.
  void take(WrittenNumbers& other) {
    keep();
    other.keep();
    list_.take(other.list_);
  }
  std::vector<Number> take_sorted(std::size_t threads) {
    keep();
    return list_.take_sorted(threads);
  }

 private:
  void keep() {
    if (written_ > 0) list_.keep(std::exchange(written_, 0));
    room_ = {};
  }

  NumberList<Number> list_;
  std::span<Number> room_;  // in the list, of which the first ones are written
  std::size_t written_ = 0;
};

/// Not for two threads at once: each has a part, and the parts then add up.
class KeyedCounts {
 public:
  /// For the keys 0 .. keys - 1, at least one; `threads` as for a ProfileBuilder, which sorts. No record is more than `most_units`.
  /// Without a `spool` memory holds all.
  KeyedCounts(const Lattice& lattice, std::size_t keys, std::size_t threads = 1, std::uint32_t most_units = 1,
              std::shared_ptr<CountSpool> spool = nullptr);

  void add(const KeyedRecord& record) {
    if (record.units == 0) return;
    switch (kept_as_) {
      case KeptAs::builder:
        return builder_->add_position(record.position, 1);
      case KeptAs::totals:
        totals_[numbering_.of(record)] += record.units;
        return;
      case KeptAs::short_numbers:
        return write(short_numbers_, record);
      case KeptAs::numbers:
        return write(numbers_, record);
      case KeptAs::cells:
        return add_cell({{record.position, record.key}, record.units});
    }
  }
  /// Adds a record at each position, with the key key_at(i) and units_at(i) units. Those at `missing`, and those whose key is no_key, do not
  /// count; whether any was at `missing`.
  template <class KeyAt, class UnitsAt>
  bool add_all(std::span<const Position> positions, Position missing, KeyAt key_at, UnitsAt units_at) {
    const auto add_each = [&](auto add_record) {
      bool any_missing = false;
      for (std::size_t i = 0; i < positions.size(); ++i) {
        const KeyedRecord record{positions[i], key_at(i), units_at(i)};
        any_missing = any_missing || record.position == missing;
        if (record.position != missing && record.key != no_key && record.units != 0) add_record(record);
      }
      return any_missing;
    };
    if (kept_as_ == KeptAs::totals) {
      return add_each([this](const KeyedRecord& record) { totals_[numbering_.of(record)] += record.units; });
    }
    if (kept_as_ == KeptAs::short_numbers) {
      return add_each([this](const KeyedRecord& record) { write(short_numbers_, record); });
    }
    return add_each([this](const KeyedRecord& record) { add(record); });
  }
  /// All that was added to another one over the same lattice and keys, which is empty afterwards.
  void take(KeyedCounts& other);
  /// All goes to the file where some is there, so that finish() writes nothing any more. Throws SpoolFailure.
  void put_away();
  /// The profile of each key; nothing is left here.
  std::vector<RankProfile> finish();

 private:
  struct Cell {
    KeyedRecord at;
    std::uint64_t count;
  };
  enum class KeptAs : std::uint8_t {
    builder,        ///< of one key
    totals,         ///< of few places: each place's units
    short_numbers,  ///< of many: the number of each record's place, and its units, in 32 bits
    numbers,        ///< the same in 64 bits
    cells           ///< of more places than these tell apart
  };
  static constexpr std::size_t fewest = std::size_t{1} << 16;

  KeptAs kept_as(std::uint32_t most_units) const;

  /// How many numbers of this size are held, in all.
  template <class Number>
  std::size_t most_numbers() const {
    return is_limited() ? spool_->most_held() * sizeof(Position) / sizeof(Number) : CountSpool::unlimited;
  }
  template <class Number>
  void write(WrittenNumbers<Number>& numbers, const KeyedRecord& record) {
    if (numbers.is_full()) {
      if (numbers.size() >= most_numbers<Number>()) spill();
      numbers.more_room(most_numbers<Number>());
    }
    numbers.add(numbering_.written(record));
  }
  void add_cell(const Cell& cell);
  /// Sorts the cells and adds up those of one key and position.
  void compact();
  bool is_limited() const { return spool_ != nullptr && spool_->is_limited(); }
  /// What is held goes to the file.
  void spill();

  std::vector<RankProfile> of_totals();
  std::vector<RankProfile> of_cells();
  std::vector<RankProfile> of_runs();

  Lattice lattice_;
  std::size_t keys_;
  std::size_t threads_;
  PlaceNumbers numbering_;
  std::shared_ptr<CountSpool> spool_;
  KeptAs kept_as_;

  std::optional<ProfileBuilder> builder_;
  std::vector<std::uint64_t> totals_;
  WrittenNumbers<std::uint32_t> short_numbers_;
  WrittenNumbers<std::uint64_t> numbers_;
  std::vector<Cell> cells_;
  std::size_t limit_ = fewest;

  CountRuns runs_;
};

}  // namespace fractile::source_detail
