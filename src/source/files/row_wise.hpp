// Whether a query makes each row of its result from one row of one table, and from nothing else: decided on the engine's parse tree,
// by lists of what is allowed. What is not known here is refused.
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

/// What to do about a query that is not row-wise: `instead`, or a declaration, which README and help describe in the same sentence.
Words declare_hint(const std::string& instead);

/// Functions that are row-wise and depend on their arguments alone, by their names in small letters, in alphabetical order.
std::span<const std::string_view> row_wise_functions();
/// Those of them that the engine defines as macros over other functions of the list.
std::span<const std::string_view> row_wise_macros();

/// What the engine has under a function's name: its types and stabilities, such as "scalar CONSISTENT" or "aggregate CONSISTENT".
using FunctionKinds = std::function<std::set<std::string>(const std::string& name)>;

/// The functions of the engine of this connection, which must outlive it; looked up in one pass when it is first asked.
FunctionKinds function_kinds(const Connection& connection);

/// What a query may name.
struct RowWiseNames {
  std::set<std::string> tables;  ///< in small letters
  /// Whether this table has a column of this name, both in small letters.
  std::function<bool(const std::string& table, const std::string& name)> has_column;
  FunctionKinds kinds;
  std::function<bool(const std::string& name)> is_short =
      {};  ///< every column of this name holds numbers or times; {}: none does
  std::function<bool(const std::string& zone)> is_zone = {};  ///< of time; {}: it is not known, and all pass
};

/// Whether what stands in FROM has a column of this name, in small letters; where that is not plain, it has none. FROM is no deeper than a
/// walk that has been there.
bool has_column(const SqlNode& from, const std::string& name, const RowWiseNames& names);

/// Throws `usage`, naming the clause, unless the query is a row-wise SELECT over one of the tables: projections, filters and
/// subqueries in FROM that are so themselves.
void require_row_wise(const SqlTree& tree, const RowWiseNames& names);

}  // namespace fractile::source_detail
