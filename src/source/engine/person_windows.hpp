// Rewrites windows over each person's records as joins: the result of sum(x) OVER (PARTITION BY id) is joined to the records, FROM
// (SELECT * FROM visits) JOIN (SELECT id, sum(x) ... GROUP BY id) USING (id), which person_query understands.
// Proof: docs/proofs/one_value_per_person.md
#pragma once

#include <string>

#include "source/engine/engine.hpp"
#include "source/engine/plain_names.hpp"
#include "source/engine/sql_tree.hpp"

namespace fractile::source_detail {

/// The query with such joins in place of its windows. A window is rewritten if a SELECT with a GROUP BY reads it, it is one of an
/// aggregate, and it is partitioned by one unqualified column, without an order or a frame. Other windows stay, for later checks.
/// Returns `sql`, which is the text of `tree`, if nothing changes. Throws `usage` if such a window, or a condition beside it, reads what
/// its own SELECT makes, and EngineFailure.
std::string without_windows_of_persons(const Session& connection, const SqlTree& tree, const std::string& sql,
                                       const HasColumn& has_column);

}  // namespace fractile::source_detail
