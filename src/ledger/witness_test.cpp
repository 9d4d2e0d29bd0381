// A ledger that is put back to an earlier state is behind its witness, whatever the state.
#include "ledger/witness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "fractile/ledger.hpp"
#include "ledger/store.hpp"
#include "libraries/fmt.hpp"
#include "support/ledger_files.hpp"

namespace fractile {
namespace {

using ledger_detail::open_store;
using ledger_detail::Seen;
using ledger_detail::Wanted;
using ledger_detail::Witness;
using testing::expect_failure;
using testing::request;

class LedgerWitnesses : public testing::EveryStore {
 protected:
  void SetUp() override {
    EveryStore::SetUp();
    if (!IsSkipped()) add({"people", pure("1")});
  }

  static Budget pure(const char* epsilon) { return Budget::pure(Exponent::parse(epsilon)); }

  void add(LedgerDataset dataset) const {
    dataset.witness = witness;
    Ledger::open_or_create(path).add_dataset(dataset);
  }

  void pay(const char* query, const Budget& cost, const char* dataset = "people") const {
    Ledger ledger = Ledger::open(path);
    ledger.commit(ledger.reserve(request(query, cost, dataset)), query);
  }

  std::int64_t last_line() const { return Ledger::open(path).statement().events.back().id; }
  std::string spent(std::size_t dataset = 0) const {
    return Ledger::open(path).statement().accounts.at(dataset).balance.spent.to_string();
  }
  EntryState state(std::int64_t entry) const { return Ledger::open(path).entry(entry).state; }

  /// Puts the ledger back to a backup that was made when the log had this many lines.
  void put_back(std::int64_t lines) const {
    testing::alter(
        path,
        fmt::format("DELETE FROM events WHERE id > {}; DELETE FROM receipts WHERE entry NOT IN (SELECT entry FROM "
                    "events WHERE kind = 'commit'); DELETE FROM entries WHERE id NOT IN (SELECT entry FROM events "
                    "WHERE kind = 'reserve')",
                    lines));
    const std::string datasets = "NOT IN (SELECT dataset FROM events WHERE kind = 'dataset')";
    if (!is_postgres()) testing::alter(path, "DELETE FROM pins WHERE dataset " + datasets);
    testing::alter(path, "DELETE FROM datasets WHERE id " + datasets);
    Ledger::open(path).statement();
  }

  Seen seen() const {
    const auto store = open_store(path, Wanted::reading, {std::chrono::seconds(1)});
    return Witness(*store, witness, Witness::For::reading).last();
  }

  void expect_behind(const std::function<void()>& work) const {
    const Error failure = testing::failure_of(work);
    EXPECT_EQ(failure.code(), ErrorCode::ledger);
    EXPECT_NE(std::string(failure.what()).find("is behind its witness '" + witness + "'"), std::string::npos)
        << failure.what();
    EXPECT_NE(failure.hint().find("--accept"), std::string::npos) << failure.hint();
  }

