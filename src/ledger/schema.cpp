#include "ledger/schema.hpp"

#include <fmt/core.h>

#include <array>
#include <set>
#include <vector>

#include "fractile/ledger.hpp"

namespace fractile::ledger_detail {
namespace {

constexpr std::array tables{
    "CREATE TABLE datasets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL, "
    "neighbors TEXT NOT NULL, measure TEXT NOT NULL, epsilon TEXT, rho TEXT, delta TEXT) STRICT",
    "CREATE TABLE entries (id INTEGER PRIMARY KEY, dataset INTEGER NOT NULL REFERENCES datasets, query TEXT NOT NULL, "
    "receipt_path TEXT NOT NULL, measure TEXT NOT NULL, epsilon TEXT, rho TEXT, delta TEXT, charged_rho TEXT) STRICT",
    "CREATE TABLE events (id INTEGER PRIMARY KEY, time TEXT NOT NULL, "
    "kind TEXT NOT NULL CHECK (kind IN ('dataset', 'reserve', 'commit', 'void')), "
    "dataset INTEGER REFERENCES datasets, entry INTEGER REFERENCES entries, receipt_sha256 TEXT, reason TEXT, "
    "hash TEXT NOT NULL, CHECK ((dataset IS NULL) = (kind != 'dataset')), "
    "CHECK ((entry IS NULL) = (kind = 'dataset'))) STRICT",
    "CREATE INDEX entries_of ON entries (dataset)",
    "CREATE UNIQUE INDEX added ON events (dataset) WHERE kind = 'dataset'",
    "CREATE UNIQUE INDEX reserved ON events (entry) WHERE kind = 'reserve'",
    "CREATE UNIQUE INDEX settled ON events (entry) WHERE kind IN ('commit', 'void')",
};

/// Of format 1; format 0, which preceded the first release, kept of receipts only the hashes.
constexpr const char* receipts =
    "CREATE TABLE receipts (entry INTEGER PRIMARY KEY REFERENCES entries, text TEXT NOT NULL) STRICT";

std::vector<std::string> append_only(const std::string& table) {
  std::vector<std::string> triggers;
  triggers.reserve(2);
  for (const auto& [verb, name] : {std::pair{"UPDATE", "kept"}, std::pair{"DELETE", "held"}}) {
    triggers.push_back(
        fmt::format("CREATE TRIGGER {}_{} BEFORE {} ON {} BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END", table,
                    name, verb, table));
  }
  return triggers;
}

std::vector<std::string> with_triggers(std::vector<std::string> statements, std::initializer_list<const char*> names) {
  for (const char* table : names) {
    for (std::string& trigger : append_only(table)) statements.push_back(std::move(trigger));
  }
  return statements;
}

std::vector<std::string> format_0() {
  return with_triggers({tables.begin(), tables.end()}, {"datasets", "entries", "events"});
}

std::vector<std::string> from_0_to_1() { return with_triggers({receipts}, {"receipts"}); }

void run_all(const Connection& connection, const std::vector<std::string>& statements) {
  for (const std::string& statement : statements) connection.run(statement);
}

std::int64_t version_of(const Connection& connection) { return connection.number("PRAGMA user_version"); }

bool is_empty(const Connection& connection) {
  return connection.number("PRAGMA application_id") == 0 && version_of(connection) == 0 &&
         connection.number("SELECT count(*) FROM sqlite_schema") == 0;
}

void migrate(const Connection& connection) {
  if (version_of(connection) == 0) run_all(connection, from_0_to_1());
  connection.run(fmt::format("PRAGMA user_version = {}", Ledger::format));
}

void create(const Connection& connection) {
  connection.run(fmt::format("PRAGMA application_id = {}", application_id));
  run_all(connection, format_0());
  migrate(connection);
}

/// Before anything is written: of a file that something else made, or made later.
void require_known(const Connection& connection) {
  if (connection.number("PRAGMA application_id") != application_id) {
    throw Error(ErrorCode::ledger, fmt::format("'{}' is not a ledger", connection.path()),
                "name the file that fractile ledger init made");
  }
  const std::int64_t version = version_of(connection);
  if (version >= 0 && version <= Ledger::format) return;
  throw Error(ErrorCode::ledger,
              fmt::format("the ledger '{}' is of format {}, and this program knows formats up to {}", connection.path(),
                          version, Ledger::format),
              "use the newer fractile that wrote it");
}

[[noreturn]] void refuse_to_create(const std::string& path) {
  throw Error(ErrorCode::usage, fmt::format("there is something at '{}' already", path),
              "choose another name; datasets are added to a ledger that exists");
}

/// Concurrent readers then never wait. Where that is not to be had now, because others are at work, a ledger is as safe.
void use_write_ahead_log(const Connection& connection) {
  if (connection.text("PRAGMA journal_mode") == "wal") return;
  try {
    connection.run("PRAGMA journal_mode = WAL");
  } catch (const Error&) {
  }
}

}  // namespace

void prepare(const Connection& connection, Wanted wanted) {
  const bool fresh = is_empty(connection) && wanted != Wanted::existing;
  if (!fresh && wanted == Wanted::created) refuse_to_create(connection.path());
  if (!fresh) require_known(connection);
  if (fresh || version_of(connection) < Ledger::format) {
    Transaction transaction(connection, Transaction::Kind::write);
    // Another process may have done it meanwhile.
    if (is_empty(connection)) {
      create(connection);
    } else {
      if (wanted == Wanted::created) refuse_to_create(connection.path());
      require_known(connection);
      if (version_of(connection) < Ledger::format) migrate(connection);
    }
    transaction.commit();
  }
  require_schema(connection);
  use_write_ahead_log(connection);
}

void require_schema(const Connection& connection) {
  const std::vector<std::string> first = format_0();
  std::set<std::string> wanted(first.begin(), first.end());
  for (std::string& statement : from_0_to_1()) wanted.insert(std::move(statement));
  std::set<std::string> found;
  Statement statement(connection, "SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'");
  while (statement.step()) found.insert(statement.text(0));
  if (found == wanted) return;
  throw Error(ErrorCode::ledger,
              fmt::format("the ledger '{}' does not have the tables of format {}", connection.path(), Ledger::format),
              "something else changed it; restore it from a copy");
}

}  // namespace fractile::ledger_detail
