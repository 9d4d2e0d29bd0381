// Steps that a release and a publication take alike.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fractile/publication.hpp"

namespace fractile::publication_detail {

/// Before a budget is spent that promises next to nothing.
void warn_of_weak_budgets(const Budget& budget, Attendant& attendant);

/// Before a charge: of keys of one column that differ by case or blanks alone, or, from six characters on, by one letter, one may be a slip.
void warn_of_like_keys(const std::vector<std::string>& keys, Attendant& attendant);

/// Throws `usage` where a receipt cannot be written; of what a ledger pays for it may be there from an earlier run.
void require_receipts_place(const std::string& receipt, bool is_paid);

/// On how many threads groups are drawn: as many as read.
std::size_t threads_of(const Source& source);

}  // namespace fractile::publication_detail
