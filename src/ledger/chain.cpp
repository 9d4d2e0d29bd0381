#include "ledger/chain.hpp"

#include <fmt/core.h>

#include "ledger/digest.hpp"

namespace fractile::ledger_detail {
namespace {

constexpr const char* chain_name = "fractile ledger chain 1";

constexpr const char* event_sql =
    "SELECT id, time, kind, receipt_sha256, reason, coalesce(dataset, entry), hash FROM events ";
constexpr const char* dataset_sql =
    "SELECT id, name, unit, neighbors, measure, epsilon, rho, delta FROM datasets WHERE id = ?1";
constexpr const char* reserve_sql =
    "SELECT id, dataset, query, receipt_path, measure, epsilon, rho, delta, charged_rho FROM entries WHERE id = ?1";
constexpr const char* settle_sql = "SELECT id FROM entries WHERE id = ?1";

const char* subject_sql(const std::string& kind) {
  if (kind == "dataset") return dataset_sql;
  return kind == "reserve" ? reserve_sql : settle_sql;
}

/// "3:abc,": no two lists of fields have the same text.
std::string field(const std::string& text) { return fmt::format("{}:{},", text.size(), text); }

std::string column(const Statement& row, int index) { return row.is_null(index) ? "-," : field(row.text(index)); }

[[noreturn]] void broken(const Connection& connection, const std::string& what) {
  throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' was altered: {}", connection.path(), what),
              "restore it from a copy, and charge again what was released since");
}

/// `event` stands on a row of event_sql.
std::string hash_of(const Connection& connection, const Statement& event, const std::string& previous) {
  std::string fields = field(chain_name) + field(previous);
  for (const int index : {0, 1, 2, 3, 4}) fields += column(event, index);
  Statement subject(connection, subject_sql(event.text(2)));
  if (!subject.bind(1, event.number(5)).step())
    broken(connection, fmt::format("line {} is about nothing", event.text(0)));
  for (int index = 0; index < subject.columns(); ++index) fields += column(subject, index);
  return sha256(fields);
}

void require_no_strays(const Connection& connection) {
  const auto require_none = [&](const char* what, const std::string& sql) {
    const std::int64_t id = connection.number(sql);
    if (id != 0) broken(connection, fmt::format("the log does not know {} {}", what, id));
  };
  require_none("dataset",
               "SELECT id FROM datasets WHERE id NOT IN (SELECT dataset FROM events WHERE kind = 'dataset')");
  require_none("entry", "SELECT id FROM entries WHERE id NOT IN (SELECT entry FROM events WHERE kind = 'reserve')");
  require_none("the receipt of entry",
               "SELECT entry FROM receipts WHERE entry NOT IN (SELECT entry FROM events WHERE kind = 'commit')");
}

}  // namespace

void append_event(const Connection& connection, const NewEvent& event, std::int64_t subject) {
  const std::string previous = head_of(connection);
  const char* const about = event.kind == "dataset" ? "dataset" : "entry";
  // As event_sql will read it.
  Statement line(connection, "SELECT coalesce((SELECT max(id) FROM events), 0) + 1, ?1, ?2, ?3, ?4, ?5");
  line.bind(1, event.time).bind(2, event.kind).bind(3, event.receipt_sha256).bind(4, event.reason).bind(5, subject);
  line.step();
  Statement insert(connection, fmt::format("INSERT INTO events (id, time, kind, receipt_sha256, reason, {}, hash) "
                                           "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                                           about));
  insert.bind(1, line.number(0)).bind(2, event.time).bind(3, event.kind).bind(4, event.receipt_sha256);
  insert.bind(5, event.reason).bind(6, subject).bind(7, hash_of(connection, line, previous)).run();
}

std::string head_of(const Connection& connection) {
  return connection.text("SELECT hash FROM events ORDER BY id DESC LIMIT 1");
}

void require_chain(const Connection& connection, const std::string& head) {
  std::string previous;
  std::int64_t lines = 0;
  bool head_found = head.empty();
  Statement event(connection, std::string(event_sql) + "ORDER BY id");
  while (event.step()) {
    if (event.number(0) != ++lines) broken(connection, fmt::format("line {} is missing", lines));
    if (event.text(6) != hash_of(connection, event, previous)) {
      broken(connection, fmt::format("line {} or what it is about does not have its hash", lines));
    }
    previous = event.text(6);
    head_found = head_found || previous == head;
  }
  require_no_strays(connection);
  if (!head_found) broken(connection, "no line has the hash that was given; lines at its end are missing");
}

}  // namespace fractile::ledger_detail
