// The requirement on every bound, step and candidate: a finite decimal.
#pragma once

#include <string>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"

namespace fractile {

/// Throws `usage` unless the decimal expansion ends.
inline void require_decimal(const Rational& value, const char* what) {
  if (value.is_decimal()) return;
  throw Error(ErrorCode::usage, std::string(what) + " " + value.to_string() + " has no finite decimal expansion",
              "write a decimal such as 0.05");
}

}  // namespace fractile
