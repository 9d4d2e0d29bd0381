// Which columns can be counted, and what to type when one can't.
#pragma once

#include <string>

#include "source/files/columns.hpp"

namespace fractile::source_detail {

/// Throws `data` unless its type is text, or one that can be counted on a lattice of this kind.
void require_countable(const Column& column, ValueKind kind, const std::string& source);

/// A query that reads this column's texts as dates in the order of 31.01.2024, under its own name.
std::string other_dates_query(const Column& column);

/// Throws `data` for a column of persons whose type tells them apart badly: NaN is none, 0.0 and -0.0 are one, and parts of a value can look
/// like another's.
void require_identifier(const Column& column, const std::string& source);

}  // namespace fractile::source_detail
