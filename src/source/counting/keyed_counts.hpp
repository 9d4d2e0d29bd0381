// Counts of records by key and position, for many keys at once: memory grows with the number of records or of occupied positions,
// not with keys times candidates. Beyond a limit of memory, counts go to a nameless file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "exact/divisor.hpp"
#include "fractile/ranks.hpp"
#include "ranks/number_list.hpp"
#include "source/counting/spooled_counts.hpp"

namespace fractile::source_detail {

/// A record as profiles need it: its position, the number of its key, and its units.
struct KeyedRecord {
  Position position;
  std::uint32_t key;
  std::uint32_t units = 1;  // the units of its weight; 1 without weights
  friend bool operator==(const KeyedRecord&, const KeyedRecord&) = default;
};

/// Stands for the number of a key that is not listed.
inline constexpr std::uint32_t no_key = ~std::uint32_t{0};

/// Numbers for the places (positions) of all keys, one key after the other. The written number of a record also has its units: a
/// place's records with 1, 2, ... units have successive written numbers.
struct PlaceNumbers {
  PlaceNumbers(const Lattice& lattice, std::uint32_t units)
      : on_candidates(lattice.is_regular()),
        places(on_candidates ? lattice.size() : 2 * lattice.size() + 1),
        most_units(units),
        by_units(std::max(units, 2U)) {}

  std::uint64_t of(const KeyedRecord& record) const {
    return record.key * places + (on_candidates ? record.position / 2 : record.position);
  }
  Position position_of(std::uint64_t number, std::size_t key) const {
    const std::uint64_t place = number - key * places;
    return on_candidates ? 2 * place + 1 : place;
  }
  /// The written number of a record of one unit or more.
  std::uint64_t written(const KeyedRecord& record) const { return of(record) * most_units + (record.units - 1); }
  std::uint64_t first_written(std::size_t key) const { return key * places * most_units; }
  /// The number of the place, from a written number.
  std::uint64_t read(std::uint64_t written) const { return most_units == 1 ? written : by_units.into(written); }
  std::uint64_t units(std::uint64_t written) const { return written - read(written) * most_units + 1; }

  bool on_candidates;        ///< the records of a regular lattice lie on candidates only
  std::uint64_t places;      ///< the number of places for each key
  std::uint32_t most_units;  ///< of a record
  Divisor by_units;          ///< the same as a divisor, if it is more than one
};

/// Numbers that come one by one, or several at a time.
template <class Number>
class WrittenNumbers {
 public:
  /// Whether there is no room for another number.
  bool is_full() const { return written_ == room_.size(); }
  /// Makes room for more numbers, up to `most` in all; there are fewer than that now.
  void more_room(std::size_t most) {
    keep();
    room_ = list_.room();
    room_ = room_.first(std::min(room_.size(), most - list_.size()));
  }
  /// The free room, to be written from its beginning.
  std::span<Number> room() const { return room_.subspan(written_); }
  /// Declares that the first `numbers` of room() have been written.
  void wrote(std::size_t numbers) { written_ += numbers; }
  std::size_t size() const { return list_.size() + written_; }
  /// Takes all numbers of `other`, which is empty afterwards.
  void take(WrittenNumbers& other) {
    keep();
    other.keep();
    list_.take(other.list_);
  }
  LargeArray<Number> take_sorted(std::size_t threads) {
    keep();
    return list_.take_sorted(threads);
  }

 private:
  void keep() {
    if (written_ > 0) list_.keep(std::exchange(written_, 0));
    room_ = {};
  }

