#include "ledger/rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "exact/digest.hpp"
#include "exact/shell_word.hpp"
#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "ledger/readings.hpp"
#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

/// Runs `read`. Throws `ledger` when a text cannot be read, since this program did not write it.
template <class Read>
auto readable(const Store& store, const std::string& what, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    refuse_damaged(store.name(), what + " cannot be read");
  }
}

/// The hash by which a query is found again.
std::string question_of(const std::string& query) { return sha256(query); }

std::string text_at(const Fields& row, std::size_t column) { return row[column].value_or(""); }

/// The budget in the columns measure, epsilon, rho and delta; `first` is the number of the column measure.
Budget budget_at(const Fields& row, std::size_t first) {
  const std::string measure = text_at(row, first);
  if (measure == "zcdp") return Budget::zcdp(read_rational(text_at(row, first + 2)));
  const Exponent epsilon = read_exponent(text_at(row, first + 1));
  if (measure == "pure") return Budget::pure(epsilon);
  if (measure == "approximate") return Budget::approximate(epsilon, read_rational(text_at(row, first + 3)));
  unreadable();
}

/// The charge of an entry, from the columns of its budget and the column charged_rho behind them.
Budget charge_at(const Fields& row, std::size_t first) {
  return row[first + 4] ? Budget::zcdp(read_rational(*row[first + 4])) : budget_at(row, first);
}

std::uint32_t records_at(const Fields& row, std::size_t column) {
  const auto records = static_cast<std::uint32_t>(number_in(row[column]));
  if (std::to_string(records) != text_at(row, column)) unreadable();
  return records;
}

LedgerReading reading_at(const Fields& row, std::size_t column) {
  std::optional<LedgerReading> reading = read_reading(text_at(row, column));
  if (!reading) unreadable();
  return std::move(*reading);
}

/// The option under which a dataset declares its witness. A program that knows no witnesses refuses to release because of this option.
constexpr const char* witness_option = "witness";

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

}  // namespace

DatasetRow dataset_at(const Store& store, const Fields& row) {
  return readable(store, fmt::format("dataset {}", text_at(row, 0)), [&] {
    const Budget budget = budget_at(row, 4);
    const Neighbors neighbors = neighbors_of(text_at(row, 3));
    const LedgerDataset dataset{text_at(row, 1), budget, neighbors, text_at(row, 2)};
    DatasetRow result{number_in(row[0]), dataset, hashed_dataset(row)};
    if (!row[8]) return result;
    result.dataset.person = text_at(row, 8);
    result.dataset.records_per_person = records_at(row, 9);
    result.dataset.source = text_at(row, 10);
    if (row[11]) result.dataset.reading = reading_at(row, 11);
    if (auto witness = result.dataset.reading.extract(witness_option)) result.dataset.witness = witness.mapped();
    return result;
  });
}

EntryRow entry_at(const Store& store, const Fields& row, const std::vector<DatasetRow>& datasets) {
  return readable(store, fmt::format("entry {}", text_at(row, 0)), [&] {
    const auto of = std::ranges::find(datasets, number_in(row[1]), &DatasetRow::id);
    if (of == datasets.end()) unreadable();
    const Budget cost = budget_at(row, 4);
    const Budget charge = charge_at(row, 4);
    LedgerRequest request{of->dataset.name, text_at(row, 2), cost, of->dataset.neighbors, text_at(row, 3)};
    if (row[13]) {
      request.source = text_at(row, 9);
      request.person = text_at(row, 10);
      request.records_per_person = records_at(row, 11);
      request.reading = reading_at(row, 12);
    }
    const bool can_be_found = !row[14] || *row[14] == question_of(request.query);
    const LedgerEntry entry{number_in(row[0]), std::move(request), charge};
    return EntryRow{of->id, entry, hashed_entry(row), row[13].has_value(), can_be_found};
  });
}

