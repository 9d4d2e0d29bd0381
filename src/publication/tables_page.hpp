// The tables of a publication as readers know them: keys by their labels, totals at the ends, marks and intervals beside values.
#pragma once

#include <cstddef>

#include "fractile/publication.hpp"
#include "report/text/page.hpp"

namespace fractile::publication_detail {

/// All levels of a table. On pages, and of two key columns one of which has few keys: rows by columns; otherwise one line per cell,
/// the keys first. A line beneath explains the contents of cells.
void show_cells(report_detail::Page& page, const PublishedTables& tables, std::size_t table);

/// Where pictures can be seen: a figure for each level that has few cells.
void draw_cells(report_detail::Page& page, const PublishedTables& tables, std::size_t table);

}  // namespace fractile::publication_detail
