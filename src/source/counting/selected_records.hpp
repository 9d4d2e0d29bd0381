// From a table to one profile per key, of at most this many records a person, for one column or several: one pass, record by record.
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

/// What the numbers become, for RecordSelector.
CellType cells_of(const SelectedColumns& columns, const Lattice& lattice, Unreadable unreadable);

/// The columns to which the declared missing values apply.
std::vector<Column> columns_with_missing(const SelectedColumns& columns);

/// Whether a text that is missing in a column is a key of another one's groups: then one reading cannot have both.
bool hide_keys(std::span<const SelectedColumns* const> all, const std::vector<std::string>& missing);
/// Throws `usage` where these are columns of one sample.
void require_shown_keys(std::span<const SelectedColumns* const> all, const std::vector<std::string>& missing);

/// What a column's numbers, or persons' values, are counted on. Throws `usage` as in_units() does.
UnitLattice units_of(const Column& number, const ColumnToCount& asked);

/// The grid of weights as the engine is asked for them. Throws `usage` as in_units() does.
WeightGrid weights_on(const Column& column, const RecordWeights& weights);

/// What one pass counts, besides others.
struct SelectedColumn {
  const SelectedColumns& columns;
  const Lattice& lattice;            ///< the selector's, but in the units that were asked for
  RecordSelector* selector;          ///< none: the records are sampled with those of other columns
  const Lattice* weights = nullptr;  ///< as `lattice`, their grid, where there is one
};

/// Reads every record, on all threads of the engine, into the selectors, and into the sample what has none, in the order of its columns. How
/// many there are. Throws EngineFailure.
std::uint64_t count_selected(const Connection& connection, const Relation& relation,
                             std::span<const SelectedColumn> selected, SharedSample* sample, Unreadable unreadable,
                             const std::function<void()>& on_progress);

/// The sampling keys of columns that are counted together, asked for one after the other: the selection's own, or one that is drawn; none
/// without persons. Columns whose records are sampled as a whole share one.
class SamplingKeys {
 public:
  explicit SamplingKeys(RandomBits& bits) : bits_(bits) {}
  std::optional<SamplingKey> of(const RecordSelection& selection);

 private:
  RandomBits& bits_;
  std::optional<SamplingKey> of_whole_records_;
};

/// Throws `usage` unless all selections of whole records say the same about persons.
void require_one_sample(const std::vector<ColumnToCount>& columns);

/// The selection's keys, with those of its k-th column as count_selected() compares them: the text that the engine has for values of the
/// column's type. For all other keys there is no value. Throws `usage` for one that is no value of that type, exactly,
/// and for two that are one. No record is looked at. Throws EngineFailure.
GroupKeys keys_of_type(const Connection& connection, const Column& column, const RecordSelection& selection,
                       std::size_t k);

/// Throws `usage` unless persons are identified by this column, where it is the one of which a query makes one row
/// each; "": none does.
void require_person_of_rows(const std::string& of_rows, const RecordSelection& selection);

/// The first row, from 1, whose person is NULL, empty or blank; there must be one. Throws EngineFailure.
std::uint64_t first_row_of_nobody(const Connection& connection, const Relation& relation, const Column& person);

}  // namespace fractile::source_detail
