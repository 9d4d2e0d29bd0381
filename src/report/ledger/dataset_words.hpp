// What a dataset in a ledger asks of releases, in words.
#pragma once

#include "fractile/error.hpp"
#include "fractile/ledger.hpp"

namespace fractile {

/// What a dataset pins, as the fields of a release that keeps to it; empty when it pins nothing.
Words pins_in_words(const LedgerDataset& dataset);

/// What a dataset permits beyond that: "--public-rows, --sql-stability 3 or more"; empty when it permits nothing.
Words permissions_in_words(const LedgerDataset& dataset);

}  // namespace fractile
