// What a cost counts as on a budget, and the sums of charges.
#pragma once

#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "ledger/rows.hpp"

namespace fractile::ledger_detail {

/// The charge that a cost counts as on a dataset's budget. Throws `usage` when the budget does not count its measure, or it is not short.
Budget charge_on(const LedgerDataset& dataset, const Budget& cost);

/// Throws `usage` when a number of a budget has more than 50 digits in its
/// numerator or denominator: it is read as long as the ledger is used.
void require_short(const Budget& budget);

/// Throws `usage` unless the request has the dataset's neighbors and agrees with the persons, records and source that the dataset pins.
void require_same_unit(const LedgerDataset& dataset, const LedgerRequest& request);

/// Whether two budgets have the same measure and parameters.
bool is_same(const Budget& a, const Budget& b);

/// The balance of a dataset with these charges. Throws `ledger` for a charge of a measure that the budget does not count.
LedgerBalance balance_of(const LedgerDataset& dataset, const std::vector<EqualCharges>& charges);

/// What remains of a budget.
Spending remaining_of(const Budget& budget, const Spending& spent);

/// Throws `budget_refused`, which says that a cost, given in words, exceeds what remains after `spent`.
[[noreturn]] void refuse_cost(const LedgerDataset& dataset, const Spending& spent, const std::string& cost);

/// Throws `budget_refused` unless the remaining budget covers the charge, and `usage` when the sum would have too many digits.
void require_remaining(const LedgerDataset& dataset, const Spending& spent, const Budget& cost, const Budget& charge);

/// "entry 3", "entries 3 to 7", or "entries 1 and 3 to 7" if entry 2 is void. Takes at least one reservation, in the order of their numbers.
std::string entries_in_words(const std::vector<LedgerReservation>& reservations);

/// The command that gives reserved entries back: "fractile ledger void b.db --entry 3 --reason TEXT gives it back". One command voids one
/// entry. Takes at least one reservation, in the order of their numbers.
std::string voiding_in_words(const std::vector<LedgerReservation>& reservations, const std::string& ledger);

}  // namespace fractile::ledger_detail
