// Budgets as people write them.
#pragma once

#include <string>

#include "fractile/exact.hpp"

namespace fractile::report_detail {

/// "0.25" where to_string() has "1/4".
std::string with_decimals(const Exponent& epsilon);

}  // namespace fractile::report_detail
