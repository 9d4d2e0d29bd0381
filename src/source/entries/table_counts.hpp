// Counts the records of an opened table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fractile/source.hpp"
#include "source/counting/selected_records.hpp"
#include "source/entries/opened_table.hpp"

namespace fractile::source_detail {

/// Throws for a column of persons if a row may come from several persons; and if each row is one person's, unless it is the column
/// of these persons.
void require_persons(const OpenedTable& source, const RecordSelection& selection);

/// The selection with its keys as texts of their columns. Throws `data` for a column of persons that does not distinguish them
/// reliably.
RecordSelection with_typed_keys(const OpenedTable& source, const RecordSelection& selection);

/// Throws unless a count of the file's records only reveals how many rows a table has.
void require_rows(const OpenedTable& source, const RecordSelection& selection);

/// The profile of all records of a column.
RankProfile profile_of_column(const OpenedTable& table, const std::string& column_name, const Lattice& lattice,
                              NullPolicy null_policy, Counting counting, const std::function<void()>& on_progress);

/// The column that is counted, which must hold numbers or times of the lattice's kind, unless persons' values are made of anything.
Column number_column(const OpenedTable& table, const ColumnToCount& asked);

/// The columns that a selection reads.
SelectedColumns columns_of(const OpenedTable& table, const ColumnToCount& asked);

/// Throws if there can be more units of weight than a release takes: as many as it takes records. This is checked before a record
/// is read.
void require_countable_units(const OpenedTable& table, const RecordWeights& weights);

/// Returns the profiles of a column, once.
using ProfilesLater = std::function<std::vector<RankProfile>()>;

/// How many rows the table has.
std::uint64_t counted_rows(const OpenedTable& table, const std::function<void()>& on_progress);

/// Whether there is a single column without a selection, and its counts need little memory or there is no memory limit.
bool is_counted_alone(const OpenedTable& table, const std::vector<ColumnToCount>& columns);

/// Counts all columns; a single column without a selection is counted by the engine if possible.
std::vector<ProfilesLater> counted_profiles(const OpenedTable& table, const std::vector<ColumnToCount>& columns,
                                            RandomBits& bits, const std::function<void()>& on_progress);

}  // namespace fractile::source_detail
