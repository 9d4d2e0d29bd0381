#include "fractile/ledger.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "exact/digest.hpp"
#include "exact/lists.hpp"
#include "exact/shell_word.hpp"
#include "ledger/names.hpp"
#include "ledger/present.hpp"
#include "ledger/readings.hpp"
#include "ledger/rows.hpp"
#include "ledger/spending.hpp"
#include "ledger/store.hpp"
#include "ledger/witness.hpp"
#include "libraries/fmt.hpp"
#include "libraries/postgres.hpp"

namespace fractile {

using namespace ledger_detail;

namespace {

/// Only the day, so that an asker cannot read from a ledger how long a release took.
std::string timestamp(std::chrono::system_clock::time_point now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

/// Throws `usage` unless a text, which tables will print, is one line and not empty.
void require_line(const std::string& what, const std::string& text) {
  const auto is_control = [](unsigned char c) { return std::iscntrl(c) != 0; };
  if (!text.empty() && std::ranges::none_of(text, is_control)) return;
  throw Error(ErrorCode::usage, fmt::format("{} must be a line of text", what), "write a few words");
}

/// Throws `usage` unless a text can be a line's hash: one that was not copied whole is no sign that the ledger was altered.
void require_hash(const std::string& head) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (head.size() == 64 && std::ranges::all_of(head, is_digit)) return;
  throw Error(ErrorCode::usage, {Field("head"), ": a hash of 64 hexadecimal digits is expected"},
              "give the whole hash that was kept, as verify printed it");
}

[[noreturn]] void refuse_settled(const Store& store, const LedgerEntry& entry, const std::string& hint) {
  throw Error(ErrorCode::usage,
              fmt::format("entry {} of the ledger '{}' is already {}", entry.id, store.name(), to_string(entry.state)),
              hint);
}

[[noreturn]] void refuse_unknown(const Store& store, const LedgerReservation& reservation) {
  if (reservation.token.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("the ledger '{}' has no entry {} without a token", store.name(), reservation.id),
                fmt::format("fractile ledger show {} lists them", shell_path(store.name())), "entry");
  }
  throw Error(ErrorCode::ledger,
              fmt::format("the ledger '{}' no longer has entry {} of this release: the ledger was put back to an "
                          "earlier state, or replaced, while the release ran",
                          store.name(), reservation.id),
              "nothing was committed and nothing was published, and this ledger does not count the release");
}

/// The entries that were reserved with these tokens. A ledger that was put back to an earlier state meanwhile may have given the entries'
/// numbers to other releases, so a number does not suffice.
std::vector<LedgerEntry> find_reserved(const Present& present, const Store& store,
                                       const std::vector<LedgerReservation>& reservations) {
  const std::vector<std::optional<LedgerEntry>> found = present.reserved(reservations);
  std::vector<LedgerEntry> entries;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) refuse_unknown(store, reservations[i]);
    entries.push_back(*found[i]);
  }
  return entries;
}

/// Checks, before a draw or a commitment, that the entry is neither void nor committed. `is_alone`: no other entry was charged with it.
void require_unsettled(const Store& store, const LedgerEntry& entry, bool is_alone) {
  if (entry.state == EntryState::voided) {
    throw Error(ErrorCode::ledger,
                fmt::format("entry {} of the ledger '{}' was voided while its release ran", entry.id, store.name()),
                is_alone ? "nothing was published, and it does not count; ask again"
                         : "nothing was published, and this entry does not count");
  }
  if (entry.state == EntryState::committed) refuse_settled(store, entry, "commit an entry once");
}

/// Whether a name is temporary, as "r.json.Ab3dE6" is for "r.json". Programs before format 2 first wrote receipts under such names.
bool is_temporary(const std::string& name, const std::string& receipt) {
  const std::size_t size = receipt.size() + 1;
  return name.size() == size + 6 && name.starts_with(receipt + ".") &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(size), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0; });
}

/// A file that may be the receipt at this path; "" when there is certainly none.
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
                fmt::format("entry {} may have been published: it is not known whether there is a receipt at '{}': {}",
                            entry.id, path, error.code().message()),
                "make that folder readable; if it was removed for good, create it again, empty");
  }
  if (found.empty()) return;
  throw Error(
      ErrorCode::usage, fmt::format("entry {} may have been published: there is a receipt at '{}'", entry.id, found),
      "let the entry count, or store it with fractile ledger commit; if that is another release's receipt, move "
      "it away");
}

