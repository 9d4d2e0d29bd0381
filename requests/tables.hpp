// Which table is read, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/publication.hpp"
#include "fractile/source.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// What `sql_stability` declares; nothing without it.
std::optional<std::uint32_t> sql_stability(const Typed& typed);

/// FILE, and the options of input. `in_memory`: the records are in memory, so that no option may describe a file. Throws `usage`
/// for what cannot be.
TableOptions table_of(const Typed& typed, bool in_memory);

/// What the machine may use for reading: `threads`, `memory`, `duckdb`. None of them changes a number.
void read_with_machine(const Typed& typed, TableOptions& options);

/// The address that `postgres` names; "" without it. Throws `usage` for options that describe a file, persons or groups.
std::string postgres_of(const Typed& typed);

/// `missing`.
std::vector<std::string> missing_of(const Typed& typed);
/// `unreadable`; nothing without it.
std::optional<Unreadable> unreadable_of(const Typed& typed);
/// `null`.
NullPolicy null_policy_of(const Typed& typed);

/// How messages call what is read.
std::string input_name(const Typed& typed);

/// What `fractile columns` shows: the columns; with `check` all records are read, too. Throws `usage` where a ledger is named: what is in
/// cells may not stand near what is paid for.
std::vector<TableColumn> columns_of(const Typed& typed, Attendant& attendant);

}  // namespace fractile::requests
