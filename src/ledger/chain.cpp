#include "ledger/chain.hpp"

#include <charconv>
#include <set>
#include <utility>

#include "exact/digest.hpp"
#include "fractile/error.hpp"
#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

constexpr const char* chain_name = "fractile ledger chain 1";

std::string hashed_columns(const Fields& row, std::size_t count) {
  std::string fields;
  for (std::size_t column = 0; column < count; ++column) {
    fields += row[column] ? field_text(*row[column]) : "-,";
  }
  return fields;
}

/// The columns of `event` are id, time, kind, receipt_sha256, reason, ...
std::string hash_of(const std::string& previous, const Fields& event, const std::string& subject,
                    const std::optional<std::string>& sums) {
  std::string fields = field_text(chain_name) + field_text(previous) + hashed_columns(event, 5) + subject;
  if (sums) fields += field_text("sums") + field_text(*sums);
  return sha256(fields);
}

/// The subject of a line, as the log hashes it; "" when there is no such row.
std::string subject_of(const Subjects& subjects, const std::string& kind, std::int64_t id) {
  const auto& rows = kind == "dataset" ? subjects.datasets : subjects.entries;
  const auto row = rows.find(id);
  if (row == rows.end()) return {};
  return kind == "dataset" || kind == "reserve" ? row->second : field_text(std::to_string(id));
}

void require_no_strays(const Store& store, const Subjects& subjects, const std::vector<Line>& lines, Damage* damage) {
  std::map<std::string, std::set<std::int64_t>> known;
  for (const Line& line : lines) known[line.event.kind].insert(line.subject);
  const auto require_known = [&](const char* what, const char* kind, std::int64_t id) {
    if (!known[kind].contains(id)) broken(store, fmt::format("the log does not know {} {}", what, id), damage);
  };
  for (const auto& [id, fields] : subjects.datasets) require_known("dataset", "dataset", id);
  for (const auto& [id, fields] : subjects.entries) require_known("entry", "reserve", id);
  for (const std::int64_t id : subjects.receipts) require_known("the receipt of entry", "commit", id);
}

}  // namespace

std::int64_t number_in(const std::optional<std::string>& field) {
  std::int64_t number = -1;
  if (!field) return number;
  const char* const end = field->data() + field->size();
  const auto [read, failed] = std::from_chars(field->data(), end, number);
  return failed == std::errc() && read == end ? number : -1;
}

void broken(const Store& store, const std::string& what, Damage* damage) {
  constexpr std::size_t most_noted = 20;
  if (damage != nullptr) {
    if (damage->size() < most_noted) damage->push_back(what);
    return;
  }
  throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' was altered: {}", store.name(), what), restore_it);
}

std::string field_text(const std::string& text) { return fmt::format("{}:{},", text.size(), text); }

std::optional<std::vector<std::string>> fields_in(std::string_view text) {
  std::vector<std::string> fields;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return {};
    const std::int64_t size = number_in(std::string(text.substr(0, colon)));
    text.remove_prefix(colon + 1);
    if (size < 0 || text.size() <= static_cast<std::size_t>(size)) return {};
    if (text[static_cast<std::size_t>(size)] != ',') return {};
    fields.emplace_back(text.substr(0, static_cast<std::size_t>(size)));
    text.remove_prefix(static_cast<std::size_t>(size) + 1);
  }
  return fields;
}

std::string hashed_dataset(const Fields& row) { return hashed_columns(row, row[11] ? 12 : row[8] ? 11 : 8); }
std::string hashed_entry(const Fields& row) { return hashed_columns(row, row[13] ? 14 : 9); }

std::string append_event(const Store& store, const Head& head, const NewEvent& event, std::int64_t subject,
                         const std::string& sums, const std::string& hashed) {
  const std::string id = std::to_string(head.id + 1);
  const std::string about = std::to_string(subject);
  Fields line{id, event.time, event.kind, event.receipt_sha256, event.reason, about};
  std::string hash = hash_of(head.hash, line, hashed.empty() ? field_text(about) : hashed, sums);
  line.emplace_back(hash);
  line.emplace_back(sums);
  store.append(Table::events, line);
  return hash;
}

Line require_line(const Store& store, const Fields& row, const std::string& previous, const std::string& subject,
                  Damage* damage) {
  const auto text = [&](std::size_t column) { return row[column].value_or(""); };
  if (subject.empty()) {
    broken(store, fmt::format("line {} is about nothing", text(0)), damage);
  } else if (text(6) != hash_of(previous, row, subject, row[7])) {
    broken(store, fmt::format("line {} or what it is about does not match its hash", text(0)), damage);
  }
  const LedgerEvent event{number_in(row[0]), text(1), text(2), {}, 0, text(6)};
  return {event, number_in(row[5]), text(3), text(4), row[7]};
}

std::vector<Line> require_chain(const Store& store, const Subjects& subjects, const std::string& head, Damage* damage) {
  std::vector<Line> lines;
  std::string previous;
  bool head_found = head.empty();
  store.scan(Table::events, [&](const Fields& row) {
    const auto number = static_cast<std::int64_t>(lines.size()) + 1;
    if (number_in(row[0]) != number) broken(store, fmt::format("line {} is missing", number), damage);
    const std::string subject = subject_of(subjects, row[2].value_or(""), number_in(row[5]));
    Line line = require_line(store, row, previous, subject, damage);
    previous = line.event.hash;
    head_found = head_found || previous == head;
    lines.push_back(std::move(line));
  });
  require_no_strays(store, subjects, lines, damage);
  if (!head_found) broken(store, "no line has the hash that was given; lines at its end are missing", damage);
  return lines;
}

}  // namespace fractile::ledger_detail
