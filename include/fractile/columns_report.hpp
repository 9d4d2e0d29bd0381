// The columns of a table, and what their cells are, as tables, CSV and JSON: for the data's owner.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <string>
#include <vector>

#include "fractile/source.hpp"

namespace fractile {

/// For people: one line per column.
std::string to_table(const std::vector<TableColumn>& columns);
std::string to_csv(const std::vector<TableColumn>& columns);
/// One JSON object with the member `columns`.
std::string to_json(const std::vector<TableColumn>& columns);

}  // namespace fractile
