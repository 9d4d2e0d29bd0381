// Turns words into what the owner of a dataset declares about how its releases are read.
#pragma once

#include <string>

#include "fractile/ledger.hpp"
#include "fractile/publication.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// What fractile ledger init declares, except persons and the source.
LedgerReading reading_to_declare(const Typed& typed);

/// Throws `usage` unless the dataset that pays declares a file of keys with exactly these contents.
void require_declared_keys(const Payment& payment, const std::string& contents);

}  // namespace fractile::requests
