// Turns words into which table is read, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/publication.hpp"
#include "fractile/source.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// What `sql_stability` declares; nothing if it is not given.
std::optional<std::uint32_t> sql_stability(const Typed& typed);

/// Reads FILE and the options of input. With `in_memory`, the records are in memory, and no option may describe a file. Throws `usage` for
/// impossible options.
TableOptions table_of(const Typed& typed, bool in_memory);

/// Reads what the machine may use for reading: `threads`, `memory` and `duckdb`. None of these options changes a result.
void read_with_machine(const Typed& typed, TableOptions& options);

/// The address that `postgres` names; "" if it is not given. With `postgres`, throws `usage` for options that describe a file, for persons
/// or groups together with `sql_stability`, and when `sql` is missing.
std::string postgres_of(const Typed& typed);

/// Reads `missing`.
std::vector<std::string> missing_of(const Typed& typed);
/// Reads `unreadable`. Returns nothing if it is not given.
std::optional<Unreadable> unreadable_of(const Typed& typed);
/// Reads `null`.
NullPolicy null_policy_of(const Typed& typed);

/// The name that messages use for the records that are read.
std::string input_name(const Typed& typed);

/// The columns, as `fractile columns` shows them. With `check`, all records are read, too. Throws `usage` when a ledger is named, because
/// the contents of cells may not appear next to releases that a budget pays for.
std::vector<TableColumn> columns_of(const Typed& typed, Attendant& attendant);

}  // namespace fractile::requests
