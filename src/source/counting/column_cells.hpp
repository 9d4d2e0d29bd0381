// What the cells of all columns of a table are, for its owner: numbers, times, missing, or unreadable.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fractile/source.hpp"
#include "source/engine/engine.hpp"
#include "source/files/columns.hpp"
#include "source/files/relation.hpp"

namespace fractile::source_detail {

/// Sets `cells`, one for each of the columns. The connection must keep the order of rows. Throws EngineFailure.
void read_cells(const EngineOnDemand& engine, const Relation& relation, const std::vector<Column>& columns,
                std::vector<ColumnCells>& cells, const std::function<void()>& on_progress);

/// The keys of JSON records, sorted, at most this many; without keys that cannot be asked for. Throws EngineFailure.
std::vector<std::string> keys_of_records(const Session& connection, const Relation& json, std::size_t most);

}  // namespace fractile::source_detail
