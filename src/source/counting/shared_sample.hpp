// One sample of each person's records for several columns: a chosen record counts in every column in which it has a number and a
// key.
// Proof: docs/proofs/contribution_bounding.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/source.hpp"
#include "source/counting/chunk_places.hpp"
#include "source/counting/keyed_sample.hpp"
#include "source/counting/persons.hpp"
#include "source/counting/record_selector.hpp"
#include "source/engine/column_view.hpp"
#include "source/engine/idle_parts.hpp"
#include "source/engine/time_cells.hpp"

namespace fractile::source_detail {

/// A column that shares a sample of whole records.
struct SharedColumn {
  const Lattice& lattice;
  const RecordSelection& selection;  ///< with its keys as texts of their columns
  std::optional<WeightGrid> weights = {};
};

/// A column's cells in a chunk.
struct SharedCells {
  ColumnView numbers;
  CellReading reading;
  std::optional<WeightCells> weights = {};  ///< if the column has them
};

/// Every record of a known person may be chosen, whatever it holds. The choice is a function of the key and of that person's
/// records, each with its contents in all of the columns. Weights only order records that are equal otherwise.
class SharedSample {
 public:
  /// There must be at least one column, and all must agree about persons. Everything that they refer to must outlive this object.
  /// `threads` and `memory` as in TableOptions.
  SharedSample(std::vector<SharedColumn> columns, const SamplingKey& key, std::size_t threads, std::uint64_t memory);

  /// Adds records of all columns, in their order. person_at(row) and key_at(column, k, row) return the texts of the person and of
  /// the column's k-th column of keys, empty for NULL. May be called from any thread. Throws as TimeCells::numbers() does.
  template <class PersonAt, class KeyAt>
  void add(std::span<const SharedCells> cells, PersonAt person_at, KeyAt key_at) {
    parts_.with_one([this] { return std::make_unique<Part>(*this); },
                    [&](Part& part) { add_to(part, cells, person_at, key_at); });
  }

  /// One per column; to be called when all records have been added. on_progress(), which may be empty, is called on this thread
  /// only.
  std::vector<SelectedCounts> counted(const std::function<void()>& on_progress);
  std::vector<SelectedProfiles> finish(const std::function<void()>& on_progress);

 private:
  /// A number in a record's bytes, and its place there.
  struct Field {
    std::size_t from;
    std::size_t bytes;
    std::uint64_t mask;  ///< selects the number's bytes
    std::uint64_t none;  ///< the value for a missing number, or for a key that is not listed
  };
  /// The keys of one or several columns that have the same keys.
  struct Grouping {
    std::size_t column;  ///< the first of these columns
    GroupNumbers numbers;
    std::vector<std::string> sampled;  ///< sampled_group() of each key
    Field field;
  };
  struct Known {
    Field position;
    std::optional<Field> units = {};
    std::optional<std::size_t> grouping = {};
  };
  /// A column's records in a chunk.
  struct Placed {
    TimeCells times = {};
    std::vector<Position> positions = {};
    std::vector<Position> weights = {};
    bool any_missing = false;
  };
  /// What one thread has.
  struct Part {
    explicit Part(SharedSample& sample)
        : columns(sample.columns_.size()), of_persons(sample.persons_.new_part()), bytes(sample.bytes_ + slack) {}
    std::vector<Placed> columns;
    RecordsByPerson<WrittenRecordCode>::Part& of_persons;
    std::vector<char> bytes;  // of a record
    bool any_nobody = false;
  };
  class Sampler;
  static constexpr std::size_t slack = WrittenRecordCode::slack;

  template <class PersonAt, class KeyAt>
  void add_to(Part& part, std::span<const SharedCells> cells, PersonAt person_at, KeyAt key_at) {
    for (std::size_t i = 0; i < columns_.size(); ++i) place_column(i, cells[i], part.columns[i]);
    const std::size_t rows = part.columns.front().positions.size();
    for (std::size_t row = 0; row < rows; ++row) {
      const std::string_view person = person_at(row);
      if (holds_nothing(person)) {
        part.any_nobody = true;
        continue;
      }
      // In the order of the fields, since each write also touches the bytes after its field.
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto& [of_position, of_units, grouping] = known_[i];
        const Position position = part.columns[i].positions[row];
        write(part.bytes, of_position, position == nowhere ? of_position.none : position);
        if (!grouping || groupings_[*grouping].column != i) continue;
        const auto number = groupings_[*grouping].numbers.of([&](std::size_t k) { return key_at(i, k, row); });
        write(part.bytes, groupings_[*grouping].field, number ? *number : groupings_[*grouping].field.none);
      }
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (!known_[i].units) continue;
        const Placed& placed = part.columns[i];
        const bool has_none = placed.positions[row] == nowhere;
        write(part.bytes, *known_[i].units, has_none ? 0 : columns_[i].weights->units_at(placed.weights[row]));
      }
      persons_.add(part.of_persons, person, {part.bytes.data()});
    }
  }

  /// The fields of a record; units come last.
  std::vector<Known> fields_of();
  /// Sets the positions of a chunk's numbers; a record without a weight gets position `nowhere`.
  void place_column(std::size_t column, const SharedCells& cells, Placed& placed) const;
  static void write(std::vector<char>& bytes, const Field& field, std::uint64_t number) {
    // Lowest byte first, so the first bytes of the number are the field.
    std::memcpy(bytes.data() + field.from, &number, sizeof(number));
  }
  static std::uint64_t number_at(const char* bytes, const Field& field) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes + field.from, sizeof(number));
    return number & field.mask;
  }
  /// Nothing where there is none.
  static std::optional<std::uint64_t> read(const char* bytes, const Field& field) {
    const std::uint64_t number = number_at(bytes, field);
    if (number == field.none) return {};
    return number;
  }
  std::uint32_t most_units(std::size_t column) const;
  /// The description of a record's contents, as defined on the page of the proof.
  void describe(const WrittenRecord& record, std::string& text) const;
  /// Compares the contents like std::memcmp(), without weights.
  int compare(const WrittenRecord& a, const WrittenRecord& b) const {
    return std::memcmp(a.bytes, b.bytes, unweighted_bytes_);
  }
  /// For two records that are equal except for weights.
  bool is_lighter(const WrittenRecord& a, const WrittenRecord& b) const;
  KeyedCounts counts_of(std::size_t column, std::size_t threads) const;
  void count_kept(const WrittenRecord& record, std::vector<KeyedCounts>& counts) const;

  std::vector<SharedColumn> columns_;
  const SamplingKey& key_;
  std::size_t threads_;
  std::vector<Grouping> groupings_;
  std::size_t bytes_ = 0;             // of a record
  std::size_t unweighted_bytes_ = 0;  // bytes of a record before its weights
  std::vector<Known> known_;          // one per column
  RecordsByPerson<WrittenRecordCode> persons_;
  std::shared_ptr<CountSpool> spool_;
  IdleParts<Part> parts_;
};

}  // namespace fractile::source_detail