/// Throws `usage` when a reserved entry has the request's receipt path. The receipt of that entry may still appear, and could then be
/// taken for the new one.
void require_free_path(const Present& present, const Store& store, const LedgerRequest& request) {
  const std::vector<LedgerEntry> entries = present.promised(request.receipt_path);
  if (entries.empty()) return;
  const std::vector<LedgerReservation> promised = mapped(entries, &LedgerEntry::reservation);
  throw Error(ErrorCode::usage,
              fmt::format("the receipt '{}' is that of {} of the ledger '{}', which {} reserved", request.receipt_path,
                          entries_in_words(promised), store.name(), entries.size() == 1 ? "is" : "are"),
              fmt::format("wait if that release is still running; if it was stopped, {}; under another name, this "
                          "release pays as well",
                          voiding_in_words(promised, store.name())));
}

Seen seen_now(const Present& present) { return {present.head().id, present.head().hash, present.sums().to_text()}; }

/// Checks the dataset's witness and reserves its room, before anything is charged.
void require_witness(const Store& store, const Present& present, const LedgerDataset& dataset) {
  if (dataset.witness.empty()) return;
  const Witness witness(store, dataset.witness, Witness::For::writing);
  witness.require_known();
  witness.take_room(seen_now(present));
}

/// Shows the log's last line to the dataset's witness, before a line is added that depends on the earlier lines.
void bear_witness(const Store& store, const Present& present, const std::string& dataset) {
  const std::string& path = present.dataset(dataset).dataset.witness;
  if (path.empty()) return;
  const Witness witness(store, path, Witness::For::writing);
  witness.require_known();
  const Seen now = seen_now(present);
  if (witness.last().hash != now.hash) witness.append(now);
}

/// Makes a dataset's witness, or checks that an existing one has seen this ledger. A witness that has seen more datasets than the ledger
/// has may have seen this one, too: the ledger was put back, and the dataset is added again. The ledger then stays behind its witness
/// until the missing charges are made again.
void take_witness(const Store& store, const Present& present, const std::string& path) {
  if (path.empty()) return;
  if (!Witness::is_there(path)) return Witness::create(store, path, seen_now(present));
  const Witness witness(store, path, Witness::For::writing);
  const std::optional<Sums> seen = Sums::read(witness.last().sums);
  if (!seen || seen->datasets() <= present.sums().datasets()) witness.require_known();
}

/// Throws `usage` if a witness would be the ledger's own file, and `ledger` if it could not be made or used.
void require_possible_witness(const std::string& ledger, const std::string& path) {
  if (path.empty()) return;
  std::error_code unknown;
  const auto whole = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, unknown), unknown);
  };
  const std::filesystem::path own = postgres::is_address(ledger) ? std::filesystem::path() : whole(ledger);
  if (!own.empty() && own == whole(path)) {
    throw Error(ErrorCode::usage, fmt::format("the witness '{}' is the ledger itself", path),
                "name another file, in a place that is not put back together with the ledger", "witness");
  }
  Witness::require_possible(shown_ledger(ledger), path);
}

std::vector<std::string> witnesses_of(const std::vector<DatasetRow>& datasets) {
  std::vector<std::string> paths;
  for (const DatasetRow& row : datasets) {
    const std::string& path = row.dataset.witness;
    if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
  }
  return paths;
}

/// The dataset that pays for a request, and its charge. Not yet checked: that enough remains, and that the receipt's path is free.
struct Payable {
  const DatasetRow& dataset;
  Budget charge;
};

Payable require_payable(const Present& present, const Store& store, const LedgerRequest& request) {
  const DatasetRow& row = present.dataset(request.dataset);
  require_same_unit(row.dataset, request);
  require_reading(row.dataset, present.sources(row, request.source), request);
  store.require_rights();
  require_witness(store, present, row.dataset);
  return {row, charge_on(row.dataset, request.cost)};
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
  require_name(name);
  require_line("the unit of privacy", unit);
  for (const auto& [what, text] :
       {std::pair{"the column of persons", person}, {"the source", source}, {"the path of the witness", witness}}) {
    if (!text.empty()) require_line(what, text);
  }
  for (const auto& [option, value] : reading) require_line("the name of an option", option);
  if (records_per_person < 1) {
    throw Error(ErrorCode::usage, "the records per person must be at least 1", "write for example 1",
                "records_per_person");
  }
}

