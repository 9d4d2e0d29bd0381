// What a table of a publication asks of each of its cells.
#pragma once

#include <cstdint>
#include <optional>

#include "fractile/error.hpp"
#include "fractile/publication.hpp"

namespace fractile::publication_detail {

/// Runs `work`, and names the table in its errors of usage.
template <class Work>
void in_table(const PublicationTable& table, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    throw Error(ErrorCode::usage, {"table '", table.name, "': ", error.what_words()}, error.hint_words(),
                error.field());
  }
}

/// The columns by which a level has cells.
KeyColumns columns_of(const PublicationTable& table, const KeyLevel& level);

/// The keys under which the level counts records whose keys are not listed, as RecordSelection::others. Empty if such records are left out.
std::vector<std::string> others_of(const PublicationTable& table, const KeyLevel& level);

/// How many of one person's records or values count at a level.
std::uint32_t records_per_person(const Publication& publication, const PublicationTable& table, const KeyLevel& level);

/// "2 records", "2 values", "2 records or values": how much of one person counts, at most, in each level.
std::string most_of_person(const Publication& publication);

/// The query of a level with this budget. It does not state an expected number of records.
QuantileQuery query_of(const Publication& publication, const PublicationTable& table, const KeyLevel& level,
                       const Budget& budget);

/// The query as it is asked of what is counted, records or, with weights, units of weight: in one group, if the table has several.
QuantileQuery counted_query(const Publication& publication, const PublicationTable& table, const QuantileQuery& query);

/// How many units of weight this many records are expected to have. Without weights, the number of records.
std::uint64_t counted_of(const Publication& publication, std::uint64_t rows);

/// Whether less than one record lies between two of the table's quantiles, or beyond the outermost ones, in a cell of this many records. No
/// budget makes such quantiles mean different things.
bool is_beyond_saving(const PublicationTable& table, std::uint64_t rows);

/// The smallest number of records expected in a cell, among the cells that have records and are not beyond saving. Nothing if there is no
/// such cell, or if no numbers are expected.
std::optional<std::uint64_t> smallest_rows(const PublicationTable& table, const LevelCells& cells);

}  // namespace fractile::publication_detail
