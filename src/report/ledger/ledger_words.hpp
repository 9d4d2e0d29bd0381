// What a ledger's table and page say about an entry.
#pragma once

#include <string>

#include "fractile/error.hpp"
#include "fractile/ledger.hpp"

namespace fractile::report_detail {

/// The cost of an entry, and the charge when that is in another measure.
std::string charge_of(const LedgerEntry& entry);

/// "the file '/data/t.csv' is read with --delimiter ; since entry 1".
Words reading_in_words(const LedgerSource& source);

}  // namespace fractile::report_detail
