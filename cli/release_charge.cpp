#include "release_charge.hpp"

#include <fmt/core.h>

#include <exception>
#include <filesystem>

#include "fractile/report.hpp"
#include "ledger.hpp"
#include "terminal.hpp"

namespace fractile::cli {
namespace {

std::string rendered(const LedgerEntry& entry, Format format) {
  if (format == Format::json) return entry.receipt;
  const Receipt receipt = read_receipt(entry.receipt, fmt::format("the receipt of entry {}", entry.id));
  if (format == Format::csv) return to_csv(receipt);
  return to_table(receipt) + fmt::format("\n{}, neighbors {}, released at {} (entry {})\n",
                                         entry.request.cost.to_string(), to_string(entry.request.neighbors),
                                         entry.reserved_at, entry.id);
}

}  // namespace

ReleaseCharge::ReleaseCharge(Ledger ledger, std::string path, LedgerRequest request, bool again)
    : ledger_(std::move(ledger)), path_(std::move(path)), request_(std::move(request)), again_(again) {}

std::optional<ReleaseCharge> ReleaseCharge::of(const Typed& typed, const QuantileQuery& query) {
  if (!typed.has("--ledger")) {
    for (const char* option : {"--dataset", "--again"}) {
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
  LedgerRequest request{dataset_of(ledger, typed, path).name, {}, query.budget, query.neighbors};
  if (typed.has("--receipt")) request.receipt_path = std::filesystem::absolute(typed.one("--receipt")).string();
  ledger.require_fit(request);
  return ReleaseCharge(std::move(ledger), path, std::move(request), typed.has("--again"));
}

bool ReleaseCharge::answer_from_ledger(const std::string& query_text, Format format) {
  request_.query = query_text;
  if (again_) return false;
  const std::optional<LedgerEntry> stored = ledger_.find_committed(request_.dataset, query_text);
  if (!stored) return false;
  const std::string text = rendered(*stored, format);
  if (!request_.receipt_path.empty()) write_durably(request_.receipt_path, stored->receipt);
  print_error(fmt::format("this was released at {} (entry {} of {}); here it is again, and nothing was spent",
                          stored->reserved_at, stored->id, path_),
              "the table was not read; --again reads it, and pays");
  print(text, "nothing was spent");
  return true;
}

void ReleaseCharge::reserve() { entry_ = ledger_.reserve(request_); }

void ReleaseCharge::guard(const std::function<void()>& work) const {
  const std::string stays =
      fmt::format("{} counts as spent: entry {} of {} stays reserved", request_.cost.to_string(), entry_, path_);
  try {
    work();
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), error.hint().empty() ? stays : fmt::format("{}; {}", error.hint(), stays));
  } catch (const std::exception&) {
    throw Error(ErrorCode::internal, "an internal error", fmt::format("nothing was released; {}", stays));
  }
}

void ReleaseCharge::commit(const std::string& receipt, const std::function<void()>& write_receipt) {
  ledger_.commit(entry_, receipt, write_receipt);
}

std::string ReleaseCharge::kept() const {
  return fmt::format("the release was made; entry {} of {} holds it, and the same command prints it", entry_, path_);
}

}  // namespace fractile::cli
