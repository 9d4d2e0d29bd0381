// Shared by tests: both neighbor relations.
#pragma once

#include <array>

#include "fractile/privacy.hpp"

namespace fractile::testing {

inline constexpr std::array both_relations{Neighbors::add_remove, Neighbors::change_one};

}  // namespace fractile::testing
