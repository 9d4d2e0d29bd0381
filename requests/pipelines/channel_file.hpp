// Reads a channel from a CSV file in the form that `fractile flow channel` prints: a column of secrets, then one column per observation.
#pragma once

#include <string>

#include "fractile/flow.hpp"

namespace fractile::requests {

/// Throws `data` when the file cannot be read or is not a channel; the error names the file and, if possible, the line.
flow::Channel read_channel(const std::string& name);

}  // namespace fractile::requests
