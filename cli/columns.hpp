// The verb columns.
#pragma once

#include "requests/typed.hpp"

namespace fractile::cli {

int run_columns(const requests::Typed& typed);

}  // namespace fractile::cli
