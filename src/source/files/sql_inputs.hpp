// What a query reads: only tables that options name and, for records without a schema, only the keys that the query names. The
// engine's parse tree of the query decides both, before anything is read.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "source/engine/sql_tree.hpp"

namespace fractile::source_detail {

/// Throws `usage` unless the query only reads some of these tables (names in lower case) and its own WITH tables: no file, no
/// catalog, and no table function except unnest, range and generate_series.
void require_named_tables(const SqlTree& tree, const std::set<std::string>& tables);

/// The columns of `table` (in lower case) that the query names, in the order in which they occur, spelled as in the query. Throws
/// `usage` for *, for names that differ only in letter case, for a name that could be a column or an alias of the same SELECT, and
/// in joins for a name without its table.
std::vector<std::string> named_columns(const SqlTree& tree, const std::string& table);

/// Every name in the query that may be a column of some table, spelled as in the query; it includes names of tables and other
/// names.
std::set<std::string> mentioned_columns(const SqlTree& tree);

/// The columns that the query reads, in lower case. Nothing if it may read a column that it does not name: by *, or by a table's name.
/// `has_column`: whether some table has a column of this name, in any case.
std::optional<std::set<std::string>> columns_named_alone(const SqlTree& tree,
                                                         const std::function<bool(const std::string&)>& has_column);

}  // namespace fractile::source_detail
