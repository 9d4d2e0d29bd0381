#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "libraries/fmt.hpp"
#include "publication/publication_test_support.hpp"
#include "source/entries/table_test_support.hpp"
#include "support/ledger_files.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using publication_test::CountedCells;
using publication_test::table_by;
using source_test::error_of;

/// A budget at which every value is the true quantile, except once in e^1000 tables.
const Budget all_but_exact = Budget::pure(Rational(1'000'000));

class PublishingTables : public source_test::EngineTest {
 protected:
  /// 4 regions x 2 sexes with 21 records each. Pay begins at 100 times the cell's place, and hours are 900 less pay. Other records have
  /// keys that are not listed, or a pay that is not a number.
  std::string payroll() const {
    std::string text = "id,region,sex,pay,hours\n";
    int id = 0;
    for (int cell = 0; cell < 8; ++cell) {
      const std::string keys = std::string(1, "nsew"[cell / 2]) + "," + "fm"[cell % 2];
      for (int i = 0; i < 21; ++i) {
        text += fmt::format("p{},{},{},{}\n", id++, keys, 100 * cell + i, 900 - 100 * cell - i);
      }
    }
    for (int i = 0; i < 100; ++i) text += "x,abroad,f,999,0\ny,n,unknown,999,0\nz,,,999,0\n";
    return folder.write("payroll.csv", text + "v,n,f,a lot,800\nw,n,f,,801\n");
  }

  /// With a mechanism that selects each quantile by itself, and so selects the true one if the budget is large.
  static Publication earnings(const Budget& budget) {
    Publication publication = publication_test::earnings(budget);
    publication.tables[0].mechanism = Mechanism::independent;
    return publication;
  }
  /// Two tables, the second one without margins.
  static Publication earnings_and_hours(const Budget& budget) {
    Publication publication = earnings(budget);
    publication.tables.push_back(table_by("hours", {"region"}, {{0}}));
    publication.tables[1].mechanism = Mechanism::independent;
    return publication;
  }

  Payment ledger(const char* epsilon = "2") const {
    const std::string path = folder.path("people.ledger");
    Ledger::create(path).add_dataset({"people", Budget::pure(Exponent::parse(epsilon))});
    return {path};
  }

  PublishedTables publish(const Publication& publication, const std::optional<Payment>& payment = {}) const {
    return fractile::publish(Source::file({.file = file_}), {publication}, payment);
  }

