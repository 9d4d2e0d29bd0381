// The verbs count and merge.
#pragma once

#include "requests/typed.hpp"

namespace fractile::cli {

int run_count(const requests::Typed& typed);
int run_merge(const requests::Typed& typed);

}  // namespace fractile::cli
