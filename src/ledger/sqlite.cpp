#include "ledger/sqlite.hpp"

#include <fmt/core.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>

namespace fractile::ledger_detail {
namespace {

/// SQLite reads names such as ":memory:" and "file:x?mode=memory" as something else than files.
std::string as_file(const std::string& path) { return path.starts_with('/') ? path : "./" + path; }

Error writing_failed(const std::string& name, const std::string& reason) {
  return {ErrorCode::ledger, fmt::format("{} could not be written: {}", name, reason),
          "make room for it, and make its folder and the files of its name writable"};
}

Error failure(sqlite3* database, const std::string& path) {
  const std::string name = fmt::format("the ledger '{}'", path);
  const int system_error = sqlite3_system_errno(database);
  const std::string reason = system_error == 0 ? sqlite3_errmsg(database) : std::strerror(system_error);
  switch (sqlite3_errcode(database) & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::ledger, name + " is locked by another process", "wait until that ends, and try again"};
    case SQLITE_NOTADB:
      return {ErrorCode::ledger, fmt::format("'{}' is not a ledger", path),
              "name the file that fractile ledger init made"};
    case SQLITE_CORRUPT:
      return {ErrorCode::ledger, name + " is damaged: " + sqlite3_errmsg(database),
              "restore it from a copy, and charge again what was released since"};
    case SQLITE_CANTOPEN:
      return {ErrorCode::ledger, fmt::format("{} cannot be opened: {}", name, reason),
              "check the path, and that its folder and the files of its name may be written"};
    case SQLITE_FULL:
      return writing_failed(name, "no space left");
    case SQLITE_READONLY:
      return writing_failed(name, "it is read-only");
    case SQLITE_IOERR:
      return writing_failed(name, reason);
    default:
      return {ErrorCode::ledger, fmt::format("{} cannot be used: {}", name, sqlite3_errmsg(database)),
              "see what fractile ledger verify says of it"};
  }
}

void set_up(const Connection& connection) {
  sqlite3_db_config(connection.handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // EXTRA is FULL, and for the moment before a new file is in WAL mode also syncs the folder.
  connection.run(
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;"
      "PRAGMA synchronous = EXTRA");
}

}  // namespace

void Connection::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }
void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Connection::Connection(const std::string& path, Missing missing, std::chrono::milliseconds patience) : path_(path) {
  sqlite3* database = nullptr;
  const int create = missing == Missing::is_created ? SQLITE_OPEN_CREATE : 0;
  const int result =
      sqlite3_open_v2(as_file(path).c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | create, nullptr);
  database_.reset(database);
  if (database == nullptr) throw Error(ErrorCode::internal, "no memory for a ledger", "nothing was released");
  if (result != SQLITE_OK) fail();
  sqlite3_busy_timeout(database, static_cast<int>(patience.count()));
  if (sqlite3_db_readonly(database, "main") != 0)
    throw writing_failed(fmt::format("the ledger '{}'", path), "it is read-only");
  set_up(*this);
}

void Connection::run(const std::string& sql) const {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::int64_t Connection::number(const std::string& sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

std::string Connection::text(const std::string& sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : "";
}

std::int64_t Connection::last_id() const { return sqlite3_last_insert_rowid(handle()); }

bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }

void Connection::fail() const { throw failure(handle(), path_); }

Statement::Statement(const Connection& connection, std::string_view sql) : connection_(connection) {
  sqlite3_stmt* statement = nullptr;
  require(sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

Statement& Statement::bind(int parameter, const std::string& text) {
  require(sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t number) {
  require(sqlite3_bind_int64(statement_.get(), parameter, number));
  return *this;
}

Statement& Statement::bind(int parameter, const std::optional<std::string>& text) {
  if (text) return bind(parameter, *text);
  require(sqlite3_bind_null(statement_.get(), parameter));
  return *this;
}

bool Statement::step() {
  const int result = sqlite3_step(statement_.get());
  if (result != SQLITE_ROW && result != SQLITE_DONE) connection_.fail();
  return result == SQLITE_ROW;
}

void Statement::run() {
  while (step()) {
  }
}

int Statement::columns() const { return sqlite3_column_count(statement_.get()); }

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string Statement::text(int column) const {
  const unsigned char* const text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  std::string result(static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)), '\0');
  std::memcpy(result.data(), text, result.size());
  return result;
}

void Statement::require(int result) const {
  if (result != SQLITE_OK) connection_.fail();
}

Transaction::Transaction(const Connection& connection, Kind kind) : connection_(connection) {
  connection_.run(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (connection_.in_transaction()) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() { connection_.run("COMMIT"); }

}  // namespace fractile::ledger_detail