void note(EntryRow& row, const Line& line) {
  LedgerEntry& entry = row.entry;
  const std::string& kind = line.event.kind;
  if (kind == "reserve") {
    entry.reserved_at = line.event.time;
    if (row.has_token) entry.token = line.event.hash;
  }
  if (kind == "draw") entry.state = EntryState::drawn;
  if (kind != "commit" && kind != "void") return;
  entry.state = kind == "commit" ? EntryState::committed : EntryState::voided;
  entry.settled_at = line.event.time;
  entry.receipt_sha256 = line.receipt_sha256;
  entry.reason = line.reason;
}

namespace {

/// The row with this id, where ids ascend; null when it does not exist or could not be read.
template <class Rows>
auto* row_of(Rows& rows, std::int64_t id) {
  const auto id_of = [](const auto& row) {
    if constexpr (requires { row.entry; }) {
      return row.entry.id;
    } else {
      return row.id;
    }
  };
  const auto at = std::ranges::lower_bound(rows, id, {}, id_of);
  return at != rows.end() && id_of(*at) == id ? &*at : nullptr;
}

Subjects subjects_of(const Book& book) {
  Subjects subjects{{}, {}, book.receipts};
  for (const DatasetRow& row : book.datasets) subjects.datasets.emplace(row.id, row.hashed);
  for (const EntryRow& row : book.entries) subjects.entries.emplace(row.entry.id, row.hashed);
  return subjects;
}

/// Adds the change that a line makes to the sums.
void count(Book& book, const Line& line, const DatasetRow* dataset, const EntryRow* entry) {
  const std::string& kind = line.event.kind;
  if (kind == "dataset") {
    book.sums.add_dataset(dataset->id, dataset->dataset.budget.measure());
  } else if (kind == "reserve") {
    book.sums.reserve(entry->dataset, entry->entry.charge);
  } else if (kind == "void") {
    book.sums.give_back(entry->dataset, entry->entry.charge);
  }
}

/// Runs `read`. Errors of the ledger are noted in `damage`, if there is one, and thrown otherwise.
template <class Read>
void noting(Damage* damage, const Store& store, Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    if (damage == nullptr || error.code() != ErrorCode::ledger) throw;
    broken(store, error.what(), damage);
  }
}

}  // namespace

Book read_book(const Store& store, const std::string& head, Damage* damage) {
  Book book;
  store.scan(Table::datasets, [&](const Fields& row) {
    noting(damage, store, [&] { book.datasets.push_back(dataset_at(store, row)); });
  });
  store.scan(Table::entries, [&](const Fields& row) {
    noting(damage, store, [&] { book.entries.push_back(entry_at(store, row, book.datasets)); });
  });
  book.receipts = store.receipts();
  for (Line& line : require_chain(store, subjects_of(book), head, damage)) {
    const bool is_dataset = line.event.kind == "dataset";
    const DatasetRow* const dataset = is_dataset ? row_of(book.datasets, line.subject) : nullptr;
    EntryRow* const entry = is_dataset ? nullptr : row_of(book.entries, line.subject);
    line.event.entry = is_dataset ? 0 : line.subject;
    if (dataset != nullptr || entry != nullptr) {
      noting(damage, store, [&] { count(book, line, dataset, entry); });
      if (dataset != nullptr) line.event.dataset = dataset->dataset.name;
      if (entry != nullptr) note(*entry, line);
      if (entry != nullptr && !entry->can_be_found) {
        broken(store, fmt::format("entry {} does not have the digest of its query", line.subject), damage);
      }
    }
    if (line.sums && *line.sums != book.sums.to_text()) {
      broken(store, fmt::format("line {} does not have the sums of its entries", line.event.id), damage);
    }
    book.events.push_back(std::move(line.event));
  }
  return book;
}

