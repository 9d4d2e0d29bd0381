#include "report/text/decimals.hpp"

namespace fractile::report_detail {

std::string with_decimals(const Exponent& epsilon) {
  const bool is_decimal = !epsilon.is_log() && epsilon.coefficient().is_decimal();
  return is_decimal ? epsilon.coefficient().to_decimal() : epsilon.to_string();
}

}  // namespace fractile::report_detail
