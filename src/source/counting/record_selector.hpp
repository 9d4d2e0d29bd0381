// Decides which records of persons and groups count, and at which positions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fractile/ranks.hpp"
#include "fractile/source.hpp"
#include "source/counting/chunk_places.hpp"
#include "source/counting/counting.hpp"
#include "source/counting/keyed_counts.hpp"
#include "source/counting/person_values.hpp"
#include "source/counting/persons.hpp"
#include "source/engine/column_view.hpp"
#include "source/engine/idle_parts.hpp"
#include "source/engine/time_cells.hpp"
#include "source/text/text_numbers.hpp"

namespace fractile::source_detail {

struct SelectedProfiles {
  std::vector<RankProfile> profiles;
  bool any_missing;  ///< some record had no number, and was left out
  bool any_nobody;   ///< some record had no person, and was left out
};

/// The same before the counts are added up. Counts that memory does not hold are in a file.
struct SelectedCounts {
  KeyedCounts counts;
  bool any_missing = false;
  bool any_nobody = false;

  SelectedProfiles finish() { return {counts.finish(), any_missing, any_nobody}; }
};

/// Whether a cell's text is empty, white space alone, or one of words_for_none.
inline bool holds_nothing(std::string_view cell) {
  if (!cell.empty() && static_cast<unsigned char>(cell.front()) > ' ') {
    return cell.size() == 3 && std::ranges::find(words_for_none, cell) != words_for_none.end();
  }
  return cell.find_first_not_of(blanks_of_cells) == std::string_view::npos;
}

/// A short text as numbers, which are fast to compare. For a longer text, the size alone shows that it is not short.
struct ShortText {
  static constexpr std::size_t longest = 16;

  ShortText() = default;
  explicit ShortText(std::string_view text) : size(text.size()) {
    const auto load = [](auto& word, const char* from) {
      std::remove_reference_t<decltype(word)> loaded;
      std::memcpy(&loaded, from, sizeof loaded);
      word = loaded;
    };
    const char* const end = text.data() + size;
    std::uint32_t half = 0;
    if (size > longest || size == 0) return;
    if (size >= sizeof first) {
      load(first, text.data());
      load(last, end - sizeof last);
    } else if (size >= sizeof half) {
      load(half, text.data());
      first = half;
      load(half, end - sizeof half);
      last = half;
    } else {
      first = static_cast<unsigned char>(text.front());
      last = static_cast<unsigned char>(text.back());
      last = last << 8 | static_cast<unsigned char>(text[size / 2]);
    }
  }
  friend bool operator==(const ShortText&, const ShortText&) = default;
  /// Spread three times, so that texts which differ only at their ends, like many keys, also differ in the lowest bits.
  std::size_t hash() const { return spread(spread(spread(first ^ size) ^ last)); }
  static std::uint64_t spread(std::uint64_t word) {
    word *= 0x9E3779B97F4A7C15;
    return word ^ word >> 32;
  }

  std::uint64_t first = 0;  // first bytes
  std::uint64_t last = 0;   // last bytes; both together cover the text
  std::size_t size = 0;
};

/// The places of a column's keys in their list.
class KeyNumbers {
 public:
  /// The keys must outlive this object. `other`: the key under which all texts count that are not keys; empty: there is none.
  explicit KeyNumbers(std::span<const std::string> keys, std::string_view other = {});

