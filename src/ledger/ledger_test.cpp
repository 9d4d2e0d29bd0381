#include "fractile/ledger.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <thread>

#include "exact/digest.hpp"
#include "support/ledger_files.hpp"
#include "support/properties.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::expect_failure;
using testing::request;

class LedgerTest : public testing::EveryStore {
 protected:
  Ledger with(const Budget& budget, Neighbors neighbors = Neighbors::add_remove) const {
    Ledger ledger = Ledger::create(path);
    ledger.add_dataset({"people", budget, neighbors});
    return ledger;
  }
};
FRACTILE_ON_EVERY_STORE(LedgerTest);

Budget pure(const std::string& epsilon) { return Budget::pure(Exponent::parse(epsilon)); }
Budget zcdp(const std::string& rho) { return Budget::zcdp(Rational::parse(rho)); }

std::string spent(const Ledger& ledger) { return ledger.balance("people").spent.to_string(); }
std::string remaining(const Ledger& ledger) { return ledger.balance("people").remaining.to_string(); }

TEST_P(LedgerTest, KeepsWhatItIsTold) {
  {
    Ledger ledger = with(pure("ln 3"), Neighbors::change_one);
    ledger.add_dataset({"patients, of all wards", Budget::approximate(Rational(1, 3), Rational::parse("1e-6")),
                        Neighbors::add_remove, "household"});
    LedgerRequest asked = request("a query\nof two lines", pure("ln 2"));
    asked.neighbors = Neighbors::change_one;
    asked.receipt_path = folder.file("r.json");
    EXPECT_EQ(ledger.reserve(asked).id, 1);
    ledger.commit(ledger.entry(1).reservation(), "the receipt");
  }
  const LedgerStatement statement = Ledger::open(path).statement();
  ASSERT_EQ(statement.accounts.size(), 2U);
  const LedgerDataset& dataset = statement.accounts[1].dataset;
  EXPECT_EQ(dataset.name, "patients, of all wards");
  EXPECT_EQ(dataset.unit, "household");
  EXPECT_EQ(dataset.budget.to_string(), "epsilon = 1/3, delta = 1/1000000");
  EXPECT_EQ(statement.accounts[0].dataset.neighbors, Neighbors::change_one);
  ASSERT_EQ(statement.entries.size(), 1U);
  const LedgerEntry& entry = statement.entries[0];
  EXPECT_EQ(entry.request.query, "a query\nof two lines");
  EXPECT_EQ(entry.request.cost.to_string(), "epsilon = ln 2");
  EXPECT_EQ(entry.request.receipt_path, folder.file("r.json"));
  EXPECT_EQ(entry.state, EntryState::committed);
  EXPECT_EQ(entry.receipt, "the receipt");
  EXPECT_EQ(entry.receipt_sha256, sha256("the receipt"));
  std::string kinds;
  for (const LedgerEvent& event : statement.events) kinds += event.kind + " ";
  EXPECT_EQ(kinds, "dataset dataset reserve draw commit ");
  EXPECT_EQ(statement.events.back().hash, Ledger::open(path).verify());
}

TEST_P(LedgerTest, TextsMayHoldAnyBytes) {
  Ledger ledger = with(pure("1"));
  const std::string odd("nul \0 and \x80\xff'\"", 13);
  ledger.commit(ledger.reserve(request(odd, pure("1/2"))), odd);
  EXPECT_EQ(ledger.find_committed("people", odd)->receipt, odd);
  EXPECT_FALSE(ledger.find_committed("people", "nul "));
  EXPECT_EQ(ledger.verify(), ledger.statement().events.back().hash);
}

TEST_P(LedgerTest, SpendsToTheLastUnitAndNoFurther) {
  Ledger ledger = with(pure("1"));
  for (int i = 0; i < 3; ++i) ledger.reserve(request("q", pure("1/3")));
  EXPECT_EQ(remaining(ledger), "epsilon = 0");
  expect_failure(ErrorCode::budget_refused,
                 "a cost of epsilon = 1/1000000 exceeds what remains of dataset 'people', "
                 "epsilon = 0 of epsilon = 1",
                 [&] { ledger.reserve(request("q", pure("1e-6"))); });
  EXPECT_EQ(ledger.statement().entries.size(), 3U);
}

