#include "release_charge.hpp"

#include <fmt/core.h>

#include <exception>

#include "explain.hpp"
#include "fractile/report.hpp"
#include "ledger.hpp"
#include "sources.hpp"
#include "terminal.hpp"

namespace fractile::cli {
namespace {

WebPage rendered(const LedgerEntry& entry, const Shown& shown) {
  if (shown.format == Format::json) return {entry.receipt};
  const std::string name = fmt::format("the receipt of entry {}", entry.id);
  if (shown.format == Format::html) return page_of(entry.receipt, name, shown);
  const Receipt receipt = read_receipt(entry.receipt, name);
  std::vector<NamedComparison> comparisons;
  if (shown.compared) comparisons = comparisons_of(receipt, *shown.compared);
  if (shown.format == Format::csv) return {shown.compared ? to_csv(receipt, comparisons) : to_csv(receipt)};
  return {to_table(receipt) +
          fmt::format("\n{}, neighbors {}, released at {} (entry {})\n", entry.request.cost.to_string(),
                      to_string(entry.request.neighbors), entry.reserved_at, entry.id) +
          (shown.compared ? "\n" + to_table(receipt, comparisons) : "")};
}

}  // namespace

ReleaseCharge::ReleaseCharge(Ledger ledger, LedgerRequest request, const Typed& typed)
    : ledger_(std::move(ledger)),
      path_(typed.one("--ledger")),
      receipt_(typed.one("--receipt")),
      again_(typed.has("--again")),
      request_(std::move(request)) {}

std::optional<ReleaseCharge> ReleaseCharge::of(const Typed& typed, const QuantileQuery& query) {
  if (!typed.has("--ledger")) {
    for (const char* option : {"--dataset", "--again", "--source"}) {
      if (typed.has(option)) usage(fmt::format("{} goes with --ledger", option), "name the ledger, or leave it out");
    }
    return {};
  }
  if (typed.has("--unsafe-seed")) {
    usage("--unsafe-seed does not go with --ledger: such a release is not private, whatever it costs",
          "leave one of them out");
  }
  const std::string path = typed.one("--ledger");
  Ledger ledger = Ledger::open(path);
  const LedgerDataset dataset = dataset_of(ledger, typed, path);
  if (!dataset.person.empty() && typed.has("--sql")) {
    usage(fmt::format(
              "--sql does not go with dataset '{}', which pins the column of persons: a query can call any column "
              "'{}'",
              dataset.name, dataset.person),
          "leave --sql out");
  }
  LedgerRequest request{dataset.name, {}, query.budget, query.neighbors};
  if (typed.has("--receipt")) request.receipt_path = canonical_new_file(typed.one("--receipt"));
  request.person = typed.one("--person");
  request.records_per_person = query.records_per_person;
  request.source = source_read(typed);
  ledger.require_fit(request);
  return ReleaseCharge(std::move(ledger), std::move(request), typed);
}

LedgerAccount ReleaseCharge::account() const { return account_of(ledger_, request_.dataset); }

bool ReleaseCharge::answer_from_ledger(const std::string& query_text, Shown shown) {
  request_.query = query_text;
  if (again_ || request_.source.empty()) return false;
  const std::optional<LedgerEntry> stored = ledger_.find_committed(request_.dataset, query_text);
  if (!stored) return false;
  shown.page.options.account = account();
  const WebPage output = rendered(*stored, shown);
  if (!receipt_.empty() && !is_written(receipt_, stored->receipt)) {
    require_writable(receipt_);
    write_durably(receipt_, stored->receipt);
  }
  print_error(fmt::format("this was released at {} (entry {} of {}); here it is again, and nothing was spent",
                          stored->reserved_at, stored->id, path_),
              "the table was not read; --again reads it, and pays");
  shown.page.print_page(output, "nothing was spent");
  return true;
}

void ReleaseCharge::reserve() {
  if (!receipt_.empty()) require_writable(receipt_);
  hold_interrupts();
  entry_ = ledger_.reserve(request_);
  on_interrupt(fmt::format("stopped; {} counts as spent: entry {} of {} stays reserved", request_.cost.to_string(),
                           entry_, path_),
               fmt::format("nothing was published; fractile ledger void {} --entry {} --reason TEXT gives it back",
                           path_, entry_));
}

std::string ReleaseCharge::fate() const {
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
    const std::string became = fate();
    const char* const between = error.hint().empty() || became.empty() ? "" : "; ";
    throw Error(error.code(), error.what(), error.hint() + between + became);
  } catch (const std::exception&) {
    throw Error(ErrorCode::internal, "an internal error", fmt::format("nothing was printed; {}", fate()));
  }
}

void ReleaseCharge::publish(const std::string& receipt) {
  hold_interrupts();
  ledger_.commit(entry_, receipt);
  if (!receipt_.empty()) write_durably(receipt_, receipt);
  on_interrupt("stopped before all was printed", kept());
}

std::string ReleaseCharge::kept() const {
  const std::string printed_by = request_.source.empty() ? fmt::format("fractile ledger export {}", path_)
                                 : again_                ? "the same command without --again"
                                                         : "the same command";
  return fmt::format("the release was made; entry {} of {} holds it, and {} prints it", entry_, path_, printed_by);
}

}  // namespace fractile::cli
