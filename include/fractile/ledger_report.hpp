// What a ledger holds, as JSON, CSV, tables and pages.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <string>

#include "fractile/error.hpp"
#include "fractile/ledger.hpp"
#include "fractile/pages.hpp"

namespace fractile {

/// What a dataset pins, as the fields of a release that keep to it; empty when that is nothing.
Words pins_in_words(const LedgerDataset& dataset);

/// balances: what the datasets may spend and have spent, and entries without receipts. everything: all that there is.
enum class LedgerDetail { balances, everything };

/// One JSON object; its order is that of the ledger.
std::string to_json(const LedgerStatement& statement, LedgerDetail detail);
/// balances: one line per dataset. everything: one line per entry, without receipts.
std::string to_csv(const LedgerStatement& statement, LedgerDetail detail);
/// For people: balances, then entries with the beginning of their queries.
std::string to_table(const LedgerStatement& statement);
/// The same as a page, with figures.
WebPage to_html(const LedgerStatement& statement, const PageOptions& options);

}  // namespace fractile
