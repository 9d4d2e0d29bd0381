#include <gtest/gtest.h>

#include "fractile/ledger.hpp"
#include "ledger/chain.hpp"
#include "ledger/rows.hpp"
#include "libraries/fmt.hpp"
#include "support/ledger_files.hpp"

namespace fractile {
namespace {

using testing::alter;
using testing::expect_failure;
using testing::request;

/// Entry 1 is committed, 2 void, and 3 reserved (a pure cost on a zCDP budget).
class LedgerVerify : public testing::EveryStore {
 protected:
  void SetUp() override {
    EveryStore::SetUp();
    if (IsSkipped()) return;
    Ledger ledger = Ledger::create(path);
    ledger.add_dataset({"people", Budget::pure(Rational(1))});
    ledger.add_dataset({"others", Budget::zcdp(Rational(1))});
    ledger.commit(ledger.reserve(request("q", Budget::pure(Rational(1, 2)))), "receipt");
    ledger.void_entry(ledger.reserve(request("q", Budget::pure(Rational(1, 4)))).id, "why");
    ledger.reserve(request("q", Budget::pure(Rational(1, 4)), "others"));
    head = ledger.verify();
  }

  void expect_found(const std::string& part, const std::string& sql) {
    SCOPED_TRACE(sql);
    const std::string copy = copy_of(path);
    alter(copy, sql);
    expect_failure(ErrorCode::ledger, part, [&] { Ledger::open(copy).verify(); });
  }

  std::string copy_of_closed(Ledger ledger) const {
    { const Ledger closed = std::move(ledger); }
    return copy_of(path);
  }

  /// Charges a cost without checking that enough remains.
  void charge(std::int64_t dataset, const Budget& cost) const {
    using namespace ledger_detail;
    const auto store = open_store(path, Wanted::existing, {std::chrono::seconds(1)});
    store->write([&] {
      const Book book = read_book(*store);
      add_entry(*store, book.head(), book.sums, book.datasets.at(static_cast<std::size_t>(dataset) - 1),
                request("q", cost), cost, "2026-01-01");
    });
  }

  /// A statement that changes what a dataset pins. Only SQLite's files have a separate table for that.
  const char* pins() const {
    return is_postgres() ? "UPDATE datasets SET {} WHERE id = {}" : "UPDATE pins SET {} WHERE dataset = {}";
  }

