// What a ledger's table and page say of an entry.
#pragma once

#include <string>

#include "fractile/error.hpp"
#include "fractile/ledger.hpp"

namespace fractile::report_detail {

/// What an entry costs, and as what it is charged when that is another measure.
std::string charge_of(const LedgerEntry& entry);

/// "the file '/data/t.csv' is read with --delimiter ; since entry 1".
Words reading_in_words(const LedgerSource& source);

}  // namespace fractile::report_detail
