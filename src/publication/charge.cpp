#include "publication/charge.hpp"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "exact/lists.hpp"
#include "exact/shell_word.hpp"
#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "ledger/spending.hpp"
#include "libraries/fmt.hpp"
#include "publication/datasets.hpp"
#include "publication/readings.hpp"

namespace fractile::publication_detail {
namespace {

/// Runs `work` before the charge. Errors of the ledger then also say that nothing was charged.
template <class Work>
auto before_charge(Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::ledger) throw;
    throw Error(error.code(), error.what_words(), {"nothing was charged; ", error.hint_words()}, error.field());
  }
}

/// The tables, with the paths of the files that were opened for them, if known. In `opened`, they stand after the table's own file.
std::vector<NamedTable> with_opened_paths(std::vector<NamedTable> tables, const std::vector<OpenedFile>& opened) {
  const std::span<const OpenedFile> files = std::span(opened).last(std::min(tables.size(), opened.size()));
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].path.empty()) tables[i].file = files[i].path;
  }
  return tables;
}

/// The sum of the costs, in words.
std::string sum_in_words(const std::vector<Budget>& costs) {
  if (costs.empty()) return {};
  if (costs.size() == 1) return costs.front().to_string();
  Spending sum{costs.front().measure()};
  for (const Budget& cost : costs) sum.add(cost);
  return sum.to_string();
}

/// Entries of releases that failed, and what they cost.
struct Counting {
  std::vector<LedgerReservation> entries = {};
  std::vector<Budget> costs = {};

  void add(const LedgerReservation& entry, const Budget& cost) {
    entries.push_back(entry);
    costs.push_back(cost);
  }
  /// "epsilon = 1 counts as spent: entries 1 to 4 of b.db ".
  std::string in_words(const std::string& ledger) const {
    return fmt::format("{} counts as spent: {} of {} ", sum_in_words(costs), ledger_detail::entries_in_words(entries),
                       ledger);
  }
};

std::string drawn_in_words(const Counting& drawn, const std::string& ledger) {
  const bool is_one = drawn.entries.size() == 1;
  return drawn.in_words(ledger) + (is_one ? "was drawn and is lost" : "were drawn and are lost") +
         ", and cannot be voided";
}

std::string reserved_in_words(const Counting& reserved, const std::string& ledger) {
  return fmt::format("{}{} reserved; {}", reserved.in_words(ledger), reserved.entries.size() == 1 ? "stays" : "stay",
                     ledger_detail::voiding_in_words(reserved.entries, ledger));
}

/// Where no column is declared to identify persons, a new record may change the value or the row of the `person` that it names: two
/// changes, where the dataset's unit expects one (docs/proofs/one_value_per_person.md). A bound of records that is twice the unit's covers
/// both, except for values, whose number the bound does not limit.
void require_pinned_person(const LedgerDataset& dataset, const std::string& person, bool has_values,
                           std::uint32_t records_per_person) {
  if (person.empty() || !dataset.person.empty()) return;
  const std::uint64_t least = std::uint64_t{2} * dataset.records_per_person;
  if (!has_values && records_per_person >= least) return;
  const Words bound = has_values ? Words() : Words{", or write ", Field("records_per_person").number(least)};
  throw Error(ErrorCode::usage,
              {Field(has_values ? "per_person" : "person"),
               " goes with a dataset whose owner declares the column that identifies persons, and '", dataset.name,
               "' declares none"},
              {"leave it out", bound, "; fractile ledger init declares it for a new dataset: with ",
               Field("person").text(person)});
}

/// A query may give any column the pinned name, unless it makes one row of each person's records.
[[noreturn]] void refuse_query(const LedgerDataset& dataset) {
  const Field sql("sql");
  throw Error(ErrorCode::usage,
              {sql, fmt::format(" does not go with dataset '{}', which pins the column of persons: a query can call "
                                "any column '{}'",
                                dataset.name, dataset.person)},
              {"leave ", sql, " out, or make one row of each person's records: ",
               sql.text(fmt::format("SELECT {0}, sum(...) AS total FROM input GROUP BY {0}", dataset.person))});
}

/// Whether the query may make one row of each person's records. Only the opened source shows whether it does.
bool may_make_one_row_a_person(const Source& source, const ReleaseRequest& release, const LedgerDataset& dataset) {
  const TableOptions& read = source.options();
  return !read.sql.empty() && !read.sql_stability && !dataset.person.empty() && source.address().empty() &&
         release.column.selection.person == dataset.person;
}

/// Throws `ledger` unless the receipt stored with this entry has the entry's query, cost and number: the ledger may have been changed.
void require_stored_receipt(const LedgerEntry& entry, const std::string& path) {
  if (entry.token.empty()) return;  // an entry of an older format
  const std::string name = fmt::format("the receipt of entry {} of {}", entry.id, path);
  try {
    require_own_receipt(entry, read_receipt(entry.receipt, name), name);
  } catch (const Error& error) {
    throw Error(ErrorCode::ledger, error.what_words(),
                {"see what fractile ledger verify reports; ", Field("again"), " makes a new release"});
  }
}

}  // namespace

