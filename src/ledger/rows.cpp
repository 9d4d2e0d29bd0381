#include "ledger/rows.hpp"

#include <fmt/core.h>

namespace fractile::ledger_detail {
namespace {

/// What cannot be read was not written by us.
template <class Read>
auto readable(const Connection& connection, const std::string& what, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    throw Error(ErrorCode::ledger,
                fmt::format("the ledger '{}' is damaged: {} cannot be read", connection.path(), what),
                "restore it from a copy, and charge again what was released since");
  }
}

[[noreturn]] void unreadable() { throw Error(ErrorCode::usage, "unreadable"); }

/// From the columns measure, epsilon, rho, delta, of which `first` is the number of the first.
Budget budget_at(const Statement& row, int first) {
  const std::string measure = row.text(first);
  if (measure == "zcdp") return Budget::zcdp(Rational::parse(row.text(first + 2)));
  const Exponent epsilon = Exponent::parse(row.text(first + 1));
  if (measure == "pure") return Budget::pure(epsilon);
  if (measure == "approximate") return Budget::approximate(epsilon, Rational::parse(row.text(first + 3)));
  unreadable();
}

/// From those columns of an entry and charged_rho after them.
Budget charge_at(const Statement& row, int first) {
  return row.is_null(first + 4) ? budget_at(row, first) : Budget::zcdp(Rational::parse(row.text(first + 4)));
}

void bind_budget(Statement& statement, int first, const Budget& budget) {
  const bool zcdp = budget.measure() == Measure::zcdp;
  const bool approximate = budget.measure() == Measure::approximate;
  using Column = std::optional<std::string>;
  statement.bind(first, to_string(budget.measure()));
  statement.bind(first + 1, zcdp ? Column() : Column(budget.epsilon().to_string()));
  statement.bind(first + 2, zcdp ? Column(budget.rho().to_string()) : Column());
  statement.bind(first + 3, approximate ? Column(budget.delta().to_string()) : Column());
}

Neighbors neighbors_of(const std::string& text) {
  if (text == to_string(Neighbors::add_remove)) return Neighbors::add_remove;
  if (text == to_string(Neighbors::change_one)) return Neighbors::change_one;
  unreadable();
}

constexpr const char* datasets_sql = "SELECT id, name, unit, neighbors, measure, epsilon, rho, delta FROM datasets ";

DatasetRow dataset_at(const Connection& connection, const Statement& row) {
  return readable(connection, fmt::format("dataset {}", row.number(0)), [&] {
    return DatasetRow{row.number(0), {row.text(1), budget_at(row, 4), neighbors_of(row.text(3)), row.text(2)}};
  });
}

// An entry without its reservation would be damage; it counts nevertheless.
constexpr const char* entries_sql =
    "SELECT e.id, d.name, e.query, d.neighbors, e.receipt_path, e.measure, e.epsilon, e.rho, e.delta, e.charged_rho, "
    "r.time, s.kind, s.time, s.receipt_sha256, s.reason FROM entries e LEFT JOIN datasets d ON d.id = e.dataset "
    "LEFT JOIN events r ON r.entry = e.id AND r.kind = 'reserve' "
    "LEFT JOIN events s ON s.entry = e.id AND s.kind IN ('commit', 'void') ";

EntryState state_of(const std::string& settled_by) {
  if (settled_by.empty()) return EntryState::reserved;
  return settled_by == "commit" ? EntryState::committed : EntryState::voided;
}

LedgerEntry entry_at(const Connection& connection, const Statement& row) {
  return readable(connection, fmt::format("entry {}", row.number(0)), [&] {
    LedgerEntry entry{row.number(0),
                      {row.text(1), row.text(2), budget_at(row, 5), neighbors_of(row.text(3)), row.text(4)},
                      charge_at(row, 5),
                      state_of(row.text(11))};
    entry.reserved_at = row.text(10);
    entry.settled_at = row.text(12);
    entry.receipt_sha256 = row.text(13);
    entry.reason = row.text(14);
    return entry;
  });
}

std::string quoted_names(const Connection& connection) {
  std::string names;
  for (const DatasetRow& row : read_datasets(connection)) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", row.dataset.name);
  }
  return names;
}

}  // namespace