struct Ledger::State {
  std::unique_ptr<Store> store;
  LedgerOptions options;
  bool may_write = true;

  static std::unique_ptr<State> opened(const std::string& path, LedgerOptions options, Wanted wanted) {
    return std::make_unique<State>(State{open_store(path, wanted, {options.patience, options.stop, options.waiting}),
                                         std::move(options), wanted != Wanted::reading});
  }

  /// The store, for a function that changes it. A ledger that is open for reading may be of an older format.
  const Store& store_to_write() const {
    if (may_write) return *store;
    throw Error(ErrorCode::usage, fmt::format("the ledger '{}' was opened for reading only", store->name()),
                "open it for changes, too");
  }

  std::string now() const { return timestamp(options.clock ? options.clock() : std::chrono::system_clock::now()); }

  /// The book as of one moment, for callers that read nothing else.
  Book book() const {
    Book result;
    store->read([&] { result = read_book(*store); });
    return result;
  }

  /// Runs `change` on the entries that were reserved for these releases. Before that, checks that no entry is settled, and shows the
  /// log's last line to the witness of each of their datasets. Called within a transaction.
  void for_each_unsettled(std::span<const LedgerCommitment> releases,
                          const std::function<void(const LedgerEntry&, const std::string& receipt)>& change) const {
    const Present present(*store);
    std::vector<LedgerReservation> reservations;
    for (const LedgerCommitment& release : releases) reservations.push_back(release.reservation);
    const std::vector<LedgerEntry> entries = find_reserved(present, *store, reservations);
    std::set<std::string> datasets;
    for (const LedgerEntry& entry : entries) {
      require_unsettled(*store, entry, entries.size() == 1);
      datasets.insert(entry.request.dataset);
    }
    for (const std::string& dataset : datasets) bear_witness(*store, present, dataset);
    for (std::size_t i = 0; i < entries.size(); ++i) change(entries[i], releases[i].receipt);
  }

