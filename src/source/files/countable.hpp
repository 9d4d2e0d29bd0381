// Which columns can be counted, and what to type when a column cannot.
#pragma once

#include <string>

#include "source/files/columns.hpp"

namespace fractile::source_detail {

/// Throws `data` unless the column's type is text, or can be counted on a lattice of this kind. `table`: what a query that makes numbers of
/// the column reads, for hints; the same below.
void require_countable(const Column& column, ValueKind kind, const std::string& source,
                       const std::string& table = "input");

/// A query that reads this column's texts as dates in the order of 31.01.2024, under the same name.
std::string other_dates_query(const Column& column);

/// Throws `data` for a column of persons whose type does not distinguish them reliably: floating-point numbers, for which NaN is no
/// person and 0.0 equals -0.0, and nested values, of which parts can look like another value's.
void require_identifier(const Column& column, const std::string& source, const std::string& table = "input");

}  // namespace fractile::source_detail
