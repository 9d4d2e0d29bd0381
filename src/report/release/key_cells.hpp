// Keys of groups in tables: a cell for each key column.
#pragma once

#include "fractile/release.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// How many of a table's columns hold keys; none without groups.
std::size_t key_columns_of(const Release& release);

/// What stands above them, for people: the names of the key columns.
Row key_headings(const Release& release);

/// The same for programs, which tell columns apart by name: with "key." before a name that is among `others`.
Row csv_key_headings(Row names, const Row& others);

/// `key`, or with several key columns their names as above.
Row csv_key_headings(const Release& release, const Row& others);

/// A row's cells behind those of its key.
Row behind_key(const GroupKey& key, const Row& cells);

}  // namespace fractile::report_detail
