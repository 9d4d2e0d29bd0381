// Keys, values and their intervals as cells of tables: as people read them, and as programs do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fractile/release.hpp"
#include "report/text/page.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// How many of a table's columns hold keys; none without groups.
std::size_t key_columns_of(const Release& release);

/// The headings of the key columns for people: the names of these columns.
Row key_headings(const Release& release);

/// The headings of the key columns for programs, which distinguish columns by name. A name that is among `others` gets the prefix "key.".
Row csv_key_headings(Row names, const Row& others);

/// `key` if there is one key column; with several, their names as above.
Row csv_key_headings(const Release& release, const Row& others);

/// The names as the page writes what someone typed.
Row typed(const Page& page, Row names);
/// A row that begins with the key's texts and goes on with `cells`.
Row behind_key(const GroupKey& key, Row cells);

/// A possible value, shown to people with as many decimals as any possible value has.
CellTable::Number number_at(const Lattice& lattice, std::uint64_t index);

/// The ends of an interval: "0 or below" for people, -inf for programs.
std::vector<CellTable::Number> numbers_of(const Lattice& lattice, const Interval& interval);

/// The quantile's value, with its interval next to it if it has one.
CellTable::Cell value_cell(const Release& release, const Release::Group& group, std::size_t quantile);

/// By how many records the value may be off.
CellTable::Number error_of(const Release::Group& group, std::size_t quantile);

}  // namespace fractile::report_detail
