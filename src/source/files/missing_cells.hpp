// What is declared to be missing: -9, NA, a dot.
#pragma once

#include <string>
#include <vector>

#include "source/files/columns.hpp"

namespace fractile::source_detail {

/// SQL of the column's cells, NULL where a cell is one of `missing`: a number by its value where both are numbers, else a text exactly. Never
/// fails.
std::string blanked_cell(const Column& column, const std::vector<std::string>& missing);

/// Error(usage) for a text that is empty, not UTF-8 or named twice, and for too many.
void check_missing(const std::vector<std::string>& missing);

}  // namespace fractile::source_detail
