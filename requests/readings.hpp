// What the owner of a dataset says of how its releases are read.
#pragma once

#include <string>

#include "fractile/ledger.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// What fractile ledger init declares, beside persons and source.
LedgerReading reading_to_declare(const Typed& typed);

/// Throws `usage` unless the dataset of the ledger that `ledger` names declares a file of keys with these contents.
void require_declared_keys(const Typed& typed, const std::string& contents);

}  // namespace fractile::requests
