// Which records of persons and groups count, and where.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
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

namespace fractile::source_detail {

struct SelectedProfiles {
  std::vector<RankProfile> profiles;
  bool any_missing;  ///< some record had no number, and was left out
  bool any_nobody;   ///< some record had no person, and was left out
};

/// The same before it is added up. What memory does not hold is in a file.
struct SelectedCounts {
  KeyedCounts counts;
  bool any_missing = false;
  bool any_nobody = false;

  SelectedProfiles finish() { return {counts.finish(), any_missing, any_nobody}; }
};

/// A cell's text that is empty, nothing but white space, or one of words_for_none.
inline bool holds_nothing(std::string_view cell) {
  if (!cell.empty() && static_cast<unsigned char>(cell.front()) > ' ') {
    return cell.size() == 3 && std::ranges::find(words_for_none, cell) != words_for_none.end();
  }
  return cell.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

/// A short text as numbers, which are compared in no time; of a longer one its size alone says that it is none.
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
  /// Three times: texts that differ at their ends alone, as many keys do, differ in the lowest bits, too.
  std::size_t hash() const { return spread(spread(spread(first ^ size) ^ last)); }
  static std::uint64_t spread(std::uint64_t word) {
    word *= 0x9E3779B97F4A7C15;
    return word ^ word >> 32;
  }

  std::uint64_t first = 0;  // bytes from the beginning
  std::uint64_t last = 0;   // and up to the end, with all between
  std::size_t size = 0;
};

/// The numbers of a column's keys, in their order.
class KeyNumbers {
 public:
  /// The keys outlive this. `other`: the one of them as which all texts count that are none; empty: there is none.
  explicit KeyNumbers(std::span<const std::string> keys, std::string_view other = {});

  /// Nothing when the key is not listed and there is no other; no key is empty.
  std::optional<std::uint32_t> of(std::string_view key) const {
    const ShortText text(key);
    return of(key, text, hash_of(key, text) & mask_);
  }
  /// Calls set(row, of(key_at(row))) for each of the rows, in order. Keys are looked up some rows ahead, so that one row's wait for memory is
  /// others', too.
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
  /// The slot is that of the hash.
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
  std::vector<std::uint32_t> slots_;         // by hash: 1 + the number of a key, or 0
  std::optional<std::uint32_t> other_ = {};  // the number of the key of all other texts
};

/// A number for each of some pairs of numbers.
class PairNumbers {
 public:
  /// For pairs of numbers below `firsts` and below `seconds`; at most `most` will be added.
  PairNumbers(std::size_t firsts, std::size_t seconds, std::size_t most);

  /// Gives a new pair the number `fresh`; another pair keeps the number that it has.
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
    std::uint32_t number;  // 1 + that of the pair; 0: there is none here
  };

  /// Where the pair is, or would be.
  std::size_t slot_of(std::uint32_t first, std::uint32_t second) const {
    if (is_dense_) return first * seconds_ + second;
    constexpr std::uint64_t spread = 0x9E3779B97F4A7C15;
    std::size_t slot = ((std::uint64_t{first} << 32 | second) * spread) >> shift_;
    while (slots_[slot].number != 0 && (slots_[slot].first != first || slots_[slot].second != second)) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  bool is_dense_;  // a slot for each pair that there can be
  std::size_t seconds_;
  int shift_ = 0;
  std::vector<Slot> slots_;
};

/// The numbers of the groups, in their order, by the keys of their columns. Texts are never put together: each column's key has a number,
/// and then the numbers of the columns so far have one.
class GroupNumbers {
 public:
  /// The keys are valid and outlive this. `others` as in RecordSelection.
  explicit GroupNumbers(const GroupKeys& keys, std::span<const std::string> others = {});

  /// The numbers of so many records, where key_at(column, row) is a record's text in a column; no_key where these are together no listed
  /// key.
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