TEST_P(LedgerTest, DecidesLogarithmsExactly) {
  Ledger ledger = with(pure("ln 6"));
  ledger.reserve(request("q", pure("ln 2")));
  expect_failure(ErrorCode::budget_refused, "about 1.09861", [&] {
    ledger.reserve(request("q", Budget::pure(Exponent::log(Rational::parse("3.0000000000000000000000001")))));
  });
  ledger.reserve(request("q", pure("ln 3")));
  EXPECT_EQ(spent(ledger), "epsilon = ln 2 + ln 3");
}

TEST_P(LedgerTest, CountsEqualRhosEachTime) {
  Ledger ledger = with(zcdp("1"));
  for (int i = 0; i < 3; ++i) ledger.reserve(request("q", zcdp("1/3")));
  EXPECT_EQ(remaining(ledger), "rho = 0");
  expect_failure(ErrorCode::budget_refused, "rho = 0 of rho = 1", [&] { ledger.reserve(request("q", zcdp("1e-6"))); });
}

TEST_P(LedgerTest, CountsDeltasToo) {
  Ledger ledger = with(Budget::approximate(Rational(1), Rational::parse("1e-6")));
  const Budget half = Budget::approximate(Rational(1, 4), Rational::parse("5e-7"));
  ledger.reserve(request("q", half));
  ledger.reserve(request("q", half));
  expect_failure(ErrorCode::budget_refused, "epsilon = 1/2, delta = 0", [&] { ledger.reserve(request("q", half)); });
  EXPECT_EQ(ledger.reserve(request("q", pure("1/2"))).id, 3);  // a pure cost has no delta
  EXPECT_EQ(spent(ledger), "epsilon = 1, delta = 1/1000000");
}

TEST_P(LedgerTest, TakesPureCostsOnZcdpBudgetsAtTheTightConversion) {
  Ledger ledger = with(zcdp("1/2"));
  ledger.reserve(request("q", pure("1/2")));
  const LedgerEntry entry = ledger.statement().entries.front();
  EXPECT_EQ(entry.request.cost.to_string(), "epsilon = 1/2");
  EXPECT_EQ(entry.charge.rho(), zcdp_of_pure_tight(Rational(1, 2)));
  EXPECT_EQ(ledger.balance("people").spent.rho, zcdp_of_pure_tight(Rational(1, 2)));
  EXPECT_EQ(ledger.balance("people").remaining.rho, Rational(1, 2) - zcdp_of_pure_tight(Rational(1, 2)));
  expect_failure(ErrorCode::budget_refused, "a cost of epsilon = 1 (as rho = about 0.46",
                 [&] { ledger.reserve(request("q", pure("1"))); });
}

TEST_P(LedgerTest, MixesNoOtherMeasures) {
  Ledger ledger = with(pure("1"));
  ledger.add_dataset({"zcdp", zcdp("1")});
  ledger.add_dataset({"approximate", Budget::approximate(Rational(1), Rational(1, 10))});
  const Budget approximate = Budget::approximate(Rational(1, 10), Rational(1, 100));
  const auto refused = [&](const std::string& dataset, const Budget& cost, const std::string& part) {
    const LedgerRequest asked = request("q", cost, dataset);
    expect_failure(ErrorCode::usage, part, [&] { ledger.require_fit(asked); });
    expect_failure(ErrorCode::usage, "cannot be charged to the budget", [&] { ledger.reserve(asked); });
  };
  refused("people", zcdp("1/10"),
          "a cost of rho = 1/10 cannot be charged to the budget of dataset 'people', epsilon = 1");
  refused("people", approximate, "release with epsilon and without delta");
  refused("zcdp", approximate, "release with rho");
  refused("approximate", zcdp("1/10"), "with or without delta");
  EXPECT_TRUE(ledger.statement().entries.empty());
}

TEST_P(LedgerTest, WantsTheSameNeighbors) {
  Ledger ledger = with(pure("1"), Neighbors::change_one);
  expect_failure(ErrorCode::usage, "write neighbors = \"change-one\"",
                 [&] { ledger.require_fit(request("q", pure("1"))); });
  expect_failure(ErrorCode::usage,
                 "the release is for add-remove neighbors, but the budget of dataset 'people' is for change-one",
                 [&] { ledger.reserve(request("q", pure("1"))); });
}

