// The format of a ledger in a PostgreSQL database: the schema `fractile`. Described in docs/ledger.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "libraries/postgres.hpp"

namespace fractile::ledger_detail {

/// The statements that make it.
std::string postgres_schema();

/// The format of the ledger in a database; -1 when it has none.
std::int64_t postgres_format(postgres::Connection& connection);

/// Whether tables, columns, keys, triggers and policies are those of a format.
bool has_postgres_schema(postgres::Connection& connection, std::int64_t format);

/// The statements that make the tables of an older format those of today's, of which `questions` is a part: by what the entries'
/// queries are found.
std::string postgres_migration(const std::map<std::int64_t, std::string>& questions);

}  // namespace fractile::ledger_detail
