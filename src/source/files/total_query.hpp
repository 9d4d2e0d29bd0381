// Rewrites a row-wise query such that no row can make it fail: a value whose computation fails is missing in its row.
// Proof: docs/proofs/row_wise_queries.md, claim 2
#pragma once

#include <string>
#include <vector>

#include "source/engine/engine.hpp"
#include "source/engine/sql_tree.hpp"
#include "source/files/columns.hpp"

namespace fractile::source_detail {

/// The text of the query with TRY around each value of its lists, each condition of a WHERE and each operand of AND and OR, at
/// every depth. `tree` must have passed require_row_wise() and require_bounded_work(). `columns`: the columns of its result, which
/// do not change. Throws EngineFailure, and as sql_of() does.
std::string total_query(const Session& connection, const SqlTree& tree, const std::vector<Column>& columns);

}  // namespace fractile::source_detail
