// Requests for the tests of audits by name.
#pragma once

#include <cstdint>
#include <string>

#include "fractile/planning.hpp"

namespace fractile {

inline AuditRequest request(const std::string& mechanism, int records, std::uint64_t values,
                            const char* epsilon = "1") {
  return {mechanism, records, values, Budget::pure(Exponent::parse(epsilon))};
}

}  // namespace fractile
