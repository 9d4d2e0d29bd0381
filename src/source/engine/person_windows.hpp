// Windows over each person's records, in other words: what sum(x) OVER (PARTITION BY id) makes is joined to the records,
// FROM (SELECT * FROM visits) JOIN (SELECT id, sum(x) ... GROUP BY id) USING (id), which person_query knows.
// Proof: docs/proofs/one_value_per_person.md
#pragma once

#include <string>

#include "source/engine/engine.hpp"
#include "source/engine/sql_tree.hpp"

namespace fractile::source_detail {

/// The query with such joins in place of its windows, wherever a SELECT with a GROUP BY reads them, they are of aggregates, and what they are
/// made for is one column, named alone, without an order or a frame. Other windows stay, for those who judge the query. `sql`, which `tree` is
/// read from, where nothing changes. Throws EngineFailure.
std::string without_windows_of_persons(const Connection& connection, const SqlTree& tree, const std::string& sql);

}  // namespace fractile::source_detail
