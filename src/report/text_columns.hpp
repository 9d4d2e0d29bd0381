// Columns of a table for people.
#pragma once

#include <string>
#include <vector>

namespace fractile::report_detail {

using Row = std::vector<std::string>;

/// The first column to the left, the others to the right.
std::string aligned(const std::vector<Row>& rows);

}  // namespace fractile::report_detail
