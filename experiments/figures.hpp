// What a figure shows, in the types of the room that draws it.
#pragma once

#include "figures/figures.hpp"

namespace fractile::experiments {

using figures::Axis;
using figures::Figure;
using figures::Line;
using figures::Panel;
using figures::Point;

}  // namespace fractile::experiments
