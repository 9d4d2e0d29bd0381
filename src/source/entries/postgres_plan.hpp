// The second fence around what a server does for a row-wise query: its own plan. Shares nothing with what wrote the statement.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace fractile::source_detail {

/// What the plan of a statement may name.
struct PlainNames {
  std::set<std::pair<std::string, std::string>> tables;  ///< schema and name
  std::set<std::string> columns;
};

/// Throws `usage` unless EXPLAIN (VERBOSE, FORMAT JSON) gave this, and it has scans of these tables alone, put one
/// after another, which give their columns as they are, or NULL for a text that is too long. Anything else, known or not, is
/// refused.
void require_plain_plan(std::string_view explained, const PlainNames& names);

}  // namespace fractile::source_detail
