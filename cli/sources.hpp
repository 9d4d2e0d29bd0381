// What a ledger calls tables and receipts, so that one has one name in every folder.
#pragma once

#include <string>

#include "options.hpp"

namespace fractile::cli {

/// What a release reads: the name that --source declares, or the canonical path of FILE. "" when nothing is known, as of
/// standard input, of a pipe, and of a query's result without FILE. Error(usage) when --source is a path.
std::string source_read(const Typed& typed);

/// What --source of fractile ledger init pins: with a slash the canonical path of a file, otherwise a name. Error(usage) when
/// it could be taken for the other.
std::string source_to_pin(const Typed& typed);

/// The path of a file that may not be there yet, in a folder that is: absolute, without links and dots.
std::string canonical_new_file(const std::string& path);

}  // namespace fractile::cli
