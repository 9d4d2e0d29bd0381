// Rewrites qualified column names, and joins with ON v.id = p.id, in the form that PersonQuery accepts: unqualified names, and
// USING (id), wherever that means the same.
// Proof: docs/proofs/one_value_per_person.md
#pragma once

#include <functional>
#include <string>

#include "source/engine/engine.hpp"
#include "source/engine/sql_tree.hpp"

namespace fractile::source_detail {

/// Whether an entry of FROM that is not a join has a column of this name, which is in lower case.
using HasColumn = std::function<bool(const SqlNode& from, const std::string& name)>;

/// The query `sql` of this tree in that form. Returns it unchanged if none of its SELECTs has a GROUP BY, or if nothing can be
/// rewritten. Throws EngineFailure.
std::string with_plain_names(const Session& connection, const SqlTree& tree, const std::string& sql,
                             const HasColumn& has_column);

}  // namespace fractile::source_detail
