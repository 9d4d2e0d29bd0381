// The names that a ledger uses for tables and receipts. A file has the same name, whatever the working folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/source.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// The tables that `table` names. Throws `usage` for a text without =.
std::vector<NamedTable> named_tables(const Typed& typed);

/// What `source` of fractile ledger init pins. A text with a slash names a file, a folder or a pattern, or several with commas between
/// them; the result has their canonical paths, in the form in which releases name them. A text without a slash is a name. Throws `usage`
/// for a name that is also a file's, and for a path that leads to no file.
std::string source_to_pin(const Typed& typed);

/// What `table` of fractile ledger init declares: the canonical paths of the files in sorted order, with commas between them; NAME=PATH
/// each where the stability of a query is declared, too. Throws `usage` for a file that is not there.
std::string tables_to_pin(const Typed& typed);

struct Warning {
  Words what;
  Words hint;
};

/// A warning that the last line of a text file has no line end, so its record may be cut off. Only the owner may see the warning, because
/// it may depend on the last record. Returns nothing if the line has an end, or if the file's name and last byte do not show whether it has
/// one.
std::optional<Warning> open_end_of(const std::string& file);

/// Throws `usage` when the file that an option names is also read as FILE, a table, a profile file or the ledger.
void require_no_input(const Typed& typed, const char* field);

}  // namespace fractile::requests
