// What to type when a column is of a type that is no number.
#pragma once

#include <string>

#include "source/files/columns.hpp"

namespace fractile::source_detail {

/// An example of --sql that makes numbers of this column, under its own name; each is tried in tests/cli/hints_test.py.
std::string conversion_hint(const Column& column);

}  // namespace fractile::source_detail