  static std::string text_of(const std::string& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::string file_ = payroll();
};

/// The released value of a quantile in the level's cell with these keys.
std::string value(const PublishedTables& tables, std::size_t level, const std::vector<std::string>& keys,
                  std::size_t quantile) {
  const Release& release = tables.levels[level].release;
  for (const Release::Group& group : release.groups) {
    if (group.key.texts() == keys) return release.value(group, quantile).to_string();
  }
  return "no such cell";
}

Publication with_counts(const Budget& budget) {
  Publication publication = publication_test::earnings(budget);
  PublicationTable& table = publication.tables[0];
  table.mechanism = Mechanism::independent;
  table.count = table.mean = true;
  table.below = {Rational(200)};
  return publication;
}

TEST_F(PublishingTables, EveryLevelIsOfTheRecordsInListedCells) {
  const PublishedTables tables = publish(earnings_and_hours(all_but_exact));
  ASSERT_EQ(tables.levels.size(), 5U);
  EXPECT_EQ(value(tables, 0, {"n", "f"}, 1), "10");
  EXPECT_EQ(value(tables, 0, {"w", "m"}, 2), "715");
  // All values between two neighboring records have the same records below and above, so any of them may be the quantile.
  const auto expect_between = [&](std::size_t level, const std::vector<std::string>& keys, std::size_t quantile,
                                  int low, int high) {
    const Rational found = Rational::parse(value(tables, level, keys, quantile));
    EXPECT_TRUE(found >= Rational(low) && found <= Rational(high)) << level << ": " << found.to_string();
  };
  expect_between(1, {"n"}, 0, 10, 10);
  expect_between(1, {"n"}, 1, 20, 100);
  expect_between(2, {"f"}, 0, 20, 200);
  expect_between(2, {"m"}, 1, 320, 500);
  expect_between(3, {}, 1, 320, 400);  // without the records whose pay is 999
  EXPECT_EQ(tables.levels[3].release.groups.size(), 1U);
  EXPECT_EQ(value(tables, 4, {"s"}, 1).substr(0, 1), "6");  // hours count even if the pay is not a number
  EXPECT_EQ(tables.cost().to_string(), "epsilon = 1000000");
}

/// A column stays until its last level is drawn, whatever is drawn in between. Seeded releases show that nothing else changes.
TEST_F(PublishingTables, TablesOfOneColumnNeedNotFollowOneAnother) {
  Publication publication = earnings_and_hours(all_but_exact);
  publication.tables.push_back(table_by("pay again", {"region", "sex"}, {{0, 1}, {1}}));
  publication.tables[2].column = "pay";
  publication.tables[2].mechanism = Mechanism::independent;
  const auto seeded = [&](TableOptions options) {
    options.file = file_;
    PublicationRequest request{publication};
    request.unsafe_seed = 7;
    return fractile::publish(Source::file(std::move(options)), request);
  };
  const PublishedTables tables = seeded({});
  ASSERT_EQ(tables.levels.size(), 7U);
  EXPECT_EQ(value(tables, 0, {"n", "f"}, 1), "10");
  EXPECT_EQ(value(tables, 4, {"s"}, 1).substr(0, 1), "6");
  EXPECT_EQ(value(tables, 5, {"n", "f"}, 1), "10");
  const PublishedTables limited = seeded({.memory = TableOptions::least_memory});
  for (std::size_t level = 0; level < tables.levels.size(); ++level) {
    EXPECT_EQ(limited.levels[level].release.receipt, tables.levels[level].release.receipt);
  }
}

TEST_F(PublishingTables, MarginsSayWhoseRecordsTheyHave) {
  const PublishedTables tables = publish(earnings(all_but_exact));
  EXPECT_FALSE(tables.levels[0].release.source.margin_of);
  const MarginOf margin = tables.levels[1].release.source.margin_of.value();
  EXPECT_EQ(margin.by, (KeyColumns{"region", "sex"}));
  EXPECT_EQ(margin.cells, 8U);
  EXPECT_EQ(tables.levels[3].release.source.margin_of.value().cells_sha256, margin.cells_sha256);
}

TEST_F(PublishingTables, AReceiptIsReadBack) {
  Publication publication = earnings_and_hours(Budget::pure(Rational(3)));
  publication.marks.unreliable = Rational(1, 5);
  for (PublicationTable& table : publication.tables)
    table.intervals = IntervalRequest{Rational(9, 10), IntervalSubject::table};
  const PublishedTables tables = publish(publication);
  ASSERT_TRUE(is_publication_receipt(tables.receipt));
  EXPECT_FALSE(is_publication_receipt(tables.levels[0].release.receipt));
  const PublishedTables read = read_publication_receipt(tables.receipt, "it");
  EXPECT_EQ(to_csv(read), to_csv(tables));
  EXPECT_EQ(to_table(read), to_table(tables));
  for (std::size_t i = 0; i < tables.levels.size(); ++i)
    EXPECT_EQ(read.levels[i].release.receipt, tables.levels[i].release.receipt);
  std::string changed = tables.receipt;
  changed[changed.find("Earnings")] = 'e';
  EXPECT_EQ(error_of([&] { read_publication_receipt(changed, "it"); }).code(), ErrorCode::data);
}

// Anyone who writes a receipt can hash it. So its parts must also agree with each other.
TEST_F(PublishingTables, ReceiptsAreOfOnePromise) {
  const PublishedTables tables = publish(earnings_and_hours(Budget::pure(Rational(3))));
  const auto refused = [&](const auto& change) {
    PublishedTables changed = tables;
    change(changed);
    return std::string(error_of([&] { read_publication_receipt(receipt_of(changed), "it"); }).what());
  };
  const auto expect_refused = [&](const auto& change, const std::string& why) {
    EXPECT_NE(refused(change).find(why), std::string::npos) << refused(change);
  };
  expect_refused([](PublishedTables& each) { each.publication.budget = Budget::pure(Rational(2)); }, "cost more");
  expect_refused([](PublishedTables& each) { each.levels[1].release = each.levels[4].release; }, "another column");
  expect_refused([](PublishedTables& each) { each.levels[1].release = each.levels[3].release; },
                 "keys are not those of its level");
  expect_refused([](PublishedTables& each) { std::swap(each.levels[0], each.levels[1]); }, "is not the first");
  expect_refused([](PublishedTables& each) { each.publication.keys[1].labels.pop_back(); }, "one label");
  Publication other = earnings_and_hours(Budget::pure(Rational(3)));
  other.neighbors = Neighbors::change_one;
  const PublishedTables others = publish(other);
  expect_refused([&](PublishedTables& each) { each.levels[2].release = others.levels[2].release; }, "promise the same");
}

TEST_F(PublishingTables, ALedgerIsChargedOnceForAllOfIt) {
  const Payment payment = ledger();
  const PublishedTables tables = publish(earnings_and_hours(Budget::pure(Rational(1, 3))), payment);
  const Ledger after = Ledger::open(payment.ledger);
  const LedgerStatement statement = after.statement();
  ASSERT_EQ(statement.entries.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(statement.entries[i].state, EntryState::committed);
    EXPECT_EQ(statement.entries[i].receipt, tables.levels[i].release.receipt);
    EXPECT_EQ(statement.entries[i].request.cost.to_string(), tables.levels[i].release.cost().to_string());
  }
  EXPECT_EQ(after.balance("people").spent.to_string(), "epsilon = 1/3");
  after.verify();
  require_own_receipts(statement);
}

/// Keeps what an interrupt would report.
class Interruptible final : public Attendant {
 public:
  void on_interrupt(const Words& /*what*/, const Words& hint) override {
    hints.push_back(Error(ErrorCode::usage, "", hint).hint());
  }
  std::vector<std::string> hints;
};

// The message named one entry to void, and the others went on counting.
TEST_F(PublishingTables, AnInterruptedPublicationSaysHowToGiveAllItsEntriesBack) {
  const Payment payment = ledger();
  Interruptible attendant;
  fractile::publish(Source::file({.file = file_}), {earnings(Budget::pure(Rational(1)))}, payment, attendant);
  const std::string expected = "nothing was published; fractile ledger void " + payment.ledger +
                               " --entry N --reason TEXT gives entry N back, for each N from 1 to 4";
  EXPECT_NE(std::ranges::find(attendant.hints, expected), attendant.hints.end());
}

/// Voids entries after the charge, while the publication runs.
class Voiding final : public Attendant {
 public:
  Voiding(std::string ledger, std::vector<std::int64_t> entries)
      : ledger_(std::move(ledger)), entries_(std::move(entries)) {}
  void prepare_tables(const PublishedTables& /*tables*/) override {
    for (const std::int64_t entry : entries_) Ledger::open(ledger_).void_entry(entry, "changed our mind");
  }

