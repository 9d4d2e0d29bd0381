// Columns of a table for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fractile::report_detail {

using Row = std::vector<std::string>;

/// So many columns to the left, the others to the right.
std::string aligned(const std::vector<Row>& rows, std::size_t left = 1);

}  // namespace fractile::report_detail
