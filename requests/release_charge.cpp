#include "requests/release_charge.hpp"

#include <fmt/core.h>

#include <exception>

#include "fractile/durable.hpp"
#include "fractile/error.hpp"
#include "requests/datasets.hpp"
#include "requests/sources.hpp"

namespace fractile::requests {
ReleaseCharge::ReleaseCharge(Ledger ledger, LedgerRequest request, const Typed& typed)
    : ledger_(std::move(ledger)),
      path_(shown_ledger(typed.one("ledger"))),
      receipt_(typed.one("receipt")),
      again_(typed.has("again")),
      request_(std::move(request)) {}

std::optional<ReleaseCharge> ReleaseCharge::of(const Typed& typed, const QuantileQuery& query) {
  if (!typed.has("ledger")) {
    for (const char* field : {"dataset", "again", "source"}) {
      if (typed.has(field)) usage({Field(field), " goes with ", Field("ledger")}, "name the ledger, or leave it out");
    }
    return {};
  }
  if (typed.has("unsafe_seed")) {
    usage({Field("unsafe_seed"), " does not go with ", Field("ledger"),
           ": such a release is not private, whatever it costs"},
          "leave one of them out");
  }
  const std::string path = typed.one("ledger");
  Ledger ledger = Ledger::open(path);
  const LedgerDataset dataset = dataset_of(ledger, typed, shown_ledger(path));
  if (!dataset.person.empty() && typed.has("sql")) {
    const Field sql("sql");
    usage({sql, fmt::format(" does not go with dataset '{}', which pins the column of persons: a query can call any "
                            "column '{}'",
                            dataset.name, dataset.person)},
          {"leave ", sql, " out"});
  }
  LedgerRequest request{dataset.name, {}, query.budget, query.neighbors};
  if (typed.has("receipt")) request.receipt_path = canonical_new_file(typed.one("receipt"));
  request.person = typed.one("person");
  request.records_per_person = query.records_per_person;
  request.source = source_read(typed);
  ledger.require_fit(request);
  return ReleaseCharge(std::move(ledger), std::move(request), typed);
}

LedgerAccount ReleaseCharge::account() const { return account_of(ledger_, request_.dataset); }

std::optional<LedgerEntry> ReleaseCharge::stored(const std::string& query_text) {
  request_.query = query_text;
  if (again_ || request_.source.empty()) return {};
  return ledger_.find_committed(request_.dataset, query_text);
}

void ReleaseCharge::repeat(const LedgerEntry& entry, Attendant& attendant) const {
  if (!receipt_.empty() && !is_written(receipt_, entry.receipt)) {
    require_writable(receipt_);
    write_durably(receipt_, entry.receipt);
  }
  attendant.tell(fmt::format("this was released at {} (entry {} of {}); here it is again, and nothing was spent",
                             entry.reserved_at, entry.id, path_),
                 {"the table was not read; ", Field("again"), " reads it, and pays"});
}

void ReleaseCharge::reserve(Attendant& attendant) {
  if (!receipt_.empty()) require_writable(receipt_);
  attendant.hold_interrupts();
  entry_ = ledger_.reserve(request_);
  attendant.on_interrupt(
      fmt::format("stopped; {} counts as spent: entry {} of {} stays reserved", request_.cost.to_string(), entry_,
                  path_),
      fmt::format("nothing was published; fractile ledger void {} --entry {} --reason TEXT gives it back", path_,
                  entry_));
}

Words ReleaseCharge::fate() const {
  const std::string spent =
      fmt::format("{} counts as spent: entry {} of {} ", request_.cost.to_string(), entry_, path_);
  try {
    switch (ledger_.entry(entry_).state) {
      case EntryState::reserved:
        break;
      case EntryState::drawn:
        return spent + "was drawn and is lost, and cannot be voided";
      case EntryState::committed:
        return kept();
      case EntryState::voided:
        return {};
    }
  } catch (const Error&) {  // which would hide the first one
  }
  return spent + "stays reserved";
}

void ReleaseCharge::guard(const std::function<void()>& work) const {
  try {
    work();
  } catch (const Error& error) {
    const Words became = fate();
    const char* const between = error.hint_words().empty() || became.empty() ? "" : "; ";
    throw Error(error.code(), error.what_words(), {error.hint_words(), between, became}, error.field());
  } catch (const std::exception&) {
    throw Error(ErrorCode::internal, "an internal error", {"nothing was printed; ", fate()});
  }
}

void ReleaseCharge::publish(const std::string& receipt, Attendant& attendant) {
  attendant.hold_interrupts();
  ledger_.commit(entry_, receipt);
  if (!receipt_.empty()) write_durably(receipt_, receipt);
  attendant.on_interrupt("stopped before all was printed", kept());
}

Words ReleaseCharge::kept() const {
  const Words printed_by = request_.source.empty() ? Words{"fractile ledger export ", path_}
                           : again_                ? Words{"the same command without ", Field("again")}
                                                   : "the same command";
  return {fmt::format("the release was made; entry {} of {} holds it, and ", entry_, path_), printed_by, " prints it"};
}

}  // namespace fractile::requests
