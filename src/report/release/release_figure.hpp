// How a release is drawn, and the tables of what is drawn.
#pragma once

#include <string>

#include "fractile/receipts.hpp"
#include "report/text/page.hpp"

namespace fractile::report_detail {

/// Stands in place of a text that a public page does not show. It cannot be typed.
inline const std::string withheld = "\x01";

inline constexpr const char* receipt_id = "receipt";

/// Draws the figures of a release: values against the shares of records, or with groups rows of boxes. `name` begins their names.
void draw_release(Page& page, const Release& release, const std::string& name = "release");

/// The shares of the records between which the i-th value lies, with the receipt's confidence, rounded outwards to a hundredth of a
/// percent.
struct Shares {
  Rational from;
  Rational to;
};

/// Whether the shares are known: the number of rows is public, and every row counts.
bool has_share_bars(const Release& release);
Shares shares_of(const Release& release, std::size_t i);

/// The values of groups, one line per group.
CellTable wide_table(const Release& release);
/// The values of one quantile by two key columns: one line per key of the first column, one column per key of the second.
CellTable crossed_table(const Release& release);

}  // namespace fractile::report_detail
