#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/planning.hpp"
#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "source/entries/table_test_support.hpp"

namespace fractile {
namespace {

using source_test::error_of;

class Publishing : public source_test::EngineTest {
 protected:
  std::string people(const std::string& cell = "17") const {
    std::string text = "id,region,wage\n";
    for (int i = 0; i < 300; ++i) {
      text += "p" + std::to_string(i % 100) + (i % 2 == 0 ? ",north," : ",south,") + std::to_string(10 + i) + "\n";
    }
    return folder.write("people.csv", text + "p1,north," + cell + "\n");
  }

  /// A new ledger of one dataset with a budget of epsilon = 2.
  Payment ledger(const LedgerReading& reading = {}, std::uint32_t records_per_person = 1) const {
    const std::string path = folder.path("people.ledger");
    LedgerDataset dataset{"people", Budget::pure(Rational(2))};
    dataset.reading = reading;
    dataset.records_per_person = records_per_person;
    Ledger::create(path).add_dataset(dataset);
    return {path};
  }

  static ReleaseRequest request() {
    RecordSelection persons{.person = "id", .records_per_person = 3, .by = "region", .keys = {"north", "south"}};
    return {{"wage", Lattice::regular(0, 400, 1), NullPolicy::drop, std::move(persons)},
            {{Rational(1, 2)}, Budget::pure(Rational(1, 2))}};
  }

  static std::size_t entries(const Payment& payment) {
    return Ledger::open_to_read(payment.ledger).statement().entries.size();
  }
};

TEST_F(Publishing, GroupsOfPersonsPaidByALedger) {
  const Payment payment = ledger({}, 3);
  ReleaseRequest asked = request();
  asked.receipt = folder.path("receipt.json");
  const Answer answer = publish(Source::file({.file = people()}), asked, payment);
  EXPECT_EQ(answer.release.value().keys(), (std::vector<GroupKey>{"north", "south"}));
  const Ledger after = Ledger::open_to_read(payment.ledger);
  const LedgerEntry entry = after.entry(answer.release->charge.value().entry);
  EXPECT_EQ(entry.state, EntryState::committed);
  EXPECT_EQ(after.statement().entries.at(0).receipt, answer.release->receipt);
  EXPECT_EQ(entry.request.records_per_person, 3U);
  std::ifstream written(asked.receipt);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(written), {}), answer.release->receipt);
  EXPECT_EQ(answer.account.value().balance.spent.to_string(), "epsilon = 1/2");
}

TEST_F(Publishing, IsNotEndedByCheckpoints) {
  const Checkpoints checkpoints([] { throw std::runtime_error("ended"); });
  const Answer answer = publish(Source::file({.file = people()}), request(), ledger({}, 3));
  EXPECT_TRUE(answer.release.has_value());
  EXPECT_THROW(plan_release(request().query, request().column.lattice, PlanOptions{.rows = 300}), std::runtime_error);
}

TEST_F(Publishing, EqualRequestsAreAnsweredFromTheLedger) {
  const Payment payment = ledger();
  const std::string file = people();
  const Answer first = publish(Source::file({.file = file}), request(), payment);
  const Answer second = publish(Source::file({.file = file}), request(), payment);
  EXPECT_EQ(second.release->receipt, first.release->receipt);
  EXPECT_EQ(second.stored.value().id, first.release->charge.value().entry);
  Payment again = payment;
  again.again = true;
  EXPECT_FALSE(publish(Source::file({.file = file}), request(), again).stored);
  EXPECT_EQ(entries(payment), 2U);
}

// A release with the same texts in another order was charged again, or refused because its file was read differently before.
TEST_F(Publishing, TheOrderOfTextsThatAreMissingDecidesNothing) {
  const Payment payment = ledger();
  const std::string file = people();
  const Answer first = publish(Source::file({.file = file, .missing = {"NA", "-9"}}), request(), payment);
  const Answer second = publish(Source::file({.file = file, .missing = {"-9", "NA"}}), request(), payment);
  EXPECT_EQ(second.release->receipt, first.release->receipt);
  EXPECT_EQ(entries(payment), 1U);
}