  /// Marks the entries as drawn, so that they count for good. No part of their releases has left the process yet.
  void draw(std::span<const LedgerCommitment> releases) const {
    store->write([&] {
      for_each_unsettled(releases, [&](const LedgerEntry& entry, const std::string&) {
        if (entry.state == EntryState::drawn) return;
        const Present now_is(*store);
        append_event(*store, now_is.head(), {now(), "draw"}, entry.id, now_is.sums().to_text());
      });
    });
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
  return Ledger(State::opened(path, std::move(options), Wanted::reading));
}

void Ledger::init(const std::string& path, const LedgerDataset& dataset, LedgerOptions options) {
  dataset.validate();
  require_short(dataset.budget);
  require_possible_witness(path, dataset.witness);
  open_or_create(path, std::move(options)).add_dataset(dataset);
}

void Ledger::add_dataset(const LedgerDataset& dataset) {
  dataset.validate();
  require_short(dataset.budget);
  const Store& store = state_->store_to_write();
  store.write([&] {
    const Present present(store);
    const auto is_same = [&](const DatasetRow& row) { return row.dataset.name == dataset.name; };
    if (std::ranges::any_of(present.datasets(), is_same)) {
      throw Error(ErrorCode::usage,
                  fmt::format("the ledger '{}' already has a dataset '{}'", store.name(), dataset.name),
                  "a dataset's budget never changes; choose another name for another dataset", "dataset");
    }
    for (const DatasetRow& row : present.datasets()) require_unlike(dataset.name, row.dataset.name);
    take_witness(store, present, dataset.witness);
    ledger_detail::add_dataset(store, present.head(), present.sums(), dataset, state_->now());
  });
}

std::vector<LedgerDataset> Ledger::datasets() const {
  std::vector<LedgerDataset> result;
  state_->store->read([&] {
    result.clear();
    const Present present(*state_->store);
    for (const DatasetRow& row : present.datasets()) result.push_back(row.dataset);
  });
  return result;
}

namespace {

/// The error for a failure before the charge. Its hint says that nothing was charged.
Error without_charge(const Error& error) {
  if (error.code() != ErrorCode::ledger) return error;
  return {error.code(), error.what_words(), {"nothing was charged; ", error.hint_words()}, error.field()};
}

}  // namespace

void Ledger::require_fit(const LedgerRequest& request) const {
  try {
    state_->store->read([&] {
      const Present present(*state_->store);
      require_payable(present, *state_->store, request);
      require_free_path(present, *state_->store, request);
    });
  } catch (const Error& error) {
    throw without_charge(error);
  }
}

namespace {

/// The error for charges that were made but perhaps not synced. Its hint says how to give them back.
Error unsynced(const Error& error, const Store& store, const std::vector<LedgerReservation>& reservations,
               const std::vector<LedgerRequest>& requests) {
  const bool is_one = requests.size() == 1;
  const std::string cost = is_one ? requests.front().cost.to_string() : "what they cost";
  return {error.code(), error.what_words(),
          fmt::format("nothing was published; {} counts as spent: {} of {} {} reserved, and {}", cost,
                      entries_in_words(reservations), store.name(), is_one ? "stays" : "stay",
                      voiding_in_words(reservations, store.name()))};
}

/// Throws `budget_refused` unless the budget of the first request's dataset covers all of that dataset's requests together. charge()
/// refuses a single request, and what other datasets cannot pay, in its own words.
void require_all_payable(const Present& present, const std::vector<LedgerRequest>& requests) {
  if (requests.size() < 2) return;
  const DatasetRow& row = present.dataset(requests.front().dataset);
  Spending together{row.dataset.budget.measure()};
  Spending after = present.sums().spent(row.id);
  for (const LedgerRequest& request : requests) {
    if (request.dataset != row.dataset.name) continue;
    const Budget charge = charge_on(row.dataset, request.cost);
    together.add(charge);
    after.add(charge);
  }
  if (after.is_within(row.dataset.budget)) return;
  refuse_cost(row.dataset, present.sums().spent(row.id), together.to_string() + " in all");
}

/// Checks a request and reserves its entry. Called within a transaction.
LedgerReservation charge(const Store& store, const LedgerRequest& request, const std::function<std::string()>& now) {
  const Present present(store);
  const auto& [row, charge] = require_payable(present, store, request);
  require_remaining(row.dataset, present.sums().spent(row.id), request.cost, charge);
  LedgerReservation reservation = add_entry(store, present.head(), present.sums(), row, request, charge, now());
  store.prove_room(reservation.id, request.receipt_size);
  return reservation;
}

/// The committed entry of a query, if there is one. Throws `ledger` when its receipt is not the one that was committed.
std::optional<LedgerEntry> committed_whole(const Present& present, const DatasetRow& dataset, const std::string& query,
                                           const Budget* cost = nullptr) {
  std::optional<LedgerEntry> found = present.committed(dataset, query, cost);
  if (!found || (found->state == EntryState::committed && sha256(found->receipt) == found->receipt_sha256))
    return found;
  throw Error(ErrorCode::ledger, fmt::format("the receipt of entry {} is not what was committed", found->id),
              {"see what fractile ledger verify reports; ", Field("again"), " makes a new release"});
}

/// The entries of the queries at their costs; nothing unless the ledger holds all of them.
std::vector<std::optional<LedgerEntry>> held_at_costs(const Present& present, const DatasetRow& row,
                                                      const LedgerQueries& asked) {
  std::vector<std::optional<LedgerEntry>> held;
  for (std::size_t i = 0; i < asked.costs.size(); ++i) {
    held.push_back(committed_whole(present, row, asked.queries[i], &asked.costs[i]));
    if (!held.back()) return {};
  }
  return held;
}

std::vector<std::optional<LedgerEntry>> held_of(const Present& present, const LedgerQueries& asked) {
  if (asked.queries.empty()) return {};
  if (!asked.costs.empty() && asked.costs.size() != asked.queries.size()) {
    throw Error(ErrorCode::usage, "some of the queries have no cost", "give a cost for each query, or none");
  }
  const DatasetRow& row = present.dataset(asked.dataset);
  std::vector<std::optional<LedgerEntry>> held = held_at_costs(present, row, asked);
  if (!held.empty()) return held;
  for (const std::string& query : asked.queries) held.push_back(committed_whole(present, row, query));
  return held;
}

}  // namespace

LedgerReservation Ledger::reserve(const LedgerRequest& request) {
  std::vector<LedgerReservation> reservations =
      reserve_beside({request.dataset, {}, request.receipt_size}, [&](const auto&) { return std::vector{request}; });
  return std::move(reservations.front());  // a copy could fail for want of memory, after the charge
}

std::vector<LedgerReservation> Ledger::reserve_beside(const LedgerQueries& held, const LedgerRequests& wanted) {
  const Store& store = state_->store_to_write();
  if (!wanted) {
    throw Error(ErrorCode::usage, "a function that decides what to charge is missing",
                "give one that returns the requests");
  }
  store.wait(Waiting::Until::patience);
  std::vector<LedgerRequest> requests;
  std::vector<LedgerReservation> reservations;
  const auto now = [&] { return state_->now(); };
  const auto change = [&] {
    reservations.clear();
    const Present present(store);
    requests = wanted(held_of(present, held));
    for (const LedgerRequest& request : requests) require_free_path(present, store, request);
    require_all_payable(present, requests);
    for (const LedgerRequest& request : requests) reservations.push_back(charge(store, request, now));
  };
  try {
    store.take_room(held.receipts_size);
    store.write(change);
  } catch (const Unsynced& error) {
    if (reservations.empty()) throw;
    throw unsynced(error, store, reservations, requests);
  } catch (const InDoubt&) {
    throw;
  } catch (const Error& error) {
    throw without_charge(error);
  }
  store.wait(Waiting::Until::stop);
  return reservations;
}

void Ledger::commit(const LedgerReservation& reservation, const std::string& receipt) {
  const LedgerCommitment release{reservation, receipt};
  commit(std::span(&release, 1));
}

void Ledger::commit(std::span<const LedgerCommitment> releases) {
  const Store& store = state_->store_to_write();
  std::set<std::int64_t> entries;
  for (const LedgerCommitment& release : releases) {
    if (entries.insert(release.reservation.id).second) continue;
    throw Error(ErrorCode::usage, fmt::format("entry {} is to be committed twice", release.reservation.id),
                "give each entry's release once");
  }
  store.wait(Waiting::Until::stop);
  state_->draw(releases);
  store.wait(Waiting::Until::done);
  store.give_room_back();
  store.write([&] {
    state_->for_each_unsettled(releases, [&](const LedgerEntry& entry, const std::string& receipt) {
      const Present present(store);
      store.append(Table::receipts, {std::to_string(entry.id), receipt});
      append_event(store, present.head(), {state_->now(), "commit", sha256(receipt)}, entry.id,
                   present.sums().to_text());
    });
  });
}

void Ledger::void_entry(std::int64_t id, const std::string& reason) {
  require_line("the reason", reason);
  const Store& store = state_->store_to_write();
  store.write([&] {
    const Book book = read_book(store);
    const EntryRow& row = find_entry(book, store, id);
    const LedgerEntry& entry = row.entry;
    if (entry.state == EntryState::committed) {
      refuse_settled(store, entry, "its release was published, so it counts for good");
    }
    if (entry.state == EntryState::voided) refuse_settled(store, entry, "it does not count any more");
    if (entry.state == EntryState::drawn) {
      refuse_settled(store, entry, "a part of its release may be on the disk, so it counts for good");
    }
    require_unpublished(entry);
    if (const std::string& path = find_dataset(book.datasets, store, entry.request.dataset).dataset.witness;
        !path.empty()) {
      Witness(store, path, Witness::For::reading).require_known();
    }
    Sums sums = book.sums;
    sums.give_back(row.dataset, entry.charge);
    append_event(store, book.head(), {state_->now(), "void", {}, reason}, id, sums.to_text());
  });
}

std::vector<LedgerWitness> Ledger::witnesses() const {
  const Store& store = *state_->store;
  std::vector<LedgerWitness> result;
  store.read([&] {
    result.clear();
    const Present present(store);
    for (const std::string& path : witnesses_of(present.datasets())) {
      LedgerWitness witness{path};
      try {
        const Witness file(store, path, Witness::For::reading);
        witness.line = file.last().line;
        file.require_known();
      } catch (const Error& error) {
        if (error.code() != ErrorCode::ledger) throw;
        witness.fault = error.what();
      }
      result.push_back(std::move(witness));
    }
  });
  return result;
}

namespace {

/// The line, a charge or a draw, that was added so that a ledger behind its witness
/// counts what the witness has seen. Neither is set when no line is missing.
struct Amends {
  std::optional<LedgerEntry> charged = {};
  std::optional<std::int64_t> drawn = {};

