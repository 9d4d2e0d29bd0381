#include "ledger/present.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include "exact/digest.hpp"
#include "ledger/readings.hpp"
#include "ledger/spending.hpp"
#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

/// The most entries of one query, or with one receipt path, that are looked up by an index. If there are more, the book is read.
constexpr int most_found = 16;

std::int64_t last_id(const Store& store, Table table) {
  const std::optional<Fields> row = store.last(table);
  return row ? number_in(row->front()) : 0;
}

/// The hash of the line before this one; "" for the first line.
std::string hash_before(const Store& store, std::int64_t line) {
  if (line <= 1) return {};
  const std::optional<Fields> row = store.find(Table::events, line - 1);
  if (!row) broken(store, fmt::format("line {} is missing", line - 1));
  return (*row)[6].value_or("");
}

/// Throws `ledger` unless the line has the hash that follows from its subject and from the hash of the line before it.
Line sound_line(const Store& store, const Fields& row, const std::string& previous) {
  const std::int64_t about = number_in(row[5]);
  std::string subject = field_text(std::to_string(about));
  if (row[2] == "dataset" || row[2] == "reserve") {
    const bool is_dataset = row[2] == "dataset";
    const std::optional<Fields> of = store.find(is_dataset ? Table::datasets : Table::entries, about);
    subject = !of ? std::string() : is_dataset ? hashed_dataset(*of) : hashed_entry(*of);
  }
  return require_line(store, row, previous, subject);
}

Line sound_line(const Store& store, const Fields& row) {
  return sound_line(store, row, hash_before(store, number_in(row[0])));
}

}  // namespace

Present::Present(const Store& store) : store_(&store) {
  const std::optional<Fields> last = store.format() < 3 ? std::nullopt : store.last(Table::events);
  if (!last || !(*last)[7]) {
    head_ = book().head();
    sums_ = book().sums;
    return;
  }
  const Line line = sound_line(store, *last);
  std::optional<Sums> sums = Sums::read(*line.sums);
  if (!sums) broken(store, fmt::format("line {} has no sums", line.event.id));
  // Each table is a separate tree, so damage that cuts off the end of one tree leaves the ends of the others.
  if (last_id(store, Table::entries) != sums->entries() || last_id(store, Table::datasets) != sums->datasets()) {
    broken(store, fmt::format("line {} is not the last one", line.event.id));
  }
  head_ = {line.event.id, line.event.hash};
  sums_ = std::move(*sums);
}

const Book& Present::book() const {
  if (!book_) book_ = read_book(*store_);
  return *book_;
}

const std::vector<DatasetRow>& Present::datasets() const {
  if (!datasets_.empty()) return datasets_;
  if (book_) return book_->datasets;
  std::vector<DatasetRow> rows;
  store_->scan(Table::datasets, [&](const Fields& row) { rows.push_back(dataset_at(*store_, row)); });
  if (static_cast<std::int64_t>(rows.size()) != sums_.datasets()) broken(*store_, "a dataset is missing");
  for (const DatasetRow& row : rows) {
    const std::optional<Fields> line = store_->line("dataset", row.id);
    if (!line || (*line)[2] != "dataset" || number_in((*line)[5]) != row.id) {
      broken(*store_, fmt::format("the log does not know dataset {}", row.id));
    }
    sound_line(*store_, *line);
  }
  datasets_ = std::move(rows);
  return datasets_;
}

const DatasetRow& Present::dataset(const std::string& name) const { return find_dataset(datasets(), *store_, name); }

std::optional<LedgerEntry> Present::entry(std::int64_t id) const {
  const std::optional<Fields> row = store_->find(Table::entries, id);
  if (!row) return {};
  EntryRow found = entry_at(*store_, *row, datasets());
  for (const char* kind : {"reserve", "draw", "settled"}) {
    const std::optional<Fields> line = store_->line(kind, id);
    if (!line && kind == std::string_view("reserve"))
      broken(*store_, fmt::format("the log does not know entry {}", id));
    if (!line) continue;
    if ((*line)[2] == "dataset" || number_in((*line)[5]) != id) {
      broken(*store_, fmt::format("line {} is not about entry {}", (*line)[0].value_or(""), id));
    }
    note(found, sound_line(*store_, *line));
  }
  return std::move(found.entry);
}

