// What a table of a publication asks of each of its cells.
#pragma once

#include <cstdint>
#include <optional>

#include "fractile/publication_plan.hpp"

namespace fractile::publication_detail {

/// The columns by which a level has cells.
KeyColumns columns_of(const PublicationTable& table, const KeyLevel& level);

/// With this budget, and nothing said of how many records there are.
QuantileQuery query_of(const Publication& publication, const PublicationTable& table, const Budget& budget);

/// Whether less than a record lies between two of the table's quantiles, or beyond the outermost, in a cell of so many: no budget makes these
/// quantiles mean different things.
bool is_beyond_saving(const PublicationTable& table, std::uint64_t rows);

/// Of the cells that have records and are not beyond saving; nothing when there is none, or nothing is known.
std::optional<std::uint64_t> smallest_rows(const PublicationTable& table, const LevelCells& cells);

}  // namespace fractile::publication_detail
