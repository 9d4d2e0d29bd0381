#include "ledger/rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "fractile/error.hpp"
#include "ledger/chain.hpp"

namespace fractile::ledger_detail {
namespace {

/// What cannot be read was not written by us.
template <class Read>
auto readable(const Store& store, const std::string& what, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' is damaged: {} cannot be read", store.name(), what),
                "restore it from a copy, and charge again what was released since");
  }
}

[[noreturn]] void unreadable() { throw Error(ErrorCode::usage, "unreadable"); }

std::string text_at(const Fields& row, std::size_t column) { return row[column].value_or(""); }

/// From the columns measure, epsilon, rho, delta, of which `first` is the number of the first.
Budget budget_at(const Fields& row, std::size_t first) {
  const std::string measure = text_at(row, first);
  if (measure == "zcdp") return Budget::zcdp(Rational::parse(text_at(row, first + 2)));
  const Exponent epsilon = Exponent::parse(text_at(row, first + 1));
  if (measure == "pure") return Budget::pure(epsilon);
  if (measure == "approximate") return Budget::approximate(epsilon, Rational::parse(text_at(row, first + 3)));
  unreadable();
}

/// From those columns of an entry and charged_rho after them.
Budget charge_at(const Fields& row, std::size_t first) {
  return row[first + 4] ? Budget::zcdp(Rational::parse(*row[first + 4])) : budget_at(row, first);
}

void append_budget(Fields& row, const Budget& budget) {
  const bool zcdp = budget.measure() == Measure::zcdp;
  const bool approximate = budget.measure() == Measure::approximate;
  row.emplace_back(to_string(budget.measure()));
  row.push_back(zcdp ? std::nullopt : std::optional(budget.epsilon().to_string()));
  row.push_back(zcdp ? std::optional(budget.rho().to_string()) : std::nullopt);
  row.push_back(approximate ? std::optional(budget.delta().to_string()) : std::nullopt);
}

Neighbors neighbors_of(const std::string& text) {
  if (text == to_string(Neighbors::add_remove)) return Neighbors::add_remove;
  if (text == to_string(Neighbors::change_one)) return Neighbors::change_one;
  unreadable();
}

DatasetRow dataset_at(const Store& store, const Fields& row) {
  return readable(store, fmt::format("dataset {}", text_at(row, 0)), [&] {
    DatasetRow result{number_in(row[0]),
                      {text_at(row, 1), budget_at(row, 4), neighbors_of(text_at(row, 3)), text_at(row, 2)},
                      hashed_dataset(row)};
    if (!row[8]) return result;
    result.dataset.person = text_at(row, 8);
    result.dataset.records_per_person = static_cast<std::uint32_t>(number_in(row[9]));
    result.dataset.source = text_at(row, 10);
    if (std::to_string(result.dataset.records_per_person) != text_at(row, 9)) unreadable();
    return result;
  });
}

EntryRow entry_at(const Store& store, const Fields& row, const std::vector<DatasetRow>& datasets) {
  return readable(store, fmt::format("entry {}", text_at(row, 0)), [&] {
    const auto of = std::ranges::find(datasets, number_in(row[1]), &DatasetRow::id);
    if (of == datasets.end()) unreadable();
    const LedgerEntry entry{
        number_in(row[0]),
        {of->dataset.name, text_at(row, 2), budget_at(row, 4), of->dataset.neighbors, text_at(row, 3)},
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

Book read_book(const Store& store, const std::string& head) {
  Book book;
  store.scan(Table::datasets, [&](const Fields& row) { book.datasets.push_back(dataset_at(store, row)); });
  store.scan(Table::entries, [&](const Fields& row) { book.entries.push_back(entry_at(store, row, book.datasets)); });
  book.receipts = store.receipts();
  for (Line& line : require_chain(store, subjects_of(book), head)) {
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

const DatasetRow& find_dataset(const Book& book, const Store& store, const std::string& name) {
  const auto named = [&](const DatasetRow& row) { return row.dataset.name == name; };
  const auto row = std::ranges::find_if(book.datasets, named);
  if (row != book.datasets.end()) return *row;
  const std::string names = quoted_names(book);
  throw Error(ErrorCode::usage, fmt::format("the ledger '{}' has no dataset '{}'", store.name(), name),
              names.empty() ? "add it with fractile ledger init" : fmt::format("it has {}", names), "dataset");
}

const EntryRow& find_entry(const Book& book, const Store& store, std::int64_t id) {
  const auto row = find_row(book.entries, id);
  if (row != book.entries.end()) return *row;
  throw Error(ErrorCode::usage, fmt::format("the ledger '{}' has no entry {}", store.name(), id),
              fmt::format("fractile ledger show {} lists them", store.name()), "entry");
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

std::int64_t add_dataset(const Store& store, const Book& book, const LedgerDataset& dataset, const std::string& time) {
  const std::int64_t id = book.datasets.empty() ? 1 : book.datasets.back().id + 1;
  Fields row{std::to_string(id), dataset.name, dataset.unit, to_string(dataset.neighbors)};
  append_budget(row, dataset.budget);
  row.insert(row.end(), {dataset.person, std::to_string(dataset.records_per_person), dataset.source});
  store.append(Table::datasets, row);
  append_event(store, book.events, {time, "dataset"}, id, hashed_dataset(row));
  return id;
}

std::int64_t add_entry(const Store& store, const Book& book, std::int64_t dataset, const LedgerRequest& request,
                       const Budget& charge, const std::string& time) {
  const std::int64_t id = book.entries.empty() ? 1 : book.entries.back().entry.id + 1;
  Fields row{std::to_string(id), std::to_string(dataset), request.query, request.receipt_path};
  append_budget(row, request.cost);
  const bool converted = charge.measure() != request.cost.measure();
  row.push_back(converted ? std::optional(charge.rho().to_string()) : std::nullopt);
  store.append(Table::entries, row);
  append_event(store, book.events, {time, "reserve"}, id, hashed_entry(row));
  return id;
}

}  // namespace fractile::ledger_detail