std::optional<std::vector<std::optional<LedgerEntry>>> Present::reserved_by_lines(
    const std::vector<LedgerReservation>& reservations) const {
  std::map<std::int64_t, EntryRow> found;
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (const LedgerReservation& each : reservations) {
    const std::optional<Fields> row = book_ ? std::nullopt : store_->find(Table::entries, each.id);
    const std::optional<Fields> first = row ? store_->line("reserve", each.id) : std::nullopt;
    if (each.token.empty() || !first || (*first)[6] != each.token) return {};
    found.emplace(each.id, entry_at(*store_, *row, datasets()));
    next = std::min(next, number_in(first->front()));
  }
  std::string previous = hash_before(*store_, next);
  store_->scan_from(next, [&](const Fields& each) {
    const Line line = sound_line(*store_, each, previous);
    if (line.event.id != next) broken(*store_, fmt::format("line {} is missing", next));
    const auto at = line.event.kind == "dataset" ? found.end() : found.find(line.subject);
    if (at != found.end()) note(at->second, line);
    previous = line.event.hash;
    ++next;
  });
  if (previous != head_.hash) broken(*store_, fmt::format("line {} is missing", next));
  std::vector<std::optional<LedgerEntry>> entries;
  entries.reserve(reservations.size());
  for (const LedgerReservation& each : reservations) entries.emplace_back(found.at(each.id).entry);
  return entries;
}

std::vector<std::optional<LedgerEntry>> Present::reserved(const std::vector<LedgerReservation>& reservations) const {
  if (reservations.empty()) return {};
  if (std::optional<std::vector<std::optional<LedgerEntry>>> entries = reserved_by_lines(reservations))
    return std::move(*entries);
  std::vector<std::optional<LedgerEntry>> entries;
  for (const LedgerReservation& wanted : reservations) {
    const auto is_it = [&](const EntryRow& row) {
      return row.entry.id == wanted.id && row.entry.token == wanted.token;
    };
    const auto row = std::ranges::find_if(book().entries, is_it);
    entries.push_back(row == book().entries.end() ? std::nullopt : std::optional(row->entry));
  }
  return entries;
}

std::optional<LedgerEntry> Present::committed(const DatasetRow& dataset, const std::string& query,
                                              const Budget* cost) const {
  const auto answers = [&](const LedgerEntry& entry) {
    return entry.state == EntryState::committed && entry.request.dataset == dataset.dataset.name &&
           entry.request.query == query && (cost == nullptr || is_same(entry.request.cost, *cost));
  };
  if (!book_) {
    const std::vector<std::int64_t> ids = store_->find(Lookup::question, {sha256(query)}, most_found);
    for (const std::int64_t id : ids) {
      std::optional<LedgerEntry> found = entry(id);
      if (!found || !answers(*found)) continue;
      const std::optional<std::string> receipt = store_->receipt(id);
      if (!receipt) continue;
      found->receipt = *receipt;
      return found;
    }
    if (ids.size() < most_found) return {};
  }
  const std::vector<EntryRow>& entries = book().entries;
  const auto row = std::find_if(entries.rbegin(), entries.rend(), [&](const EntryRow& each) {
    return answers(each.entry) && std::ranges::binary_search(book().receipts, each.entry.id);
  });
  if (row == entries.rend()) return {};
  LedgerEntry found = row->entry;
  found.receipt = store_->receipt(found.id).value_or("");
  return found;
}

std::vector<LedgerSource> Present::sources(const DatasetRow& dataset, const std::string& source) const {
  if (source.empty()) return {};
  if (!book_) {
    const std::vector<std::int64_t> found = store_->find(Lookup::source, {std::to_string(dataset.id), source}, 1);
    if (found.empty()) {
      const std::vector<std::string> files = files_of(source);
      const auto is_known = [&](const std::string& file) { return store_->scan_for_file(dataset.id, file); };
      if (std::ranges::none_of(files, is_known)) return {};
    } else {
      const std::optional<LedgerEntry> first = entry(found.front());
      const bool fixes = first && first->state != EntryState::voided && first->request.source == source &&
                         first->request.dataset == dataset.dataset.name;
      if (fixes) return {source_fixed_by(*first)};
    }
  }
  return sources_of(book(), dataset.dataset.name, source);
}

std::vector<LedgerEntry> Present::promised(const std::string& receipt_path) const {
  if (receipt_path.empty()) return {};
  const auto is_it = [&](const LedgerEntry& entry) {
    return entry.state == EntryState::reserved && entry.request.receipt_path == receipt_path;
  };
  if (!book_) {
    const std::vector<std::int64_t> ids = store_->find(Lookup::receipt_path, {receipt_path}, most_found);
    const bool is_promised = std::ranges::any_of(ids, [&](std::int64_t id) {
      const std::optional<LedgerEntry> found = entry(id);
      return found && is_it(*found);
    });
    if (!is_promised && ids.size() < most_found) return {};
  }
  std::vector<LedgerEntry> entries;
  for (const EntryRow& row : book().entries) {
    if (is_it(row.entry)) entries.push_back(row.entry);
  }
  return entries;
}

}  // namespace fractile::ledger_detail
