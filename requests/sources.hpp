// What a ledger calls tables and receipts, so that one has one name in every folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/source.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// What `table` names. Throws `usage` for one without =.
std::vector<NamedTable> named_tables(const Typed& typed);

/// What `source` of fractile ledger init pins: with a slash the canonical path of a file, a folder or a pattern, or of several with commas
/// between, as releases of them have it; otherwise a name. Throws `usage` when it could be taken for the other.
std::string source_to_pin(const Typed& typed);

/// What `table` of fractile ledger init declares: the canonical paths of the files, in order, with commas between them. Throws `usage` for
/// one that is not there.
std::string tables_to_pin(const Typed& typed);

struct Warning {
  Words what;
  Words hint;
};

/// A warning that the last line of a text file has no end, so that its record may be cut off. For the owner alone: it may be up to
/// the last record. Nothing if the line has an end, or if the file's name and last byte cannot show whether it has one.
std::optional<Warning> open_end_of(const std::string& file);

/// Throws `usage` when the file that an option names is one that is read: FILE, a table, a profile file or the ledger.
void require_no_input(const Typed& typed, const char* field);

}  // namespace fractile::requests