  std::string head;
};
FRACTILE_ON_EVERY_STORE(LedgerVerify);

TEST_P(LedgerVerify, FindsEveryAlteredField) {
  const std::string no_hash = " or what it is about does not match its hash";
  expect_found("line 1" + no_hash, "UPDATE datasets SET epsilon = '2' WHERE id = 1");
  expect_found("line 1" + no_hash, "UPDATE datasets SET name = 'folk' WHERE id = 1");
  expect_found("line 2" + no_hash, "UPDATE datasets SET neighbors = 'change-one' WHERE id = 2");
  expect_found("line 2" + no_hash, "UPDATE datasets SET unit = '' WHERE id = 2");
  expect_found("line 1" + no_hash, fmt::format(fmt::runtime(pins()), "person = 'x'", 1));
  expect_found("line 1" + no_hash, fmt::format(fmt::runtime(pins()), "records_per_person = 2", 1));
  expect_found("line 2" + no_hash, fmt::format(fmt::runtime(pins()), "source = 'x'", 2));
  expect_found("line 3" + no_hash, "UPDATE entries SET epsilon = '1/3' WHERE id = 1");
  expect_found("line 3" + no_hash, "UPDATE entries SET query = 'Q' WHERE id = 1");
  expect_found("line 3" + no_hash, "UPDATE entries SET receipt_path = 'Q' WHERE id = 1");
  expect_found("line 3" + no_hash, "UPDATE entries SET rho = '' WHERE id = 1");
  expect_found("line 6" + no_hash, "UPDATE entries SET dataset = 2 WHERE id = 2");
  expect_found("line 8" + no_hash, "UPDATE entries SET charged_rho = '1/1000' WHERE id = 3");
  expect_found("line 4" + no_hash, "UPDATE events SET time = '2020-01-01T00:00:00Z' WHERE id = 4");
  expect_found("line 5" + no_hash, "UPDATE events SET kind = 'void' WHERE id = 5");
  expect_found("line 5" + no_hash, "UPDATE events SET receipt_sha256 = '' WHERE id = 5");
  expect_found("line 7" + no_hash, "UPDATE events SET reason = 'because' WHERE id = 7");
  expect_found("line 7" + no_hash, "UPDATE events SET entry = 3 WHERE id = 7");
  expect_found("line 8" + no_hash, "UPDATE events SET hash = 'ab' WHERE id = 8");
}

TEST_P(LedgerVerify, FindsWhatIsMissingOrTooMuch) {
  expect_found("line 7 is missing", "DELETE FROM events WHERE id = 7");
  expect_found("line 4 is missing", "DELETE FROM events WHERE id = 4");
  if (!is_postgres()) expect_found("line 1 or what it is about", "DELETE FROM pins WHERE dataset = 1");
  expect_found("line 1 is missing", "DELETE FROM events WHERE id = 1");
  expect_found("the log does not know entry 3", "DELETE FROM events WHERE id = 8");
  expect_found("line 8 is about nothing", "DELETE FROM entries WHERE id = 3");
  expect_found("the log does not know dataset 9",
               std::string("INSERT INTO datasets VALUES (9, 'n', 'person', 'add-remove', 'pure', '1', NULL, NULL") +
                   (is_postgres() ? ", '', 1, '')" : ")"));
  expect_found("the log does not know the receipt of entry 3", "INSERT INTO receipts VALUES (3, 'r')");
  expect_found("the receipt of entry 1 does not match its hash", "UPDATE receipts SET text = 'another'");
}

TEST_P(LedgerVerify, FindsWhatCannotBeRead) {
  expect_failure(ErrorCode::ledger, "entry 1 cannot be read", [&] {
    alter(path, "UPDATE entries SET epsilon = 'much' WHERE id = 1");
    Ledger::open(path).statement();
  });
  expect_failure(ErrorCode::ledger, "dataset 1 cannot be read", [&] {
    alter(path, "UPDATE datasets SET neighbors = 'some' WHERE id = 1");
    Ledger::open(path).datasets();
  });
}

/// If lines at the end were missing unnoticed, their charges would be forgotten.
TEST_P(LedgerVerify, AMissingEndIsMissedBeforeAnythingIsCharged) {
  alter(path, "DELETE FROM events WHERE id = 8");
  const auto charge_more = [&] { Ledger::open(path).reserve(request("q", Budget::zcdp(Rational(1, 100)), "others")); };
  expect_failure(ErrorCode::ledger, "line 7 is not the last one", charge_more);
  expect_failure(ErrorCode::ledger, "nothing was charged", charge_more);
  alter(path, "DELETE FROM events");
  expect_failure(ErrorCode::ledger, "the log does not know dataset 1", charge_more);
}

/// A commitment reads all lines since its reservation, those about its own entry and those about later entries.
TEST_P(LedgerVerify, WhatHappenedSinceTheReservationIsRead) {
  Ledger ledger = Ledger::open(path);
  const LedgerReservation entry = ledger.reserve(request("q", Budget::pure(Rational(1, 8))));
  ledger.reserve(request("q", Budget::pure(Rational(1, 16))));
  ledger.void_entry(entry.id, "why");
  ledger.reserve(request("q", Budget::pure(Rational(1, 16))));
  const std::string copy = copy_of_closed(std::move(ledger));
  alter(copy, "UPDATE entries SET query = 'other' WHERE id = 5");
  expect_failure(ErrorCode::ledger, "line 10 or what it is about", [&] { Ledger::open(copy).commit(entry, "r"); });
  expect_failure(ErrorCode::ledger, "was voided while its release ran", [&] { Ledger::open(path).commit(entry, "r"); });
}

/// The line with the wrong sums has a right hash.
TEST_P(LedgerVerify, FindsOtherSums) {
  using namespace ledger_detail;
  const auto store = open_store(path, Wanted::existing, {std::chrono::seconds(1)});
  store->write([&] {
    const Book book = read_book(*store);
    Sums less;
    less.add_dataset(1, Measure::pure);
    less.add_dataset(2, Measure::zcdp);
    append_event(*store, book.head(), {"2026-01-01", "draw"}, 3, less.to_text());
  });
  expect_failure(ErrorCode::ledger, "line 9 does not have the sums of its entries",
                 [&] { Ledger::open(path).verify(); });
}

/// A damaged entry is named, and the rest is shown.
TEST_P(LedgerVerify, TheRestOfADamagedLedgerIsSalvaged) {
  alter(path, "UPDATE entries SET epsilon = 'much' WHERE id = 1");
  expect_failure(ErrorCode::ledger, "entry 1 cannot be read", [&] { Ledger::open(path).statement(); });
  const LedgerStatement rest = Ledger::open_to_read(path).salvaged();
  ASSERT_FALSE(rest.damage.empty());
  EXPECT_NE(rest.damage.front().find("entry 1 cannot be read"), std::string::npos) << rest.damage.front();
  ASSERT_EQ(rest.entries.size(), 2U);
  EXPECT_EQ(rest.entries[0].reason, "why");
  EXPECT_EQ(rest.accounts.size(), 2U);
  EXPECT_EQ(rest.events.size(), 8U);
  alter(path, "DELETE FROM entries; DELETE FROM datasets WHERE id = 2");
  EXPECT_EQ(Ledger::open_to_read(path).salvaged().accounts.size(), 1U);
}

/// The chain is no seal: a forger who recomputes the hashes can write any lines. So verify() checks the sums as well.
TEST_P(LedgerVerify, FindsSumsAboveBudgets) {
  charge(1, Budget::pure(Rational(51, 100)));  // only 1/2 remains
  expect_failure(ErrorCode::ledger, "dataset 'people' has spent epsilon = 101/100 of epsilon = 1",
                 [&] { Ledger::open(path).verify(); });
}

TEST_P(LedgerVerify, FindsChargesInTheWrongMeasure) {
  expect_failure(ErrorCode::ledger, "on dataset 2, epsilon = 1/4 is charged there, which does not count it",
                 [&] { charge(2, Budget::pure(Rational(1, 4))); });
}

TEST_P(LedgerVerify, FindsTheEndMissingWhenTheHeadWasKept) {
  alter(path, "DELETE FROM events WHERE id = 8; DELETE FROM entries WHERE id = 3");
  const std::string shorter = Ledger::open(path).verify();  // verify() cannot know that lines are missing
  EXPECT_NE(shorter, head);
  expect_failure(ErrorCode::ledger, "lines at its end are missing", [&] { Ledger::open(path).verify(head); });
  for (const std::string& cut : {head.substr(0, 8), head.substr(1) + "x"}) {  // once, such a ledger "was altered"
    expect_failure(ErrorCode::usage, "head: a hash of 64 hexadecimal digits is expected",
                   [&] { Ledger::open(path).verify(cut); });
  }
  Ledger ledger = Ledger::open(path);
  ledger.reserve(request("another", Budget::pure(Rational(1, 4))));
  EXPECT_EQ(ledger.verify(shorter), ledger.statement().events.back().hash);
}

TEST_P(LedgerVerify, FindsWrongPages) {
  if (is_postgres()) GTEST_SKIP() << "a server looks after its own pages";
  Ledger::open(path).statement();
  {
    testing::RawDatabase database(path);
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  const std::string root = testing::RawDatabase(path).text("SELECT rootpage FROM sqlite_schema WHERE name = 'settled'");
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp((std::stol(root) - 1) * 4096);
  file.write("\0\0\0\0\0\0", 6);
  file.close();
  expect_failure(ErrorCode::ledger, "is damaged", [&] { Ledger::open(path).verify(); });
}

}  // namespace
}  // namespace fractile