TEST_P(LedgerTest, DatasetsAreAddedOnce) {
  Ledger ledger = with(pure("1"));
  expect_failure(ErrorCode::usage, "already has a dataset 'people'", [&] {
    ledger.add_dataset({"people", pure("2")});
  });
  expect_failure(ErrorCode::usage, "must be a line of text", [&] { ledger.add_dataset({"", pure("2")}); });
  expect_failure(ErrorCode::usage, "must be a line of text", [&] { ledger.add_dataset({"two\nlines", pure("2")}); });
  expect_failure(ErrorCode::usage, "it has 'people'", [&] { ledger.balance("nobody"); });
  EXPECT_EQ(ledger.datasets().size(), 1U);
  EXPECT_EQ(ledger.datasets().front().budget.to_string(), "epsilon = 1");
}

TEST_P(LedgerTest, VoidingGivesBackAndDeletesNothing) {
  Ledger ledger = with(pure("1"));
  ledger.reserve(request("q", pure("3/4")));
  expect_failure(ErrorCode::usage, "the reason must be a line of text", [&] { ledger.void_entry(1, ""); });
  EXPECT_EQ(ledger.balance("people").reserved.to_string(), "epsilon = 3/4");
  ledger.void_entry(1, "the machine stopped");
  EXPECT_EQ(spent(ledger), "epsilon = 0");
  const LedgerEntry entry = ledger.statement().entries.front();
  EXPECT_EQ(entry.state, EntryState::voided);
  EXPECT_EQ(entry.reason, "the machine stopped");
  expect_failure(ErrorCode::usage, "entry 1 of the ledger '" + path + "' is already void",
                 [&] { ledger.void_entry(1, "again"); });
  expect_failure(ErrorCode::usage, "has no entry 2", [&] { ledger.void_entry(2, "why"); });
  ledger.verify();
}

TEST_P(LedgerTest, WhatWasPublishedCountsForGood) {
  Ledger ledger = with(pure("1"));
  ledger.commit(ledger.reserve(request("q", pure("1/2"))), "receipt");
  expect_failure(ErrorCode::usage, "its release was published", [&] { ledger.void_entry(1, "why"); });
  expect_failure(ErrorCode::usage, "commit an entry once",
                 [&] { ledger.commit(ledger.entry(1).reservation(), "another"); });
  EXPECT_EQ(spent(ledger), "epsilon = 1/2");
}

// It could be changed, whatever its format.
TEST_P(LedgerTest, OpenForReadingIsNotChanged) {
  Ledger ledger = with(pure("1"));
  const LedgerReservation reserved = ledger.reserve(request("q", pure("1/2")));
  const std::string before = ledger.verify();
  Ledger reading = Ledger::open_to_read(path);
  const auto refused = [](const auto& change) {
    expect_failure(ErrorCode::usage, "was opened for reading only", change);
  };
  refused([&] { reading.add_dataset({"others", pure("1")}); });
  refused([&] { reading.reserve(request("q", pure("1/4"))); });
  refused([&] { reading.commit(reserved, "receipt"); });
  refused([&] { reading.void_entry(reserved.id, "why"); });
  refused([&] { reading.accept_witnesses(); });
  EXPECT_EQ(reading.verify(), before);
}

TEST_P(LedgerTest, FunctionsMayBeMissing) {
  LedgerOptions options;
  options.clock = {};
  Ledger::create(path, options).add_dataset({"people", pure("1")});
  Ledger ledger = Ledger::open(path, options);
  EXPECT_EQ(ledger.entry(ledger.reserve(request("q", pure("1/2"))).id).reserved_at.size(), 10U);
  expect_failure(ErrorCode::usage, "what to charge is missing", [&] { ledger.reserve_beside({"people", {"q"}}, {}); });
}

// A constraint of the tables refused it, and the error was that the ledger cannot be used.
TEST_P(LedgerTest, AnEntryIsCommittedOnceAtATime) {
  Ledger ledger = with(pure("1"));
  const LedgerReservation reserved = ledger.reserve(request("q", pure("1/2")));
  const std::vector<LedgerCommitment> twice{{reserved, "receipt"}, {reserved, "receipt"}};
  expect_failure(ErrorCode::usage, "entry 1 is to be committed twice", [&] { ledger.commit(twice); });
  EXPECT_EQ(ledger.entry(1).state, EntryState::reserved);
}