void refuse_without_memory(const Words& became) {
  throw Error(ErrorCode::data, "this machine's memory does not suffice",
              {"use a machine with more memory, or ask for less at once; ", became});
}

ReleaseCharge::ReleaseCharge(Ledger ledger, LedgerDataset dataset, LedgerRequest request, const Payment& payment,
                             std::string receipt)
    : ledger_(std::move(ledger)),
      payment_(payment),
      path_(shown_ledger(payment.ledger)),
      receipt_(std::move(receipt)),
      dataset_(std::move(dataset)),
      request_(std::move(request)) {}

ReleaseCharge ReleaseCharge::of(const Payment& payment, const Source& source, const ReleaseRequest& release,
                                const std::vector<ColumnToCount>& columns, Attendant& attendant) {
  if (release.unsafe_seed) {
    throw Error(ErrorCode::usage,
                {Field("unsafe_seed"), " does not go with ", Field("ledger"),
                 ": such a release is not private, whatever it costs"},
                "leave one of them out");
  }
  LedgerOptions options;
  options.stop = [&attendant] { return attendant.is_interrupted(); };
  options.waiting = [&attendant, shown = shown_ledger(payment.ledger)](std::chrono::seconds waited) {
    attendant.tell(
        fmt::format("the ledger {} cannot be written yet; waiting for it since {} seconds", shown, waited.count()),
        "the release is charged, so it continues as soon as the ledger can be written");
  };
  Ledger ledger = before_charge([&] { return Ledger::open(payment.ledger, options); });
  const LedgerDataset dataset = before_charge([&] { return dataset_of(ledger, payment); });
  const bool may_be_of_persons = may_make_one_row_a_person(source, release, dataset);
  if (!dataset.person.empty() && !source.options().sql.empty() && !may_be_of_persons) refuse_query(dataset);
  const QuantileQuery& query = release.query;
  LedgerRequest request{dataset.name, {}, query.budget, query.neighbors};
  if (!release.receipt.empty()) request.receipt_path = canonical_new_file(release.receipt);
  const bool is_askers = source.holder() == Holder::asker && dataset.person.empty();
  if (!is_askers) request.person = release.column.selection.person;
  const auto has_values = [](const ColumnToCount& column) { return column.selection.per_person.has_value(); };
  request.one_value_a_person = std::ranges::all_of(columns, has_values) || may_be_of_persons;
  const bool must_be_pinned = source.holder() == Holder::owner || dataset.records_per_person > 1;
  request.records_per_person = query.records_per_person;
  for (const ColumnToCount& column : columns) {
    if (must_be_pinned && has_values(column)) {
      require_pinned_person(dataset, column.selection.person, true, query.records_per_person);
    }
    request.reading = reading_of(source, column, dataset);  // checks each column; all give one reading
  }
  return {std::move(ledger), dataset, std::move(request), payment, release.receipt};
}

void ReleaseCharge::require_persons(const Source& source, const Records& records) const {
  if (dataset_.person.empty()) {
    if (source.holder() == Holder::asker && dataset_.records_per_person == 1) return;
    return require_pinned_person(dataset_, records.person_of_rows(), false, request_.records_per_person);
  }
  if (source.options().sql.empty()) return;
  if (records.person_of_rows() != dataset_.person) refuse_query(dataset_);
}

void ReleaseCharge::require_fit(const Source& source, const std::vector<OpenedFile>& opened) {
  const TableOptions& read = source.options();
  const bool is_server = !source.address().empty();  // a server's tables change
  source_ = name_of_source(payment_.source, read, is_server ? std::vector<OpenedFile>() : opened);
  tables_ = with_opened_paths(read.tables, opened);
  require_columns_for_null_errors(read, opened, dataset_);
  request_.source = source_for(source, payment_.source, dataset_, opened);
  ledger_.require_fit(request_);
  fits_ = true;
}

LedgerRequest ReleaseCharge::request_for(const ChargedRelease& release) const {
  LedgerRequest request = request_;
  request.query = release.query;
  request.cost = release.cost;
  request.receipt_size = release.receipt_size;
  return request;
}

LedgerAccount ReleaseCharge::account_with(const ChargedRelease& release) const {
  return ledger_.account_with(request_for(release));
}

LedgerAccount ReleaseCharge::account() const { return ledger_.account(request_.dataset); }

std::optional<LedgerEntry> ReleaseCharge::stored(const std::string& query) const {
  if (!may_be_stored()) return {};
  return before_charge([&] {
    std::optional<LedgerEntry> entry = ledger_.find_committed(request_.dataset, query);
    if (entry) require_stored_receipt(*entry, path_);
    return entry;
  });
}

