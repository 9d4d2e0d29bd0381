// Counts one or several columns of a table in one pass, record by record: one profile per key, with at most a given number of
// records per person.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/ranks.hpp"
#include "fractile/source.hpp"
#include "source/counting/counting.hpp"
#include "source/counting/record_selector.hpp"
#include "source/engine/engine.hpp"
#include "source/files/columns.hpp"
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

/// The columns to which the declared missing values apply.
std::vector<Column> columns_with_missing(const SelectedColumns& columns);

/// Whether a column whose texts may be declared missing is also a column of keys for another selection. Then one reading cannot
/// serve both.
bool hide_keys(const std::vector<SelectedColumns>& all, const std::vector<std::string>& missing);
/// Throws `usage` if hide_keys(), for columns that share one sample.
void require_shown_keys(const std::vector<SelectedColumns>& all, const std::vector<std::string>& missing);

/// The lattice on which a column's numbers, or persons' values, are counted. Throws `usage` as in_units() does.
UnitLattice units_of(const Column& number, const ColumnToCount& asked);

/// The grid of weights, in the units in which the engine returns them. Throws `usage` as in_units() does.
WeightGrid weights_on(const Column& column, const RecordWeights& weights);

/// A column that is counted together with others, prepared for the engine.
struct ColumnTask {
  const ColumnToCount& asked;
  SelectedColumns columns;
  UnitLattice units;
  std::optional<SamplingKey> key;
  RecordSelection typed;                           ///< with its keys as texts of their columns
  std::optional<Lattice> grid = {};                ///< of weights, if there are any
  std::optional<WeightGrid> counted_weights = {};  ///< the same in the units in which the engine returns them

  bool missing_too() const { return asked.null_policy == NullPolicy::error; }
  bool is_shared() const { return typed.whole_records; }
};

/// A task whose keys are still those that were asked for. Throws `usage` as in_units() does.
ColumnTask task_of(const ColumnToCount& asked, SelectedColumns columns, std::optional<SamplingKey> key);

/// Counts all columns in one reading, on all threads of the engine, or on at most `threads` if it is read here. Columns of one sample
/// share it, and every other column has a selector. Together they hold `held` bytes, or any number if that is 0. Throws EngineFailure.
std::vector<SelectedCounts> count_selected(const EngineOnDemand& engine, const Relation& relation,
                                           const std::vector<ColumnTask>& tasks, std::uint32_t threads,
                                           std::uint64_t held, Unreadable unreadable,
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
GroupKeys keys_of_type(const Session& connection, const Column& column, const RecordSelection& selection,
                       std::size_t k);

/// Throws `usage` unless the selection identifies persons by `of_rows`, the column of persons for whom a query makes one row each.
/// "": no query does that, and nothing is required.
void require_person_of_rows(const std::string& of_rows, const RecordSelection& selection);

/// The first row, from 1, whose person is NULL, empty or blank; there must be one. Throws
/// EngineFailure.
std::uint64_t first_row_of_nobody(const EngineOnDemand& engine, const Relation& relation, const Column& person);

}  // namespace fractile::source_detail
