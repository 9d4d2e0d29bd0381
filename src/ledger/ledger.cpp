#include "fractile/ledger.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "ledger/chain.hpp"
#include "ledger/digest.hpp"
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

void require_unpublished(const LedgerEntry& entry) {
  std::error_code failure;
  const std::string& path = entry.request.receipt_path;
  if (path.empty() || std::filesystem::symlink_status(path, failure).type() == std::filesystem::file_type::not_found)
    return;
  throw Error(ErrorCode::usage,
              fmt::format("entry {} may have been published: there is a receipt at '{}'", entry.id, path),
              "let the entry count; or, if that is another release's receipt, move it away");
}

}  // namespace

std::string to_string(EntryState state) {
  switch (state) {
    case EntryState::reserved:
      return "reserved";
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
}

struct Ledger::State {
  Connection connection;
  LedgerOptions options;

  static std::unique_ptr<State> opened(const std::string& path, LedgerOptions options, Wanted wanted) {
    if (path.empty()) throw Error(ErrorCode::usage, "a ledger has no name", "name a file");
    if (wanted == Wanted::existing && !std::filesystem::exists(path)) {
      throw Error(ErrorCode::ledger, fmt::format("there is no ledger at '{}'", path),
                  fmt::format("check the path, or make one: fractile ledger init {} --dataset NAME --epsilon E", path));
    }
    const auto missing = wanted == Wanted::existing ? Connection::Missing::is_error : Connection::Missing::is_created;
    auto state = std::make_unique<State>(State{Connection(path, missing, options.patience), std::move(options)});
    prepare(state->connection, wanted);
    return state;
  }

  std::string now() const { return timestamp(options.clock()); }

  LedgerBalance balance(const DatasetRow& row) const {
    return balance_of(row.dataset, read_charges(connection, row.id));
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

void Ledger::add_dataset(const LedgerDataset& dataset) {
  dataset.validate();
  const Connection& connection = state_->connection;
  Transaction transaction(connection, Kind::write);
  Statement same(connection, "SELECT 1 FROM datasets WHERE name = ?1");
  if (same.bind(1, dataset.name).step()) {
    throw Error(ErrorCode::usage,
                fmt::format("the ledger '{}' has a dataset '{}' already", connection.path(), dataset.name),
                "a dataset's budget never changes; choose another name for another dataset");
  }
  append_event(connection, {state_->now(), "dataset"}, insert_dataset(connection, dataset));
  transaction.commit();
}

std::vector<LedgerDataset> Ledger::datasets() const {
  const Transaction snapshot(state_->connection, Kind::read);
  std::vector<LedgerDataset> result;
  const std::vector<DatasetRow> rows = read_datasets(state_->connection);
  result.reserve(rows.size());
  for (const DatasetRow& row : rows) result.push_back(row.dataset);
  return result;
}

void Ledger::require_fit(const LedgerRequest& request) const {
  const Transaction snapshot(state_->connection, Kind::read);
  const LedgerDataset dataset = read_dataset(state_->connection, request.dataset).dataset;
  require_same_neighbors(dataset, request);
  charge_on(dataset, request.cost);
}

std::int64_t Ledger::reserve(const LedgerRequest& request) {
  const Connection& connection = state_->connection;
  Transaction transaction(connection, Kind::write);
  const DatasetRow row = read_dataset(connection, request.dataset);
  require_same_neighbors(row.dataset, request);
  const Budget charge = charge_on(row.dataset, request.cost);
  require_remaining(row.dataset, state_->balance(row), request.cost, charge);
  const std::int64_t id = insert_entry(connection, row.id, request, charge);
  append_event(connection, {state_->now(), "reserve"}, id);
  transaction.commit();
  return id;
}

void Ledger::commit(std::int64_t id, const std::string& receipt, const std::function<void()>& before) {
  const Connection& connection = state_->connection;
  Transaction transaction(connection, Kind::write);
  const LedgerEntry entry = read_entry(connection, id);
  if (entry.state == EntryState::voided) {
    throw Error(ErrorCode::ledger,
                fmt::format("entry {} of the ledger '{}' was voided meanwhile", id, connection.path()),
                "nothing was published; ask again");
  }
  if (entry.state == EntryState::committed) refuse_settled(connection, entry, "commit an entry once");
  insert_receipt(connection, id, receipt);
  append_event(connection, {state_->now(), "commit", sha256(receipt)}, id);
  if (before) before();
  transaction.commit();
}

void Ledger::void_entry(std::int64_t id, const std::string& reason) {
  require_line("the reason", reason);
  const Connection& connection = state_->connection;
  Transaction transaction(connection, Kind::write);
  const LedgerEntry entry = read_entry(connection, id);
  if (entry.state == EntryState::committed) {
    refuse_settled(connection, entry, "its release was published, so it counts for good");
  }
  if (entry.state == EntryState::voided) refuse_settled(connection, entry, "it does not count any more");
  require_unpublished(entry);
  append_event(connection, {state_->now(), "void", {}, reason}, id);
  transaction.commit();
}

std::optional<LedgerEntry> Ledger::find_committed(const std::string& dataset, const std::string& query) const {
  const Connection& connection = state_->connection;
  const Transaction snapshot(connection, Kind::read);
  const DatasetRow row = read_dataset(connection, dataset);
  Statement found(connection,
                  "SELECT max(e.id) FROM entries e JOIN receipts r ON r.entry = e.id "
                  "WHERE e.dataset = ?1 AND e.query = ?2");
  if (!found.bind(1, row.id).bind(2, query).step() || found.is_null(0)) return {};
  LedgerEntry entry = read_entry(connection, found.number(0));
  entry.receipt = read_receipt(connection, entry.id).value_or("");
  if (entry.state == EntryState::committed && sha256(entry.receipt) == entry.receipt_sha256) return entry;
  throw Error(ErrorCode::ledger, fmt::format("the receipt of entry {} is not what was committed", entry.id),
              "see what fractile ledger verify says; --again asks anew");
}

LedgerBalance Ledger::balance(const std::string& dataset) const {
  const Transaction snapshot(state_->connection, Kind::read);
  const DatasetRow row = read_dataset(state_->connection, dataset);
  return state_->balance(row);
}

LedgerStatement Ledger::statement() const {
  const Connection& connection = state_->connection;
  const Transaction snapshot(connection, Kind::read);
  LedgerStatement result{format, {}, read_entries(connection), read_events(connection)};
  for (LedgerEntry& entry : result.entries) entry.receipt = read_receipt(connection, entry.id).value_or("");
  const std::vector<DatasetRow> rows = read_datasets(connection);
  result.accounts.reserve(rows.size());
  for (const DatasetRow& row : rows) {
    result.accounts.push_back({row.dataset, state_->balance(row)});
  }
  return result;
}

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
  require_chain(connection, head);
  for (const LedgerEntry& entry : read_entries(connection)) {
    const std::optional<std::string> receipt = read_receipt(connection, entry.id);
    if (receipt && sha256(*receipt) != entry.receipt_sha256) {
      refuse(fmt::format("the receipt of entry {} does not have its hash", entry.id));
    }
  }
  for (const DatasetRow& row : read_datasets(connection)) {
    const LedgerBalance balance = state_->balance(row);
    if (!balance.spent.is_within(row.dataset.budget)) {
      refuse(fmt::format("dataset '{}' has spent {} of {}", row.dataset.name, balance.spent.to_string(),
                         row.dataset.budget.to_string()));
    }
  }
  return head_of(connection);
}

}  // namespace fractile
