// Decides, on the engine's parse tree, whether a query makes each row of its result from one row of one table and from nothing
// else. Lists say what is allowed; everything else is refused.
// Proof: docs/proofs/row_wise_queries.md
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "fractile/error.hpp"
#include "source/engine/engine.hpp"
#include "source/engine/sql_tree.hpp"

namespace fractile::source_detail {

/// The hint for a query that is not row-wise: `instead`, or a declaration, in the same sentence as in README and help.
Words declare_hint(const std::string& instead);

/// Functions that are row-wise and depend only on their arguments, by their names in lower case, in alphabetical order.
std::span<const std::string_view> row_wise_functions();
/// The listed functions that the engine defines as macros over other functions of the list.
std::span<const std::string_view> row_wise_macros();

/// From a function's name to the types and stabilities of the engine's functions of this name, such as "scalar CONSISTENT" or
/// "aggregate CONSISTENT".
using FunctionKinds = std::function<std::set<std::string>(const std::string& name)>;

/// The functions of this connection's engine. The connection must outlive the result. All functions are looked up in one pass at
/// the first call.
FunctionKinds function_kinds(const Session& connection);

/// The names that a query may use.
struct RowWiseNames {
  std::set<std::string> tables;  ///< names in lower case
  /// Whether this table has a column of this name; both names are in lower case.
  std::function<bool(const std::string& table, const std::string& name)> has_column;
  FunctionKinds kinds;
  std::function<bool(const std::string& name)> is_short =
      {};  ///< Whether every column of this name holds numbers or times; {}: no column does.
  /// Whether this is a time zone; {}: not known, and every name passes.
  std::function<bool(const std::string& zone)> is_zone = {};
};

/// Whether an entry of FROM has a column of this name, in lower case; false where that is unclear. The depth of FROM must have been
/// checked before.
bool has_column(const SqlNode& from, const std::string& name, const RowWiseNames& names);

/// Throws `usage`, naming the clause, unless the query is a row-wise SELECT over one of the tables: projections, filters, and
/// subqueries in FROM that are row-wise themselves.
void require_row_wise(const SqlTree& tree, const RowWiseNames& names);

}  // namespace fractile::source_detail
