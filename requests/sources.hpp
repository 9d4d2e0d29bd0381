// What a ledger calls tables and receipts, so that one has one name in every folder.
#pragma once

#include <string>
#include <vector>

#include "fractile/source.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// What `table` names. Error(usage) for one without =.
std::vector<NamedTable> named_tables(const Typed& typed);

/// Their files by canonical paths, where they have one.
std::vector<NamedTable> with_canonical_paths(std::vector<NamedTable> tables);

/// What a release reads: the name that `source` declares, or the canonical path of FILE. "" when nothing is known, as of
/// standard input and of a pipe, also behind a `table`. Without FILE: the paths of the tables. Error(usage) when `source` is a path.
std::string source_read(const Typed& typed);

/// What `source` of fractile ledger init pins: with a slash the canonical path of a file, otherwise a name. Error(usage) when
/// it could be taken for the other.
std::string source_to_pin(const Typed& typed);

/// The path of a file that may not be there yet, in a folder that is: absolute, without links and dots.
std::string canonical_new_file(const std::string& path);

}  // namespace fractile::requests
