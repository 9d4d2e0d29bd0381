// The format of a ledger in a PostgreSQL database: the schema `fractile`. Described in docs/ledger.md.
#pragma once

#include <cstdint>
#include <string>

#include "libraries/postgres.hpp"

namespace fractile::ledger_detail {

/// The statements that make it.
std::string postgres_schema();

/// Of the ledger in a database, -1 when it has none.
std::int64_t postgres_format(postgres::Connection& connection);

/// Whether tables, columns, keys, triggers and policies are those of the format.
bool has_postgres_schema(postgres::Connection& connection);

}  // namespace fractile::ledger_detail