std::string ReleaseCharge::held_text(const std::string& text, const std::string& as_typed) const {
  return text == as_typed || stored(text) || !stored(as_typed) ? text : as_typed;
}

std::vector<Charge> ReleaseCharge::charges() const {
  std::vector<Charge> charges;
  for (const LedgerReservation& each : reservations_) charges.push_back({request_.dataset, each.id, each.token});
  return charges;
}

Release ReleaseCharge::release_of(const LedgerEntry& entry) {
  return read_receipt(entry.receipt, fmt::format("the receipt of entry {}", entry.id));
}

void ReleaseCharge::write_again(const std::string& text) const {
  if (receipt_.empty() || is_written(receipt_, text)) return;
  require_writable(receipt_);
  write_durably(receipt_, text);
}

void ReleaseCharge::repeat(const LedgerEntry& entry, Attendant& attendant) const {
  write_again(entry.receipt);
  attendant.tell(fmt::format("this was released on {} (entry {} of {}); here it is again, and nothing was spent",
                             entry.reserved_at, entry.id, path_),
                 {"the table was not read; ", Field("again"), " reads it, and pays"});
}

void ReleaseCharge::make_room(std::uint64_t file_size, Attendant& attendant) {
  try {
    if (!receipt_.empty()) require_writable(receipt_);
    attendant.reserve_room(file_size);
    if (!receipt_.empty()) room_ = std::make_unique<RoomForFile>(receipt_, file_size);
  } catch (const Error& error) {
    throw Error(error.code(), error.what_words(), {"nothing was charged; ", error.hint_words()}, error.field());
  }
}

void ReleaseCharge::reserve(const ChargedRelease& release, Attendant& attendant) {
  const auto wanted = [&](const auto&) { return std::vector{release}; };
  reserve({{}, {}, release.receipt_size}, wanted, release.receipt_size, attendant);
}

std::optional<std::vector<std::optional<LedgerEntry>>> ReleaseCharge::all_stored(const LedgerQueries& asked) const {
  if (asked.queries.empty() || !may_be_stored()) return {};
  return before_charge([&]() -> std::optional<std::vector<std::optional<LedgerEntry>>> {
    std::vector<std::optional<LedgerEntry>> held = ledger_.find_committed(asked);
    for (const std::optional<LedgerEntry>& each : held) {
      if (!each) return {};
      require_stored_receipt(*each, path_);
    }
    return held;
  });
}

std::string ReleaseCharge::held_in_words(const std::vector<std::string>& queries,
                                         const std::vector<std::optional<LedgerEntry>>& held) const {
  std::vector<LedgerReservation> given;
  for (const std::optional<LedgerEntry>& each : held) {
    if (each) given.push_back(each->reservation());
  }
  if (given.empty()) return {};
  std::ranges::sort(given, {}, &LedgerReservation::id);
  std::vector<std::string> others;
  for (const LedgerEntry& each : ledger_.statement().entries) {
    if (each.state != EntryState::committed || each.request.dataset != request_.dataset) continue;
    if (std::ranges::find(queries, each.request.query) == queries.end()) continue;
    if (std::ranges::find(given, each.id, &LedgerReservation::id) != given.end()) continue;
    others.push_back(fmt::format("entry {} at {}", each.id, each.request.cost.to_string()));
  }
  const std::string words = fmt::format("{} of {}", ledger_detail::entries_in_words(given), path_);
  return others.empty() ? words : fmt::format("{}; earlier: {}", words, fmt::join(others, ", "));
}

void ReleaseCharge::reserve(LedgerQueries asked, const WantedReleases& wanted, std::uint64_t file_size,
                            Attendant& attendant) {
  if (!fits_) throw Error(ErrorCode::internal, "a release was to be paid for before it was known what it reads");
  asked.dataset = request_.dataset;
  if (const std::optional<std::vector<std::optional<LedgerEntry>>> held = all_stored(asked)) {
    wanted(*held);  // asks for nothing: committed entries stay committed
    return attendant.on_interrupt("stopped", "nothing was charged");
  }
  make_room(file_size, attendant);
  const auto to_charge = [&](std::vector<std::optional<LedgerEntry>> held) {
    if (!may_be_stored()) held.assign(asked.queries.size(), std::nullopt);
    for (const std::optional<LedgerEntry>& each : held) {
      if (each) require_stored_receipt(*each, path_);
    }
    std::vector<LedgerRequest> requests;
    for (const ChargedRelease& each : wanted(held)) requests.push_back(request_for(each));
    costs_ = mapped(requests, &LedgerRequest::cost);
    return requests;
  };
  attendant.hold_interrupts();
  try {
    reservations_ = ledger_.reserve_beside(asked, to_charge);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::ledger) attendant.charged();      // perhaps: the answer may be what was lost
    attendant.on_interrupt(error.what_words(), error.hint_words());  // does not return if an interrupt was held back
    throw;
  }
  if (reservations_.empty()) return attendant.on_interrupt("stopped", "nothing was charged");
  attendant.charged();
  attendant.on_interrupt(
      fmt::format("stopped; {} counts as spent: {} of {} {} reserved", sum_in_words(costs_),
                  ledger_detail::entries_in_words(reservations_), path_, reservations_.size() == 1 ? "stays" : "stay"),
      fmt::format("nothing was published; {}", ledger_detail::voiding_in_words(reservations_, path_)));
}

