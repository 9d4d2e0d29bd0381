// What a ledger takes of a release, by itself: from the look for a stored answer to the commitment and the account.
//
//   fractile_ledger_payments make LEDGER N           a file with N committed entries, in one transaction
//   fractile_ledger_payments pay LEDGER TIMES BYTES  TIMES payments for receipts of BYTES bytes: the milliseconds that each took
//                                                    by the clock, and those of this process's own work
//   fractile_ledger_payments verify LEDGER           its log, sums and receipts' hashes
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>

#include "exact/digest.hpp"
#include "fractile/ledger.hpp"
#include "ledger/chain.hpp"
#include "ledger/present.hpp"
#include "ledger/rows.hpp"
#include "ledger/store.hpp"
#include "libraries/fmt.hpp"

namespace {

using namespace fractile;
using namespace fractile::ledger_detail;

LedgerRequest request_of(std::int64_t number) {
  LedgerRequest request{
      "people",
      fmt::format(R"({{"column":"income","file":"/data/people.csv","quantiles":["1/2"],"ask":"{}"}})", number),
      Budget::pure(Rational(1, 1'000'000'000))};
  request.source = "/data/people.csv";
  return request;
}

void make(const std::string& ledger, std::int64_t entries) {
  Ledger::create(ledger).add_dataset({"people", Budget::pure(Rational(1000))});
  const auto store = open_store(ledger, Wanted::existing, {});
  const std::string receipt(1000, 'r');
  store->write([&] {
    const Present present(*store);
    const DatasetRow row = present.dataset("people");
    Head head = present.head();
    Sums sums = present.sums();
    for (std::int64_t i = 0; i < entries; ++i) {
      const LedgerRequest request = request_of(i);
      const LedgerReservation made = add_entry(*store, head, sums, row, request, request.cost, "2026-01-01");
      sums.reserve(row.id, request.cost);
      head = {head.id + 1, made.token};
      for (const NewEvent& line : {NewEvent{"2026-01-01", "draw"}, NewEvent{"2026-01-01", "commit", sha256(receipt)}}) {
        head = {head.id + 1, append_event(*store, head, line, made.id, sums.to_text())};
      }
      store->append(Table::receipts, {std::to_string(made.id), receipt});
    }
  });
}

double milliseconds_of_work() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

void pay(const std::string& path, std::int64_t times, std::size_t bytes) {
  using Clock = std::chrono::steady_clock;
  Ledger ledger = Ledger::open(path);
  const std::string receipt(bytes, 'r');
  for (std::int64_t i = 0; i < times; ++i) {
    LedgerRequest request = request_of(1'000'000'000 + Clock::now().time_since_epoch().count());
    request.receipt_size = bytes;
    const auto start = Clock::now();
    const double worked = milliseconds_of_work();
    ledger.require_fit(request);
    ledger.find_committed(request.dataset, request.query);
    ledger.commit(ledger.reserve(request), receipt);
    ledger.account(request.dataset);
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    fmt::print("{} {}\n", took.count(), milliseconds_of_work() - worked);
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string verb = count > 1 ? words[1] : "";
  if (verb == "make" && count == 4) {
    make(words[2], std::atoll(words[3]));
  } else if (verb == "pay" && count == 5) {
    pay(words[2], std::atoll(words[3]), static_cast<std::size_t>(std::atoll(words[4])));
  } else if (verb == "verify" && count == 3) {
    Ledger::open(words[2]).verify();
  } else {
    fmt::print(stderr, "fractile_ledger_payments make LEDGER N, pay LEDGER TIMES BYTES, or verify LEDGER\n");
    return 2;
  }
}
