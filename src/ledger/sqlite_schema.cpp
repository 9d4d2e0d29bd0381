#include "ledger/sqlite_schema.hpp"

#include <array>
#include <map>
#include <set>
#include <vector>

#include "exact/digest.hpp"
#include "exact/lists.hpp"
#include "fractile/ledger.hpp"
#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

constexpr const char* datasets =
    "CREATE TABLE datasets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL, "
    "neighbors TEXT NOT NULL, measure TEXT NOT NULL, epsilon TEXT, rho TEXT, delta TEXT) STRICT";

/// Columns since format 3: what is read and how, the random part of the entry's token, and the digest by which its query is found.
constexpr std::array entries_since_3{"source TEXT",  "person TEXT", "records_per_person INTEGER",
                                     "reading TEXT", "nonce TEXT",  "question TEXT"};
constexpr std::array pins_since_3{"reading TEXT"};
constexpr std::array events_since_3{"sums TEXT"};

/// For example ", a TEXT, b TEXT" from format 3 on, "" before. SQLite itself writes added columns behind the others in this way.
template <class Columns>
std::string columns_since_3(std::int64_t format, const Columns& columns) {
  return joined(columns, "", [&](const char* column) { return format >= 3 ? std::string(", ") + column : ""; });
}

std::string entries(std::int64_t format) {
  return fmt::format(
      "CREATE TABLE entries (id INTEGER PRIMARY KEY, dataset INTEGER NOT NULL REFERENCES datasets, query TEXT NOT "
      "NULL, receipt_path TEXT NOT NULL, measure TEXT NOT NULL, epsilon TEXT, rho TEXT, delta TEXT, charged_rho "
      "TEXT{}) STRICT",
      columns_since_3(format, entries_since_3));
}

/// Since format 1. Format 0, which preceded the first release, kept only the hashes of receipts.
constexpr const char* receipts =
    "CREATE TABLE receipts (entry INTEGER PRIMARY KEY REFERENCES entries, text TEXT NOT NULL) STRICT";
/// Since format 2.
std::string pins(std::int64_t format) {
  return fmt::format(
      "CREATE TABLE pins (dataset INTEGER PRIMARY KEY REFERENCES datasets, person TEXT NOT NULL, "
      "records_per_person INTEGER NOT NULL, source TEXT NOT NULL{}) STRICT",
      columns_since_3(format, pins_since_3));
}

constexpr std::array indices{
    "CREATE INDEX entries_of ON entries (dataset)",
    "CREATE UNIQUE INDEX added ON events (dataset) WHERE kind = 'dataset'",
    "CREATE UNIQUE INDEX reserved ON events (entry) WHERE kind = 'reserve'",
    "CREATE UNIQUE INDEX settled ON events (entry) WHERE kind IN ('commit', 'void')",
};
/// Since format 2.
constexpr const char* drawn = "CREATE UNIQUE INDEX drawn ON events (entry) WHERE kind = 'draw'";
/// Since format 3.
constexpr std::array indices_since_3{
    "CREATE INDEX asked ON entries (question)",
    "CREATE INDEX read_as ON entries (dataset, source)",
    "CREATE INDEX promised ON entries (receipt_path) WHERE receipt_path <> ''",
};

/// Formats 0 and 1 have no lines of the kind "draw".
std::string events(std::int64_t format) {
  return fmt::format(
      "CREATE TABLE events (id INTEGER PRIMARY KEY, time TEXT NOT NULL, "
      "kind TEXT NOT NULL CHECK (kind IN ('dataset', 'reserve', {}'commit', 'void')), "
      "dataset INTEGER REFERENCES datasets, entry INTEGER REFERENCES entries, receipt_sha256 TEXT, reason TEXT, "
      "hash TEXT NOT NULL{}, CHECK ((dataset IS NULL) = (kind != 'dataset')), "
      "CHECK ((entry IS NULL) = (kind = 'dataset'))) STRICT",
      format < 2 ? "" : "'draw', ", columns_since_3(format, events_since_3));
}

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

/// The statements that make all that a file of this format has, tables first.
std::vector<std::string> schema_of(std::int64_t format) {
  std::vector<std::string> statements{datasets, entries(format), events(format)};
  std::vector<std::string> tables{"datasets", "entries", "events"};
  if (format >= 1) {
    statements.emplace_back(receipts);
    tables.emplace_back("receipts");
  }
  if (format >= 2) {
    statements.emplace_back(pins(format));
    tables.emplace_back("pins");
  }
  statements.insert(statements.end(), indices.begin(), indices.end());
  if (format >= 2) statements.emplace_back(drawn);
  if (format >= 3) statements.insert(statements.end(), indices_since_3.begin(), indices_since_3.end());
  for (const std::string& table : tables) {
    for (std::string& trigger : append_only(table)) statements.push_back(std::move(trigger));
  }
  return statements;
}

/// Whether a statement makes the table itself or something that is defined on it, as "CREATE TRIGGER t BEFORE UPDATE ON table ..." does.
bool is_about(const std::string& statement, const std::string& table) {
  return statement.find(" ON " + table + " ") != std::string::npos || statement.starts_with("CREATE TABLE " + table);
}