TEST_F(Publishing, AFormatThatTheNameSaysIsNotPartOfTheQuestion) {
  const Payment payment = ledger();
  const std::string file = people();
  const Answer first = publish(Source::file({.file = file}), request(), payment);
  const Answer second = publish(Source::file({.file = file, .format = "csv"}), request(), payment);
  EXPECT_EQ(second.release->receipt, first.release->receipt);
  EXPECT_EQ(entries(payment), 1U);
}

TEST_F(Publishing, AnswersOfAnEarlierProgramStillServe) {
  const std::string file = people();
  const auto read = [&] { return Source::file({.file = file, .missing = {"NA", "-9"}}); };
  const Payment payment = ledger();
  Answer answer = publish(read(), request(), payment);
  LedgerRequest asked = Ledger::open_to_read(payment.ledger).entry(1).request;
  const std::string sorted = R"("missing":["-9","NA"])";
  const std::size_t place = asked.query.find(sorted);
  ASSERT_NE(place, std::string::npos) << asked.query;
  asked.query.replace(place, sorted.size(), R"("missing":["NA","-9"])");  // as it was typed
  const std::string path = folder.path("earlier.ledger");
  Ledger earlier = Ledger::create(path);
  earlier.add_dataset({"people", Budget::pure(Rational(2))});
  const LedgerReservation reservation = earlier.reserve(asked);
  Release release = *answer.release;
  release.charge = Charge{"people", reservation.id, reservation.token};
  release.receipt.clear();
  const std::string receipt = with_receipt(std::move(release)).receipt;
  earlier.commit(reservation, receipt);
  EXPECT_EQ(publish(read(), request(), Payment{path}).release->receipt, receipt);
  EXPECT_EQ(entries(Payment{path}), 1U);
}

// Two requests that sample different numbers of each person's records, and promise for the same number, were one query.
TEST_F(Publishing, HowManyRecordsOfAPersonAreSampledIsPartOfTheQuery) {
  const Payment payment = ledger({}, 3);
  const std::string file = people();
  const Answer three = publish(Source::file({.file = file}), request(), payment);
  ReleaseRequest one = request();
  one.column.selection.records_per_person = 1;
  one.query.records_per_person = 3;
  EXPECT_FALSE(publish(Source::file({.file = file}), one, payment).stored);
  EXPECT_TRUE(publish(Source::file({.file = file}), one, payment).stored);
  EXPECT_EQ(publish(Source::file({.file = file}), request(), payment).release->receipt, three.release->receipt);
}

/// The query need not repeat how many records a person has, and cannot state fewer.
TEST_F(Publishing, ThePromiseIsMadeToPersonsOfAsManyRecordsAsAreCounted) {
  const std::string file = people();
  EXPECT_EQ(publish(Source::file({.file = file}), request()).release->query.records_per_person, 3U);
  ReleaseRequest more = request();
  more.query.records_per_person = 5;
  EXPECT_EQ(publish(Source::file({.file = file}), more).release->query.records_per_person, 5U);
  const Source over_query = Source::file({.file = file, .sql = "SELECT wage FROM input", .sql_stability = 4});
  ReleaseRequest whole = request();
  whole.column.selection = {.records_per_person = 2};
  const Answer answer = publish(over_query, whole);
  EXPECT_EQ(answer.release->query.records_per_person, 8U);
}

