// The receipt that a page holds, and whether the page still shows what its receipt says.
#pragma once

#include <string>
#include <vector>

#include "fractile/receipts.hpp"

namespace fractile {

/// The receipt in a page; empty when the page has none.
std::string receipt_of_page(const std::string& html);

/// Whether a text is a page whose end is missing, and with it perhaps the page's receipt.
bool is_cut_off_page(const std::string& text);

/// Compares a page with the page `made_again`, which to_html() makes from the first one's receipt without options, and returns the
/// headings of the parts that differ. Parts that options add are not compared, nor is anything before the first heading. A page of
/// another version may differ without having been altered.
std::vector<std::string> altered_parts(const std::string& html, const WebPage& made_again);

}  // namespace fractile
