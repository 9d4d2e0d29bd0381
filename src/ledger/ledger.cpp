#include "fractile/ledger.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "exact/digest.hpp"
#include "ledger/chain.hpp"
#include "ledger/rows.hpp"
#include "ledger/schema.hpp"
#include "ledger/spending.hpp"
#include "ledger/sqlite.hpp"

namespace fractile {

using namespace ledger_detail;

namespace {

using Kind = Transaction::Kind;

std::string timestamp(std::chrono::system_clock::time_point now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

/// Texts that are printed in tables.
void require_line(const std::string& what, const std::string& text) {
  const auto is_control = [](unsigned char c) { return std::iscntrl(c) != 0; };
  if (!text.empty() && std::ranges::none_of(text, is_control)) return;
  throw Error(ErrorCode::usage, fmt::format("{} must be a line of text", what), "write a few words");
}

[[noreturn]] void refuse_settled(const Connection& connection, const LedgerEntry& entry, const std::string& hint) {
  throw Error(
      ErrorCode::usage,
      fmt::format("entry {} of the ledger '{}' is {} already", entry.id, connection.path(), to_string(entry.state)),
      hint);
}

/// For what is to be committed.
void require_unsettled(const Connection& connection, const LedgerEntry& entry) {
  if (entry.state == EntryState::voided) {
    throw Error(
        ErrorCode::ledger,
        fmt::format("entry {} of the ledger '{}' was voided while its release ran", entry.id, connection.path()),
        "nothing was published, and it does not count; ask again");
  }
  if (entry.state == EntryState::committed) refuse_settled(connection, entry, "commit an entry once");
}

/// "r.json.Ab3dE6" beside "r.json": as programs before format 2 wrote receipts before these had their names.
bool is_temporary(const std::string& name, const std::string& receipt) {
  const std::size_t size = receipt.size() + 1;
  return name.size() == size + 6 && name.starts_with(receipt + ".") &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(size), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0; });
}

/// A file that may be the receipt at this path, "" when there is certainly none.
std::string receipt_at(const std::filesystem::path& path) {
  for (const auto& file : std::filesystem::directory_iterator(path.parent_path())) {
    const std::string name = file.path().filename().string();
    if (name == path.filename().string() || is_temporary(name, path.filename().string())) return file.path().string();
  }
  return {};
}

void require_unpublished(const LedgerEntry& entry) {
  const std::string& path = entry.request.receipt_path;
  if (path.empty()) return;
  std::string found;
  try {
    found = receipt_at(path);
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(ErrorCode::usage,
                fmt::format("entry {} may have been published: whether there is a receipt at '{}' cannot be told: {}",
                            entry.id, path, error.code().message()),
                "make that folder readable; if it was removed for good, make it anew, empty");
  }
  if (found.empty()) return;
  throw Error(
      ErrorCode::usage, fmt::format("entry {} may have been published: there is a receipt at '{}'", entry.id, found),
      "let the entry count, or store it with fractile ledger commit; if that is another release's receipt, move "
      "it away");
}

/// While an entry is reserved its receipt may appear, and could then be taken for that of the next one.
void require_free_path(const Book& book, const Connection& connection, const LedgerRequest& request) {
  if (request.receipt_path.empty()) return;
  for (const auto& [dataset, entry, hashed] : book.entries) {
    if (entry.state != EntryState::reserved || entry.request.receipt_path != request.receipt_path) continue;
    throw Error(ErrorCode::usage,
                fmt::format("the receipt '{}' is that of entry {} of the ledger '{}', which is reserved",
                            request.receipt_path, entry.id, connection.path()),
                fmt::format("choose another name, or if that release was stopped: fractile ledger void {} --entry {} "
                            "--reason TEXT",
                            connection.path(), entry.id));
  }
}

}  // namespace

std::string to_string(EntryState state) {
  switch (state) {
    case EntryState::reserved:
      return "reserved";
    case EntryState::drawn:
      return "drawn";
    case EntryState::committed:
      return "committed";
    case EntryState::voided:
      return "void";
  }
  return {};
}

void LedgerDataset::validate() const {
  require_line("the name of a dataset", name);
  require_line("the unit of privacy", unit);
  for (const auto& [what, text] : {std::pair{"the column of persons", person}, {"the source", source}}) {
    if (!text.empty()) require_line(what, text);
  }
  if (records_per_person < 1) {
    throw Error(ErrorCode::usage, "the records per person must be at least 1", "write for example 1");
  }
}

struct Ledger::State {
  Connection connection;
  LedgerOptions options;

