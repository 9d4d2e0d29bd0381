// Budgets as people write them.
#pragma once

#include <string>

#include "fractile/exact.hpp"

namespace fractile::report_detail {

/// Writes "0.25" where to_string() writes "1/4".
std::string with_decimals(const Exponent& epsilon);

}  // namespace fractile::report_detail
