// What a table of a publication asks of each of its cells.
#pragma once

#include <cstdint>
#include <optional>

#include "fractile/publication.hpp"

namespace fractile::publication_detail {

/// The columns by which a level has cells.
KeyColumns columns_of(const PublicationTable& table, const KeyLevel& level);

/// What all keys of these columns are called that are not listed, as RecordSelection::others; none where such records are left out.
std::vector<std::string> others_of(const PublicationTable& table, const KeyLevel& level);

/// How many of one person's records, or of their values, count at a level.
std::uint32_t records_per_person(const Publication& publication, const PublicationTable& table, const KeyLevel& level);

/// With this budget, and nothing said of how many records there are.
QuantileQuery query_of(const Publication& publication, const PublicationTable& table, const KeyLevel& level,
                       const Budget& budget);

/// The same as it is asked of what is counted: of records or, with weights, of units.
QuantileQuery over_counted(const Publication& publication, const QuantileQuery& query);

/// How many units of weight this many records are, as far as is known; the records themselves where they have no weights.
std::uint64_t counted_of(const Publication& publication, std::uint64_t rows);

/// Whether less than a record lies between two of the table's quantiles, or beyond the outermost, in a cell of this many: no budget makes these
/// quantiles mean different things.
bool is_beyond_saving(const PublicationTable& table, std::uint64_t rows);

/// For the cells that have records and are not beyond saving; nothing when there is none, or nothing is known.
std::optional<std::uint64_t> smallest_rows(const PublicationTable& table, const LevelCells& cells);

}  // namespace fractile::publication_detail
