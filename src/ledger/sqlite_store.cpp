// The store of one machine: a file of SQLite's.
#include <fmt/core.h>

#include <filesystem>

#include "fractile/error.hpp"
#include "ledger/sqlite.hpp"
#include "ledger/sqlite_schema.hpp"
#include "ledger/store.hpp"

namespace fractile::ledger_detail {
namespace {

void require_there(const std::string& path) {
  if (std::filesystem::exists(path)) return;
  throw Error(ErrorCode::ledger, fmt::format("there is no ledger at '{}'", path),
              fmt::format("check the path, or make one: fractile ledger init {} --dataset NAME --epsilon E", path));
}

Connection::Access access_of(Wanted wanted) {
  switch (wanted) {
    case Wanted::existing:
      return Connection::Access::existing;
    case Wanted::reading:
      return Connection::Access::reading;
    case Wanted::created:
    case Wanted::either:
      return Connection::Access::created;
  }
  return Connection::Access::existing;
}

/// NOT INDEXED: see Store::scan.
std::string select(Table table, std::int64_t format) {
  switch (table) {
    case Table::datasets:
      return fmt::format(
          "SELECT d.id, d.name, d.unit, d.neighbors, d.measure, d.epsilon, d.rho, d.delta, {}, {} "
          "FROM datasets d NOT INDEXED {} ORDER BY d.id",
          format >= 2 ? "p.person, p.records_per_person, p.source" : "NULL, NULL, NULL",
          format >= 3 ? "p.reading" : "NULL", format >= 2 ? "LEFT JOIN pins p ON p.dataset = d.id" : "");
    case Table::entries:
      return fmt::format(
          "SELECT id, dataset, query, receipt_path, measure, epsilon, rho, delta, charged_rho, {} "
          "FROM entries NOT INDEXED ORDER BY id",
          format >= 3 ? "source, person, records_per_person, reading, nonce, question"
                      : "NULL, NULL, NULL, NULL, NULL, NULL");
    case Table::events:
      return fmt::format(
          "SELECT id, time, kind, receipt_sha256, reason, coalesce(dataset, entry), hash, {} "
          "FROM events NOT INDEXED ORDER BY id",
          format >= 3 ? "sums" : "NULL");
    case Table::receipts:
      return "SELECT entry, text FROM receipts NOT INDEXED ORDER BY entry";
  }
  return {};
}

class SqliteStore final : public Store {
 public:
  SqliteStore(const std::string& path, Wanted wanted, std::chrono::milliseconds patience)
      : connection_(path, access_of(wanted), patience) {
    if (wanted == Wanted::reading) {
      require_ledger(connection_);
    } else {
      prepare(connection_, wanted);
    }
  }

  const std::string& name() const override { return connection_.path(); }

  void read(const std::function<void()>& look) const override {
    const Transaction snapshot(connection_, Transaction::Kind::read);
    look();
    connection_.require_unchanged();
  }

  void write(const std::function<void()>& change) const override {
    Transaction transaction(connection_, Transaction::Kind::write);
    change();
    transaction.commit();
  }

  std::int64_t format() const override { return format_of(connection_); }

  void scan(Table table, const std::function<void(const Fields&)>& visit) const override {
    if (table == Table::receipts && format() < 1) return;
    Statement row(connection_, select(table, format()));
    Fields fields(static_cast<std::size_t>(row.columns()));
    while (row.step()) {
      for (int column = 0; column < row.columns(); ++column) {
        auto& field = fields[static_cast<std::size_t>(column)];
        field = row.is_null(column) ? std::nullopt : std::optional(row.text(column));
      }
      visit(fields);
    }
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

  /// Numbers stand as texts, which the tables' types turn into numbers.
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
        insert(fmt::format("events (id, time, kind, receipt_sha256, reason, {}, hash, sums)",
                           row[2] == "dataset" ? "dataset" : "entry"),
               row);
        return;
      case Table::receipts:
        insert("receipts (entry, text)", row);
        return;
    }
  }

  void check() const override {
    const std::string pages = connection_.text("PRAGMA integrity_check(1)");
    if (pages != "ok") {
      throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' is damaged: {}", name(), pages),
                  "restore it from a copy, and charge again what was released since");
    }
    require_schema(connection_);
  }

 private:
  void insert(const std::string& columns, const Fields& row) const {
    std::string values;
    for (std::size_t i = 1; i <= row.size(); ++i) values += fmt::format("{}?{}", i == 1 ? "" : ", ", i);
    Statement statement(connection_, fmt::format("INSERT INTO {} VALUES ({})", columns, values));
    for (std::size_t i = 0; i < row.size(); ++i) statement.bind(static_cast<int>(i) + 1, row[i]);
    statement.run();
  }

  Connection connection_;
};

}  // namespace

std::unique_ptr<Store> open_sqlite(const std::string& path, Wanted wanted, std::chrono::milliseconds patience) {
  if (wanted == Wanted::existing || wanted == Wanted::reading) require_there(path);
  return std::make_unique<SqliteStore>(path, wanted, patience);
}

}  // namespace fractile::ledger_detail