  bool are_made() const { return !charged && !drawn; }
};

/// Adds one such line; each is a transaction of its own. A reserved entry may have been published since, so it is drawn and counts for
/// good. Entries that are charged here are drawn, too.
Amends amend(const Store& store, const Seen& seen, const std::string& witness, const std::string& time) {
  const Book book = read_book(store);
  if (has_seen(store, seen)) return {};
  for (const EntryRow& row : book.entries) {
    if (row.entry.state != EntryState::reserved) continue;
    append_event(store, book.head(), {time, "draw"}, row.entry.id, book.sums.to_text());
    return {{}, row.entry.id};
  }
  const std::optional<Sums> then = Sums::read(seen.sums);
  if (!then) throw Error(ErrorCode::ledger, fmt::format("the witness '{}' has no sums", witness), "name another one");
  for (std::int64_t id = 1; id <= then->datasets(); ++id) {
    const std::optional<Budget> missing = book.sums.missing_of(*then, id);
    if (!missing) continue;
    const DatasetRow& row = *std::ranges::find(book.datasets, id, &DatasetRow::id);
    Spending after = book.sums.spent(id);
    after.add(*missing);
    if (!after.is_within(row.dataset.budget)) {
      throw Error(ErrorCode::ledger,
                  fmt::format("{} are missing on dataset '{}', more than what remains of it", missing->to_string(),
                              row.dataset.name),
                  "stop using this ledger, and make another one for the datasets that have budget left");
    }
    LedgerEntry entry{
        0,
        LedgerRequest{
            row.dataset.name,
            fmt::format(
                "charged again: the witness '{}' had seen line {}, and the ledger was put back to an earlier state",
                witness, seen.line),
            *missing, row.dataset.neighbors},
        *missing};
    entry.id = add_entry(store, book.head(), book.sums, row, entry.request, *missing, time).id;
    return {std::move(entry)};
  }
  return {};
}

}  // namespace

LedgerAcceptance Ledger::accept_witnesses() {
  const Store& store = state_->store_to_write();
  LedgerAcceptance done;
  for (const LedgerWitness& each : witnesses()) {
    bool is_new = false;
    store.write([&] {
      is_new = !Witness::is_there(each.path);
      if (is_new) take_witness(store, Present(store), each.path);
    });
    if (is_new) {
      done.made.push_back(each.path);
      continue;
    }
    const Seen seen = Witness(store, each.path, Witness::For::writing).last();
    Amends amends;
    do {
      store.write([&] { amends = amend(store, seen, each.path, state_->now()); });
      if (amends.charged) done.charged.push_back(*amends.charged);
      // Entries that were charged here are drawn, too, but are reported only as charged.
      const auto is_it = [&](const LedgerEntry& entry) { return entry.id == amends.drawn; };
      if (amends.drawn && std::ranges::none_of(done.charged, is_it)) done.drawn.push_back(*amends.drawn);
    } while (!amends.are_made());
    store.write([&] {
      const Present present(store);
      if (!has_seen(store, seen)) Witness(store, each.path, Witness::For::writing).append(seen_now(present));
    });
  }
  return done;
}

std::optional<LedgerEntry> Ledger::find_committed(const std::string& dataset, const std::string& query) const {
  const Store& store = *state_->store;
  std::optional<LedgerEntry> found;
  store.read([&] {
    const Present present(store);
    found = committed_whole(present, present.dataset(dataset), query);
  });
  return found;
}

std::vector<std::optional<LedgerEntry>> Ledger::find_committed(const LedgerQueries& asked) const {
  const Store& store = *state_->store;
  std::vector<std::optional<LedgerEntry>> found;
  store.read([&] { found = held_of(Present(store), asked); });
  return found;
}

LedgerAccount Ledger::account(const std::string& dataset) const {
  std::optional<LedgerAccount> result;
  const Store& store = *state_->store;
  store.read([&] {
    const Present present(store);
    const DatasetRow& row = present.dataset(dataset);
    const Spending& spent = present.sums().spent(row.id);
    const LedgerBalance balance{spent, Spending{spent.measure}, remaining_of(row.dataset.budget, spent)};
    result = LedgerAccount{row.dataset, balance};
  });
  return std::move(*result);
}

LedgerAccount Ledger::account_with(const LedgerRequest& request) const {
  require_fit(request);
  LedgerAccount account = this->account(request.dataset);
  const Budget charge = charge_on(account.dataset, request.cost);
  require_remaining(account.dataset, account.balance.spent, request.cost, charge);
  account.balance.spent.add(charge);
  account.balance.remaining = remaining_of(account.dataset.budget, account.balance.spent);
  return account;
}

LedgerBalance Ledger::balance(const std::string& dataset) const {
  const Book book = state_->book();
  const DatasetRow& row = find_dataset(book.datasets, *state_->store, dataset);
  return balance_of(row.dataset, charges_of(book, row.id));
}

namespace {

LedgerStatement statement_of(const Store& store, Damage* damage) {
  LedgerStatement result;
  store.read([&] {
    if (damage != nullptr) damage->clear();
    Book book = read_book(store, {}, damage);
    result = {static_cast<int>(store.format()), {}, {}, {}, sources_of(book)};
    for (const DatasetRow& row : book.datasets) {
      result.accounts.push_back({row.dataset, balance_of(row.dataset, charges_of(book, row.id))});
    }
    for (EntryRow& row : book.entries) result.entries.push_back(std::move(row.entry));
    result.events = std::move(book.events);
    store.scan(Table::receipts, [&](const Fields& row) {
      const auto entry = std::ranges::lower_bound(result.entries, number_in(row[0]), {}, &LedgerEntry::id);
      if (entry == result.entries.end()) return;  // only in a damaged ledger
      if (entry->id == number_in(row[0])) entry->receipt = row[1].value_or("");
    });
  });
  return result;
}

}  // namespace

LedgerStatement Ledger::statement() const { return statement_of(*state_->store, nullptr); }

LedgerStatement Ledger::salvaged() const {
  Damage damage;
  LedgerStatement result = statement_of(*state_->store, &damage);
  result.damage = std::move(damage);
  return result;
}

LedgerEntry Ledger::entry(std::int64_t id) const { return find_entry(state_->book(), *state_->store, id).entry; }

std::string Ledger::verify(const std::string& head) const {
  if (!head.empty()) require_hash(head);
  const Store& store = *state_->store;
  std::string last;
  store.read([&] {
    store.check();
    const Book book = read_book(store, head);
    store.scan(Table::receipts, [&](const Fields& row) {
      const std::int64_t id = number_in(row[0]);
      if (sha256(row[1].value_or("")) == find_entry(book, store, id).entry.receipt_sha256) return;
      refuse_damaged(store.name(), fmt::format("the receipt of entry {} does not match its hash", id));
    });
    for (const auto& [id, dataset, hashed] : book.datasets) {
      const LedgerBalance balance = balance_of(dataset, charges_of(book, id));
      if (!balance.spent.is_within(dataset.budget)) {
        refuse_damaged(store.name(), fmt::format("dataset '{}' has spent {} of {}", dataset.name,
                                                 balance.spent.to_string(), dataset.budget.to_string()));
      }
    }
    for (const std::string& path : witnesses_of(book.datasets)) {
      if (Witness::is_there(path)) Witness(store, path, Witness::For::reading).require_known();
    }
    last = book.events.empty() ? "" : book.events.back().hash;
  });
  return last;
}

std::string shown_ledger(const std::string& path) {
  return postgres::is_address(path) ? postgres::shown_address(path) : path;
}

}  // namespace fractile
