#include "publication/charge.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <new>
#include <span>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "publication/readings.hpp"

namespace fractile::publication_detail {
namespace {

/// What the ledger fails at before the charge says so.
template <class Work>
auto before_charge(Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::ledger) throw;
    throw Error(error.code(), error.what_words(), {"nothing was charged; ", error.hint_words()}, error.field());
  }
}

/// The tables by the paths of the files that were opened for them, where these are known; they stand behind the table's own file.
std::vector<NamedTable> with_opened_paths(std::vector<NamedTable> tables, const std::vector<OpenedFile>& opened) {
  const std::span<const OpenedFile> files = std::span(opened).last(std::min(tables.size(), opened.size()));
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].path.empty()) tables[i].file = files[i].path;
  }
  return tables;
}

/// Whatever was done to the ledger: a stored release of another query, cost or entry is not given out for this one.
void require_given_out(const LedgerEntry& entry, const std::string& path) {
  if (entry.token.empty()) return;  // of an older format
  const std::string name = fmt::format("the receipt of entry {} of {}", entry.id, path);
  try {
    require_own_receipt(entry, read_receipt(entry.receipt, name), name);
  } catch (const Error& error) {
    throw Error(ErrorCode::ledger, error.what_words(),
                {"see what fractile ledger verify says; ", Field("again"), " asks anew"});
  }
}

}  // namespace

ReleaseCharge::ReleaseCharge(Ledger ledger, LedgerDataset dataset, LedgerRequest request, const Payment& payment,
                             std::string receipt)
    : ledger_(std::move(ledger)),
      payment_(payment),
      path_(shown_ledger(payment.ledger)),
      receipt_(std::move(receipt)),
      dataset_(std::move(dataset)),
      request_(std::move(request)) {}

ReleaseCharge ReleaseCharge::of(const Payment& payment, const Source& source, const ReleaseRequest& release,
                                Attendant& attendant) {
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
        "the release is charged, so it goes on as soon as the ledger lets it");
  };
  Ledger ledger = before_charge([&] { return Ledger::open(payment.ledger, options); });
  const LedgerDataset dataset = before_charge([&] { return dataset_of(ledger, payment); });
  if (!dataset.person.empty() && !source.options().sql.empty()) {
    const Field sql("sql");
    throw Error(ErrorCode::usage,
                {sql, fmt::format(" does not go with dataset '{}', which pins the column of persons: a query can call "
                                  "any column '{}'",
                                  dataset.name, dataset.person)},
                {"leave ", sql, " out"});
  }
  const QuantileQuery& query = release.query;
  LedgerRequest request{dataset.name, {}, query.budget, query.neighbors};
  if (!release.receipt.empty()) request.receipt_path = canonical_new_file(release.receipt);
  const bool is_askers = source.holder() == Holder::asker && dataset.person.empty();
  if (!is_askers) request.person = release.column.selection.person;
  request.records_per_person = query.records_per_person;
  request.reading = reading_of(source, release.column, dataset);
  return {std::move(ledger), dataset, std::move(request), payment, release.receipt};
}

void ReleaseCharge::require_fit(const Source& source, const std::vector<OpenedFile>& opened) {
  const TableOptions& read = source.options();
  const bool is_server = !source.address().empty();  // whose tables change
  source_ = name_of_source(payment_.source, read, is_server ? std::vector<OpenedFile>() : opened);
  tables_ = with_opened_paths(read.tables, opened);
  request_.source = source_for(source, payment_.source, dataset_, opened);
  ledger_.require_fit(request_);
  fits_ = true;
}

LedgerAccount ReleaseCharge::account() const { return ledger_.account(request_.dataset); }

std::optional<LedgerEntry> ReleaseCharge::stored(const std::string& query_text) {
  request_.query = query_text;
  if (payment_.again || source_.empty()) return {};
  return before_charge([&] {
    std::optional<LedgerEntry> entry = ledger_.find_committed(request_.dataset, query_text);
    if (entry) require_given_out(*entry, path_);
    return entry;
  });
}

Release ReleaseCharge::release_of(const LedgerEntry& entry) {
  return read_receipt(entry.receipt, fmt::format("the receipt of entry {}", entry.id));
}