  NumberList<Number> list_;
  std::span<Number> room_;  // room in the list, of which the first numbers are written
  std::size_t written_ = 0;
};

/// Not for two threads at once: each thread has a separate object, and take() adds them up.
class KeyedCounts {
 public:
  /// For the keys 0 .. keys - 1, at least one. `threads` as for a ProfileBuilder, which sorts. No record has more than `most_units`
  /// units. Without a `spool`, everything is held in memory.
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
  /// Adds a record at each position, with the key key_at(i) and units_at(i) units. Records at `missing`, and records whose key is
  /// no_key, do not count. Returns whether any was at `missing`.
  template <class KeyAt, class UnitsAt>
  bool add_all(std::span<const Position> positions, Position missing, KeyAt key_at, UnitsAt units_at) {
    const auto record_at = [&](std::size_t i) { return KeyedRecord{positions[i], key_at(i), units_at(i)}; };
    bool any_missing = false;
    const auto counts = [&](const KeyedRecord& record) {
      any_missing = any_missing || record.position == missing;
      return record.position != missing && record.key != no_key && record.units != 0;
    };
    switch (kept_as_) {
      case KeptAs::totals:
        add_each(positions.size(), record_at, counts,
                 [totals = totals_.data(), numbering = numbering_](const KeyedRecord& record) {
                   totals[numbering.of(record)] += record.units;
                 });
        break;
      case KeptAs::short_numbers:
        write_all(short_numbers_, positions.size(), record_at, counts);
        break;
      case KeptAs::numbers:
        write_all(numbers_, positions.size(), record_at, counts);
        break;
      default:
        add_each(positions.size(), record_at, counts, [this](const KeyedRecord& record) { add(record); });
    }
    return any_missing;
  }
  /// Takes everything that was added to `other`, which has the same lattice and keys, and is empty afterwards.
  void take(KeyedCounts& other);
  /// If something is in the file, writes the rest to it, so that finish() need not write. Throws SpoolFailure.
  void put_away();
  /// Returns the profile of each key, and leaves nothing here.
  std::vector<RankProfile> finish();

 private:
  struct Cell {
    KeyedRecord at;
    std::uint64_t count;
  };
  enum class KeptAs : std::uint8_t {
    builder,        ///< a ProfileBuilder of the only key
    totals,         ///< for few places: the units of each place
    short_numbers,  ///< for more places: the written number of each record, in 32 bits
    numbers,        ///< the same with 64 bits
    cells           ///< for more places than 64 bits can number
  };
  static constexpr std::size_t fewest = std::size_t{1} << 16;

  KeptAs kept_as(std::uint32_t most_units) const;

  /// The largest number of numbers of this size that are held.
  template <class Number>
  std::size_t most_numbers() const {
    return is_limited() ? spool_->most_held() * sizeof(Position) / sizeof(Number) : CountSpool::unlimited;
  }
  template <class Number>
  void make_room(WrittenNumbers<Number>& numbers) {
    if (!numbers.is_full()) return;
    if (numbers.size() >= most_numbers<Number>()) spill();
    numbers.more_room(most_numbers<Number>());
  }
  template <class Number>
  void write(WrittenNumbers<Number>& numbers, const KeyedRecord& record) {
    make_room(numbers);
    numbers.room().front() = static_cast<Number>(numbering_.written(record));
    numbers.wrote(1);
  }
  /// Writes the numbers of record_at(0) .. record_at(records - 1), as far as these count. Every number is written, and overwritten
  /// by the next one if it does not count, since which records count is unpredictable.
  template <class Number, class RecordAt, class Counts>
  void write_all(WrittenNumbers<Number>& numbers, std::size_t records, RecordAt record_at, Counts counts) {
    const PlaceNumbers numbering = numbering_;
    for (std::size_t i = 0; i < records;) {
      make_room(numbers);
      const std::span<Number> room = numbers.room();
      const std::size_t end = std::min(records, i + room.size());
      std::size_t written = 0;
      for (; i < end; ++i) {
        const KeyedRecord record = record_at(i);
        room[written] = static_cast<Number>(numbering.written(record));
        written += counts(record) ? 1U : 0U;
      }
      numbers.wrote(written);
    }
  }
  template <class RecordAt, class Counts, class Add>
  static void add_each(std::size_t records, RecordAt record_at, Counts counts, Add add_record) {
    for (std::size_t i = 0; i < records; ++i) {
      const KeyedRecord record = record_at(i);
      if (counts(record)) add_record(record);
    }
  }
  void add_cell(const Cell& cell);
  /// Sorts the cells, and adds up cells of one key and position.
  void compact();
  bool is_limited() const { return spool_ != nullptr && spool_->is_limited(); }
  /// Writes everything that is held to the file.
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
