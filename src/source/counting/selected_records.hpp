// Counts one or several columns of a table in one pass, record by record: one profile per key, with at most a given number of
// records per person.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/ranks.hpp"
#include "fractile/source.hpp"
#include "source/counting/counting.hpp"
#include "source/counting/record_selector.hpp"
#include "source/counting/shared_sample.hpp"
#include "source/engine/engine.hpp"
#include "source/files/relation.hpp"

namespace fractile::source_detail {

/// The columns that a selection reads.
struct SelectedColumns {
  Column number;
  std::optional<Column> person;
  std::vector<Column> keys;
  std::optional<PerPerson> per_person = {};
  std::optional<Column> weight = {};
};

/// The type of the numbers, for RecordSelector.
CellType cells_of(const SelectedColumns& columns, const Lattice& lattice, Unreadable unreadable);

/// The columns to which the declared missing values apply.
std::vector<Column> columns_with_missing(const SelectedColumns& columns);

/// Whether a column whose texts may be declared missing is also a column of keys for another selection. Then one reading cannot
/// serve both.
bool hide_keys(std::span<const SelectedColumns* const> all, const std::vector<std::string>& missing);
/// Throws `usage` if hide_keys(), for columns that share one sample.
void require_shown_keys(std::span<const SelectedColumns* const> all, const std::vector<std::string>& missing);

/// The lattice on which a column's numbers, or persons' values, are counted. Throws `usage` as in_units() does.
UnitLattice units_of(const Column& number, const ColumnToCount& asked);

/// The grid of weights, in the units in which the engine returns them. Throws `usage` as in_units() does.
WeightGrid weights_on(const Column& column, const RecordWeights& weights);

/// One of the columns that a pass counts.
struct SelectedColumn {
  const SelectedColumns& columns;
  const Lattice& lattice;            ///< the selector's lattice before it was converted to units of the column
  RecordSelector* selector;          ///< null: the records are sampled together with those of other columns
  const Lattice* weights = nullptr;  ///< the grid of weights, like `lattice`; null without weights
};

/// Reads every record, on all threads of the engine, or on at most `threads` if it is read here, and adds it to the selectors;
/// records of columns without a selector are added to the sample, in the order of its columns. Throws EngineFailure.
void count_selected(const EngineOnDemand& engine, std::size_t threads, const Relation& relation,
                    std::span<const SelectedColumn> selected, SharedSample* sample, Unreadable unreadable,
                    const std::function<void()>& on_progress);

/// The sampling keys of columns that are counted together, asked for one after the other: the key in the selection, or a drawn key;
/// nothing without persons. Columns with whole_records share one key.
class SamplingKeys {
 public:
  explicit SamplingKeys(RandomBits& bits) : bits_(bits) {}
  std::optional<SamplingKey> of(const RecordSelection& selection);

 private:
  RandomBits& bits_;
  std::optional<SamplingKey> of_whole_records_;
};

/// Throws `usage` unless all selections with whole_records agree about persons.
void require_one_sample(const std::vector<ColumnToCount>& columns);

/// Whether the texts of a key column's values are its cells as they are.
bool holds_texts(const Column& column);

/// The selection's keys, with those of its k-th column replaced by the texts that count_selected() compares: the engine's texts for
/// values of the column's type. Throws `usage` for a key that is not exactly a value of that type, and for two keys that are the
/// same value. No record is looked at. Throws EngineFailure.
GroupKeys keys_of_type(const Connection& connection, const Column& column, const RecordSelection& selection,
                       std::size_t k);

/// Throws `usage` unless the selection identifies persons by `of_rows`, the column of persons for whom a query makes one row each.
/// "": no query does that, and nothing is required.
void require_person_of_rows(const std::string& of_rows, const RecordSelection& selection);

/// The first row, from 1, whose person is NULL, empty or blank; there must be one. Throws
/// EngineFailure.
std::uint64_t first_row_of_nobody(const EngineOnDemand& engine, const Relation& relation, const Column& person);

}  // namespace fractile::source_detail
