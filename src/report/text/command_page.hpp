// Pages that say how the program makes them again.
#pragma once

#include <string>

#include "fractile/receipts.hpp"

namespace fractile {

/// The page, which then ends with this command, one line; as it is for an empty command.
WebPage with_command(WebPage page, const std::string& command);

}  // namespace fractile