 private:
  std::string ledger_;
  std::vector<std::int64_t> entries_;
};

// The message looked at the first entry only. It said that nothing counts, or that all entries count.
TEST_F(PublishingTables, AVoidedEntryLeavesTheOthersReserved) {
  const auto hint_without = [&](const std::vector<std::int64_t>& voided) {
    const Payment payment{folder.path(fmt::format("{}.ledger", fmt::join(voided, "-")))};
    Ledger::create(payment.ledger).add_dataset({"people", Budget::pure(Rational(2))});
    Publication publication = earnings(Budget::pure(Rational(1)));
    publication.tables[0].level_shares = {Rational(1, 10), Rational(2, 10), Rational(3, 10), Rational(4, 10)};
    Voiding attendant(payment.ledger, voided);
    const Error error =
        error_of([&] { fractile::publish(Source::file({.file = file_}), {publication}, payment, attendant); });
    EXPECT_EQ(error.code(), ErrorCode::ledger);
    std::string hint = error.hint();
    for (std::size_t at = 0; (at = hint.find(payment.ledger)) != std::string::npos;) {
      hint.replace(at, payment.ledger.size(), "L");
    }
    return hint;
  };
  EXPECT_EQ(hint_without({1}),
            "nothing was published, and this entry does not count; epsilon = 9/10 counts as spent: entries 2 to 4 of L "
            "stay reserved; fractile ledger void L --entry N --reason TEXT gives entry N back, for each N from 2 to 4; "
            "then ask again");
  EXPECT_EQ(
      hint_without({2}),
      "nothing was published, and this entry does not count; epsilon = 4/5 counts as spent: entries 1 and 3 to 4 "
      "of L stay reserved; fractile ledger void L --entry N --reason TEXT gives entry N back, for each N of 1 and "
      "3 to 4; then ask again");
  EXPECT_EQ(hint_without({1, 2, 3}),
            "nothing was published, and this entry does not count; epsilon = 2/5 counts as spent: entry 4 of L stays "
            "reserved; fractile ledger void L --entry 4 --reason TEXT gives it back; then ask again");
  EXPECT_EQ(hint_without({1, 2, 3, 4}),
            "nothing was published, and this entry does not count; entries 1 to 4 of L are void and do not count; ask "
            "again");
}

TEST_F(PublishingTables, TwoTablesOfTheSameValuesAreRefusedBeforeTheCharge) {
  const Payment payment = ledger();
  Publication publication = earnings(Budget::pure(Rational(1)));
  publication.tables.push_back(publication.tables.front());
  publication.tables.back().name = "pay again";
  publication.tables.back().levels.resize(1);
  const Error error = error_of([&] { publish(publication, payment); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(std::string(error.what()).find("tables 'pay' and 'pay again'"), std::string::npos) << error.what();
  EXPECT_TRUE(Ledger::open(payment.ledger).statement().entries.empty());
  publication.tables.back().quantiles = {Rational(1, 2)};
  EXPECT_EQ(publish(publication, payment).levels.size(), 5U);
}

TEST_F(PublishingTables, TheSameTablesAreHadAgainForNothing) {
  const Payment payment = ledger();
  Publication publication = earnings(Budget::pure(Rational(1)));
  const PublishedTables first = publish(publication, payment);
  const PublishedTables second = publish(publication, payment);
  EXPECT_EQ(second.receipt, first.receipt);
  EXPECT_TRUE(second.levels[0].stored);
  publication.title = "Earnings, with another title";
  publication.keys[1].labels = {"Frauen", "Maenner"};
  EXPECT_EQ(publish(publication, payment).levels[2].release.receipt, first.levels[2].release.receipt);
  EXPECT_EQ(Ledger::open(payment.ledger).balance("people").spent.to_string(), "epsilon = 1");
  Payment again = payment;
  again.again = true;
  EXPECT_FALSE(publish(publication, again).levels[0].stored);
  EXPECT_EQ(Ledger::open(payment.ledger).balance("people").spent.to_string(), "epsilon = 2");
}

/// Table A is published at 1, and then A and B at 1. A keeps what it cost, and nothing is left for B.
TEST_F(PublishingTables, WhatWasPublishedCountsInTheFilesBudget) {
  const Payment payment = ledger("3");
  const PublishedTables first = publish(earnings(Budget::pure(Rational(1))), payment);
  const Error error = error_of([&] { publish(earnings_and_hours(Budget::pure(Rational(1))), payment); });
  EXPECT_EQ(error.code(), ErrorCode::budget_refused);
  EXPECT_NE(std::string(error.what())
                .find("nothing is left for table 'hours' of the publication's epsilon = 1: what the "
                      "ledger holds of it was published at epsilon = 1"),
            std::string::npos)
      << error.what();
  EXPECT_EQ(Ledger::open(payment.ledger).balance("people").spent.to_string(), "epsilon = 1");
  const PublishedTables both = publish(earnings_and_hours(Budget::pure(Rational(3, 2))), payment);
  EXPECT_EQ(both.levels[0].release.receipt, first.levels[0].release.receipt);
  EXPECT_EQ(both.levels[4].release.cost().to_string(), "epsilon = 1/2");
  EXPECT_EQ(both.cost().to_string(), "epsilon = 3/2");
  EXPECT_EQ(Ledger::open(payment.ledger).balance("people").spent.to_string(), "epsilon = 3/2");
}

/// The cells are counted again for their totals, but not drawn again.
// Only the newest release of each level was looked at. After one at another budget, the file's own tables were refused, although the
// ledger held them.
TEST_F(PublishingTables, WhatWasPublishedAtTheFilesBudgetIsTheAnswer) {
  Payment payment = ledger("9");
  const PublishedTables first = publish(earnings(Budget::pure(Rational(1))), payment);
  payment.again = true;
  const PublishedTables dearer = publish(earnings(Budget::pure(Rational(2))), payment);
  const PublishedTables cheaper = publish(earnings(Budget::pure(Rational(1, 2))), payment);
  payment.again = false;
  EXPECT_EQ(publish(earnings(Budget::pure(Rational(1))), payment).receipt, first.receipt);
  EXPECT_EQ(publish(earnings(Budget::pure(Rational(2))), payment).receipt, dearer.receipt);
  EXPECT_EQ(publish(earnings(Budget::pure(Rational(1, 2))), payment).receipt, cheaper.receipt);
  // At no other budget: the newest releases are those at 1/2.
  EXPECT_EQ(publish(earnings(Budget::pure(Rational(3))), payment).levels[3].release.receipt,
            cheaper.levels[3].release.receipt);
  payment.again = true;
  const PublishedTables newer = publish(earnings(Budget::pure(Rational(1))), payment);
  payment.again = false;
  EXPECT_NE(newer.receipt, first.receipt);
  EXPECT_EQ(publish(earnings(Budget::pure(Rational(1))), payment).receipt, newer.receipt);
  EXPECT_EQ(Ledger::open(payment.ledger).balance("people").spent.to_string(), "epsilon = 9/2");
}

// The message did not say which entries it was about, nor that there were earlier ones.
TEST_F(PublishingTables, ARefusalNamesTheEntriesThatUseTheBudgetUp) {
  Payment payment = ledger("9");
  Publication publication = earnings(Budget::pure(Rational(1)));
  publication.tables[0].levels = {{0, 1}};
  publish(publication, payment);
  publication.budget = Budget::pure(Rational(2));
  payment.again = true;
  publish(publication, payment);
  payment.again = false;
  publication.budget = Budget::pure(Rational(3, 2));
  const Error error = error_of([&] { publish(publication, payment); });
  EXPECT_EQ(error.code(), ErrorCode::budget_refused);
  EXPECT_NE(
      std::string(error.what())
          .find("was published at epsilon = 2 (entry 2 of " + payment.ledger + "; earlier: entry 1 at epsilon = 1)"),
      std::string::npos)
      << error.what();
}

TEST_F(PublishingTables, TotalsThatAreAddedLeaveTheCellsAsTheyWere) {
  const Payment payment = ledger("3");
  Publication publication = earnings(Budget::pure(Rational(1)));
  const std::vector<KeyLevel> all = publication.tables[0].levels;
  publication.tables[0].levels.resize(1);
  const PublishedTables cells = publish(publication, payment);
  publication.tables[0].levels = all;
  publication.budget = Budget::pure(Rational(2));
  const PublishedTables both = publish(publication, payment);
  ASSERT_EQ(both.levels.size(), all.size());
  EXPECT_TRUE(both.levels[0].stored);
  EXPECT_EQ(both.levels[0].release.receipt, cells.levels[0].release.receipt);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_FALSE(both.levels[i].stored);
  EXPECT_EQ(Ledger::open(payment.ledger).balance("people").spent.to_string(), "epsilon = 2");
}

/// A region's total has other records with two sexes than with one.
TEST_F(PublishingTables, AMarginOfOtherCellsIsAnotherOne) {
  const Payment payment = ledger("3");
  Publication publication = earnings(Budget::pure(Rational(1)));
  publish(publication, payment);
  publication.keys[1] = {"sex", {"f"}};
  for (const PublishedLevel& level : publish(publication, payment).levels) EXPECT_FALSE(level.stored);
}

TEST_F(PublishingTables, NothingIsChargedWhereTheLedgerHasLess) {
  const Payment payment = ledger("1/2");
  EXPECT_EQ(error_of([&] { publish(earnings(Budget::pure(Rational(1))), payment); }).code(), ErrorCode::budget_refused);
  EXPECT_TRUE(Ledger::open(payment.ledger).statement().entries.empty());
}

/// Expects a refusal before any record is read, and no new entry in the ledger.
void expect_refused_for_nothing(const Publication& publication, const std::string& file, const Payment& payment,
                                const std::string& why) {
  class Reading final : public Attendant {
   public:
    void at(const std::string& task) override { has_read = has_read || task.starts_with("reading"); }
    bool has_read = false;
  };
  Reading attendant;
  const std::size_t before = Ledger::open(payment.ledger).statement().entries.size();
  const Error error =
      error_of([&] { fractile::publish(Source::file({.file = file}), {publication}, payment, attendant); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  EXPECT_FALSE(attendant.has_read);
  EXPECT_EQ(Ledger::open(payment.ledger).statement().entries.size(), before);
}

// A mean over listed candidates was once refused only after the charge and the count.
TEST_F(PublishingTables, WhatCannotBeDrawnIsRefusedBeforeTheCharge) {
  const Payment payment = ledger();
  Publication publication = with_counts(Budget::pure(Rational(1)));
  publication.tables[0].lattice = Lattice::explicit_points({Rational(100), Rational(200), Rational(400)});
  expect_refused_for_nothing(publication, file_, payment, "a mean needs bounds and a step");
  publication.tables[0].mean = false;
  // A count's noise is too wide to have an interval.
  publication.tables[0].level_shares = {Rational(1, 1'000'000'000'000'000'000), 1, 1, 1};
  expect_refused_for_nothing(publication, file_, payment, "table 'pay': ");
  expect_refused_for_nothing(with_counts(Budget::pure(Exponent::parse("1e-30"))), file_, payment, "table 'pay': ");
}

TEST_F(PublishingTables, WhatIsLeftBesideLevelsThatAreHeldIsEnoughToDrawTheOthers) {
  const Payment payment = ledger();
  publish(earnings(Budget::pure(Rational(1))), payment);
  Publication publication = earnings_and_hours(Budget::pure(Rational::parse("1.000000000000000001")));
  publication.tables[1].count = true;
  expect_refused_for_nothing(publication, file_, payment, "table 'hours': ");
}

// Totals of this many cells were once refused only after all draws.
TEST_F(PublishingTables, TotalsOfMoreThanCanBeAddedUpAreRefusedBeforeTheCharge) {
  Publication publication = with_counts(Budget::pure(Rational(1)));
  publication.tables[0].below.clear();
  for (int i = 1; i <= 100; ++i) publication.tables[0].below.emplace_back(i);
  for (KeyColumn& column : publication.keys) {
    for (int i = 0; i < 103; ++i) column.keys.push_back("k" + std::to_string(i));
    column.labels.clear();
  }
  expect_refused_for_nothing(publication, file_, ledger(), "table 'pay': a sum of more than 2^20 noisy counts");
}

/// Committed releases need neither a turn at writing nor room.
TEST_F(PublishingTables, WhatIsHeldIsGivenOutWhileAnotherWrites) {
  const Payment payment = ledger();
  const PublishedTables first = publish(earnings(Budget::pure(Rational(1))), payment);
  testing::RawDatabase other(payment.ledger);
  other.run("BEGIN IMMEDIATE");
  EXPECT_EQ(publish(earnings(Budget::pure(Rational(1))), payment).receipt, first.receipt);
}

TEST_F(PublishingTables, AMeasureIsPartOfTheForm) {
  const Payment payment = [&] {
    const std::string path = folder.path("rho.ledger");
    Ledger::create(path).add_dataset({"people", Budget::zcdp(Rational(2))});
    return Payment{path};
  }();
  publish(earnings(Budget::zcdp(Rational(1, 2))), payment);
  EXPECT_FALSE(publish(earnings(Budget::pure(Rational(1, 2))), payment).levels[0].stored);
}

TEST_F(PublishingTables, CountsStandBesideQuantilesAndTotalsAddThemUp) {
  const PublishedTables tables = publish(with_counts(Budget::pure(Rational(1))));
  EXPECT_EQ(tables.cost().to_string(), "epsilon = 1");
  const std::vector<Statistics> cells = statistics_of(tables, tables.levels[0]);
  ASSERT_EQ(cells.size(), 8U);
  for (const std::size_t level : {1U, 2U, 3U}) {
    std::int64_t count = 0;
    std::int64_t below = 0;
    for (const Statistics& each : statistics_of(tables, tables.levels[level])) {
      count += each.count.value;
      below += each.below.at(0).value;
      EXPECT_TRUE(each.mean && each.shares.size() == 1);
    }
    EXPECT_EQ(count, std::accumulate(cells.begin(), cells.end(), std::int64_t{0},
                                     [](std::int64_t sum, const Statistics& each) { return sum + each.count.value; }));
    EXPECT_EQ(below,
              std::accumulate(cells.begin(), cells.end(), std::int64_t{0},
                              [](std::int64_t sum, const Statistics& each) { return sum + each.below[0].value; }));
  }
}

TEST_F(PublishingTables, CountsAreOfTheRecordsThatHaveAValue) {
  const PublishedTables tables = publish(with_counts(all_but_exact));
  EXPECT_EQ(statistics_of(tables, tables.levels[0])[0].count.value, 21);
  EXPECT_EQ(statistics_of(tables, tables.levels[1])[0].count.value, 42);
  const Statistics all = statistics_of(tables, tables.levels[3])[0];
  EXPECT_EQ(all.count.value, 168);
  EXPECT_EQ(all.below[0].value, 42);
  EXPECT_EQ(all.mean.value().value.value().to_string(), "360");
  const std::string csv = to_csv(tables);
  EXPECT_NE(csv.find("pay,,,count,,168,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("pay,,,share below 200,,0.25,"), std::string::npos) << csv;
  EXPECT_EQ(to_csv(read_publication_receipt(tables.receipt, "it")), csv);
}

TEST_F(PublishingTables, AHiddenCellIsLeftOutByItsReleasedCount) {
  Publication publication = with_counts(all_but_exact);
  publication.marks.hidden = 30;
  const PublishedTables tables = publish(publication);
  const std::string csv = to_csv(tables);
  EXPECT_NE(csv.find("pay,n,f,quantile,1/2,,,,hidden"), std::string::npos) << csv;
  EXPECT_NE(csv.find("pay,n,f,count,,,,,hidden"), std::string::npos) << csv;
  EXPECT_NE(csv.find("pay,n,,count,,42,"), std::string::npos) << csv;
  EXPECT_NE(to_table(tables).find("hidden: the released count is below 30"), std::string::npos);
}

Publication counts_alone(const Budget& budget) {
  Publication publication = with_counts(budget);
  publication.tables[0].quantiles.clear();
  return publication;
}

TEST_F(PublishingTables, CountsWithoutQuantilesAddUpToTotalsThatCostNothing) {
  const PublishedTables tables = publish(counts_alone(all_but_exact));
  ASSERT_EQ(tables.levels.size(), 1U);
  EXPECT_EQ(tables.cost().to_string(), "epsilon = 1000000");
  const std::vector<const PublishedLevel*> levels = levels_of(tables);
  ASSERT_EQ(levels.size(), 4U);
  ASSERT_EQ(levels[1]->release.groups.size(), 4U);
  EXPECT_EQ(statistics_of(tables, *levels[1])[0].count.value, 42);
  EXPECT_EQ(statistics_of(tables, *levels[2])[1].count.value, 84);
  const Statistics all = statistics_of(tables, *levels[3])[0];
  EXPECT_EQ(all.count.value, 168);
  EXPECT_EQ(all.mean.value().value.value().to_string(), "360");
  const std::string csv = to_csv(tables);
  for (const char* const line : {"pay,n,f,count,,21,", "pay,n,,count,,42,", "pay,,f,count,,84,", "pay,,,mean,,360,"})
    EXPECT_NE(csv.find(line), std::string::npos) << line << "\n" << csv;
  EXPECT_EQ(csv.find("quantile,1/"), std::string::npos);
  const PublishedTables read = read_publication_receipt(tables.receipt, "it");
  EXPECT_EQ(to_csv(read), csv);
  EXPECT_EQ(to_table(read), to_table(tables));
  EXPECT_EQ(receipt_of(read), tables.receipt);
  EXPECT_EQ(explain(read, Prose::text), explain(tables, Prose::text));
  const std::string words = explain(tables, Prose::markdown);
  EXPECT_EQ(words.find("Quantiles of the column"), std::string::npos) << words;
  EXPECT_NE(words.find("with mechanism noise on counts"), std::string::npos) << words;
  EXPECT_NE(to_html(tables).html.find("all"), std::string::npos);
}

/// Intervals of totals have the noise of all the cells that they add up.
TEST_F(PublishingTables, CountsWithoutQuantilesHaveTheWholeBudget) {
  const PublishedTables alone = publish(counts_alone(Budget::pure(Rational(1))));
  const StatisticsTerms terms = statistics_terms(alone, 0).value();
  EXPECT_EQ(terms.request.share, Rational(1));
  const auto width = [&](std::size_t level) {
    const CountInterval interval = statistics_of(alone, *levels_of(alone)[level])[0].below[0].interval;
    return interval.upper - interval.lower;
  };
  EXPECT_LT(width(0), width(3));
  ASSERT_EQ(alone.levels[0].release.groups[0].spent.size(), 2U);
  EpsilonSum spent;
  for (const PartCost& part : alone.levels[0].release.groups[0].spent) spent += part.amount;
  EXPECT_EQ(spent.to_string(), "1");
}

std::size_t count_of(const std::string& word, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

/// Expects marks of intervals that are wider than 2/5 of their value. Returns how many there are.
std::size_t expect_marks(const std::string& csv_text, std::set<std::string>& seen) {
  std::istringstream csv(csv_text);
  std::size_t marked = 0;
  std::string line;
  std::getline(csv, line);
  while (std::getline(csv, line)) {
    std::vector<std::string> row(1);
    for (const char c : line) c == ',' ? void(row.emplace_back()) : row.back().push_back(c);
    if (row.size() != 9) throw std::logic_error(line);
    const bool is_missing = row[5].empty();
    const Rational value = is_missing ? Rational(0) : Rational::parse(row[5]);
    const Rational width = Rational::parse(row[7]) - Rational::parse(row[6]);
    const bool is_wide = width > Rational(2, 5) * (value.sign() < 0 ? Rational(0) - value : value);
    EXPECT_EQ(row[8], is_wide ? "unreliable" : "") << line;
    seen.insert(row[3] + (is_missing ? " none" : "") + (is_wide ? " unreliable" : ""));
    marked += is_wide ? 1U : 0U;
  }
  return marked;
}

/// Once, the page said that such numbers are marked, and none was.
TEST_F(PublishingTables, CountsSharesAndMeansAreMarkedByTheirIntervals) {
  std::set<std::string> seen;
  for (const Rational& epsilon : {Rational(1, 50), Rational(10)}) {
    PublicationRequest request{counts_alone(Budget::pure(epsilon))};
    request.publication.marks.unreliable = Rational(2, 5);
    request.unsafe_seed = 3;
    const PublishedTables tables = fractile::publish(Source::file({.file = file_}), request);
    const std::size_t marked = expect_marks(to_csv(tables), seen);
    EXPECT_EQ(count_of(") *", to_table(tables)), marked);
    EXPECT_NE(to_table(tables).find("* unreliable: the value's interval is open, or wider than 40 % of the value"),
              std::string::npos);
    const std::string words = explain(tables, Prose::markdown);
    EXPECT_EQ(count_of(" * (", words), marked) << words;
    EXPECT_NE(words.find("* unreliable: "), std::string::npos) << words;
  }
  for (const char* const each : {"count", "count unreliable", "share below 200", "share below 200 unreliable", "mean",
                                 "mean unreliable", "mean none unreliable"})
    EXPECT_TRUE(seen.contains(each)) << each;
}

/// Once, records with unlisted keys and the total were two lines called "all".
TEST_F(PublishingTables, ATotalIsNotCalledAsOtherKeysAre) {
  Publication publication = earnings(all_but_exact);
  publication.tables = {table_by("pay", {"region"}, {{0}, {}})};
  publication.tables[0].others = {"all"};
  const std::string words = explain(publish(publication), Prose::markdown);
  EXPECT_NE(words.find("| all together |"), std::string::npos) << words;
}

/// The summary left out that values count at possible values. It was wrong for values between these.
TEST_F(PublishingTables, ASummaryOfCountsSaysWhereValuesCount) {
  std::string words = explain(publish(counts_alone(all_but_exact)), Prose::markdown);
  for (std::size_t at = words.find("\n  "); at != std::string::npos; at = words.find("\n  ")) words.replace(at, 3, " ");
  EXPECT_NE(words.find("each, the intervals beside the numbers of pay hold the true values for the table's records, "
                       "each counted at the possible value nearest to its own."),
            std::string::npos)
      << words;
}

TEST_F(PublishingTables, CountsWithoutQuantilesAreChargedOnceAndHadAgain) {
  const Payment payment = ledger();
  Publication publication = counts_alone(Budget::pure(Rational(1)));
  publication.marks.hidden = 3;
  const PublishedTables first = publish(publication, payment);
  EXPECT_EQ(Ledger::open(payment.ledger).statement().entries.size(), 1U);
  publication.tables[0].levels = {{0, 1}, {}};
  const PublishedTables second = publish(publication, payment);
  EXPECT_TRUE(second.levels[0].stored);
  EXPECT_EQ(Ledger::open(payment.ledger).balance("people").spent.to_string(), "epsilon = 1");
  EXPECT_EQ(statistics_of(second, *levels_of(second)[1])[0], statistics_of(first, *levels_of(first)[3])[0]);
  require_own_receipts(Ledger::open(payment.ledger).statement());
}

// Counts without quantiles can also be too noisy, and are refused before anything is charged.
TEST_F(PublishingTables, CountsWithoutQuantilesAreRefusedBeforeTheCharge) {
  expect_refused_for_nothing(counts_alone(Budget::pure(Exponent::parse("1e-30"))), file_, ledger(), "table 'pay': ");
  Publication publication = counts_alone(Budget::pure(Rational(1)));
  publication.tables[0].count = publication.tables[0].mean = false;
  publication.tables[0].below.clear();
  EXPECT_EQ(error_of([&] { publish(publication); }).code(), ErrorCode::usage);
}

/// Quantiles are not sums. A receipt that says otherwise is refused, even with a valid hash.
TEST_F(PublishingTables, SumsAreOfCountsAlone) {
  PublishedTables tables = publish(with_counts(Budget::pure(Rational(1))));
  tables.levels.erase(tables.levels.begin() + 1, tables.levels.end());
  tables.publication.tables[0].quantiles.clear();
  const Error error = error_of([&] { read_publication_receipt(receipt_of(tables), "it"); });
  EXPECT_NE(std::string(error.what()).find("is not a sum"), std::string::npos) << error.what();
}

TEST_F(PublishingTables, OtherKeysHaveCellsOfTheirOwn) {
  Publication publication = with_counts(all_but_exact);
  publication.tables[0].others = {"elsewhere", "unknown sex"};
  const PublishedTables tables = publish(publication);
  const auto count = [&](std::size_t level, const std::vector<std::string>& keys) {
    const std::vector<Release::Group>& groups = tables.levels[level].release.groups;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].key.texts() == keys) return statistics_of(tables, tables.levels[level])[i].count.value;
    }
    return std::int64_t{-1};
  };
  EXPECT_EQ(tables.levels[0].release.groups.size(), 15U);
  EXPECT_EQ(count(0, {"n", "f"}), 21);
  EXPECT_EQ(count(0, {"elsewhere", "f"}), 100);
  EXPECT_EQ(count(0, {"n", "unknown sex"}), 100);
  EXPECT_EQ(count(0, {"elsewhere", "unknown sex"}), 100) << "without any key";
  EXPECT_EQ(count(1, {"elsewhere"}), 200);
  EXPECT_EQ(count(3, {}), 168 + 300);
  EXPECT_EQ(value(tables, 1, {"elsewhere"}, 1), "999");
  const PublishedTables read = read_publication_receipt(tables.receipt, "it");
  EXPECT_EQ(to_csv(read), to_csv(tables));
  EXPECT_EQ(read.levels[1].release.source.others, std::vector<std::string>{"elsewhere"});
  EXPECT_EQ(read.levels[3].release.source.margin_of.value().others,
            (std::vector<std::string>{"elsewhere", "unknown sex"}));
  const std::string words = explain(tables, Prose::markdown);
  EXPECT_NE(words.find("counts in region as elsewhere, and in sex"), std::string::npos) << words;
  EXPECT_EQ(words.find("left out of all levels"), std::string::npos) << words;
}

/// A key that is listed, and the same name for all other keys, make different queries. Their totals do, too.
TEST_F(PublishingTables, OtherKeysArePartOfTheForm) {
  const Payment payment = ledger();
  Publication publication = earnings(Budget::pure(Rational(1)));
  publication.tables[0].others = {"elsewhere", ""};
  publish(publication, payment);
  publication.tables[0].others.clear();
  publication.keys[0].keys.emplace_back("elsewhere");
  for (const PublishedLevel& level : publish(publication, payment).levels) EXPECT_FALSE(level.stored) << level.level;
  require_own_receipts(Ledger::open(payment.ledger).statement());
}

TEST_F(PublishingTables, PersonsAreSampledAndPromisedTo) {
  Publication publication = earnings(Budget::pure(Rational(1)));
  publication.person = "id";
  publication.records_per_person = 2;
  const PublishedTables tables = publish(publication);
  for (const PublishedLevel& level : tables.levels) {
    EXPECT_EQ(level.release.query.records_per_person, 2U);
    EXPECT_EQ(level.release.source.person, "id");
  }
}

/// A person's first record is low in two columns, and the second one is high in both. One of them counts, so the medians are both low or
/// both high.
TEST_F(PublishingTables, ARecordThatIsChosenCountsInAllTables) {
  file_ = folder.write("twice.csv", "id,region,sex,pay,hours\na,n,f,100,800\na,n,f,300,900\n");
  Publication publication = earnings_and_hours(all_but_exact);
  publication.person = "id";
  for (PublicationTable& table : publication.tables) table.quantiles = {Rational(1, 2)};
  std::map<std::string, int> seen;
  for (int i = 0; i < 40; ++i) {
    const PublishedTables tables = publish(publication);
    ++seen[value(tables, 0, {"n", "f"}, 0) + " " + value(tables, 4, {"n"}, 0)];
    EXPECT_TRUE(tables.levels[0].release.source.whole_records);
  }
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen["100 800"] + seen["300 900"], 40);
}

/// Each person has a record without a number, one whose region is not listed, and a third one. Only the third one counts, and it is chosen
/// once in three times.
TEST_F(PublishingTables, EveryRecordOfAKnownPersonMayBeChosen) {
  std::string text = "id,region,sex,pay,hours\n";
  constexpr int persons = 3000;
  for (int i = 0; i < persons; ++i) text += fmt::format("{0},n,f,100,1\n{0},n,f,,1\n{0},abroad,f,100,1\n", i);
  file_ = folder.write("thirds.csv", text);
  Publication publication = with_counts(all_but_exact);
  publication.person = "id";
  const PublishedTables tables = publish(publication);
  const std::int64_t count = statistics_of(tables, tables.levels[0])[0].count.value;
  EXPECT_NEAR(static_cast<double>(count), persons / 3.0, 6 * std::sqrt(persons * 2.0 / 9));
}

TEST_F(PublishingTables, ColumnsWhoseLevelsAreHeldAreNotReadAgain) {
  Payment payment = ledger("3");
  payment.source = "payroll";
  const auto published = [&](const Publication& publication) {
    std::vector<std::string> asked;
    auto counted = std::make_unique<CountedCells>(std::vector(8, std::vector<std::uint64_t>{1, 2, 3}), &asked);
    fractile::publish(Source::counted_elsewhere(std::move(counted)), {publication}, payment);
    return asked;
  };
  Publication publication = earnings(Budget::pure(Rational(1)));
  EXPECT_EQ(published(publication), (std::vector<std::string>{"pay"}));
  publication.tables.push_back(table_by("hours", {"region", "sex"}, {{0, 1}}));
  publication.budget = Budget::pure(Rational(2));
  EXPECT_EQ(published(publication), (std::vector<std::string>{"hours"}));
  EXPECT_EQ(published(publication), std::vector<std::string>{});
}

/// Publishes a median of three possible values for two cells and for both together. Counts how often each triple is published.
std::vector<std::uint64_t> outcomes(const std::vector<std::vector<std::uint64_t>>& counts, std::uint64_t times) {
  Publication publication{"", Budget::pure(Rational(1))};
  publication.keys = {{"k", {"a", "b"}}};
  PublicationTable table{"x", "x", Lattice::numbers(3), {Rational(1, 2)}};
  table.mechanism = Mechanism::exponential;
  table.base = Base::uniform;
  table.by = {"k"};
  table.levels = {{0}, {}};
  table.level_shares = {1, 3};
  publication.tables = {table};
  std::vector<std::uint64_t> found(27);
  for (std::uint64_t i = 0; i < times; ++i) {
    const PublishedTables tables =
        publish(Source::counted_elsewhere(std::make_unique<CountedCells>(counts)), {publication});
    std::uint64_t outcome = 0;
    for (const PublishedLevel& level : tables.levels) {
      for (const Release::Group& group : level.release.groups) outcome = 3 * outcome + group.indices[0];
    }
    ++found[outcome];
  }
  return found;
}

/// The law proportional to exp(-epsilon d), where d is the distance in ranks from the middle of the records to a value.
std::vector<double> law_of(double epsilon, const std::vector<double>& distances) {
  std::vector<double> law;
  for (const double distance : distances) law.push_back(std::exp(-epsilon * distance));
  const double sum = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& each : law) each /= sum;
  return law;
}

/// Through the entry that users call, what is published has the law of independent draws, one for each cell of each level, at the level's
/// part of the budget. The parts add up to 1. A cell's draw costs at most its level's part (docs/proofs/single_quantile.md).
TEST(PublicationAudit, EachCellOfEachLevelIsOneDrawAtTheLevelsCost) {
  const std::vector<std::uint64_t> found = outcomes({{5, 0, 8}, {3, 1, 0}}, testing::effort(8'000));
  const std::vector<double> a = law_of(0.25, {1.5, 1.5, 0});
  const std::vector<double> b = law_of(0.25, {0, 1, 2});
  const std::vector<double> both = law_of(0.75, {0.5, 0, 0.5});  // both cells together hold 8, 1 and 8 records
  std::vector<double> law;
  for (const double of_a : a) {
    for (const double of_b : b) {
      for (const double of_both : both) law.push_back(of_a * of_b * of_both);
    }
  }
  EXPECT_GT(testing::chi_square_p(found, law), 1e-9);
}

/// Through the same entry, counts without quantiles have the law of one draw of noise per cell at the whole cost, and their total is their
/// sum.
TEST(PublicationAudit, CountsWithoutQuantilesAreOneDrawACell) {
  Publication publication{"", Budget::pure(Rational(1))};
  publication.keys = {{"k", {"a", "b"}}};
  PublicationTable table{"x", "x", Lattice::numbers(3), {}};
  table.count = true;
  table.by = {"k"};
  table.levels = {{0}, {}};
  publication.tables = {table};
  constexpr std::int64_t ends = 2;  // draws beyond these ends are counted together
  constexpr std::size_t places = 2 * ends + 1;
  const auto place = [&](std::int64_t noise) {
    return static_cast<std::size_t>(std::min(std::max(noise, -ends), ends) + ends);
  };
  std::vector<std::uint64_t> found(places * places);
  const std::uint64_t times = testing::effort(8'000);
  for (std::uint64_t i = 0; i < times; ++i) {
    const std::vector<std::vector<std::uint64_t>> counts{{5, 0, 8}, {3, 1, 0}};
    const PublishedTables tables =
        publish(Source::counted_elsewhere(std::make_unique<CountedCells>(counts)), {publication});
    const std::vector<Statistics> cells = statistics_of(tables, tables.levels[0]);
    const std::int64_t a = cells[0].count.value - 13;
    const std::int64_t b = cells[1].count.value - 4;
    ++found[place(a) * places + place(b)];
    ASSERT_EQ(statistics_of(tables, *levels_of(tables)[1])[0].count.value, a + b + 17);
  }
  const double r = std::exp(-1.0);
  const double none = (1 - r) / (1 + r);
  const std::vector<double> one{none * r * r / (1 - r), none * r, none, none * r, none * r * r / (1 - r)};
  std::vector<double> law;
  for (const double first : one) {
    for (const double second : one) law.push_back(first * second);
  }
  EXPECT_GT(testing::chi_square_p(found, law), 1e-9);
}

}  // namespace
}  // namespace fractile
