// A channel in a CSV file, as `fractile flow channel` prints it: a column of secrets, then one per observation.
#pragma once

#include <string>

#include "fractile/flow.hpp"

namespace fractile::requests {

/// Throws `data` when the file cannot be read or is not what it should be: names the file, and where it can the line.
flow::Channel read_channel(const std::string& name);

}  // namespace fractile::requests
