// The parts of a publication's budget beside levels that a ledger holds already, and what all levels cost in the end.
#pragma once

#include <optional>
#include <vector>

#include "fractile/publication.hpp"

namespace fractile::publication_detail {

/// What each level costs: held levels cost what they were published at, and the others share what is left of the publication's
/// budget, in proportion to their shares, as whole millionths of it, and what these leave over goes to the first of them. Without
/// one that is held these are the parts' own costs. Throws `budget_refused` where nothing is left for a level that is not held, and
/// where the rest cannot be computed, since a cost is one logarithm and the budget another.
std::vector<Budget> costs_beside(const Publication& publication, const std::vector<PublicationPart>& parts,
                                 const std::vector<std::optional<Budget>>& held);

/// Which share of a budget a cost is, exactly; nothing where one of them is another logarithm.
std::optional<Rational> share_of(const Budget& cost, const Budget& whole);

/// Whether all levels together cost the publication's budget: they do unless all of them were published before, for less.
bool costs_all(const PublishedTables& tables);

/// The levels' cost; the whole budget where no budget equals that cost exactly.
Budget cost_of(const PublishedTables& published);

}  // namespace fractile::publication_detail
