// Frames: columns in memory become a RankProfile, without a copy. They come through Arrow's C interface or as plain buffers.
// Source: the Arrow C data and C stream interfaces, whose structures stand here as their specification has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fractile/random.hpp"
#include "fractile/ranks.hpp"
#include "fractile/source.hpp"

// Their untyped pointers (void*) are the specification's: the program that hands over memory and the one that reads it were
// compiled apart. NOLINTBEGIN(google-global-names-in-headers): the specification's own names
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
#endif
// NOLINTEND(google-global-names-in-headers)

namespace fractile {

/// Numbers that lie at equal distances in memory; for times the smallest integer is not a time (NaT).
struct NumberBuffer {
  const std::byte* first;  ///< of number 0
  std::string format;      ///< a number's type as Arrow writes it: "g" double, "l" 64-bit integer, "tsu:" microseconds
  std::size_t size;        ///< how many
  std::ptrdiff_t stride;   ///< from one to the next, in bytes
  std::shared_ptr<const void> owner;  ///< keeps them alive, and the bits
  const std::uint8_t* validity =
      nullptr;  ///< one bit per number, from the lowest on: 0 where there is none; without it all are
};

/// Columns in memory. A column's type says what it is read as, never its values: integers, decimals and times exactly,
/// floating-point numbers as they are, text (also in dictionaries) only as persons and keys. The columns are known from the start;
/// records are requested when they are counted, and no sooner.
/// Thread-safety: not for two threads at once. Its own work uses several.
class Frame final : public Records {
 public:
  /// All that a stream yields: the columns of a table, or one column, which is called `name`. Takes the stream over, and reads nothing
  /// of it but its schema: functions that count records throw `data` when the stream fails. A record that is NULL as a whole
  /// has a NULL in each column.
  static Frame of(ArrowArrayStream& stream, const std::string& name = {});
  /// The same for one array, which is taken over together with its schema.
  static Frame of(ArrowSchema& schema, ArrowArray& array, const std::string& name = {});
  /// Records that are not there yet: `columns` says what they will be, and `records` gives them, in one frame or in several, when they are
  /// first counted. Several frames are counted one by one, each by its own types; they have neither persons nor keys.
  static Frame later(Frame columns, std::function<std::vector<Frame>()> records);
  /// One column of numbers. Throws `usage` for a format that is not a number's.
  static Frame of(const NumberBuffer& numbers, const std::string& name);
  Frame(Frame&&) noexcept;
  Frame& operator=(Frame&&) noexcept;
  ~Frame() override;

  /// On how many threads records are counted, as in TableOptions.
  void use_threads(std::uint32_t threads);
  /// How many bytes the records that are sorted by person may take, as in TableOptions::memory.
  void use_memory(std::uint64_t bytes);
  /// What counts as missing in the column that is counted, and in that of persons: numbers and times by their values, other texts exactly,
  /// as TableOptions::missing. Throws `usage` as TableOptions does.
  void use_missing(std::vector<std::string> missing);
  std::vector<TableColumn> columns() const override;

  /// Throws `data` unless the column is there and its type can be counted on lattices of this kind, as
  /// Table::require_countable().
  void require_countable(const std::string& column, ValueKind kind = ValueKind::number) const;
  /// As above, and throws `usage` unless its type and the lattice go together, as profile() says.
  void require_countable(const std::string& column, const Lattice& lattice) const;
  /// Checks the columns as above. Throws `usage` as RecordSelection::validate() does, and `data` unless persons and
  /// keys are columns of text or whole numbers.
  void require_countable(const std::vector<ColumnToCount>& columns) const override;

  /// Counts the column on the lattice. Throws `usage` when a type and a lattice do not go together: decimals, and whole
  /// numbers without a sign, on lattices whose ends are not 64-bit integers in their units. Throws `data` under
  /// NullPolicy::error for NULL and NaN. `counting` is as for a Table, except that this library always counts.
  RankProfile profile(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                      Counting counting = Counting::automatic, const std::function<void()>& on_progress = {}) const;
  std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                   const std::function<void()>& on_progress = {}) const override;
  /// The profile of values that were counted before, such as the result of GROUP BY value: the k-th value stands for as many
  /// records as the k-th number in the column `counts` of a frame, which may be this one. Otherwise as profile(). Throws `usage`
  /// unless both columns are equally long; throws `data` unless the counts are whole numbers, none negative or NULL.
  RankProfile profile_of_counts(const std::string& column, const Frame& counted, const std::string& counts,
                                const Lattice& lattice, NullPolicy null_policy) const;
  /// How many records there are.
  std::uint64_t rows(const std::function<void()>& on_progress = {}) const;
  /// "memory".
  std::string engine() const override;

 private:
  struct State;
  explicit Frame(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fractile
