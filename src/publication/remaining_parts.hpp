// How a publication's budget is split when a ledger already holds some of its levels, and what all levels cost in the end.
#pragma once

#include <optional>
#include <vector>

#include "fractile/publication.hpp"

namespace fractile::publication_detail {

/// What each level costs. Held levels cost what they were published at. The others with a target cost the least that reaches it, and those
/// without share the rest of the publication's budget in proportion to their shares, in whole millionths of the budget; what
/// rounding leaves goes to the first of them. If all tables have targets, all levels that are not held share the rest, unless the budget is
/// the least one: then nothing more is charged. If no level is held, these are the parts' own costs.
/// Throws `budget_refused` if nothing is left for a level that is not held, or too little for the targets; if a held level cost less than
/// its target takes; and if the rest cannot be computed, because share_of() is nothing for a held level.
std::vector<Budget> costs_beside(const Publication& publication, const std::vector<PublicationPart>& parts,
                                 const std::vector<std::optional<Budget>>& held);

/// The budget of a publication whose levels have these costs: its own or, if that is the least one, what they cost together (a bound of it
/// where the sum has logarithms).
Budget budget_beside(const Publication& publication, const std::vector<Budget>& costs);

/// The share of a budget that a cost is, exactly. Nothing if the measures differ, or if one is a logarithm and the other is not a multiple
/// of it.
std::optional<Rational> share_of(const Budget& cost, const Budget& whole);

/// Whether all levels together cost the publication's budget. They do, unless a ledger held levels, and no other level takes the rest.
bool costs_all(const PublishedTables& tables);

/// The cost of all levels, or the whole budget if no budget equals that cost exactly.
Budget cost_of(const PublishedTables& published);

}  // namespace fractile::publication_detail
