// Columns of a table for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fractile::report_detail {

using Row = std::vector<std::string>;

/// The width of UTF-8 in code points, since most terminals show each code point as wide as a letter.
std::size_t width_of(const std::string& text);

/// The cells as by shown_text(). The first `left` columns are aligned to the left, and the others to the right.
std::string aligned(const std::vector<Row>& cells, std::size_t left = 1);

}  // namespace fractile::report_detail
