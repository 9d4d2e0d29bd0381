// What costs count as, and their sums.
#pragma once

#include <vector>

#include "fractile/ledger.hpp"
#include "ledger/rows.hpp"

namespace fractile::ledger_detail {

/// What a cost counts as on a budget; throws `usage` where measures do not mix.
Budget charge_on(const LedgerDataset& dataset, const Budget& cost);

/// Throws `usage` when a number of a budget has more than 50 digits above or below its line: a ledger is read as long
/// as it lives.
void require_short(const Budget& budget);

/// Throws `usage` unless the request has the dataset's neighbors and keeps to what it pins.
void require_same_unit(const LedgerDataset& dataset, const LedgerRequest& request);

/// Those of one dataset; throws `ledger` for a charge in another measure than the budget's.
LedgerBalance balance_of(const LedgerDataset& dataset, const std::vector<EqualCharges>& charges);

/// What is left of a budget.
Spending remaining_of(const Budget& budget, const Spending& spent);

/// Throws `budget_refused`: a cost, in words, is more than what is left beside what is spent.
[[noreturn]] void refuse_cost(const LedgerDataset& dataset, const Spending& spent, const std::string& cost);

/// Throws `budget_refused` unless what remains is enough.
void require_remaining(const LedgerDataset& dataset, const Spending& spent, const Budget& cost, const Budget& charge);

}  // namespace fractile::ledger_detail