  /// `key_at` gives a record's text in a column. Nothing when these are together no listed key.
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
  std::vector<PairNumbers> pairs_;  // of the columns before, and the second column on
};

/// Whether a record that has the same texts in all columns of keys is in the same group.
inline bool have_same_keys(const RecordSelection& a, const RecordSelection& b) {
  return a.keys == b.keys && a.others == b.others;
}

/// Where weights are counted: their grid as their column has it, and how many units its first point is.
struct WeightGrid {
  Lattice counted_on;
  std::uint32_t first_units;
  std::uint32_t most_units;  ///< of a record

  /// The units of a record at this position, on one of the grid's points.
  std::uint32_t units_at(Position on_grid) const { return first_units + static_cast<std::uint32_t>(on_grid / 2); }
};

/// A chunk's weights, and the type that they are read as.
struct WeightCells {
  ColumnView cells;
  CellReading reading;
};

/// The bytes of a limit that records of persons and their tables may take.
PersonRecords::Limits limits_of(std::uint64_t memory, std::size_t threads);

/// Decides which records count, and where.
class RecordSelector {
 public:
  /// `selection` is valid, and there is a key with persons; both outlive this, as does the lattice. `threads` and `memory` as in
  /// TableOptions. Where persons count by one value each, `cells` are what all numbers come as. `weights`: where the selection has some.
  RecordSelector(const Lattice& lattice, const RecordSelection& selection, const std::optional<SamplingKey>& key,
                 std::size_t threads, std::uint64_t memory, CellType cells = CellType::integer,
                 std::optional<WeightGrid> weights = {});

  /// Whether a record's keys have the same number here as there; both have keys.
  bool has_groups_of(const RecordSelector& other) const { return have_same_keys(selection_, other.selection_); }
  /// The numbers of the keys; there are some.
  const GroupNumbers& groups() const { return *numbers_; }

  /// Records of a column that is read so. person_at(row) gives the text of a row, empty where it is NULL; it is asked where persons count.
  /// `keys` has each record's number among groups(), or no_key, where there are keys. `weights`: where they count. From any thread. Throws
  /// as TimeCells::numbers().
  template <class PersonAt>
  void add(const ColumnView& cells, const CellReading& reading, PersonAt person_at, std::span<const std::uint32_t> keys,
           const std::optional<WeightCells>& weights = {}) {
    parts_.with_one([this] { return std::make_unique<Part>(*this); },
                    [&](Part& part) { add_to(part, cells, reading, person_at, keys, weights); });
  }

  /// When no thread adds any more. on_progress(), which may be empty, is called by this thread alone.
  SelectedCounts counted(const std::function<void()>& on_progress);
  SelectedProfiles finish(const std::function<void()>& on_progress) { return counted(on_progress).finish(); }

 private:
  /// What one thread has.
  struct Part {
    explicit Part(RecordSelector& selector)
        : of_persons(selector.has_person_ ? &selector.persons_.new_part() : nullptr) {
      if (!selector.has_person_) counts.emplace(selector.new_counts(1));
    }
    TimeCells times;
    std::vector<Position> positions;    // of the chunk, or the marks of its records
    std::vector<char> missing;          // of the chunk, where these are marks
    std::vector<Position> weights;      // the same on the grid of weights, where there is one
    PersonRecords::Part* of_persons;    // where there are persons
    std::optional<KeyedCounts> counts;  // elsewhere
    bool any_missing = false;
    bool any_nobody = false;
  };

  /// The most units of a record. With weights at least 2, so that no units and one unit are distinct.
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
  std::optional<GroupNumbers> numbers_;      // with keys
  std::vector<std::string> sampled_groups_;  // with persons and keys, as sampled_group() has them
  std::optional<PersonValues> values_;       // of persons that count by one value each
  PersonRecords persons_;
  std::shared_ptr<CountSpool> spool_;
  IdleParts<Part> parts_;
};

}  // namespace fractile::source_detail