std::vector<DatasetRow> read_datasets(const Connection& connection) {
  std::vector<DatasetRow> rows;
  Statement statement(connection, std::string(datasets_sql) + "ORDER BY id");
  while (statement.step()) rows.push_back(dataset_at(connection, statement));
  return rows;
}

DatasetRow read_dataset(const Connection& connection, const std::string& name) {
  Statement statement(connection, std::string(datasets_sql) + "WHERE name = ?1");
  if (statement.bind(1, name).step()) return dataset_at(connection, statement);
  const std::string names = quoted_names(connection);
  throw Error(ErrorCode::usage, fmt::format("the ledger '{}' has no dataset '{}'", connection.path(), name),
              names.empty() ? "add it with fractile ledger init" : fmt::format("it has {}", names));
}

std::vector<EqualCharges> read_charges(const Connection& connection, std::int64_t dataset) {
  std::vector<EqualCharges> charges;
  Statement row(connection,
                "SELECT e.measure, e.epsilon, e.rho, e.delta, e.charged_rho, s.kind, count(*), min(e.id) "
                "FROM entries e LEFT JOIN events s ON s.entry = e.id AND s.kind IN ('commit', 'void') "
                "WHERE e.dataset = ?1 GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY min(e.id)");
  row.bind(1, dataset);
  while (row.step()) {
    charges.push_back(readable(connection, fmt::format("entry {}", row.number(7)), [&] {
      return EqualCharges{charge_at(row, 0), state_of(row.text(5)), row.number(6)};
    }));
  }
  return charges;
}

std::vector<LedgerEntry> read_entries(const Connection& connection) {
  std::vector<LedgerEntry> entries;
  Statement statement(connection, std::string(entries_sql) + "ORDER BY e.id");
  while (statement.step()) entries.push_back(entry_at(connection, statement));
  return entries;
}

LedgerEntry read_entry(const Connection& connection, std::int64_t id) {
  Statement statement(connection, std::string(entries_sql) + "WHERE e.id = ?1");
  if (statement.bind(1, id).step()) return entry_at(connection, statement);
  throw Error(ErrorCode::usage, fmt::format("the ledger '{}' has no entry {}", connection.path(), id),
              fmt::format("fractile ledger show {} lists them", connection.path()));
}

std::optional<std::string> read_receipt(const Connection& connection, std::int64_t entry) {
  Statement statement(connection, "SELECT text FROM receipts WHERE entry = ?1");
  if (!statement.bind(1, entry).step()) return {};
  return statement.text(0);
}

std::vector<LedgerEvent> read_events(const Connection& connection) {
  std::vector<LedgerEvent> events;
  Statement row(connection,
                "SELECT v.id, v.time, v.kind, d.name, v.entry, v.hash FROM events v "
                "LEFT JOIN datasets d ON d.id = v.dataset ORDER BY v.id");
  while (row.step()) {
    events.push_back({row.number(0), row.text(1), row.text(2), row.text(3), row.number(4), row.text(5)});
  }
  return events;
}

std::int64_t insert_dataset(const Connection& connection, const LedgerDataset& dataset) {
  Statement statement(connection,
                      "INSERT INTO datasets (name, unit, neighbors, measure, epsilon, rho, delta) "
                      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  statement.bind(1, dataset.name).bind(2, dataset.unit).bind(3, to_string(dataset.neighbors));
  bind_budget(statement, 4, dataset.budget);
  statement.run();
  return connection.last_id();
}

std::int64_t insert_entry(const Connection& connection, std::int64_t dataset, const LedgerRequest& request,
                          const Budget& charge) {
  Statement statement(connection,
                      "INSERT INTO entries (dataset, query, receipt_path, measure, epsilon, rho, delta, charged_rho) "
                      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
  statement.bind(1, dataset).bind(2, request.query).bind(3, request.receipt_path);
  bind_budget(statement, 4, request.cost);
  const bool converted = charge.measure() != request.cost.measure();
  statement.bind(8, converted ? std::optional(charge.rho().to_string()) : std::nullopt);
  statement.run();
  return connection.last_id();
}

void insert_receipt(const Connection& connection, std::int64_t entry, const std::string& text) {
  Statement(connection, "INSERT INTO receipts (entry, text) VALUES (?1, ?2)").bind(1, entry).bind(2, text).run();
}

}  // namespace fractile::ledger_detail