TEST_F(Publishing, WhatCannotBeIsRefusedBeforeTheCharge) {
  const Payment payment = ledger();
  const std::string file = people();
  const auto refused = [&](const std::function<void(ReleaseRequest&)>& change, const TableOptions& read) {
    ReleaseRequest asked = request();
    change(asked);
    const Error error = error_of([&] { publish(Source::file(read), asked, payment); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
    EXPECT_EQ(entries(payment), 0U) << error.what();
    return error.field();
  };
  const auto as_it_is = [](ReleaseRequest&) {};
  EXPECT_EQ(refused([](ReleaseRequest& asked) { asked.unsafe_seed = 1; }, {.file = file}), "unsafe_seed");
  EXPECT_EQ(refused([](ReleaseRequest& asked) { asked.column.null_policy = NullPolicy::error; }, {.file = file}),
            "null");
  EXPECT_EQ(refused([](ReleaseRequest& asked) { asked.column.public_rows = true; }, {.file = file}), "public_rows");
  EXPECT_EQ(refused(as_it_is, {.file = file, .delimiter = ","}), "delimiter");
  EXPECT_EQ(refused(as_it_is, {.file = file, .unreadable = Unreadable::error}), "unreadable");
  refused(
      [](ReleaseRequest& asked) {
        asked.bounds = BoundsToFind{BoundsSearch{1, 8}, Rational(1, 10)};
      },
      {.file = file});
  refused([](ReleaseRequest& asked) { asked.query.quantiles.clear(); }, {.file = file});
  // Numbers of more than 10,000 characters were charged for, and made a receipt that nothing could read.
  const Rational tiny = Rational(10).pow(-10'000);
  EXPECT_EQ(
      refused([&](ReleaseRequest& asked) { asked.column.lattice = Lattice::regular(0, tiny, tiny); }, {.file = file}),
      "bounds");
  EXPECT_EQ(refused(
                [&](ReleaseRequest& asked) {
                  asked.column.lattice = Lattice::explicit_points({0, Rational(1) + tiny});
                },
                {.file = file}),
            "candidates");
  EXPECT_EQ(refused([&](ReleaseRequest& asked) { asked.query.quantiles = {tiny}; }, {.file = file}), "quantiles");
  EXPECT_EQ(refused([&](ReleaseRequest& asked) { asked.query.budget = Budget::pure(tiny); }, {.file = file}),
            "epsilon");
}

TEST_F(Publishing, NoCellDecidesWhetherAPaidReleaseSucceeds) {
  const std::string file = people("a secret");
  const Error error = error_of([&] { publish(Source::file({.file = file}), request()); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  const Answer paid = publish(Source::file({.file = file}), request(), ledger());
  EXPECT_EQ(paid.release->source.unreadable, Unreadable::missing);
}

TEST_F(Publishing, AColumnInMemory) {
  const std::vector<double> numbers{1, 2, 3, 30};
  const auto* const first = reinterpret_cast<const std::byte*>(numbers.data());
  Frame frame = Frame::of(NumberBuffer{first, "g", numbers.size(), sizeof(double), nullptr}, "x");
  const ReleaseRequest asked{{"x", Lattice::regular(0, 40, 1)}, {{Rational(1, 2)}, Budget::pure(Rational(1))}};
  const Answer answer = publish(Source::frame(std::move(frame)), asked, ledger());
  EXPECT_EQ(answer.release->source.engine, "memory");
  EXPECT_TRUE(answer.release->charge);
}

/// The quantiles' intervals are too wide for what the counts leave.
TEST(ReleaseRequests, WhatCountsLeaveOfTheBudgetIsCheckedBeforeTheCharge) {
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(10).pow(-13))};
  query.intervals = IntervalRequest{Rational(9, 10)};
  ReleaseRequest request{{"age", Lattice::regular(0, 100, 1)}, query};
  EXPECT_NO_THROW(request.validate());
  request.statistics = StatisticsRequest{{}, false, Rational(999'999, 1'000'000)};
  EXPECT_THROW(request.validate(), Error);
}

/// A group's query under change-one is for both records of a change. They are not two records of one person, for whom there are no
/// intervals of the population.
TEST(ReleaseRequests, GroupsUnderChangeOneHaveIntervalsOfThePopulation) {
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(2).pow(-48)), Neighbors::change_one};
  query.intervals = IntervalRequest{Rational(9, 10), IntervalSubject::population};
  ReleaseRequest request{{"age", Lattice::regular(0, 100, 1)}, query};
  EXPECT_NO_THROW(request.validate());
  request.column.selection = {.by = "region", .keys = {"north", "south"}};
  EXPECT_THROW(request.validate(), Error) << "the noise is that of two records";
  request.query.budget = Budget::pure(Rational(2).pow(-47));
  EXPECT_NO_THROW(request.validate());
  request.query.records_per_person = 2;
  EXPECT_THROW(request.validate(), Error);
}

}  // namespace
}  // namespace fractile