/// Reads the ledger that is now at its path, where another one may have been put.
Words ReleaseCharge::fate() const {
  if (reservations_.empty()) return "nothing was charged";
  const bool is_one = reservations_.size() == 1;
  try {
    return what_became_of_entries(Ledger::open_to_read(payment_.ledger));
  } catch (const Error& error) {  // this error would hide the first one
    if (error.code() == ErrorCode::usage) return gone();
    return fmt::format("{} counts as spent if {} {} there: look with fractile ledger show {}", sum_in_words(costs_),
                       ledger_detail::entries_in_words(reservations_), is_one ? "is" : "are", shell_path(path_));
  }
}

Words ReleaseCharge::gone() const {
  return fmt::format(
      "the ledger {} that is there now does not have {}, and does not count {}: it is an earlier state "
      "or another ledger",
      path_, reservations_.size() == 1 ? "this entry" : "these entries", sum_in_words(costs_));
}

Words ReleaseCharge::what_became_of_entries(const Ledger& ledger) const {
  Counting reserved;
  Counting drawn;
  for (std::size_t i = 0; i < reservations_.size(); ++i) {
    const LedgerEntry entry = ledger.entry(reservations_[i].id);
    if (entry.token != reservations_[i].token) return gone();
    if (entry.state == EntryState::committed) return kept();  // and so are all others
    if (entry.state == EntryState::reserved) reserved.add(reservations_[i], costs_[i]);
    if (entry.state == EntryState::drawn) drawn.add(reservations_[i], costs_[i]);
  }
  const std::size_t voided = reservations_.size() - reserved.entries.size() - drawn.entries.size();
  std::vector<std::string> parts;
  if (!drawn.entries.empty()) parts.push_back(drawn_in_words(drawn, path_));
  if (!reserved.entries.empty()) {
    parts.push_back(reserved_in_words(reserved, path_) + (voided > 0 ? "; then ask again" : ""));
  }
  if (parts.empty() && reservations_.size() > 1) {
    return fmt::format("{} of {} are void and do not count; ask again", ledger_detail::entries_in_words(reservations_),
                       path_);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

void ReleaseCharge::guard(const std::function<void()>& work, Attendant& attendant) const {
  try {
    work();
  } catch (const Error& error) {
    const Words became = fate();
    const char* const between = error.hint_words().empty() || became.empty() ? "" : "; ";
    const Words hint{error.hint_words(), between, became};
    attendant.on_interrupt(error.what_words(), hint);  // does not return if an interrupt was held back
    throw Error(error.code(), error.what_words(), hint, error.field());
  } catch (const std::bad_alloc&) {
    refuse_without_memory(fate());
  } catch (const std::exception&) {
    throw Error(ErrorCode::internal, "an internal error", {"nothing was printed; ", fate()});
  }
}

void ReleaseCharge::publish(std::vector<std::string> receipts, const std::string& file, Attendant& attendant) {
  if (receipts.size() != reservations_.size()) {
    throw Error(ErrorCode::internal, "a release was to be stored that was not paid for");
  }
  std::vector<LedgerCommitment> releases;
  for (std::size_t i = 0; i < receipts.size(); ++i) releases.push_back({reservations_[i], std::move(receipts[i])});
  attendant.hold_interrupts();
  if (!releases.empty()) ledger_.commit(releases);
  room_.reset();
  if (releases.empty()) {
    write_again(file);
  } else if (!receipt_.empty()) {
    write_durably(receipt_, file);
  }
  attendant.on_interrupt("stopped before all was printed", kept());
}

Words ReleaseCharge::kept() const {
  const Words printed_by = source_.empty()  ? Words{"fractile ledger export ", shell_path(path_)}
                           : payment_.again ? Words{"the same command without ", Field("again")}
                                            : "the same command";
  if (reservations_.empty()) return "nothing was spent";
  return {fmt::format("the release was made; {} of {} {} it, and ", ledger_detail::entries_in_words(reservations_),
                      path_, reservations_.size() == 1 ? "holds" : "hold"),
          printed_by, " prints it"};
}

}  // namespace fractile::publication_detail