TEST_P(LedgerTest, AReceiptThatIsThereForbidsVoiding) {
  Ledger ledger = with(pure("1"));
  LedgerRequest asked = request("q", pure("1/2"));
  asked.receipt_path = folder.file("r.json");
  ledger.reserve(asked);
  std::ofstream(asked.receipt_path) << "published";
  expect_failure(ErrorCode::usage, "may have been published: there is a receipt at",
                 [&] { ledger.void_entry(1, "why"); });
  std::filesystem::remove(asked.receipt_path);
  ledger.void_entry(1, "why");
}

TEST_P(LedgerTest, NothingIsPublishedOfAVoidEntry) {
  Ledger ledger = with(pure("1"));
  ledger.reserve(request("q", pure("1")));
  Ledger::open(path).void_entry(1, "it hung");
  expect_failure(ErrorCode::ledger, "was voided while its release ran",
                 [&] { ledger.commit(ledger.entry(1).reservation(), "r"); });
  EXPECT_EQ(spent(ledger), "epsilon = 0");
  ledger.verify();
}

/// A release that was stopped between drawing and committing counts, can be committed, and cannot be given back.
TEST_P(LedgerTest, WhatWasDrawnCountsForGood) {
  Ledger ledger = with(pure("1"));
  ledger.reserve(request("q", pure("1")));
  testing::draw(path, 1);
  EXPECT_EQ(ledger.entry(1).state, EntryState::drawn);
  EXPECT_EQ(ledger.entry(1).settled_at, "");
  expect_failure(ErrorCode::usage, "is already drawn", [&] { ledger.void_entry(1, "why"); });
  expect_failure(ErrorCode::budget_refused, "epsilon = 0", [&] { ledger.reserve(request("q", pure("1/2"))); });
  EXPECT_EQ(ledger.balance("people").spent.to_string(), "epsilon = 1");
  EXPECT_EQ(ledger.balance("people").reserved.to_string(), "epsilon = 1");
  EXPECT_FALSE(ledger.find_committed("people", "q"));
  ledger.verify();
  ledger.commit(ledger.entry(1).reservation(), "r");
  EXPECT_EQ(ledger.find_committed("people", "q")->receipt, "r");
  ledger.verify();
}

/// Programs of format 1 first wrote receipts under temporary names. An
/// entry is not voided if such a file exists or its folder is missing.
TEST_P(LedgerTest, ATemporaryReceiptForbidsVoiding) {
  Ledger ledger = with(pure("1"));
  std::filesystem::create_directory(folder.file("receipts"));
  LedgerRequest asked = request("q", pure("1/2"));
  asked.receipt_path = folder.file("receipts/r.json");
  ledger.reserve(asked);
  const std::string temporary = asked.receipt_path + ".a1B2c3";
  std::ofstream(temporary) << "whole";
  expect_failure(ErrorCode::usage, "there is a receipt at '" + temporary + "'", [&] { ledger.void_entry(1, "why"); });
  std::filesystem::remove_all(folder.file("receipts"));
  expect_failure(ErrorCode::usage, ": No such file", [&] { ledger.void_entry(1, "why"); });
  std::filesystem::create_directory(folder.file("receipts"));
  for (const char* other : {"r.json.a1B2c3d", "r.json.a1B2c", "r.json-a1B2c3", "s.json.a1B2c3"}) {
    std::ofstream(folder.file(std::string("receipts/") + other)) << "another's";
  }
  ledger.void_entry(1, "why");
  EXPECT_EQ(spent(ledger), "epsilon = 0");
}

TEST_P(LedgerTest, AReceiptIsOfOneReservedEntry) {
  Ledger ledger = with(pure("1"));
  LedgerRequest asked = request("q", pure("1/4"));
  asked.receipt_path = folder.file("r.json");
  ledger.reserve(asked);
  expect_failure(ErrorCode::usage, "is that of entry 1 of the ledger", [&] { ledger.require_fit(asked); });
  expect_failure(ErrorCode::usage, "ledger void " + path + " --entry 1", [&] { ledger.reserve(asked); });
  ledger.commit(ledger.entry(1).reservation(), "r");
  EXPECT_EQ(ledger.reserve(asked).id, 2);
}

