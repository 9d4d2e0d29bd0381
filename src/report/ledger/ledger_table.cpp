#include <algorithm>

#include "exact/own_environment.hpp"
#include "exact/wording.hpp"
#include "fractile/reports.hpp"
#include "ledger/readings.hpp"
#include "libraries/fmt.hpp"
#include "libraries/rapidjson.hpp"
#include "report/ledger/dataset_words.hpp"
#include "report/ledger/ledger_words.hpp"
#include "report/ledger/query_words.hpp"
#include "report/text/csv_cells.hpp"
#include "report/text/decimals.hpp"
#include "report/text/shown_text.hpp"

namespace fractile {
namespace {

/// How a source is read, in one cell: a JSON object, since names and values may be any text; "" where the defaults hold.
std::string reading_in(const LedgerReading& reading) {
  if (reading.empty()) return {};
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> json(buffer);
  json.StartObject();
  for (const auto& [name, value] : reading) {
    json.Key(name.c_str());
    json.String(name_text(value).c_str());
  }
  json.EndObject();
  return buffer.GetString();
}

std::string balances_csv(const LedgerStatement& statement) {
  std::string text =
      "dataset,unit,neighbors,budget,spent,reserved,remaining,person,records_per_person,source,reading,witness\n";
  for (const auto& [dataset, balance] : statement.accounts) {
    text +=
        report_detail::csv_line({dataset.name, dataset.unit, to_string(dataset.neighbors), dataset.budget.to_string(),
                                 balance.spent.to_string(), balance.reserved.to_string(), balance.remaining.to_string(),
                                 dataset.person, std::to_string(dataset.records_per_person), dataset.source,
                                 reading_in(dataset.reading), name_text(dataset.witness)});
  }
  return text;
}

std::string entries_csv(const LedgerStatement& statement) {
  std::string text =
      "id,dataset,state,reserved_at,settled_at,cost,charge,query,receipt_path,receipt_sha256,reason,source,person,"
      "records_per_person,reading\n";
  for (const LedgerEntry& entry : statement.entries) {
    text += report_detail::csv_line(
        {std::to_string(entry.id), entry.request.dataset, to_string(entry.state), entry.reserved_at, entry.settled_at,
         entry.request.cost.to_string(), entry.charge.to_string(), entry.request.query,
         name_text(entry.request.receipt_path), entry.receipt_sha256, entry.reason, name_text(entry.request.source),
         entry.request.person, entry.token.empty() ? "" : std::to_string(entry.request.records_per_person),
         reading_in(entry.request.reading)});
  }
  return text;
}

}  // namespace

std::string report_detail::charge_of(const LedgerEntry& entry) {
  std::string cost = with_decimals(entry.request.cost);
  if (entry.charge.measure() == entry.request.cost.measure()) return cost;
  Spending charge{entry.charge.measure()};
  charge.add(entry.charge);
  return fmt::format("{} (as {})", cost, with_decimals(charge));
}

namespace {

void add(Words& words, const Words& more) { words = {words, words.empty() ? "" : ", ", more}; }

bool is_permission(const std::string& name) {
  return std::ranges::find(ledger_detail::permissions, name) != ledger_detail::permissions.end();
}

Words option_in_words(const std::string& name, const std::string& value) {
  const Field field(name);
  if (value == "yes") return field;
  if (name == "keys_file") return {field, " with the SHA-256 ", value};
  if (name == "sql_stability" || name == "weight_stability") return {field.number(value), " or more"};
  if (value.ends_with(',')) return {field, " '", value, "'"};  // another comma may follow
  return field.text(value);
}

/// What every release reads alike.
void add_reading(Words& words, const LedgerReading& reading) {
  for (const auto& [name, value] : reading) {
    if (!is_permission(name)) add(words, option_in_words(name, value));
  }
}

}  // namespace

Words permissions_in_words(const LedgerDataset& dataset) {
  Words words;
  for (const auto& [name, value] : dataset.reading) {
    if (is_permission(name)) add(words, option_in_words(name, value));
  }
  return words;
}

std::string report_detail::drawn_among_reserved(const LedgerStatement& statement, const LedgerDataset& dataset) {
  const bool has_drawn = std::ranges::any_of(statement.entries, [&](const LedgerEntry& entry) {
    return entry.request.dataset == dataset.name && entry.state == EntryState::drawn;
  });
  return has_drawn ? ", with drawn entries, which count for good" : "";
}

Words report_detail::reading_in_words(const LedgerSource& source) {
  Words how;
  add_reading(how, source.reading);
  if (source.records_per_person > 1) {
    add(how, {Field("records_per_person").number(source.records_per_person), " or more"});
  }
  return {fmt::format("the {} '{}' is read ", source.source.starts_with('/') ? "file" : "source", source.source),
          "with ", how.empty() ? Words("default options") : how, fmt::format(" since entry {}", source.entry)};
}

Words pins_in_words(const LedgerDataset& dataset) {
  Words words;
  if (!dataset.person.empty()) add(words, Field("person").text(dataset.person));
  if (dataset.records_per_person > 1) {
    add(words, {Field("records_per_person").number(dataset.records_per_person), " or more"});
  }
  if (dataset.source.starts_with('/')) {
    add(words, fmt::format("the file '{}'", dataset.source));
  } else if (!dataset.source.empty()) {
    add(words, Field("source").text(dataset.source));
  }
  LedgerReading others = dataset.reading;
  others.erase("person");
  others.erase("records_per_person");
  add_reading(words, others);
  return words;
}

namespace {

std::string reserved_of(const LedgerStatement& statement, const LedgerAccount& account) {
  const bool has_any = std::ranges::any_of(statement.entries, [&](const LedgerEntry& entry) {
    const bool is_open = entry.state == EntryState::reserved || entry.state == EntryState::drawn;
    return entry.request.dataset == account.dataset.name && is_open;
  });
  if (!has_any) return "nothing";
  return fmt::format("{}, a part of what is spent{}", report_detail::with_decimals(account.balance.reserved),
                     report_detail::drawn_among_reserved(statement, account.dataset));
}

std::string account_table(const LedgerStatement& statement, const LedgerAccount& account) {
  const auto& [dataset, balance] = account;
  const std::string pinned = pins_in_words(dataset).in(Wording::program);
  const std::string permitted = permissions_in_words(dataset).in(Wording::program);
  std::string sources;
  for (const LedgerSource& source : statement.sources) {
    if (source.dataset != dataset.name) continue;
    const std::string words = report_detail::reading_in_words(source).in(Wording::program);
    sources += fmt::format("  {}  {}\n", sources.empty() ? "sources  " : "         ", shown_text(words));
  }
  return fmt::format(
      "dataset {} (a budget for each {}, {} neighbors)\n{}{}"
      "  budget     {}\n  spent      {}\n  reserved   {}\n  remaining  {}\n{}{}",
      shown_text(dataset.name), shown_text(dataset.unit), to_string(dataset.neighbors),
      pinned.empty() ? "" : fmt::format("  releases   must have {}\n", shown_text(pinned)),
      permitted.empty() ? "" : fmt::format("  permitted  {}\n", shown_text(permitted)),
      report_detail::with_decimals(dataset.budget), report_detail::with_decimals(balance.spent),
      reserved_of(statement, account), report_detail::with_decimals(balance.remaining), sources,
      dataset.witness.empty() ? "" : fmt::format("  witness    {}\n", shown_text(dataset.witness)));
}

std::string entry_table(const LedgerEntry& entry) {
  const std::string why = entry.reason.empty() ? "" : fmt::format("  because: {}\n", shown_text(entry.reason));
  return fmt::format("entry {}, {}, {}, {}, {}\n  {}\n{}", entry.id, to_string(entry.state),
                     shown_text(entry.request.dataset), entry.reserved_at, report_detail::charge_of(entry),
                     report_detail::query_in_words(entry.request.query), why);
}

}  // namespace

std::string to_csv(const LedgerStatement& statement, LedgerDetail detail) {
  return detail == LedgerDetail::balances ? balances_csv(statement) : entries_csv(statement);
}

std::string to_table(const LedgerStatement& statement) {
  const OwnEnvironment own;
  std::string text;
  for (const std::string& what : statement.damage) text += fmt::format("DAMAGED: {}\n", shown_text(what));
  if (!statement.damage.empty()) text += "the sums below cover only what can still be read\n\n";
  for (const LedgerAccount& account : statement.accounts) text += account_table(statement, account) + "\n";
  for (const LedgerEntry& entry : statement.entries) text += entry_table(entry);
  return text.empty() ? "the ledger is empty\n" : text;
}

}  // namespace fractile