  static std::unique_ptr<State> opened(const std::string& path, LedgerOptions options, Wanted wanted) {
    if (wanted == Wanted::existing) require_there(path);
    const auto access = wanted == Wanted::existing ? Connection::Access::existing : Connection::Access::created;
    auto state = connected(path, std::move(options), access);
    prepare(state->connection, wanted);
    return state;
  }

  static std::unique_ptr<State> opened_to_read(const std::string& path, LedgerOptions options) {
    require_there(path);
    auto state = connected(path, std::move(options), Connection::Access::reading);
    require_ledger(state->connection);
    return state;
  }

  std::string now() const { return timestamp(options.clock()); }

  /// Of one moment, and for whoever needs no more.
  Book book() const {
    const Transaction snapshot(connection, Kind::read);
    Book result = read_book(connection);
    connection.require_unchanged();
    return result;
  }

  /// From here on the entry counts for good; nothing of its release has left the process yet.
  void draw(std::int64_t id) const {
    Transaction transaction(connection, Kind::write);
    const Book book = read_book(connection);
    const LedgerEntry& entry = find_entry(book, connection, id).entry;
    require_unsettled(connection, entry);
    if (entry.state == EntryState::drawn) return;
    append_event(connection, {now(), "draw"}, id);
    transaction.commit();
  }

 private:
  static void require_there(const std::string& path) {
    if (std::filesystem::exists(path) || path.empty()) return;
    throw Error(ErrorCode::ledger, fmt::format("there is no ledger at '{}'", path),
                fmt::format("check the path, or make one: fractile ledger init {} --dataset NAME --epsilon E", path));
  }

  static std::unique_ptr<State> connected(const std::string& path, LedgerOptions options, Connection::Access access) {
    if (path.empty()) throw Error(ErrorCode::usage, "a ledger has no name", "name a file");
    return std::make_unique<State>(State{Connection(path, access, options.patience), std::move(options)});
  }
};

Ledger::Ledger(std::unique_ptr<State> state) : state_(std::move(state)) {}
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

Ledger Ledger::create(const std::string& path, LedgerOptions options) {
  return Ledger(State::opened(path, std::move(options), Wanted::created));
}

Ledger Ledger::open(const std::string& path, LedgerOptions options) {
  return Ledger(State::opened(path, std::move(options), Wanted::existing));
}

Ledger Ledger::open_or_create(const std::string& path, LedgerOptions options) {
  return Ledger(State::opened(path, std::move(options), Wanted::either));
}

Ledger Ledger::open_to_read(const std::string& path, LedgerOptions options) {
  return Ledger(State::opened_to_read(path, std::move(options)));
}

void Ledger::add_dataset(const LedgerDataset& dataset) {
  dataset.validate();
  const Connection& connection = state_->connection;
  Transaction transaction(connection, Kind::write);
  const auto is_same = [&](const DatasetRow& row) { return row.dataset.name == dataset.name; };
  if (std::ranges::any_of(read_book(connection).datasets, is_same)) {
    throw Error(ErrorCode::usage,
                fmt::format("the ledger '{}' has a dataset '{}' already", connection.path(), dataset.name),
                "a dataset's budget never changes; choose another name for another dataset");
  }
  append_event(connection, {state_->now(), "dataset"}, insert_dataset(connection, dataset));
  transaction.commit();
}

std::vector<LedgerDataset> Ledger::datasets() const {
  std::vector<LedgerDataset> result;
  for (DatasetRow& row : state_->book().datasets) result.push_back(std::move(row.dataset));
  return result;
}

void Ledger::require_fit(const LedgerRequest& request) const {
  const Book book = state_->book();
  const LedgerDataset& dataset = find_dataset(book, state_->connection, request.dataset).dataset;
  require_same_unit(dataset, request);
  charge_on(dataset, request.cost);
  require_free_path(book, state_->connection, request);
}

std::int64_t Ledger::reserve(const LedgerRequest& request) {
  const Connection& connection = state_->connection;
  Transaction transaction(connection, Kind::write);
  const Book book = read_book(connection);
  const DatasetRow& row = find_dataset(book, connection, request.dataset);
  require_same_unit(row.dataset, request);
  const Budget charge = charge_on(row.dataset, request.cost);
  require_free_path(book, connection, request);
  require_remaining(row.dataset, balance_of(row.dataset, charges_of(book, row.id)), request.cost, charge);
  const std::int64_t id = insert_entry(connection, row.id, request, charge);
  append_event(connection, {state_->now(), "reserve"}, id);
  transaction.commit();
  return id;
}

