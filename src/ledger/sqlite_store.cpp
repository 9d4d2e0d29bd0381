// The store of one machine: an SQLite file.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "fractile/error.hpp"
#include "ledger/sqlite.hpp"
#include "ledger/sqlite_log.hpp"
#include "ledger/sqlite_room.hpp"
#include "ledger/sqlite_schema.hpp"
#include "ledger/store.hpp"
#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

void require_there(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::exists(path, failed)) return;
  if (failed) {
    throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' cannot be opened: {}", path, failed.message()),
                "check the path, and that its folder may be entered");
  }
  refuse_missing(path, "path");
}

/// Throws `ledger` for a pipe, a device or a socket. SQLite would open it and then fail for another reason.
void require_file(const std::string& path) {
  struct stat there {};
  if (stat(path.c_str(), &there) != 0 || S_ISREG(there.st_mode) || S_ISDIR(there.st_mode)) return;
  throw Error(ErrorCode::ledger, fmt::format("'{}' is not a ledger, since it is not a file", path),
              "name the file that fractile ledger init made");
}

[[noreturn]] void cannot_create(const std::string& path) {
  throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' cannot be created: {}", path, std::strerror(errno)),
              "choose a folder that exists and that you may write to");
}

/// Makes a new ledger, which gets its name only when it is whole. Only the file's owner may read it, since it holds queries, paths and
/// releases. Does nothing when something of this name exists.
void make_new(const std::string& path, const Waiting& waiting) {
  std::string unfinished = path + ".XXXXXX";
  const int file = mkstemp(unfinished.data());
  if (file < 0) cannot_create(path);
  close(file);
  try {
    const Database connection(unfinished, Database::Access::existing, waiting);
    prepare(connection, Wanted::created);
  } catch (...) {
    unlink(unfinished.c_str());
    throw;
  }
  if (renameat2(AT_FDCWD, unfinished.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) return;
  const int reason = errno;
  unlink(unfinished.c_str());
  errno = reason;
  if (reason != EEXIST) cannot_create(path);
}

/// Throws `usage` if the new ledger, or a file that is there, would be deleted or replayed as a file that SQLite keeps for a database.
void require_room_beside(const std::string& path) {
  require_no_companion(path, "ledger");
  struct stat there {};
  for (const char* const ending : companions) {
    if (lstat((path + ending).c_str(), &there) != 0) continue;
    if (lstat(path.c_str(), &there) == 0) return;  // another process has made this ledger, and writes it
    throw Error(
        ErrorCode::usage,
        fmt::format("'{}{}' is there, and the ledger '{}' would take it for a file of its own", path, ending, path),
        "move that file away, or choose another name");
  }
}

/// Makes a ledger if nothing exists at the path. Throws `usage` when `wanted` is `created` and something exists, and for an empty file.
void make_if_missing(const std::string& path, Wanted wanted, const Waiting& waiting) {
  struct stat there {};
  const bool is_there = lstat(path.c_str(), &there) == 0;
  if (is_there && S_ISREG(there.st_mode) && there.st_size == 0) {
    throw Error(ErrorCode::usage, fmt::format("'{}' is an empty file, and no ledger", path),
                "remove it if it is yours and nothing else uses it, or choose another name");
  }
  if (is_there && wanted == Wanted::created) refuse_existing(path, "name");
  if (is_there) return;
  require_room_beside(path);
  make_new(path, waiting);
}

/// The statement that reads a table; `indexed` is "NOT INDEXED" for Store::scan and "" for lookups.
std::string select_in_file(Table table, std::int64_t format, const std::string& indexed) {
  switch (table) {
    case Table::datasets:
      return fmt::format(
          "SELECT d.id, d.name, d.unit, d.neighbors, d.measure, d.epsilon, d.rho, d.delta, {}, {} "
          "FROM datasets d {} {}",
          format >= 2 ? "p.person, p.records_per_person, p.source" : "NULL, NULL, NULL",
          format >= 3 ? "p.reading" : "NULL", indexed, format >= 2 ? "LEFT JOIN pins p ON p.dataset = d.id" : "");
    case Table::entries:
      return fmt::format(
          "SELECT id, dataset, query, receipt_path, measure, epsilon, rho, delta, charged_rho, {} FROM entries {}",
          format >= 3 ? "source, person, records_per_person, reading, nonce, question"
                      : "NULL, NULL, NULL, NULL, NULL, NULL",
          indexed);
    case Table::events:
      return fmt::format(
          "SELECT id, time, kind, receipt_sha256, reason, coalesce(dataset, entry), hash, {} FROM events {}",
          format >= 3 ? "sums" : "NULL", indexed);
    case Table::receipts:
      return "SELECT entry, text FROM receipts " + indexed;
  }
  return {};
}

const char* id_in_file(Table table) {
  return table == Table::datasets ? "d.id" : table == Table::receipts ? "entry" : "id";
}

/// The conditions of lookups. "+id" keeps SQLite from scanning the table in the order of ids instead of using the index.
const char* where_in_file(Lookup by) {
  switch (by) {
    case Lookup::question:
      return "question = ?1 ORDER BY +id DESC";
    case Lookup::source:
      return "dataset = CAST(?1 AS INTEGER) AND source = ?2 ORDER BY id";
    case Lookup::receipt_path:
      return "receipt_path = ?1 AND receipt_path <> '' ORDER BY +id DESC";
  }
  return "";
}

Fields fields_of_row(const Statement& row) {
  Fields fields(static_cast<std::size_t>(row.columns()));
  for (int column = 0; column < row.columns(); ++column) {
    if (!row.is_null(column)) fields[static_cast<std::size_t>(column)] = row.text(column);
  }
  return fields;
}

std::optional<Fields> first_of_rows(Statement row) {
  if (!row.step()) return {};
  return fields_of_row(row);
}

class SqliteStore final : public Store {
 public:
  SqliteStore(const std::string& path, Wanted wanted, const Waiting& waiting)
      : waiting_(waiting),
        connection_(path, wanted == Wanted::reading ? Database::Access::reading : Database::Access::existing, waiting) {
    if (wanted == Wanted::reading) {
      require_ledger(connection_);
    } else {
      prepare(connection_, Wanted::existing);
    }
  }

  const std::string& name() const override { return connection_.path(); }

  void read(const std::function<void()>& look) const override {
    const Transaction snapshot(connection_, Transaction::Kind::read);
    look();
    connection_.require_unchanged();
  }

  /// On a full disk, a change of a charged release uses the room that was reserved for it, and then waits for more. While too many files
  /// are open, it closes that of the room, and then waits.
  void write(const std::function<void()>& change) const override {
    const auto start = std::chrono::steady_clock::now();
    std::chrono::seconds last_told{0};
    for (;;) {
      try {
        return write_now(change);
      } catch (const DiskFull&) {
        if (waiting_.until == Waiting::Until::patience) throw;
        const bool is_kept = room_.has_value();
        room_.reset();
        if (is_kept) continue;
        const auto waited = std::chrono::steady_clock::now() - start;
        if (!waiting_.goes_on(std::chrono::duration_cast<std::chrono::milliseconds>(waited), last_told)) throw;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  void wait(Waiting::Until until) const override {
    waiting_.until = until;
    connection_.wait(until);
  }
  void take_room(std::uint64_t receipt_size) const override { room_.emplace(name(), receipt_size); }
  void give_room_back() const override { room_.reset(); }
  void require_rights() const override {}  // a reservation needs all rights that later changes need

  std::int64_t format() const override { return format_of(connection_); }

  void scan(Table table, const std::function<void(const Fields&)>& visit) const override {
    if (table == Table::receipts && format() < 1) return;
    Statement rows(connection_, select_in_file(table, format(), "NOT INDEXED") + " ORDER BY " + id_in_file(table));
    while (rows.step()) visit(fields_of_row(rows));
  }

  std::optional<Fields> last(Table table) const override {
    return first_of_rows(Statement(connection_, select_in_file(table, format(), "") +
                                                    fmt::format(" ORDER BY {} DESC LIMIT 1", id_in_file(table))));
  }

  std::optional<Fields> find(Table table, std::int64_t id) const override {
    Statement row(connection_, select_in_file(table, format(), "") + fmt::format(" WHERE {} = ?1", id_in_file(table)));
    row.bind(1, id);
    return first_of_rows(std::move(row));
  }

  std::optional<Fields> line(const std::string& kind, std::int64_t subject) const override {
    Statement row(connection_, select_in_file(Table::events, format(), "") + " WHERE " + lines_about(kind) + " = ?1");
    row.bind(1, subject);
    return first_of_rows(std::move(row));
  }

  std::vector<std::int64_t> find(Lookup by, const Fields& values, int most) const override {
    Statement row(connection_, fmt::format("SELECT id FROM entries WHERE {} LIMIT {}", where_in_file(by), most));
    for (std::size_t i = 0; i < values.size(); ++i) row.bind(static_cast<int>(i) + 1, values[i]);
    std::vector<std::int64_t> entries;
    while (row.step()) entries.push_back(row.number(0));
    return entries;
  }

  bool scan_for_file(std::int64_t dataset, const std::string& file) const override {
    Statement row(connection_,
                  "SELECT id FROM entries NOT INDEXED WHERE dataset = ?1 AND instr(source, ?2) > 0 LIMIT 1");
    return row.bind(1, dataset).bind(2, file).step();
  }

  void scan_from(std::int64_t line, const std::function<void(const Fields&)>& visit) const override {
    Statement rows(connection_, select_in_file(Table::events, format(), "") + " WHERE id >= ?1 ORDER BY id");
    rows.bind(1, line);
    while (rows.step()) visit(fields_of_row(rows));
  }

  std::vector<std::int64_t> receipts() const override {
    std::vector<std::int64_t> entries;
    if (format() < 1) return entries;
    Statement row(connection_, "SELECT entry FROM receipts NOT INDEXED ORDER BY entry");
    while (row.step()) entries.push_back(row.number(0));
    return entries;
  }

  std::optional<std::string> receipt(std::int64_t entry) const override {
    if (format() < 1) return {};
    Statement row(connection_, "SELECT text FROM receipts WHERE entry = ?1");
    if (!row.bind(1, entry).step()) return {};
    return row.text(0);
  }

  /// Numbers are bound as texts, which the tables' types turn into numbers.
  void append(Table table, const Fields& row) const override {
    switch (table) {
      case Table::datasets:
        insert("datasets (id, name, unit, neighbors, measure, epsilon, rho, delta)", {row.begin(), row.begin() + 8});
        insert("pins (dataset, person, records_per_person, source, reading)",
               {row[0], row[8], row[9], row[10], row[11]});
        return;
      case Table::entries:
        insert(
            "entries (id, dataset, query, receipt_path, measure, epsilon, rho, delta, charged_rho, source, person, "
            "records_per_person, reading, nonce, question)",
            row);
        return;
      case Table::events:
        last_hash_ = row[6].value_or("");
        insert(fmt::format("events (id, time, kind, receipt_sha256, reason, {}, hash, sums)",
                           row[2] == "dataset" ? "dataset" : "entry"),
               row);
        return;
      case Table::receipts:
        insert("receipts (entry, text)", row);
        return;
    }
  }

  void prove_room(std::int64_t /*entry*/, std::uint64_t /*receipt_size*/) const override {}

  void check() const override {
    const std::string pages = connection_.text("PRAGMA integrity_check(1)");
    if (pages != "ok") refuse_damaged(name(), pages);
    require_schema(connection_);
  }

 private:
  void write_now(const std::function<void()>& change) const {
    last_hash_.clear();
    Transaction transaction(connection_, Transaction::Kind::write);
    change();
    try {
      transaction.commit();
    } catch (const Error& error) {
      if (!was_committed()) throw;
      throw Unsynced(error.code(), error.what_words(), error.hint_words());
    }
  }

  /// Whether the file holds the change although its commit failed. This happens when only the folder could not be synced.
  bool was_committed() const {
    if (connection_.in_transaction() || last_hash_.empty()) return false;
    try {
      const Database again(name(), Database::Access::reading, waiting_);
      Statement line(again, "SELECT 1 FROM events WHERE hash = ?1");
      return line.bind(1, last_hash_).step();
    } catch (const Error&) {
      return false;
    }
  }

  void insert(const std::string& columns, const Fields& row) const {
    std::string values;
    for (std::size_t i = 1; i <= row.size(); ++i) values += fmt::format("{}?{}", i == 1 ? "" : ", ", i);
    Statement statement(connection_, fmt::format("INSERT INTO {} VALUES ({})", columns, values));
    for (std::size_t i = 0; i < row.size(); ++i) statement.bind(static_cast<int>(i) + 1, row[i]);
    statement.run();
  }

  mutable Waiting waiting_;
  mutable Database connection_;
  mutable std::optional<Room> room_;
  mutable std::string last_hash_;  ///< the hash of the last line that the transaction has added
};

}  // namespace

std::unique_ptr<Store> open_sqlite(const std::string& path, Wanted wanted, const Waiting& waiting) {
  if (wanted == Wanted::existing || wanted == Wanted::reading) {
    require_there(path);
  } else {
    make_if_missing(path, wanted, waiting);
  }
  require_file(path);
  require_whole_log(path);
  return std::make_unique<SqliteStore>(path, wanted, waiting);
}

}  // namespace fractile::ledger_detail