const DatasetRow& find_dataset(const std::vector<DatasetRow>& datasets, const Store& store, const std::string& name) {
  const auto named = [&](const DatasetRow& row) { return row.dataset.name == name; };
  const auto row = std::ranges::find_if(datasets, named);
  if (row != datasets.end()) return *row;
  std::vector<std::string> names;
  for (const DatasetRow& each : datasets) names.push_back(fmt::format("'{}'", each.dataset.name));
  throw Error(ErrorCode::usage, fmt::format("the ledger '{}' has no dataset '{}'", store.name(), name),
              datasets.empty() ? "add it with fractile ledger init" : fmt::format("it has {}", fmt::join(names, ", ")),
              "dataset");
}

const EntryRow& find_entry(const Book& book, const Store& store, std::int64_t id) {
  if (const EntryRow* row = row_of(book.entries, id)) return *row;
  throw Error(ErrorCode::usage, fmt::format("the ledger '{}' has no entry {}", store.name(), id),
              fmt::format("fractile ledger show {} lists them", shell_path(store.name())), "entry");
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

LedgerSource source_fixed_by(const LedgerEntry& entry) {
  const LedgerRequest& request = entry.request;
  return {request.dataset, request.source, entry.id, reading_of(request), request.records_per_person};
}

std::vector<LedgerSource> sources_of(const Book& book) {
  std::vector<LedgerSource> sources;
  std::set<std::pair<std::string, std::string>> known;
  for (const EntryRow& row : book.entries) {
    const LedgerRequest& request = row.entry.request;
    if (request.source.empty() || row.entry.state == EntryState::voided) continue;
    if (!known.emplace(request.dataset, request.source).second) continue;
    sources.push_back(source_fixed_by(row.entry));
  }
  return sources;
}

std::vector<LedgerSource> sources_of(const Book& book, const std::string& dataset, const std::string& source) {
  const std::vector<std::string> files = files_of(source);
  std::vector<LedgerSource> sources;
  for (LedgerSource& each : sources_of(book)) {
    if (each.dataset != dataset) continue;
    if (each.source == source) return {std::move(each)};
    const std::vector<std::string> others = files_of(each.source);
    if (std::ranges::find_first_of(files, others) != files.end()) sources.push_back(std::move(each));
  }
  return sources;
}

void add_dataset(const Store& store, const Head& head, const Sums& sums, const LedgerDataset& dataset,
                 const std::string& time) {
  const std::int64_t id = sums.datasets() + 1;
  Fields row{std::to_string(id), dataset.name, dataset.unit, to_string(dataset.neighbors)};
  append_budget(row, dataset.budget);
  LedgerReading declared = dataset.reading;
  if (!dataset.witness.empty()) declared[witness_option] = dataset.witness;
  row.insert(row.end(),
             {dataset.person, std::to_string(dataset.records_per_person), dataset.source, reading_text(declared)});
  dataset_at(store, row);
  Sums after = sums;
  after.add_dataset(id, dataset.budget.measure());
  store.append(Table::datasets, row);
  append_event(store, head, {time, "dataset"}, id, after.to_text(), hashed_dataset(row));
}

LedgerReservation add_entry(const Store& store, const Head& head, const Sums& sums, const DatasetRow& dataset,
                            const LedgerRequest& request, const Budget& charge, const std::string& time) {
  const std::int64_t id = sums.entries() + 1;
  Fields row{std::to_string(id), std::to_string(dataset.id), request.query, request.receipt_path};
  append_budget(row, request.cost);
  const bool converted = charge.measure() != request.cost.measure();
  row.push_back(converted ? std::optional(charge.rho().to_string()) : std::nullopt);
  row.insert(row.end(), {request.source, request.person, std::to_string(request.records_per_person),
                         reading_text(request.reading), new_nonce(), question_of(request.query)});
  const LedgerEntry read = entry_at(store, row, {dataset}).entry;
  Sums after = sums;
  after.reserve(dataset.id, read.charge);
  store.append(Table::entries, row);
  return {id, append_event(store, head, {time, "reserve"}, id, after.to_text(), hashed_entry(row))};
}

}  // namespace fractile::ledger_detail
