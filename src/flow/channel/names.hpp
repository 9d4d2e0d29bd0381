// What secrets, observations and actions are called.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fractile/exact.hpp"

namespace fractile::flow {

/// 0, 1, ..., count - 1.
inline std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

inline std::vector<std::string> names_of(const std::vector<Rational>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const Rational& value : values) names.push_back(value.to_string());
  return names;
}

}  // namespace fractile::flow
