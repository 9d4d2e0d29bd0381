#include "ledger/chain.hpp"

#include <fmt/core.h>

#include <set>

#include "exact/digest.hpp"
#include "ledger/schema.hpp"

namespace fractile::ledger_detail {
namespace {

constexpr const char* chain_name = "fractile ledger chain 1";

/// "3:abc,", so that no two lists of fields are the same text.
std::string hashed_field(const std::string& text) { return fmt::format("{}:{},", text.size(), text); }

std::string hashed_columns(const Statement& row, int first, int last) {
  std::string fields;
  for (int column = first; column <= last; ++column) {
    fields += row.is_null(column) ? "-," : hashed_field(row.text(column));
  }
  return fields;
}

[[noreturn]] void broken(const Connection& connection, const std::string& what) {
  throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' was altered: {}", connection.path(), what),
              "restore it from a copy, and charge again what was released since");
}

/// `event`: id, time, kind, receipt_sha256, reason.
std::string hash_of(const std::string& previous, const Statement& event, const std::string& subject) {
  return sha256(hashed_field(chain_name) + hashed_field(previous) + hashed_columns(event, 0, 4) + subject);
}

/// Of a row that was just added, by its id.
std::string subject_of(const Connection& connection, const std::string& kind, std::int64_t id) {
  if (kind != "dataset" && kind != "reserve") return hashed_field(std::to_string(id));
  const bool dataset = kind == "dataset";
  Statement row(connection,
                dataset ? dataset_sql(format_of(connection)) + " WHERE d.id = ?1" : entry_sql() + " WHERE id = ?1");
  row.bind(1, id).step();
  return dataset ? hashed_dataset(row) : hashed_entry(row);
}

/// "" when there is no such row.
std::string subject_of(const Subjects& subjects, const std::string& kind, std::int64_t id) {
  const auto& rows = kind == "dataset" ? subjects.datasets : subjects.entries;
  const auto row = rows.find(id);
  if (row == rows.end()) return {};
  return kind == "dataset" || kind == "reserve" ? row->second : hashed_field(std::to_string(id));
}

void require_no_strays(const Connection& connection, const Subjects& subjects, const std::vector<Line>& lines) {
  std::map<std::string, std::set<std::int64_t>> known;
  for (const Line& line : lines) known[line.event.kind].insert(line.subject);
  const auto require_known = [&](const char* what, const char* kind, std::int64_t id) {
    if (known[kind].count(id) == 0) broken(connection, fmt::format("the log does not know {} {}", what, id));
  };
  for (const auto& [id, fields] : subjects.datasets) require_known("dataset", "dataset", id);
  for (const auto& [id, fields] : subjects.entries) require_known("entry", "reserve", id);
  for (const std::int64_t id : subjects.receipts) require_known("the receipt of entry", "commit", id);
}

std::string head_of(const Connection& connection) {
  return connection.text("SELECT hash FROM events NOT INDEXED ORDER BY id DESC LIMIT 1");
}

}  // namespace

std::string dataset_sql(std::int64_t format) {
  const bool has_pins = format >= 2;
  return fmt::format(
      "SELECT d.id, d.name, d.unit, d.neighbors, d.measure, d.epsilon, d.rho, d.delta, {} "
      "FROM datasets d NOT INDEXED {}",
      has_pins ? "p.person, p.records_per_person, p.source" : "NULL, NULL, NULL",
      has_pins ? "LEFT JOIN pins p ON p.dataset = d.id" : "");
}

std::string entry_sql() {
  return "SELECT id, dataset, query, receipt_path, measure, epsilon, rho, delta, charged_rho FROM entries NOT INDEXED";
}

std::string hashed_dataset(const Statement& row) { return hashed_columns(row, 0, row.is_null(8) ? 7 : 10); }
std::string hashed_entry(const Statement& row) { return hashed_columns(row, 0, 8); }

void append_event(const Connection& connection, const NewEvent& event, std::int64_t subject) {
  const std::string previous = head_of(connection);
  const char* const about = event.kind == "dataset" ? "dataset" : "entry";
  // As require_chain will read it.
  Statement line(connection, "SELECT coalesce((SELECT max(id) FROM events NOT INDEXED), 0) + 1, ?1, ?2, ?3, ?4");
  line.bind(1, event.time).bind(2, event.kind).bind(3, event.receipt_sha256).bind(4, event.reason);
  line.step();
  Statement insert(connection, fmt::format("INSERT INTO events (id, time, kind, receipt_sha256, reason, {}, hash) "
                                           "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                                           about));
  insert.bind(1, line.number(0)).bind(2, event.time).bind(3, event.kind).bind(4, event.receipt_sha256);
  insert.bind(5, event.reason).bind(6, subject);
  insert.bind(7, hash_of(previous, line, subject_of(connection, event.kind, subject))).run();
}

std::vector<Line> require_chain(const Connection& connection, const Subjects& subjects, const std::string& head) {
  std::vector<Line> lines;
  std::string previous;
  bool head_found = head.empty();
  Statement row(connection,
                "SELECT id, time, kind, receipt_sha256, reason, coalesce(dataset, entry), hash "
                "FROM events NOT INDEXED ORDER BY id");
  while (row.step()) {
    const auto number = static_cast<std::int64_t>(lines.size()) + 1;
    Line line{{row.number(0), row.text(1), row.text(2), {}, 0, row.text(6)}, row.number(5), row.text(3), row.text(4)};
    if (line.event.id != number) broken(connection, fmt::format("line {} is missing", number));
    const std::string subject = subject_of(subjects, line.event.kind, line.subject);
    if (subject.empty()) broken(connection, fmt::format("line {} is about nothing", number));
    if (line.event.hash != hash_of(previous, row, subject)) {
      broken(connection, fmt::format("line {} or what it is about does not have its hash", number));
    }
    previous = line.event.hash;
    head_found = head_found || previous == head;
    lines.push_back(std::move(line));
  }
  require_no_strays(connection, subjects, lines);
  if (!head_found) broken(connection, "no line has the hash that was given; lines at its end are missing");
  return lines;
}

}  // namespace fractile::ledger_detail