void Ledger::commit(std::int64_t id, const std::string& receipt) {
  state_->draw(id);
  const Connection& connection = state_->connection;
  Transaction transaction(connection, Kind::write);
  require_unsettled(connection, find_entry(read_book(connection), connection, id).entry);
  insert_receipt(connection, id, receipt);
  append_event(connection, {state_->now(), "commit", sha256(receipt)}, id);
  transaction.commit();
}

void Ledger::void_entry(std::int64_t id, const std::string& reason) {
  require_line("the reason", reason);
  const Connection& connection = state_->connection;
  Transaction transaction(connection, Kind::write);
  const Book book = read_book(connection);
  const LedgerEntry& entry = find_entry(book, connection, id).entry;
  if (entry.state == EntryState::committed) {
    refuse_settled(connection, entry, "its release was published, so it counts for good");
  }
  if (entry.state == EntryState::voided) refuse_settled(connection, entry, "it does not count any more");
  if (entry.state == EntryState::drawn) {
    refuse_settled(connection, entry, "something of its release may be on the disk, so it counts for good");
  }
  require_unpublished(entry);
  append_event(connection, {state_->now(), "void", {}, reason}, id);
  transaction.commit();
}

std::optional<LedgerEntry> Ledger::find_committed(const std::string& dataset, const std::string& query) const {
  const Connection& connection = state_->connection;
  const Transaction snapshot(connection, Kind::read);
  const Book book = read_book(connection);
  const std::int64_t id = find_dataset(book, connection, dataset).id;
  const auto answers = [&](const EntryRow& row) {
    return row.dataset == id && row.entry.request.query == query &&
           std::ranges::binary_search(book.receipts, row.entry.id);
  };
  const auto row = std::find_if(book.entries.rbegin(), book.entries.rend(), answers);
  if (row == book.entries.rend()) return {};
  LedgerEntry entry = row->entry;
  entry.receipt = read_receipt(connection, entry.id).value_or("");
  if (entry.state == EntryState::committed && sha256(entry.receipt) == entry.receipt_sha256) return entry;
  throw Error(ErrorCode::ledger, fmt::format("the receipt of entry {} is not what was committed", entry.id),
              "see what fractile ledger verify says; --again asks anew");
}

LedgerBalance Ledger::balance(const std::string& dataset) const {
  const Book book = state_->book();
  const DatasetRow& row = find_dataset(book, state_->connection, dataset);
  return balance_of(row.dataset, charges_of(book, row.id));
}

LedgerStatement Ledger::statement() const {
  const Connection& connection = state_->connection;
  const Transaction snapshot(connection, Kind::read);
  Book book = read_book(connection);
  LedgerStatement result{static_cast<int>(format_of(connection)), {}, {}, std::move(book.events)};
  for (const DatasetRow& row : book.datasets) {
    result.accounts.push_back({row.dataset, balance_of(row.dataset, charges_of(book, row.id))});
  }
  for (EntryRow& row : book.entries) {
    row.entry.receipt = read_receipt(connection, row.entry.id).value_or("");
    result.entries.push_back(std::move(row.entry));
  }
  connection.require_unchanged();
  return result;
}

LedgerEntry Ledger::entry(std::int64_t id) const { return find_entry(state_->book(), state_->connection, id).entry; }

std::string Ledger::verify(const std::string& head) const {
  const Connection& connection = state_->connection;
  const Transaction snapshot(connection, Kind::read);
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' is damaged: {}", connection.path(), what),
                "restore it from a copy, and charge again what was released since");
  };
  const std::string pages = connection.text("PRAGMA integrity_check(1)");
  if (pages != "ok") refuse(pages);
  require_schema(connection);
  const Book book = read_book(connection, head);
  for (const std::int64_t id : book.receipts) {
    if (sha256(read_receipt(connection, id).value_or("")) != find_entry(book, connection, id).entry.receipt_sha256) {
      refuse(fmt::format("the receipt of entry {} does not have its hash", id));
    }
  }
  for (const auto& [id, dataset, hashed] : book.datasets) {
    const LedgerBalance balance = balance_of(dataset, charges_of(book, id));
    if (!balance.spent.is_within(dataset.budget)) {
      refuse(fmt::format("dataset '{}' has spent {} of {}", dataset.name, balance.spent.to_string(),
                         dataset.budget.to_string()));
    }
  }
  connection.require_unchanged();
  return book.events.empty() ? "" : book.events.back().hash;
}

}  // namespace fractile