  std::string witness = folder.file("witness");
};
FRACTILE_ON_EVERY_STORE(LedgerWitnesses);

TEST_P(LedgerWitnesses, SeesWhatIsReservedBeforeItIsDrawnAndWhatIsDrawnBeforeItIsKept) {
  EXPECT_EQ(seen().line, 0);
  EXPECT_EQ(Ledger::open(path).datasets().at(0).witness, witness);
  EXPECT_TRUE(Ledger::open(path).datasets().at(0).reading.empty());
  int times = 0;  // the clock is asked once in each change, and its third call stops the commitment
  Ledger ledger = Ledger::open(path, {.clock = [&] {
                                 if (++times == 3) throw Error(ErrorCode::internal, "stopped", "here");
                                 return std::chrono::system_clock::now();
                               }});
  const LedgerReservation entry = ledger.reserve(request("q", pure("1/4")));
  EXPECT_EQ(seen().line, 0);
  expect_failure(ErrorCode::internal, "stopped", [&] { ledger.commit(entry, "r"); });
  EXPECT_EQ(state(1), EntryState::drawn);
  EXPECT_EQ(seen().line, 3);
  std::ifstream file(witness);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);  // lines for an empty ledger, the reservation and the draw
  ledger.commit(entry, "r");
  EXPECT_EQ(seen().line, 3);
  EXPECT_EQ(seen().hash, ledger.statement().events.at(2).hash);
  EXPECT_TRUE(ledger.witnesses().at(0).fault.empty());
  ledger.verify();
}

/// Whichever state is put back, at whichever step of a release, the ledger counts again all that may have been published.
TEST_P(LedgerWitnesses, EveryEarlierStateIsRefusedAndMadeGood) {
  pay("first", pure("1/8"));
  pay("second", pure("1/4"));
  EXPECT_EQ(last_line(), 7);
  const std::string whole = copy_of(path);
  std::filesystem::copy_file(witness, folder.file("kept"));
  for (std::int64_t lines = 1; lines <= 7; ++lines) {
    SCOPED_TRACE(lines);
    path = copy_of(whole);
    std::filesystem::copy_file(folder.file("kept"), witness, std::filesystem::copy_options::overwrite_existing);
    put_back(lines);
    Ledger put = Ledger::open(path);
    const LedgerRequest next = request("third", pure("1/16"));
    if (lines >= 6) {  // the draw of the second release is there, so its charge counts for good
      EXPECT_TRUE(put.witnesses().at(0).fault.empty());
      put.commit(put.reserve(next), "third");
      EXPECT_EQ(spent(), "epsilon = 7/16");
      continue;
    }
    EXPECT_EQ(put.witnesses().at(0).line, 6);
    EXPECT_NE(put.witnesses().at(0).fault, "");
    expect_behind([&] { put.require_fit(next); });
    expect_behind([&] { put.reserve(next); });
    expect_behind([&] { put.verify(); });
    if (lines == 2 || lines == 5) expect_behind([&] { put.void_entry(lines == 2 ? 1 : 2, "because"); });
    EXPECT_EQ(last_line(), lines);
    const LedgerAcceptance accepted = put.accept_witnesses();
    EXPECT_EQ(accepted.drawn.size(), lines == 2 || lines == 5 ? 1U : 0U);
    EXPECT_EQ(accepted.charged.size(), lines == 5 ? 0U : 1U);
    EXPECT_EQ(spent(), "epsilon = 3/8");
    for (const LedgerEntry& entry : put.statement().entries) {
      EXPECT_TRUE(entry.state == EntryState::drawn || entry.state == EntryState::committed) << entry.id;
    }
    put.verify();
    EXPECT_TRUE(put.accept_witnesses().charged.empty());  // nothing is charged twice
    put.commit(put.reserve(next), "third");
    EXPECT_EQ(spent(), "epsilon = 7/16");
    put.verify();
  }
}

/// The ledger is put back while a release runs. The release publishes nothing, and the witness has not seen its lines.
TEST_P(LedgerWitnesses, PutBackBetweenReservingAndDrawing) {
  Ledger ledger = Ledger::open(path);
  const LedgerReservation entry = ledger.reserve(request("q", pure("1/4")));
  put_back(1);
  expect_failure(ErrorCode::ledger, "no longer has entry 1 of this release", [&] { ledger.commit(entry, "r"); });
  ledger.commit(ledger.reserve(request("another", pure("1/2"))), "r");
  EXPECT_EQ(spent(), "epsilon = 1/2");
}

TEST_P(LedgerWitnesses, PutBackBetweenReservingAndDrawingAfterAnother) {
  Ledger ledger = Ledger::open(path);
  ledger.commit(ledger.reserve(request("first", pure("1/8"))), "first");
  const LedgerReservation entry = ledger.reserve(request("q", pure("1/4")));
  put_back(1);
  expect_failure(ErrorCode::ledger, "no longer has entry 2 of this release", [&] { ledger.commit(entry, "r"); });
  expect_behind([&] { ledger.reserve(request("another", pure("1/2"))); });
  ledger.accept_witnesses();
  EXPECT_EQ(spent(), "epsilon = 1/8");
}

/// A ledger is behind its witness only if it was put back. When a line of
/// the witness is torn, the witness has seen no more than the ledger has.
TEST_P(LedgerWitnesses, ALineThatWasTornIsNone) {
  Ledger ledger = Ledger::open(path);
  ledger.commit(ledger.reserve(request("first", pure("1/8"))), "first");
  const auto size = std::filesystem::file_size(witness);
  ledger.commit(ledger.reserve(request("second", pure("1/4"))), "second");
  const auto whole = std::filesystem::file_size(witness);
  for (const auto kept : {whole - 1, whole - 5, size + 1, size}) {
    std::filesystem::resize_file(witness, kept);
    EXPECT_LE(seen().line, 6);
    EXPECT_TRUE(ledger.witnesses().at(0).fault.empty());
  }
  std::ofstream(witness, std::ios::app) << "3:fra";
  ledger.commit(ledger.reserve(request("third", pure("1/16"))), "third");
  EXPECT_EQ(seen().line, 9);
  std::string text;
  std::getline(std::ifstream(witness), text, '\0');
  std::string other = text;
  other[other.rfind("7/16")] = '6';  // the last line's sums do not match its digest
  std::ofstream(witness) << other;
  EXPECT_EQ(seen().line, 8);
  std::ofstream(witness) << text << std::string(300'000, 'x');
  EXPECT_EQ(seen().line, 9);
  ledger.commit(ledger.reserve(request("fourth", pure("1/16"))), "fourth");
  EXPECT_EQ(seen().line, 12);
}

TEST_P(LedgerWitnesses, AWitnessThatIsNotThere) {
  std::filesystem::rename(witness, folder.file("away"));
  Ledger ledger = Ledger::open(path);
  const LedgerRequest asked = request("q", pure("1/4"));
  for (const std::function<void()>& work : {std::function<void()>([&] { ledger.require_fit(asked); }),
                                            std::function<void()>([&] { ledger.reserve(asked); })}) {
    const Error failure = testing::failure_of(work);
    EXPECT_NE(
        std::string(failure.what()).find("the witness '" + witness + "' of the ledger '" + path + "' is not there"),
        std::string::npos)
        << failure.what();
    EXPECT_TRUE(failure.hint().starts_with("nothing was charged; ")) << failure.hint();
  }
  EXPECT_TRUE(ledger.statement().entries.empty());
  ledger.verify();  // a ledger may be verified elsewhere without its witness
  std::filesystem::create_directory(witness);
  expect_failure(ErrorCode::ledger, "cannot be used: ", [&] { ledger.reserve(asked); });
  std::filesystem::remove(witness);
  std::ofstream(witness) << "something else\n";
  expect_failure(ErrorCode::ledger, "holds no line of a ledger", [&] { ledger.reserve(asked); });
  std::filesystem::remove(witness);
  EXPECT_EQ(ledger.accept_witnesses().made, std::vector<std::string>{witness});
  ledger.commit(ledger.reserve(asked), "r");
  EXPECT_EQ(seen().line, 3);
}

/// The witness goes away while a release runs, before the draw, so the entry can be voided.
TEST_P(LedgerWitnesses, AWitnessThatGoesWhileAReleaseRuns) {
  Ledger ledger = Ledger::open(path);
  const LedgerReservation entry = ledger.reserve(request("q", pure("1/4")));
  std::filesystem::rename(witness, folder.file("away"));
  expect_failure(ErrorCode::ledger, "is not there", [&] { ledger.commit(entry, "r"); });
  EXPECT_EQ(state(1), EntryState::reserved);
  std::filesystem::rename(folder.file("away"), witness);
  ledger.void_entry(1, "the witness was gone");
  EXPECT_EQ(spent(), "epsilon = 0");
}

/// Another ledger's witness may be that of this ledger before it was put back to a state without datasets. So datasets may be added
/// again, but nothing is charged until the witness is accepted.
TEST_P(LedgerWitnesses, OneOfAnotherLedgerKeepsReleasesBack) {
  Ledger ledger = Ledger::open(path);
  ledger.commit(ledger.reserve(request("q", pure("1/4"))), "r");
  path = fresh();
  add({"others", pure("1")});
  LedgerRequest asked = request("q", pure("1/8"));
  asked.dataset = "others";
  expect_behind([&] { Ledger::open(path).reserve(asked); });
  EXPECT_TRUE(Ledger::open(path).statement().entries.empty());
}

/// All missing charges are made again, on every dataset and in every measure, whichever dataset has the witness.
TEST_P(LedgerWitnesses, EveryMeasureIsChargedAgain) {
  Ledger ledger = Ledger::open(path);
  ledger.add_dataset({"rho", Budget::zcdp(Rational(1))});
  ledger.add_dataset({"delta", Budget::approximate(Exponent::parse("ln 30"), Rational(1, 10))});
  pay("a", pure("1/3"), "delta");
  const std::int64_t backup = last_line();
  pay("b", Budget::zcdp(Rational(1, 7)), "rho");
  pay("c", Budget::approximate(Exponent::parse("ln 3"), Rational(1, 100)), "delta");
  pay("d", pure("2 ln 2"), "delta");
  pay("e", pure("1/5"), "delta");
  pay("f", pure("1/5"));
  const std::vector<std::string> whole{spent(0), spent(1), spent(2)};
  put_back(backup);
  EXPECT_EQ(ledger.accept_witnesses().charged.size(), 5U);
  EXPECT_EQ(spent(0), whole[0]);
  EXPECT_EQ(spent(1), whole[1]);
  EXPECT_EQ(Ledger::open(path).account("delta").balance.spent.epsilon,
            EpsilonSum(Rational(8, 15)) + Exponent::parse("ln 3") + Exponent::parse("2 ln 2"));
  EXPECT_EQ(Ledger::open(path).account("delta").balance.spent.delta, Rational(1, 100));
  ledger.verify();
}

TEST_P(LedgerWitnesses, ADatasetThatWasAddedSinceComesFirst) {
  Ledger ledger = Ledger::open(path);
  add({"more", pure("1")});
  ledger.commit(ledger.reserve(request("q", pure("1/4"), "more")), "r");
  put_back(1);
  expect_failure(ErrorCode::ledger, "add the datasets again that were added since this state",
                 [&] { ledger.accept_witnesses(); });
  ledger.add_dataset({"more", pure("1")});
  ledger.accept_witnesses();
  EXPECT_EQ(spent(1), "epsilon = 1/4");
}

/// An acceptance that was stopped after any line can be run again.
TEST_P(LedgerWitnesses, AcceptanceThatWasStoppedGoesOn) {
  pay("first", pure("1/8"));
  pay("second", pure("ln 2"));
  put_back(1);
  std::filesystem::copy_file(witness, folder.file("kept"));
  Ledger::open(path).accept_witnesses();
  const std::int64_t lines = last_line();
  const std::string accepted = copy_of(path);
  for (std::int64_t stop = 1; stop <= lines; ++stop) {
    path = copy_of(accepted);
    std::filesystem::copy_file(folder.file("kept"), witness, std::filesystem::copy_options::overwrite_existing);
    put_back(stop);
    Ledger stopped = Ledger::open(path);
    expect_behind([&] { stopped.reserve(request("third", pure("1/16"))); });
    stopped.accept_witnesses();
    EXPECT_EQ(Ledger::open(path).account("people").balance.spent.epsilon,
              EpsilonSum(Rational(1, 8)) + Exponent::parse("ln 2"));
    for (const LedgerEntry& entry : stopped.statement().entries) EXPECT_EQ(entry.state, EntryState::drawn);
  }
}

/// When two releases run at once, the witness never goes back.
TEST_P(LedgerWitnesses, OfTwoReleasesAtOnce) {
  Ledger one = Ledger::open(path);
  Ledger other = Ledger::open(path);
  const LedgerReservation first = one.reserve(request("one", pure("1/4")));
  const LedgerReservation second = other.reserve(request("other", pure("1/8")));
  other.commit(second, "other");
  EXPECT_EQ(seen().line, 4);
  one.commit(first, "one");
  EXPECT_EQ(seen().line, 6);
  put_back(5);
  expect_behind([&] { one.reserve(request("third", pure("1/16"))); });
}

/// Two datasets with a witness each, one of which cannot see what is published from the other.
TEST_P(LedgerWitnesses, ReleasesThatAreStoredTogetherAreShownToTheWitnessOfEachDataset) {
  Ledger ledger = Ledger::open(path);
  ledger.add_dataset({"visits", pure("1")});
  LedgerDataset others{"others", pure("5")};
  others.witness = folder.file("witness of others");
  ledger.add_dataset(others);
  const auto entries = ledger.reserve_beside({"visits", {}}, [](const auto&) {
    return std::vector{request("a", pure("1/2"), "visits"), request("b", pure("4"), "others")};
  });
  ASSERT_EQ(entries.size(), 2U);
  const std::int64_t reserved = last_line();
  const std::vector<LedgerCommitment> releases{{entries[0], "of a"}, {entries[1], "of b"}};
  ledger.commit(releases);
  EXPECT_EQ(ledger.witnesses().at(1).line, last_line() - 2);  // the draws, before anything is stored
  put_back(reserved);
  const Error failure = testing::failure_of([&] { Ledger::open(path).void_entry(entries[1].id, "never published"); });
  EXPECT_EQ(failure.code(), ErrorCode::ledger);
  EXPECT_NE(std::string(failure.what()).find("is behind its witness"), std::string::npos) << failure.what();
}

}  // namespace
}  // namespace fractile
