// The format of a ledger in a PostgreSQL database: the schema `fractile`. docs/ledger.md describes it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "libraries/postgres.hpp"

namespace fractile::ledger_detail {

/// The statements that create the schema.
std::string postgres_schema();

/// The format of the ledger in a database; -1 when it has none.
std::int64_t postgres_format(postgres::Connection& connection);

/// Whether tables, columns, keys, triggers and policies are those of a format.
bool has_postgres_schema(postgres::Connection& connection, std::int64_t format);

/// The statements that migrate the tables of an older format to today's format. `questions` has, by the ids of entries, the digests by
/// which their queries are found.
std::string postgres_migration(const std::map<std::int64_t, std::string>& questions);

}  // namespace fractile::ledger_detail
