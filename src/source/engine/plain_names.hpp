// Columns that are named with their table's name, and joins that say ON v.id = p.id, in the words in which PersonQuery judges them: names
// alone, and USING (id), wherever that means the same.
// Proof: docs/proofs/one_value_per_person.md
#pragma once

#include <functional>
#include <string>

#include "source/engine/engine.hpp"
#include "source/engine/sql_tree.hpp"

namespace fractile::source_detail {

/// Whether what stands in FROM, and is no join, has a column of this name, which is in small letters.
using HasColumn = std::function<bool(const SqlNode& from, const std::string& name)>;

/// The query `sql` of this tree in such words; as it is where none of its SELECTs has a GROUP BY, or where nothing can be said so. Throws
/// EngineFailure.
std::string with_plain_names(const Connection& connection, const SqlTree& tree, const std::string& sql,
                             const HasColumn& has_column);

}  // namespace fractile::source_detail