TEST_P(LedgerTest, PinsTheUnitAndTheSource) {
  Ledger ledger = Ledger::create(path);
  ledger.add_dataset({"visits", pure("1"), Neighbors::add_remove, "person", "patient", 5, "/data/visits.csv"});
  const auto asked = [](const std::string& person, std::uint32_t records, const std::string& source) {
    LedgerRequest result = request("q", Budget::pure(Exponent::parse("1/4")), "visits");
    result.person = person;
    result.records_per_person = records;
    result.source = source;
    return result;
  };
  const auto refused = [&](const LedgerRequest& request, const std::string& part) {
    expect_failure(ErrorCode::usage, part, [&] { ledger.require_fit(request); });
    expect_failure(ErrorCode::usage, part, [&] { ledger.reserve(request); });
  };
  refused(asked("patient", 4, "/data/visits.csv"), "write records_per_person = 5, or more");
  refused(asked("", 5, "/data/visits.csv"),
          "by no column, but dataset 'visits' identifies them by the column 'patient'");
  refused(asked("Patient", 5, "/data/visits.csv"), "write person = \"patient\"");
  refused(asked("patient", 5, "/data/other.csv"), "reads the file '/data/other.csv'");
  refused(asked("patient", 5, "visits"),
          "reads the source 'visits', but the budget of dataset 'visits' is for the file");
  refused(asked("patient", 5, ""), "reads a source without a name");
  EXPECT_TRUE(ledger.statement().entries.empty());
  EXPECT_EQ(ledger.reserve(asked("patient", 5, "/data/visits.csv")).id, 1);
  EXPECT_EQ(ledger.reserve(asked("patient", 6, "/data/visits.csv")).id, 2);
  const LedgerDataset kept = Ledger::open(path).datasets().front();
  EXPECT_EQ(std::tie(kept.person, kept.source), std::tuple("patient", "/data/visits.csv"));
  EXPECT_EQ(kept.records_per_person, 5U);
  ledger.add_dataset({"survey", pure("1"), Neighbors::add_remove, "person", {}, 1, "survey-2025"});
  LedgerRequest survey = request("q", pure("1/4"), "survey");
  expect_failure(ErrorCode::usage, "write source = \"survey-2025\"", [&] { ledger.reserve(survey); });
  survey.source = "survey-2025";
  ledger.reserve(survey);
  expect_failure(ErrorCode::usage, "must be a line of text", [&] {
    ledger.add_dataset({"x", pure("1"), Neighbors::add_remove, "person", "a\nb"});
  });
  expect_failure(ErrorCode::usage, "must be at least 1", [&] {
    ledger.add_dataset({"x", pure("1"), Neighbors::add_remove, "person", "a", 0});
  });
}

// A release of one value per person holds for any number of records, if the dataset pins the column of persons: no bound is too small.
TEST_P(LedgerTest, OneValueAPersonIsForAnyNumberOfRecords) {
  Ledger ledger = Ledger::create(path);
  ledger.add_dataset({"visits", pure("1"), Neighbors::add_remove, "person", "patient", 5});
  ledger.add_dataset({"any", pure("1"), Neighbors::add_remove, "person", {}, 5});
  LedgerRequest asked = request("q", Budget::pure(Exponent::parse("1/4")), "visits");
  asked.source = "/t.csv";
  asked.person = "patient";
  asked.records_per_person = 6;
  ledger.reserve(asked);  // this also fixes how the source is read
  asked.records_per_person = 1;
  expect_failure(ErrorCode::usage, "write records_per_person = 5, or more", [&] { ledger.reserve(asked); });
  asked.one_value_a_person = true;
  EXPECT_EQ(ledger.reserve(asked).id, 2);
  asked.person = "doctor";
  expect_failure(ErrorCode::usage, "identifies persons by the column 'doctor'", [&] { ledger.reserve(asked); });
  asked.dataset = "any";
  expect_failure(ErrorCode::usage, "write records_per_person = 5, or more", [&] { ledger.reserve(asked); });
  ledger.verify();
}

