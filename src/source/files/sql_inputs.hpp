// What a query reads: only tables that options name, and of records without a schema only the keys that the query names. Both are
// decided on the query's text, by the engine's parse tree, before anything is read.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "source/engine/sql_tree.hpp"

namespace fractile::source_detail {

/// Throws `usage` unless the query reads some of these tables (names in small letters), its own WITH tables, and nothing else: no file,
/// no catalog, no table function but unnest, range and generate_series.
void require_named_tables(const SqlTree& tree, const std::set<std::string>& tables);

/// The columns of `table` (in small letters) that the query names, in the order in which they occur, spelled as in the query.
/// Throws `usage` for *, for names that differ only in letter case, for a name that could be a column or an alias of the same
/// SELECT, and in joins for a name without its table.
std::vector<std::string> named_columns(const SqlTree& tree, const std::string& table);

/// Every name by which the query may call a column, of whatever table, spelled as there; names of tables and others are among them.
std::set<std::string> mentioned_columns(const SqlTree& tree);

}  // namespace fractile::source_detail
