// Totals that are sums of what was drawn at the finest cells.
// Proof: docs/proofs/counts.md
#pragma once

#include "fractile/publication.hpp"

namespace fractile::publication_detail {

/// Adds the totals of tables without quantiles; these totals draw nothing.
void add_sums(PublishedTables& tables);

}  // namespace fractile::publication_detail