TEST_P(LedgerTest, FindsTheLastCommittedOfAQuery) {
  Ledger ledger = with(pure("1"));
  ledger.add_dataset({"others", pure("1")});
  EXPECT_FALSE(ledger.find_committed("people", "q"));
  ledger.reserve(request("q", pure("1/4")));
  EXPECT_FALSE(ledger.find_committed("people", "q"));  // only reserved
  ledger.commit(ledger.entry(1).reservation(), "first");
  ledger.commit(ledger.reserve(request("q", pure("1/4"))), "second");
  ledger.commit(ledger.reserve(request("another", pure("1/4"))), "third");
  EXPECT_EQ(ledger.find_committed("people", "q")->receipt, "second");
  EXPECT_FALSE(ledger.find_committed("others", "q"));
  expect_failure(ErrorCode::usage, "no dataset 'nobody'", [&] { ledger.find_committed("nobody", "q"); });
}

TEST_P(LedgerTest, ClocksMayGoBackwards) {
  with(pure("1"));
  auto now = std::chrono::system_clock::from_time_t(1'800'000'000);
  Ledger ledger = Ledger::open(path, {.clock = [&] { return now -= std::chrono::hours(48); }});
  ledger.commit(ledger.reserve(request("q", pure("1/4"))), "first");
  ledger.commit(ledger.reserve(request("q", pure("1/4"))), "second");
  const LedgerStatement statement = ledger.statement();
  EXPECT_EQ(statement.entries[0].reserved_at, "2027-01-13");
  EXPECT_GT(statement.entries[0].settled_at, statement.entries[1].reserved_at);
  EXPECT_EQ(ledger.find_committed("people", "q")->receipt, "second");
  EXPECT_EQ(ledger.verify(), statement.events.back().hash);
}

/// Holds the turn of another process until end() or destruction.
class Turn {
 public:
  explicit Turn(const std::string& path) {
    if (postgres::is_address(path)) {
      server_.emplace(testing::raw_connection(path));
      server_->command("BEGIN; LOCK TABLE fractile.turn IN EXCLUSIVE MODE");
    } else {
      file_.emplace(path);
      file_->run("BEGIN IMMEDIATE");
    }
  }
  void end() {
    if (server_) server_->command("ROLLBACK");
    if (file_) file_->run("ROLLBACK");
  }

 private:
  std::optional<testing::RawDatabase> file_;
  std::optional<postgres::Connection> server_;
};

/// Before the charge, a release waits only as long as its patience; after the charge, it waits as long as it takes.
TEST_P(LedgerTest, WhatIsChargedWaitsAsLongAsItTakes) {
  with(pure("1"));
  Ledger ledger = Ledger::open(path, testing::impatient());
  const LedgerReservation entry = ledger.reserve(request("q", pure("1/4")));
  Turn turn(path);
  std::thread ending([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    turn.end();
  });
  ledger.commit(entry, "receipt");
  ending.join();
  EXPECT_EQ(ledger.entry(1).state, EntryState::committed);
  Turn another(path);
  expect_failure(ErrorCode::ledger, "is locked by another process", [&] { ledger.reserve(request("q", pure("1/4"))); });
  expect_failure(ErrorCode::ledger, "nothing was charged", [&] { ledger.reserve(request("q", pure("1/4"))); });
  another.end();
}

TEST_P(LedgerTest, AWaitCanBeStopped) {
  with(pure("1"));
  const auto start = std::chrono::steady_clock::now();
  int asked = 0;
  Ledger ledger = Ledger::open(path, {.patience = std::chrono::seconds(60), .stop = [&] { return ++asked > 1; }});
  Turn turn(path);
  expect_failure(ErrorCode::ledger, "is locked by another process", [&] { ledger.reserve(request("q", pure("1/4"))); });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
  turn.end();
}

/// A ledger is put back to an earlier state while a release runs, and then gives its entry's number to another release.
TEST_P(LedgerTest, AnEntryIsMoreThanItsNumber) {
  Ledger ledger = with(pure("10"));
  const LedgerReservation dear = ledger.reserve(request("dear", pure("8")));
  EXPECT_EQ(dear.token, ledger.statement().events.back().hash);
  EXPECT_EQ(ledger.entry(1).token, dear.token);
  testing::alter(path, "DELETE FROM events WHERE id > 1; DELETE FROM entries");
  expect_failure(ErrorCode::ledger, "no longer has entry 1 of this release", [&] { ledger.commit(dear, "dear"); });
  const LedgerReservation cheap = ledger.reserve(request("cheap", pure("1/50")));
  EXPECT_EQ(cheap.id, dear.id);
  EXPECT_NE(cheap.token, dear.token);
  expect_failure(ErrorCode::ledger, "was put back to an earlier state, or replaced, while the release ran",
                 [&] { ledger.commit(dear, "dear"); });
  expect_failure(ErrorCode::usage, "has no entry 1 without a token", [&] { ledger.commit({1, ""}, "dear"); });
  EXPECT_EQ(ledger.entry(1).state, EntryState::reserved);
  ledger.commit(cheap, "cheap");
  EXPECT_EQ(ledger.find_committed("people", "cheap")->receipt, "cheap");
  EXPECT_FALSE(ledger.find_committed("people", "dear"));
  EXPECT_EQ(spent(ledger), "epsilon = 1/50");
  ledger.verify();
}

/// Tokens differ even for the same query at the same time, since each depends on a random number.
TEST_P(LedgerTest, NoTwoEntriesHaveOneToken) {
  const auto noon = [] { return std::chrono::system_clock::from_time_t(1'800'000'000); };
  with(pure("10"));
  Ledger ledger = Ledger::open(path, {.clock = noon});
  std::string token;
  for (int i = 0; i < 2; ++i) {
    const LedgerReservation entry = ledger.reserve(request("q", pure("1")));
    EXPECT_EQ(entry.id, 1);
    EXPECT_NE(entry.token, token);
    token = entry.token;
    testing::alter(path, "DELETE FROM events WHERE id > 1; DELETE FROM entries");
  }
}

/// The ledger agrees with a model that keeps costs in a map. After any steps in any order, the amount spent is the sum of the costs that
/// were not voided, and never exceeds the budget.
TEST_P(LedgerTest, SpentIsTheSumOfWhatWasNotVoided) {
  const auto property = [&](const std::vector<std::tuple<int, int, bool>>& steps) {
    const Budget budget = pure("2");
    Ledger ledger = Ledger::create(fresh());
    ledger.add_dataset({"people", budget});
    std::map<std::int64_t, std::pair<EpsilonSum, EntryState>> model;
    const auto total = [&] {
      EpsilonSum sum;
      for (const auto& [id, entry] : model) {
        if (entry.second != EntryState::voided) sum += entry.first;
      }
      return sum;
    };
    for (const auto& [action, number, logarithm] : steps) {
      const int which = std::abs(number % 7) + 1;
      const auto entry = model.find(which);
      const bool open = entry != model.end() && entry->second.second == EntryState::reserved;
      if (action % 2 == 0) {
        const Exponent cost = logarithm ? Exponent::log(which + 1, Rational(1, 3)) : Exponent(Rational(which, 6));
        const bool fits = total() + EpsilonSum(cost) <= EpsilonSum(budget.epsilon());
        try {
          const std::int64_t id = ledger.reserve(request("q", Budget::pure(cost))).id;
          RC_ASSERT(fits);
          model[id] = {EpsilonSum(cost), EntryState::reserved};
        } catch (const Error& error) {
          RC_ASSERT(!fits && error.code() == ErrorCode::budget_refused);
        }
      } else if (open && action % 3 == 0) {
        ledger.void_entry(which, "because");
        entry->second.second = EntryState::voided;
      } else if (open) {
        ledger.commit(ledger.entry(which).reservation(), "receipt");
        entry->second.second = EntryState::committed;
      } else {
        RC_ASSERT_THROWS_AS(action % 3 == 0 ? ledger.void_entry(which, "why") : ledger.commit({which}, "r"), Error);
      }
      RC_ASSERT(ledger.balance("people").spent.epsilon == total());
      RC_ASSERT(total() <= EpsilonSum(budget.epsilon()));
    }
    ledger.verify();
  };
  // A server needs a third of a second to create a database.
  EXPECT_TRUE(testing::check_cases(testing::effort(is_postgres() ? 15 : 50), property));
}

}  // namespace
}  // namespace fractile
