// What secrets, observations and actions are called.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exact/lists.hpp"
#include "fractile/exact.hpp"

namespace fractile::flow {

/// 0, 1, ..., count - 1.
inline std::vector<std::string> numbered(std::size_t count) {
  return tabulated(count, [&](std::size_t i) { return std::to_string(i); });
}

inline std::vector<std::string> names_of(const std::vector<Rational>& values) {
  return mapped(values, [](const Rational& value) { return value.to_string(); });
}

}  // namespace fractile::flow
