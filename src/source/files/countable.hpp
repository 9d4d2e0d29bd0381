// Which columns can be counted, and what to type when one can't.
#pragma once

#include <string>

#include "source/files/columns.hpp"

namespace fractile::source_detail {

/// Error(data) unless its type is text, or one that can be counted on a lattice of this kind.
void require_countable(const Column& column, ValueKind kind, const std::string& source);

}  // namespace fractile::source_detail