void run_all(const Database& connection, const std::vector<std::string>& statements) {
  for (const std::string& statement : statements) connection.run(statement);
}

/// Makes a table as a format has it, with its indices and triggers.
void create_missing(const Database& connection, const std::string& table, std::int64_t format) {
  for (const std::string& statement : schema_of(format)) {
    if (is_about(statement, table)) connection.run(statement);
  }
}

void from_0_to_1(const Database& connection) { create_missing(connection, "receipts", 1); }

/// A table's constraints cannot be changed, so the lines of the log move to a new table, each as it is.
void from_1_to_2(const Database& connection) {
  run_all(connection, {"DROP TRIGGER events_kept", "DROP TRIGGER events_held", "DROP INDEX added",
                       "DROP INDEX reserved", "DROP INDEX settled", "ALTER TABLE events RENAME TO older_events"});
  create_missing(connection, "events", 2);
  run_all(connection,
          {"INSERT INTO events SELECT * FROM older_events NOT INDEXED ORDER BY id", "DROP TABLE older_events"});
  create_missing(connection, "pins", 2);
}

/// Fills the column by which a query that was asked before is found.
void note_questions(const Database& connection) {
  std::map<std::int64_t, std::string> questions;
  Statement entry(connection, "SELECT id, query FROM entries NOT INDEXED ORDER BY id");
  while (entry.step()) questions.emplace(entry.number(0), sha256(entry.text(1)));
  for (const auto& [id, question] : questions) {
    Statement(connection, "UPDATE entries SET question = ?2 WHERE id = ?1").bind(1, id).bind(2, question).run();
  }
}

void from_2_to_3(const Database& connection) {
  const auto add = [&](const char* table, const auto& columns) {
    for (const char* column : columns) {
      connection.run(fmt::format("ALTER TABLE {} ADD COLUMN {}", table, column));
    }
  };
  add("entries", entries_since_3);
  add("pins", pins_since_3);
  add("events", events_since_3);
  connection.run("DROP TRIGGER entries_kept");
  note_questions(connection);
  run_all(connection, {indices_since_3.begin(), indices_since_3.end()});
  connection.run(append_only("entries").front());
}

bool is_empty(const Database& connection) {
  return connection.number("PRAGMA application_id") == 0 && format_of(connection) == 0 &&
         connection.number("SELECT count(*) FROM sqlite_schema") == 0;
}

void migrate(const Database& connection) {
  require_schema(connection);
  if (format_of(connection) < 1) from_0_to_1(connection);
  if (format_of(connection) < 2) from_1_to_2(connection);
  if (format_of(connection) < 3) from_2_to_3(connection);
  connection.run(fmt::format("PRAGMA user_version = {}", Ledger::format));
}

void create(const Database& connection) {
  connection.run(fmt::format("PRAGMA application_id = {}", application_id));
  run_all(connection, schema_of(Ledger::format));
  connection.run(fmt::format("PRAGMA user_version = {}", Ledger::format));
}

/// Refuses, before anything is written, a file that another program or a newer Fractile made.
void require_known(const Database& connection) {
  if (connection.number("PRAGMA application_id") != application_id) {
    throw Error(ErrorCode::ledger, fmt::format("'{}' is not a ledger", connection.path()),
                "name the file that fractile ledger init made");
  }
  const std::int64_t version = format_of(connection);
  if (version < 0 || version > Ledger::format) refuse_format(connection.path(), version);
}

/// Moves the charges from an older program's log into the file, so that the file holds all
/// charges. One changed bit in such a log silently drops charges, and without the log the file
/// cannot be read where nothing may be written. The log stays while other processes have it open.
void leave_write_ahead_log(const Database& connection) {
  if (connection.text("PRAGMA journal_mode") != "wal") return;
  try {
    connection.run("PRAGMA journal_mode = DELETE");
  } catch (const Error&) {
  }
}

}  // namespace

void prepare(const Database& connection, Wanted wanted) {
  const bool fresh = is_empty(connection) && wanted != Wanted::existing;
  if (!fresh && wanted == Wanted::created) refuse_existing(connection.path(), "name");
  if (!fresh) require_known(connection);
  if (fresh || format_of(connection) < Ledger::format) {
    Transaction transaction(connection, Transaction::Kind::write);
    // Another process may have created or migrated the ledger meanwhile.
    if (is_empty(connection)) {
      create(connection);
    } else {
      if (wanted == Wanted::created) refuse_existing(connection.path(), "name");
      require_known(connection);
      if (format_of(connection) < Ledger::format) migrate(connection);
    }
    transaction.commit();
  }
  require_schema(connection);
  leave_write_ahead_log(connection);
}

void require_ledger(const Database& connection) {
  require_known(connection);
  require_schema(connection);
}

std::int64_t format_of(const Database& connection) { return connection.number("PRAGMA user_version"); }

void require_schema(const Database& connection) {
  const std::int64_t format = format_of(connection);
  const std::vector<std::string> statements = schema_of(format);
  const std::set<std::string> wanted(statements.begin(), statements.end());
  std::set<std::string> found;
  Statement statement(connection, "SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'");
  while (statement.step()) found.insert(statement.text(0));
  if (found != wanted) refuse_tables(connection.path(), format);
}

}  // namespace fractile::ledger_detail
