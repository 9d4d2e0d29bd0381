// The second check of what a server does for a row-wise query: the server's own plan. Shares no code with what wrote the statement.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace fractile::source_detail {

/// The names that the plan of a statement may contain.
struct PlainNames {
  std::set<std::pair<std::string, std::string>> tables;  ///< schema and name
  std::set<std::string> columns;
};

/// Throws `usage` unless `explained` is the output of EXPLAIN (VERBOSE, FORMAT JSON), and the plan only has scans of these tables,
/// one after another, that return their columns as they are, or NULL for a text that is too long. Everything else is refused, known
/// or not.
void require_plain_plan(std::string_view explained, const PlainNames& names);

}  // namespace fractile::source_detail