void ReleaseCharge::repeat(const LedgerEntry& entry, Attendant& attendant) const {
  if (!receipt_.empty() && !is_written(receipt_, entry.receipt)) {
    require_writable(receipt_);
    write_durably(receipt_, entry.receipt);
  }
  attendant.tell(fmt::format("this was released on {} (entry {} of {}); here it is again, and nothing was spent",
                             entry.reserved_at, entry.id, path_),
                 {"the table was not read; ", Field("again"), " reads it, and pays"});
}

void ReleaseCharge::make_room(std::uint64_t receipt_size, Attendant& attendant) {
  try {
    attendant.reserve_room(receipt_size);
    if (!receipt_.empty()) room_ = std::make_unique<RoomForFile>(receipt_, receipt_size);
  } catch (const Error& error) {
    throw Error(error.code(), error.what_words(), {"nothing was charged; ", error.hint_words()}, error.field());
  }
}

void ReleaseCharge::reserve(std::uint64_t receipt_size, Attendant& attendant) {
  if (!fits_) throw Error(ErrorCode::internal, "a release was to be paid for before it was known what it reads");
  if (!receipt_.empty()) require_writable(receipt_);
  make_room(receipt_size, attendant);
  request_.receipt_size = receipt_size;
  attendant.hold_interrupts();
  try {
    reservation_ = ledger_.reserve(request_);
  } catch (const Error& error) {
    attendant.on_interrupt(error.what_words(), error.hint_words());  // ends here if one came
    throw;
  }
  attendant.on_interrupt(
      fmt::format("stopped; {} counts as spent: entry {} of {} stays reserved", request_.cost.to_string(),
                  reservation_.id, path_),
      fmt::format("nothing was published; fractile ledger void {} --entry {} --reason TEXT gives it back", path_,
                  reservation_.id));
}

/// As the ledger that is at its path now says: another one may have been put there.
Words ReleaseCharge::fate() const {
  const std::string spent =
      fmt::format("{} counts as spent: entry {} of {} ", request_.cost.to_string(), reservation_.id, path_);
  const std::string gone = fmt::format(
      "the ledger {} that is there now does not have this entry, and does not count {}: it is an earlier "
      "state or another ledger",
      path_, request_.cost.to_string());
  try {
    const LedgerEntry entry = Ledger::open_to_read(payment_.ledger).entry(reservation_.id);
    if (entry.token != reservation_.token) return gone;
    switch (entry.state) {
      case EntryState::reserved:
        break;
      case EntryState::drawn:
        return spent + "was drawn and is lost, and cannot be voided";
      case EntryState::committed:
        return kept();
      case EntryState::voided:
        return {};
    }
  } catch (const Error& error) {  // which would hide the first one
    if (error.code() == ErrorCode::usage) return gone;
    return fmt::format("{} counts as spent if entry {} is there: look with fractile ledger show {}",
                       request_.cost.to_string(), reservation_.id, path_);
  }
  return spent + "stays reserved";
}

void ReleaseCharge::guard(const std::function<void()>& work, Attendant& attendant) const {
  try {
    work();
  } catch (const Error& error) {
    const Words became = fate();
    const char* const between = error.hint_words().empty() || became.empty() ? "" : "; ";
    const Words hint{error.hint_words(), between, became};
    attendant.on_interrupt(error.what_words(), hint);  // ends here if one came
    throw Error(error.code(), error.what_words(), hint, error.field());
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::data, "this machine's memory does not suffice",
                {"use a machine with more of it, or ask for less at once; ", fate()});
  } catch (const std::exception&) {
    throw Error(ErrorCode::internal, "an internal error", {"nothing was printed; ", fate()});
  }
}

void ReleaseCharge::publish(const std::string& receipt, Attendant& attendant) {
  attendant.hold_interrupts();
  ledger_.commit(reservation_, receipt);
  room_.reset();
  if (!receipt_.empty()) write_durably(receipt_, receipt);
  attendant.on_interrupt("stopped before all was printed", kept());
}

Words ReleaseCharge::kept() const {
  const Words printed_by = source_.empty()  ? Words{"fractile ledger export ", path_}
                           : payment_.again ? Words{"the same command without ", Field("again")}
                                            : "the same command";
  return {fmt::format("the release was made; entry {} of {} holds it, and ", reservation_.id, path_), printed_by,
          " prints it"};
}

}  // namespace fractile::publication_detail
