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

/// After the sum of entries that are reserved or drawn: says that drawn ones are among them. Empty if none is.
std::string drawn_among_reserved(const LedgerStatement& statement, const LedgerDataset& dataset);

}  // namespace fractile::report_detail