  /// Nothing when the text is not a key and there is no `other`. No key is empty.
  std::optional<std::uint32_t> of(std::string_view key) const {
    const ShortText text(key);
    return of(key, text, hash_of(key, text) & mask_);
  }
  /// Calls set(row, of(key_at(row))) for each of the rows, in order. Keys are looked up some rows ahead, so that the rows' waits
  /// for memory overlap.
  template <class KeyAt, class Set>
  void of_rows(std::size_t rows, KeyAt key_at, Set set) const {
    struct Wanted {
      ShortText text;
      std::size_t slot;
    };
    std::array<Wanted, 32> wanted;
    for (std::size_t from = 0; from < rows; from += wanted.size()) {
      const std::size_t count = std::min(wanted.size(), rows - from);
      for (std::size_t i = 0; i < count; ++i) {
        const std::string_view key = key_at(from + i);
        const ShortText text(key);
        wanted[i] = {text, hash_of(key, text) & mask_};
        __builtin_prefetch(&slots_[wanted[i].slot]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (const std::uint32_t number = slots_[wanted[i].slot]; number != 0) __builtin_prefetch(&texts_[number - 1]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const auto& [text, slot] = wanted[i];
        set(from + i, of(text.size <= ShortText::longest ? std::string_view() : key_at(from + i), text, slot));
      }
    }
  }

 private:
  /// The search begins at the slot of the hash.
  std::optional<std::uint32_t> of(std::string_view key, const ShortText& text, std::size_t slot) const {
    for (; slots_[slot] != 0; slot = (slot + 1) & mask_) {
      const std::uint32_t number = slots_[slot] - 1;
      if (texts_[number] == text && (text.size <= ShortText::longest || keys_[number] == key)) return number;
    }
    return other_;
  }
  static std::size_t hash_of(std::string_view key, const ShortText& text) {
    return text.size <= ShortText::longest ? text.hash() : std::hash<std::string_view>()(key);
  }

  std::span<const std::string> keys_;
  std::vector<ShortText> texts_;  // the same
  std::size_t mask_;
  std::vector<std::uint32_t> slots_;         // by hash: 1 + the place of a key, or 0
  std::optional<std::uint32_t> other_ = {};  // the place of the key for all other texts
};

/// A map from pairs of numbers to numbers.
class PairNumbers {
 public:
  /// For pairs of numbers below `firsts` and `seconds`; at most `most` pairs will be added.
  PairNumbers(std::size_t firsts, std::size_t seconds, std::size_t most);

  /// Returns the pair's number. A new pair gets the number `fresh`.
  std::uint32_t add(std::uint32_t first, std::uint32_t second, std::uint32_t fresh);
  /// Nothing for a pair that was not added.
  std::optional<std::uint32_t> of(std::uint32_t first, std::uint32_t second) const {
    const Slot& slot = slots_[slot_of(first, second)];
    if (slot.number == 0) return {};
    return slot.number - 1;
  }

 private:
  struct Slot {
    std::uint32_t first;
    std::uint32_t second;
    std::uint32_t number;  // 1 + the number of the pair; 0: the slot is empty
  };

  /// The slot of the pair, or the slot where it would be added.
  std::size_t slot_of(std::uint32_t first, std::uint32_t second) const {
    if (is_dense_) return first * seconds_ + second;
    constexpr std::uint64_t spread = 0x9E3779B97F4A7C15;
    std::size_t slot = ((std::uint64_t{first} << 32 | second) * spread) >> shift_;
    while (slots_[slot].number != 0 && (slots_[slot].first != first || slots_[slot].second != second)) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  bool is_dense_;  // there is a slot for each possible pair
  std::size_t seconds_;
  int shift_ = 0;
  std::vector<Slot> slots_;
};

/// From the keys of a record's columns to the number of its group. Texts are never concatenated: each column's key has a number;
/// this number and that of the columns before it form a pair, which has a number again.
class GroupNumbers {
 public:
  /// The keys must be valid and outlive this object. `others` as in RecordSelection.
  explicit GroupNumbers(const GroupKeys& keys, std::span<const std::string> others = {});

  /// The group numbers of this many records, where key_at(column, row) is a record's text in a column; no_key where the texts
  /// together are not a listed key.
  template <class KeyAt>
  std::vector<std::uint32_t> of_rows(std::size_t rows, KeyAt key_at) const {
    std::vector<std::uint32_t> numbers(rows);
    if (columns_.size() == 1) {
      columns_.front().of_rows(
          rows, [&](std::size_t row) { return key_at(0, row); },
          [&](std::size_t row, std::optional<std::uint32_t> number) { numbers[row] = number.value_or(no_key); });
      return numbers;
    }
    for (std::size_t row = 0; row < rows; ++row) {
      numbers[row] = of([&](std::size_t column) { return key_at(column, row); }).value_or(no_key);
    }
    return numbers;
  }

  /// The group number of one record, where key_at(column) is its text in a column. Nothing when the texts together are not a listed
  /// key.
  template <class KeyAt>
  std::optional<std::uint32_t> of(KeyAt key_at) const {
    std::optional<std::uint32_t> number = columns_.front().of(key_at(0));
    for (std::size_t column = 1; number && column < columns_.size(); ++column) {
      const std::optional<std::uint32_t> next = columns_[column].of(key_at(column));
      number = next ? pairs_[column - 1].of(*number, *next) : std::nullopt;
    }
    return number;
  }

 private:
  std::vector<KeyNumbers> columns_;
  std::vector<PairNumbers> pairs_;  // for the second column on: of the columns before it and its own
};

/// Whether every record is in the same group by both selections.
inline bool have_same_keys(const RecordSelection& a, const RecordSelection& b) {
  return a.keys == b.keys && a.others == b.others;
}

/// The grid of weights in the units of their column, and the units of its first point.
struct WeightGrid {
  Lattice counted_on;
  std::uint32_t first_units;
  std::uint32_t most_units;  ///< of a record

  /// The units of a record whose weight is at this position, which is on a point of the grid.
  std::uint32_t units_at(Position on_grid) const { return first_units + static_cast<std::uint32_t>(on_grid / 2); }
};

/// A chunk's weights, and how they are read.
struct WeightCells {
  ColumnView cells;
  CellReading reading;
};

/// How the limit of memory is divided between records of persons and their tables.
PersonRecords::Limits limits_of(std::uint64_t memory, std::size_t threads);

/// Decides which records count, and at which positions.
class RecordSelector {
 public:
  /// `selection` must be valid, and with persons there must be a key. Selection, key and lattice must outlive this object.
  /// `threads` and `memory` as in TableOptions. `cells`: the type of all numbers, if each person counts with one value. `weights`:
  /// their grid, if the selection has weights.
  RecordSelector(const Lattice& lattice, const RecordSelection& selection, const std::optional<SamplingKey>& key,
                 std::size_t threads, std::uint64_t memory, CellType cells = CellType::integer,
                 std::optional<WeightGrid> weights = {});

  /// Whether a record's keys have the same number in both selectors; both must have keys.
  bool has_groups_of(const RecordSelector& other) const { return have_same_keys(selection_, other.selection_); }
  /// The numbers of the groups; the selection must have keys.
  const GroupNumbers& groups() const { return *numbers_; }

  /// Adds records of a column with this reading. person_at(row) returns the text of a row's person, empty for NULL; it is called
  /// only with persons. `keys`: each record's number among groups(), or no_key; only with keys. `weights`: only with weights. May
  /// be called from any thread. Throws as TimeCells::numbers() does.
  template <class PersonAt>
  void add(const ColumnView& cells, const CellReading& reading, PersonAt person_at, std::span<const std::uint32_t> keys,
           const std::optional<WeightCells>& weights = {}) {
    parts_.with_one([this] { return std::make_unique<Part>(*this); },
                    [&](Part& part) { add_to(part, cells, reading, person_at, keys, weights); });
  }

  /// To be called when no thread adds records any more. on_progress(), which may be empty, is called on this thread only.
  SelectedCounts counted(const std::function<void()>& on_progress);
  SelectedProfiles finish(const std::function<void()>& on_progress) { return counted(on_progress).finish(); }

 private:
  /// The state of one thread.
  struct Part {
    explicit Part(RecordSelector& selector)
        : of_persons(selector.has_person_ ? &selector.persons_.new_part() : nullptr) {
      if (!selector.has_person_) counts.emplace(selector.new_counts(1));
    }
    TimeCells times;
    std::vector<Position> positions;    // the chunk's positions, or the marks of its records
    std::vector<char> missing;          // with marks: which of the chunk's numbers are missing
    std::vector<Position> weights;      // the chunk's positions on the grid of weights, if there is one
    PersonRecords::Part* of_persons;    // with persons
    std::optional<KeyedCounts> counts;  // without persons
    bool any_missing = false;
    bool any_nobody = false;
  };

  /// The largest number of units of a record. With weights at least 2, so that "no units" and one unit are distinct.
  std::uint32_t most_units() const { return weights_ ? std::max(2U, weights_->most_units) : 1; }

  template <class PersonAt>
  void add_to(Part& part, const ColumnView& cells, const CellReading& reading, PersonAt person_at,
              std::span<const std::uint32_t> keys, const std::optional<WeightCells>& weights) {
    const ColumnView numbers = part.times.numbers(cells, reading, lattice_.kind());
    const bool are_real = reading.type == CellType::real;
    const bool are_marks = values_ && !values_->keep_positions();
    if (are_marks) {
      values_->mark(numbers, part.positions);
      are_real ? find_missing<double>(numbers, part.missing) : find_missing<std::int64_t>(numbers, part.missing);
    } else {
      place(numbers, reading, lattice_, part.positions);
    }
    if (weights) place_weights(weights->cells, weights->reading, weights_->counted_on, part.weights, part.positions);
    const auto units_of = [&](std::size_t row) { return weights_->units_at(part.weights[row]); };
    if (!has_person_) {
      const auto add_all = [&](auto key_of) {
        const auto one = [](std::size_t /*row*/) { return std::uint32_t{1}; };
        return weights ? part.counts->add_all(part.positions, nowhere, key_of, units_of)
                       : part.counts->add_all(part.positions, nowhere, key_of, one);
      };
      const bool any_missing = has_key_ ? add_all([&](std::size_t row) { return keys[row]; })
                                        : add_all([](std::size_t /*row*/) { return std::uint32_t{0}; });
      part.any_missing = part.any_missing || any_missing;
      return;
    }
    for (std::size_t row = 0; row < part.positions.size(); ++row) {
      const Position position = part.positions[row];
      const bool is_missing = are_marks ? part.missing[row] != 0 : position == nowhere;
      const std::string_view person = person_at(row);
      const bool is_nobodys = holds_nothing(person);
      part.any_missing = part.any_missing || is_missing;
      part.any_nobody = part.any_nobody || is_nobodys;
      const std::uint32_t key = has_key_ ? keys[row] : 0;
      if (is_missing || is_nobodys || key == no_key) continue;
      persons_.add(*part.of_persons, person, {position, group_of(key), weights ? units_of(row) : 1});
    }
  }

  std::uint32_t group_of(std::uint32_t key) const { return selection_.merged ? selection_.merged->of_key[key] : key; }

  template <class Number>
  static void find_missing(const ColumnView& column, std::vector<char>& missing) {
    const std::span<const Number> numbers = column.numbers<Number>();
    missing.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) missing[i] = column.is_null(i) || is_nan(numbers[i]) ? 1 : 0;
  }

  /// `threads` as for KeyedCounts.
  KeyedCounts new_counts(std::size_t threads) { return {lattice_, groups_, threads, most_units(), spool_}; }
  /// Adds the kept records of each person to `counts`.
  void count_persons(KeyedCounts& counts, const std::function<void()>& on_progress);

  const Lattice& lattice_;
  const RecordSelection& selection_;
  const std::optional<SamplingKey>& key_;
  std::optional<WeightGrid> weights_;
  std::size_t threads_;
  bool has_person_;
  bool has_key_;
  std::size_t groups_;
  std::optional<GroupNumbers> numbers_;      // set if there are keys
  std::vector<std::string> sampled_groups_;  // with persons and keys: sampled_group() of each
  std::optional<PersonValues> values_;       // if each person counts with one value
  PersonRecords persons_;
  std::shared_ptr<CountSpool> spool_;
  IdleParts<Part> parts_;
};

}  // namespace fractile::source_detail
