// Memory that is not to be had: every n-th piece of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/ledger.hpp"
#include "fractile/publication.hpp"
#include "fractile/reports.hpp"
#include "fractile/source.hpp"
#include "host/entries.hpp"
#include "host/refusals.hpp"
#include "support/temporary_folder.hpp"

namespace fractile::host_test {
namespace {

/// Each n at first, then ever fewer: FRACTILE_TEST_EFFORT times as many.
std::int64_t next(std::int64_t n) {
  static const char* const said = std::getenv("FRACTILE_TEST_EFFORT");
  static const std::int64_t effort = said == nullptr ? 1 : std::max(1, std::atoi(said));
  return n + 1 + n / (16 * effort);
}

/// What came of some work.
struct Outcome {
  bool lacked = false;    ///< a piece was refused
  bool passed = false;    ///< std::bad_alloc came out
  std::string said = {};  ///< of an Error
  std::string hint = {};  ///< of it
  bool is_done() const { return !passed && said.empty(); }
};

/// `work` without its n-th piece of memory. Any exception but an Error and std::bad_alloc ends the test.
Outcome outcome_without(std::int64_t n, const std::function<void()>& work) {
  Outcome outcome;
  memory_left = n;
  try {
    work();
  } catch (const Error& error) {
    outcome.said = error.what();
    outcome.hint = error.hint();
  } catch (const std::bad_alloc&) {
    outcome.passed = true;
  }
  outcome.lacked = memory_left < 0;
  memory_left = -1;
  return outcome;
}

/// The entry without its n-th piece: an error, or the result. Whether a piece was refused, and how many pieces are held for good.
struct Attempt {
  bool lacked;
  std::int64_t kept;
};

Attempt attempt_without(std::int64_t n, const Entry& entry, const std::string& usual) {
  const std::int64_t held = memory_held;
  bool lacked = false;
  {
    std::string result;
    const Outcome outcome = outcome_without(n, [&] { result = entry.call(); });
    EXPECT_TRUE(!outcome.is_done() || result == usual) << entry.name << ", piece " << n;
    lacked = outcome.lacked;
  }
  return {lacked, memory_held - held};
}

/// Each n. `keeps`: whether more may be held after an error than before, which otherwise is only what is made once.
void expect_errors_without(const Entry& entry, bool keeps = false) {
  const std::string usual = entry.call();
  const int tries = keeps ? 1 : 6;
  for (std::int64_t n = 0;; n = next(n)) {
    Attempt attempt = attempt_without(n, entry, usual);
    for (int i = 1; i < tries && attempt.lacked && attempt.kept > 0; ++i) attempt = attempt_without(n, entry, usual);
    EXPECT_TRUE(keeps || !attempt.lacked || attempt.kept <= 0) << entry.name << " keeps something without piece " << n;
    if (!attempt.lacked) break;
  }
  EXPECT_TRUE(entry.call() == usual) << entry.name << ", afterwards";
}

TEST(HostMemory, EachPieceThatIsNotToBeHadIsAnErrorAndNothingElseHasChanged) {
  const testing::Folder folder;
  for (const Entry& entry : entries(Size::small, folder.file(""))) expect_errors_without(entry);
}

/// What the engine itself asks for and keeps is its own affair; but it calls us, on its threads.
TEST(HostMemory, WhereTheEngineCallsUsToo) {
  const testing::Folder folder;
  for (const Entry& entry : entries_of_engine(folder.file(""), 100)) {
    refuses_only_own = true;
    expect_errors_without(entry, true);
    refuses_only_own = false;
  }
}

ReleaseRequest small_request() {
  return {{"x", Lattice::regular(0, 100, 1), NullPolicy::drop, {}}, {{Rational(1, 2)}, Budget::pure(Rational(1))}};
}

PublicationRequest small_tables() {
  PublicationTable table{"pay", "x", Lattice::regular(0, 100, 1), {Rational(1, 2)}};
  table.levels = {{}};
  Publication publication{"Pay", Budget::pure(Rational(1))};
  publication.tables = {table};
  return {publication};
}

const std::vector<double> values = {1, 2, 3, 50, 60, 70};

Source small_source() {
  return Source::frame(
      Frame::of({reinterpret_cast<const std::byte*>(values.data()), "g", values.size(), sizeof(double), {}}, "x"));
}

/// What answers with an Error of ours, never with std::bad_alloc.
struct Answering {
  const char* name;
  std::function<void(Source, const std::optional<Payment>&)> call;
};

std::vector<Answering> answering() {
  return {{"release",
           [asked = small_request()](Source source, const std::optional<Payment>& payment) {
             publish(std::move(source), asked, payment);
           }},
          {"rehearsal",
           [asked = small_request()](Source source, const std::optional<Payment>& payment) {
             Attendant nobody;
             rehearse(std::move(source), asked, payment, nobody);
           }},
          {"tables", [asked = small_tables()](Source source, const std::optional<Payment>& payment) {
             publish(std::move(source), asked, payment);
           }}};
}

TEST(HostMemory, AReleaseThatLacksItIsAnErrorOfOursBeforeAndAfterTheCharge) {
  const testing::Folder folder;
  const std::string path = folder.file("people.ledger");
  Ledger::create(path).add_dataset({"people", Budget::pure(Rational(10'000))});
  for (const Answering& each : answering()) {
    for (const std::optional<Payment>& payment :
         {std::optional<Payment>(), std::optional<Payment>({path, {}, "people"})}) {
      int lacked = 0;
      int charged = 0;
      for (std::int64_t n = 0;; n = next(n)) {
        Source source = small_source();
        const std::function<void()> work = [&] { each.call(std::move(source), payment); };
        const Outcome outcome = outcome_without(n, work);
        EXPECT_FALSE(outcome.passed) << each.name << ", piece " << n;
        lacked += outcome.said.find("memory does not suffice") != std::string::npos ? 1 : 0;
        charged += outcome.hint.find("counts as spent") != std::string::npos ? 1 : 0;
        if (!outcome.lacked) break;
      }
      EXPECT_GT(lacked, 5) << each.name;
      EXPECT_EQ(charged > 0, payment.has_value() && each.name != std::string("rehearsal")) << each.name;
    }
  }
  Ledger::open_to_read(path).verify();
}

/// A change of a ledger that has a dataset and a reserved entry, without each of its pieces.
class HostMemoryOfALedger : public ::testing::Test {
 protected:
  HostMemoryOfALedger() {
    Ledger ledger = Ledger::create(usual_);
    ledger.add_dataset({"people", Budget::pure(Rational(2))});
    reserved_ = ledger.reserve({"people", "first query", Budget::pure(Rational(1))});
  }

  /// It has all of the change or nothing, and takes it when it is tried again. A change of two steps may leave the entry `halfway`.
  void expect_all_or_nothing(const std::function<void(Ledger&)>& change, std::optional<EntryState> halfway = {}) {
    const auto held = [](const Ledger& ledger) { return to_json(ledger.statement(), LedgerDetail::everything); };
    const std::string before = held(Ledger::open_to_read(usual_));
    for (std::int64_t n = 0;; n = next(n)) {
      const std::string path = folder_.file(std::to_string(n) + ".ledger");
      std::filesystem::copy_file(usual_, path);
      Ledger ledger = Ledger::open(path);
      const Outcome outcome = outcome_without(n, [&] { change(ledger); });
      if (!outcome.is_done()) {
        const bool is_halfway = halfway && ledger.entry(reserved_.id).state == *halfway;
        EXPECT_TRUE(is_halfway || held(ledger) == before) << "piece " << n;
        change(ledger);
      }
      EXPECT_TRUE(held(ledger) != before) << "piece " << n;
      ledger.verify();
      if (!outcome.lacked) break;
    }
  }

  testing::Folder folder_;
  std::string usual_ = folder_.file("usual.ledger");
  LedgerReservation reserved_;
};

TEST_F(HostMemoryOfALedger, Reserves) {
  expect_all_or_nothing([](Ledger& ledger) { ledger.reserve({"people", "query", Budget::pure(Rational(1))}); });
}

TEST_F(HostMemoryOfALedger, Commits) {
  expect_all_or_nothing([&](Ledger& ledger) { ledger.commit(reserved_, "{}"); }, EntryState::drawn);
}

TEST_F(HostMemoryOfALedger, Voids) {
  expect_all_or_nothing([&](Ledger& ledger) { ledger.void_entry(reserved_.id, "never published"); });
}

TEST_F(HostMemoryOfALedger, AddsDatasets) {
  expect_all_or_nothing([](Ledger& ledger) { ledger.add_dataset({"others", Budget::pure(Rational(1))}); });
}

}  // namespace
}  // namespace fractile::host_test
