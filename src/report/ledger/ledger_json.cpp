#include "fractile/reports.hpp"
#include "report/text/json_writer.hpp"
#include "report/text/release_members.hpp"
#include "report/text/shown_text.hpp"

namespace fractile {

using namespace report_detail;

namespace {

void optional_member(Writer& json, const char* name, const std::string& value) {
  if (!value.empty()) member(json, name, value);
}

void write_budget(Writer& json, const char* name, const Budget& budget) {
  object(json, name, [&] {
    member(json, "measure", to_string(budget.measure()));
    write_cost(json, budget);
  });
}

void write_spending(Writer& json, const char* name, const Spending& spending) {
  object(json, name, [&] {
    if (spending.measure == Measure::zcdp) {
      member(json, "rho", spending.rho.to_string());
    } else {
      member(json, "epsilon", spending.epsilon.to_string());
    }
    if (spending.measure == Measure::approximate) member(json, "delta", spending.delta.to_string());
  });
}

/// Writes the reading, or nothing if it is empty.
void write_reading(Writer& json, const LedgerReading& reading) {
  if (reading.empty()) return;
  object(json, "reading", [&] {
    for (const auto& [name, value] : reading) member(json, name.c_str(), value);
  });
}

void write_source(Writer& json, const LedgerSource& source) {
  member(json, "dataset", source.dataset);
  member(json, "source", name_text(source.source));
  member(json, "entry", static_cast<std::uint64_t>(source.entry));
  member(json, "records_per_person", std::uint64_t{source.records_per_person});
  write_reading(json, source.reading);
}

void write_account(Writer& json, const LedgerAccount& account) {
  member(json, "name", account.dataset.name);
  member(json, "unit", account.dataset.unit);
  member(json, "neighbors", to_string(account.dataset.neighbors));
  optional_member(json, "person", account.dataset.person);
  member(json, "records_per_person", std::uint64_t{account.dataset.records_per_person});
  optional_member(json, "source", account.dataset.source);
  write_reading(json, account.dataset.reading);
  optional_member(json, "witness", name_text(account.dataset.witness));
  write_budget(json, "budget", account.dataset.budget);
  write_spending(json, "spent", account.balance.spent);
  write_spending(json, "reserved", account.balance.reserved);
  write_spending(json, "remaining", account.balance.remaining);
}

void write_entry(Writer& json, const LedgerEntry& entry, LedgerDetail detail) {
  member(json, "id", static_cast<std::uint64_t>(entry.id));
  member(json, "dataset", entry.request.dataset);
  member(json, "state", to_string(entry.state));
  member(json, "reserved_at", entry.reserved_at);
  optional_member(json, "settled_at", entry.settled_at);
  write_budget(json, "cost", entry.request.cost);
  write_budget(json, "charge", entry.charge);
  member(json, "query", entry.request.query);
  if (!entry.token.empty()) {
    member(json, "token", entry.token);
    optional_member(json, "source", name_text(entry.request.source));
    optional_member(json, "person", entry.request.person);
    member(json, "records_per_person", std::uint64_t{entry.request.records_per_person});
    write_reading(json, entry.request.reading);
  }
  optional_member(json, "receipt_path", name_text(entry.request.receipt_path));
  optional_member(json, "receipt_sha256", entry.receipt_sha256);
  if (detail == LedgerDetail::everything) optional_member(json, "receipt", entry.receipt);
  optional_member(json, "reason", entry.reason);
}

void write_event(Writer& json, const LedgerEvent& event) {
  member(json, "id", static_cast<std::uint64_t>(event.id));
  member(json, "time", event.time);
  member(json, "kind", event.kind);
  optional_member(json, "dataset", event.dataset);
  if (event.entry != 0) member(json, "entry", static_cast<std::uint64_t>(event.entry));
  member(json, "hash", event.hash);
}

}  // namespace

std::string to_json(const LedgerStatement& statement, LedgerDetail detail) {
  Document document;
  Writer& json = document.json();
  member(json, "ledger_format", static_cast<std::uint64_t>(statement.format));
  if (!statement.damage.empty()) {
    list(json, "damage", statement.damage, [&](const std::string& what) { json.String(what.c_str()); });
  }
  objects(json, "datasets", statement.accounts, [&](const LedgerAccount& each) { write_account(json, each); });
  objects(json, "sources", statement.sources, [&](const LedgerSource& each) { write_source(json, each); });
  objects(json, "entries", statement.entries, [&](const LedgerEntry& each) { write_entry(json, each, detail); });
  if (detail == LedgerDetail::everything) {
    objects(json, "events", statement.events, [&](const LedgerEvent& each) { write_event(json, each); });
  }
  return document.text();
}

}  // namespace fractile
