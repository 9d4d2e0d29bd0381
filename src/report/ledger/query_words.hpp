// The query of a ledger's entry, in words.
#pragma once

#include <string>

namespace fractile::report_detail {

/// "deciles of age (0 to 125 in steps of 1), by region (4 groups), in people.csv", on one line and fit to be shown. If the text is not a
/// query of ours, its beginning.
std::string query_in_words(const std::string& query);

}  // namespace fractile::report_detail
