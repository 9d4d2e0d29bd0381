// The tables of a publication as readers know them: keys by their labels, totals at the ends, marks and intervals beside values.
#pragma once

#include <cstddef>

#include "fractile/publication.hpp"
#include "report/text/page.hpp"

namespace fractile::publication_detail {

/// Shows all levels of a table. Pages show two key columns, one of which has few keys, as rows by columns. Otherwise each cell has a line,
/// the keys first. A line beneath explains the contents of cells.
void show_cells(report_detail::Page& page, const PublishedTables& tables, std::size_t table);

/// Draws a figure for each level that has few cells, if the page can show pictures.
void draw_cells(report_detail::Page& page, const PublishedTables& tables, std::size_t table);

}  // namespace fractile::publication_detail
