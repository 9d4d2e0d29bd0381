#include "ledger/rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "ledger/chain.hpp"
#include "ledger/schema.hpp"

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

/// A row of dataset_sql.
DatasetRow dataset_at(const Connection& connection, const Statement& row) {
  return readable(connection, fmt::format("dataset {}", row.number(0)), [&] {
    DatasetRow result{
        row.number(0), {row.text(1), budget_at(row, 4), neighbors_of(row.text(3)), row.text(2)}, hashed_dataset(row)};
    if (row.is_null(8)) return result;
    result.dataset.person = row.text(8);
    result.dataset.records_per_person = static_cast<std::uint32_t>(row.number(9));
    result.dataset.source = row.text(10);
    if (std::to_string(result.dataset.records_per_person) != row.text(9)) unreadable();
    return result;
  });
}

/// A row of entry_sql.
EntryRow entry_at(const Connection& connection, const Statement& row, const std::vector<DatasetRow>& datasets) {
  return readable(connection, fmt::format("entry {}", row.number(0)), [&] {
    const auto of = std::ranges::find(datasets, row.number(1), &DatasetRow::id);
    if (of == datasets.end()) unreadable();
    const LedgerEntry entry{row.number(0),
                            {of->dataset.name, row.text(2), budget_at(row, 4), of->dataset.neighbors, row.text(3)},
                            charge_at(row, 4)};
    return EntryRow{of->id, entry, hashed_entry(row)};
  });
}

/// What a line of the log tells of its entry.
void note(LedgerEntry& entry, const Line& line) {
  const std::string& kind = line.event.kind;
  if (kind == "reserve") entry.reserved_at = line.event.time;
  if (kind == "draw") entry.state = EntryState::drawn;
  if (kind != "commit" && kind != "void") return;
  entry.state = kind == "commit" ? EntryState::committed : EntryState::voided;
  entry.settled_at = line.event.time;
  entry.receipt_sha256 = line.receipt_sha256;
  entry.reason = line.reason;
}

std::vector<std::int64_t> read_ids(const Connection& connection, const std::string& sql) {
  std::vector<std::int64_t> ids;
  Statement row(connection, sql);
  while (row.step()) ids.push_back(row.number(0));
  return ids;
}

/// Rows by their ids, which ascend.
template <class Rows>
auto find_row(Rows& rows, std::int64_t id) {
  const auto id_of = [](const auto& row) {
    if constexpr (requires { row.entry; }) {
      return row.entry.id;
    } else {
      return row.id;
    }
  };
  const auto at = std::ranges::lower_bound(rows, id, {}, id_of);
  return at != rows.end() && id_of(*at) == id ? at : rows.end();
}

Subjects subjects_of(const Book& book) {
  Subjects subjects{{}, {}, book.receipts};
  for (const DatasetRow& row : book.datasets) subjects.datasets.emplace(row.id, row.hashed);
  for (const EntryRow& row : book.entries) subjects.entries.emplace(row.entry.id, row.hashed);
  return subjects;
}

std::string quoted_names(const Book& book) {
  std::string names;
  for (const DatasetRow& row : book.datasets) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", row.dataset.name);
  }
  return names;
}

}  // namespace

Book read_book(const Connection& connection, const std::string& head) {
  const std::int64_t format = format_of(connection);
  Book book;
  Statement dataset(connection, dataset_sql(format) + " ORDER BY d.id");
  while (dataset.step()) book.datasets.push_back(dataset_at(connection, dataset));
  Statement entry(connection, entry_sql() + " ORDER BY id");
  while (entry.step()) book.entries.push_back(entry_at(connection, entry, book.datasets));
  if (format >= 1) book.receipts = read_ids(connection, "SELECT entry FROM receipts NOT INDEXED ORDER BY entry");
  for (Line& line : require_chain(connection, subjects_of(book), head)) {
    if (line.event.kind == "dataset") {
      line.event.dataset = find_row(book.datasets, line.subject)->dataset.name;
    } else {
      line.event.entry = line.subject;
      note(find_row(book.entries, line.subject)->entry, line);
    }
    book.events.push_back(std::move(line.event));
  }
  return book;
}

const DatasetRow& find_dataset(const Book& book, const Connection& connection, const std::string& name) {
  const auto named = [&](const DatasetRow& row) { return row.dataset.name == name; };
  const auto row = std::ranges::find_if(book.datasets, named);
  if (row != book.datasets.end()) return *row;
  const std::string names = quoted_names(book);
  throw Error(ErrorCode::usage, fmt::format("the ledger '{}' has no dataset '{}'", connection.path(), name),
              names.empty() ? "add it with fractile ledger init" : fmt::format("it has {}", names));
}

const EntryRow& find_entry(const Book& book, const Connection& connection, std::int64_t id) {
  const auto row = find_row(book.entries, id);
  if (row != book.entries.end()) return *row;
  throw Error(ErrorCode::usage, fmt::format("the ledger '{}' has no entry {}", connection.path(), id),
              fmt::format("fractile ledger show {} lists them", connection.path()));
}

std::vector<EqualCharges> charges_of(const Book& book, std::int64_t dataset) {
  std::map<std::pair<std::string, EntryState>, std::size_t> places;
  std::vector<EqualCharges> charges;
  for (const EntryRow& row : book.entries) {
    if (row.dataset != dataset) continue;
    const Budget& charge = row.entry.charge;
    const auto [place, is_new] = places.try_emplace({charge.to_string(), row.entry.state}, charges.size());
    if (is_new) charges.push_back({charge, row.entry.state, 0});
    ++charges[place->second].count;
  }
  return charges;
}

std::optional<std::string> read_receipt(const Connection& connection, std::int64_t entry) {
  if (format_of(connection) < 1) return {};
  Statement statement(connection, "SELECT text FROM receipts WHERE entry = ?1");
  if (!statement.bind(1, entry).step()) return {};
  return statement.text(0);
}

std::int64_t insert_dataset(const Connection& connection, const LedgerDataset& dataset) {
  Statement statement(connection,
                      "INSERT INTO datasets (name, unit, neighbors, measure, epsilon, rho, delta) "
                      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  statement.bind(1, dataset.name).bind(2, dataset.unit).bind(3, to_string(dataset.neighbors));
  bind_budget(statement, 4, dataset.budget);
  statement.run();
  const std::int64_t id = connection.last_id();
  Statement pins(connection, "INSERT INTO pins (dataset, person, records_per_person, source) VALUES (?1, ?2, ?3, ?4)");
  pins.bind(1, id).bind(2, dataset.person).bind(3, std::int64_t{dataset.records_per_person}).bind(4, dataset.source);
  pins.run();
  return id;
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
