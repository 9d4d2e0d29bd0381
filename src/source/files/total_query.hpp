// A row-wise query, so written that nothing of a row can end it: what fails in a row is missing there.
// Proof: docs/proofs/row_wise_queries.md, claim 2
#pragma once

#include <string>
#include <vector>

#include "source/engine/engine.hpp"
#include "source/engine/sql_tree.hpp"
#include "source/files/columns.hpp"

namespace fractile::source_detail {

/// The text of the query in which TRY stands around each value of its lists, each condition of a WHERE and each operand of AND and OR,
/// at every depth. `tree`: one that require_row_wise() and require_bounded_work() have seen; `columns`: those of its result, which are
/// the same then. Throws EngineFailure, and as sql_of().
std::string total_query(const Connection& connection, const SqlTree& tree, const std::vector<Column>& columns);

}  // namespace fractile::source_detail
