// Marks for values that say little, decided from what is released and nothing else.
// Proof: docs/proofs/publication.md
#pragma once

#include <cstddef>
#include <string>

#include "fractile/publication_plan.hpp"
#include "fractile/release.hpp"

namespace fractile::publication_detail {

/// "unreliable" where the quantile's released interval is open, or wider than the marks' share of the value's distance from 0; "" otherwise,
/// and of dates, which have no such share.
std::string mark_of(const PublicationMarks& marks, const Release& release, const Release::Group& group,
                    std::size_t quantile);

/// Whether all of a cell is left out: its released count is below the marks' limit.
bool is_hidden(const PublicationMarks& marks, const Statistics& statistics);

}  // namespace fractile::publication_detail
