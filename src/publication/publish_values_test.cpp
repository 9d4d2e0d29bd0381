// Publications of one value per person in each cell, and of records with weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/publication.hpp"
#include "libraries/fmt.hpp"
#include "publication/publication_test_support.hpp"
#include "source/entries/table_test_support.hpp"

namespace fractile {
namespace {

using publication_test::earnings;
using publication_test::table_by;
using source_test::error_of;
using source_test::holds;

const Budget plenty = Budget::pure(Rational(1'000'000));

struct Visit {
  std::string who;
  std::string region;
  std::string sex;
  int pay;
};

using Cell = std::vector<std::string>;

std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank || !line.ends_with(' ')) line += is_blank ? ' ' : c;
  }
  return line;
}

class PublishingValues : public source_test::EngineTest {
 protected:
  /// Persons with one to four visits, in one or two of the listed cells. Some visits are in no listed cell.
  static std::vector<Visit> visits() {
    std::vector<Visit> all;
    for (int i = 0; i < 160; ++i) {
      const std::string who = fmt::format("p{}", i);
      const std::string here(1, "nsew"[i % 4]);
      const std::string there(1, "nsew"[(i / 4) % 4]);
      const std::string sex(1, "fm"[(i / 16) % 2]);
      all.push_back({who, here, sex, i});
      if (i % 3 == 0) all.push_back({who, here, sex, 1});
      if (i % 5 == 0) all.push_back({who, there, sex, 200});
      if (i % 7 == 0) all.push_back({who, "abroad", sex, 700});
      if (i % 11 == 0) all.push_back({who, there, "", 700});
    }
    return all;
  }
  std::string file() const {
    std::string text = "id,region,sex,pay\n";
    for (const Visit& visit : visits())
      text += fmt::format("{},{},{},{}\n", visit.who, visit.region, visit.sex, visit.pay);
    return folder.write("visits.csv", text);
  }

  static Publication totals(PerPerson how = PerPerson::sum) {
    Publication publication = earnings(plenty);
    publication.person = "id";
    publication.records_per_person = 2;
    PublicationTable& table = publication.tables[0];
    table.per_person = how;
    table.mechanism = Mechanism::independent;
    table.count = true;
    return publication;
  }

  /// By definition: for each cell of a level, its persons' sums over visits in listed cells of the finest level.
  static std::map<Cell, std::vector<int>> sums_of(const KeyLevel& level, const std::set<Cell>& possible = {}) {
    std::map<std::pair<Cell, std::string>, int> of_persons;
    for (const Visit& visit : visits()) {
      const Cell finest{visit.region, visit.sex};
      if (visit.region == "abroad" || visit.sex.empty() || (!possible.empty() && !possible.contains(finest))) continue;
      Cell cell;
      for (const std::size_t column : level) cell.push_back(finest[column]);
      of_persons[{cell, visit.who}] += visit.pay;
    }
    std::map<Cell, std::vector<int>> sums;
    for (const auto& [at, sum] : of_persons) sums[at.first].push_back(sum);
    for (auto& [cell, each] : sums) std::ranges::sort(each);
    return sums;
  }

  PublishedTables publish(const Publication& publication, const std::optional<Payment>& payment = {}) const {
    return fractile::publish(Source::file({.file = file()}), {publication}, payment);
  }
};

void expect_sums(const PublishedTables& tables, const PublishedLevel& level,
                 const std::map<Cell, std::vector<int>>& sums) {
  const std::vector<Statistics> statistics = statistics_of(tables, level);
  ASSERT_EQ(level.release.groups.size(), sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Release::Group& group = level.release.groups[i];
    const std::vector<int>& all = sums.at(group.key.texts());
    EXPECT_EQ(statistics[i].count.value, static_cast<std::int64_t>(all.size())) << to_string(group.key);
    const std::size_t middle = all.size() / 2;
    const Rational median = level.release.value(group, 1);
    EXPECT_GE(median, Rational(all[(all.size() - 1) / 2])) << to_string(group.key);
    EXPECT_LE(median, Rational(all[middle])) << to_string(group.key);
  }
}

// A person with visits in two cells has a value in each, and one value of all visits in their total.
TEST_F(PublishingValues, AreMadeAnewAtEveryLevel) {
  const PublishedTables tables = publish(totals());
  ASSERT_EQ(tables.levels.size(), 4U);
  for (const PublishedLevel& level : tables.levels)
    expect_sums(tables, level, sums_of(tables.publication.tables[0].levels[level.level]));
  EXPECT_EQ(tables.levels[0].release.query.records_per_person, 2U);
  EXPECT_EQ(tables.levels[3].release.query.records_per_person, 1U) << "everyone has one value";
}

TEST_F(PublishingValues, AreOfTheRecordsInPossibleCells) {
  Publication publication = totals();
  const std::set<Cell> possible{{"n", "f"}, {"s", "m"}, {"e", "f"}};
  publication.tables[0].possible_cells.assign(possible.begin(), possible.end());
  const PublishedTables tables = publish(publication);
  for (const PublishedLevel& level : tables.levels)
    expect_sums(tables, level, sums_of(publication.tables[0].levels[level.level], possible));
}

// If a person may count in only one cell of a level, a person with visits in several counts in one of them, at random.
TEST_F(PublishingValues, CountInNoMoreCellsThanTheBound) {
  Publication publication = totals(PerPerson::count);
  publication.records_per_person = 1;
  const PublishedTables tables = publish(publication);
  for (const PublishedLevel& level : tables.levels) {
    std::int64_t persons = 0;
    for (const Statistics& each : statistics_of(tables, level)) persons += each.count.value;
    EXPECT_EQ(persons, 160);
  }
}

TEST_F(PublishingValues, AreReadBackAndExplained) {
  Publication publication = totals();
  publication.budget = Budget::pure(Rational(3));
  publication.tables.push_back(table_by("pay", {"region"}, {{0}}));
  publication.tables[1].name = "each visit";
  const PublishedTables tables = publish(publication);
  const PublishedTables read = read_publication_receipt(tables.receipt, "it");
  EXPECT_EQ(to_csv(read), to_csv(tables));
  EXPECT_EQ(read.publication.tables[0].per_person, PerPerson::sum);
  EXPECT_EQ(read.publication.records_per_person, 2U);
  const std::string text = in_one_line(explain(read, Prose::text));
  for (const char* const part : {"Each person counts once in a cell: with the sum of their numbers",
                                 "a person's value is made from their records", "at most 2 records of theirs",
                                 "counts of totals also count persons"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text, in_one_line(explain(tables, Prose::text)));
}

TEST_F(PublishingValues, NeedAPersonAndNumbers) {
  Publication publication = totals();
  publication.person = "";
  EXPECT_EQ(error_of([&] { parts(publication); }).field(), "per_person");
  publication = totals();
  publication.tables[0].lattice = Lattice::regular(0, 10, 1, ValueKind::date);
  EXPECT_EQ(error_of([&] { parts(publication); }).field(), "per_person");
}

// One value per person needs no bound on a person's records. If another table counts records, the publication's bound must be the
// dataset's.
TEST_F(PublishingValues, LiftALedgersBoundWhereNothingElseIsCounted) {
  LedgerDataset dataset{"people", Budget::pure(Rational(4))};
  dataset.person = "id";
  dataset.records_per_person = 3;
  const std::string ledger = folder.path("people.ledger");
  Ledger::create(ledger).add_dataset(dataset);
  Publication publication = totals();
  publication.budget = Budget::pure(Rational(1));
  publication.records_per_person = 1;
  publish(publication, Payment{ledger});
  publication.tables.push_back(table_by("pay", {"region"}, {{0}}));
  publication.tables[1].name = "each visit";
  publication.budget = Budget::pure(Rational(2));
  EXPECT_EQ(error_of([&] { publish(publication, Payment{ledger}); }).field(), "records_per_person");
  std::swap(publication.tables[0], publication.tables[1]);
  EXPECT_EQ(error_of([&] { publish(publication, Payment{ledger}); }).field(), "records_per_person");
  publication.records_per_person = 3;
  publish(publication, Payment{ledger});
  EXPECT_EQ(Ledger::open(ledger).statement().entries.size(), 8U) << "everyone's only values were held";
}

TEST_F(PublishingValues, NeedAPinnedPersonInEveryTable) {
  const std::string ledger = folder.path("people.ledger");
  Ledger::create(ledger).add_dataset({"people", Budget::pure(Rational(4))});
  Publication publication = totals();
  publication.budget = Budget::pure(Rational(1));
  publication.records_per_person = 1;
  publication.tables.insert(publication.tables.begin(), table_by("pay", {"region"}, {{0}}));
  publication.tables[0].name = "each visit";
  EXPECT_EQ(error_of([&] { publish(publication, Payment{ledger}); }).field(), "per_person");
}

// --- Weights --------------------------------------------------------------------------------------------------------------

class PublishingWeights : public source_test::EngineTest {
 protected:
  struct Record {
    std::string keys;
    int pay;
    int weight;
  };
  static std::vector<Record> records() {
    std::vector<Record> all;
    for (int i = 0; i < 400; ++i) {
      const std::string keys = std::string(1, "nsew"[i % 4]) + "," + std::string(1, "fm"[i / 4 % 2]);
      all.push_back({keys, i, i % 9});
    }
    return all;
  }
  std::string weighted() const {
    std::string text = "region,sex,pay,w\n";
    for (const auto& [keys, pay, weight] : records()) text += fmt::format("{},{},{}\n", keys, pay, weight);
    return folder.write("weighted.csv", text);
  }
  /// The table of units, on a grid of 0, 2, 4 and 6: weights are rounded to the nearest point, the upper one of two.
  std::string units_file() const {
    std::string text = "region,sex,pay\n";
    for (const auto& [keys, pay, weight] : records()) {
      for (int unit = 0; unit < (std::min(weight, 6) + 1) / 2; ++unit) text += fmt::format("{},{}\n", keys, pay);
    }
    return folder.write("units.csv", text);
  }
  static Publication survey() {
    Publication publication = earnings(Budget::pure(Rational(3)));
    publication.weights = RecordWeights{"w", 0, 6, 2};
    return publication;
  }
  static PublishedTables published(const std::string& file, const Publication& publication,
                                   const std::optional<Payment>& payment = {}) {
    PublicationRequest request{publication};
    if (!payment) request.unsafe_seed = 5;
    return fractile::publish(Source::file({.file = file}), request, payment);
  }
};

// The releases have the same laws as those of the table of units, and so the same values with the same seed, at every level.
TEST_F(PublishingWeights, AreThoseOfTheTableOfUnits) {
  const PublishedTables tables = published(weighted(), survey());
  Publication of_units = survey();
  of_units.weights.reset();
  of_units.records_per_person = 3;
  EXPECT_EQ(to_csv(tables), to_csv(published(units_file(), of_units)));
  for (const PublishedLevel& level : tables.levels) EXPECT_EQ(level.release.query.records_per_person, 3U);
  Publication calibrated = survey();
  calibrated.weights->stability = 4;
  of_units.records_per_person = 12;
  EXPECT_EQ(to_csv(published(weighted(), calibrated)), to_csv(published(units_file(), of_units)));
}

// Counts are counts of units, and totals add them up. Outputs show the weight of these units.
TEST_F(PublishingWeights, OfCountsAreTotalWeights) {
  Publication publication = survey();
  publication.budget = Budget::pure(Rational(1'000'000));
  publication.tables[0].mechanism = Mechanism::independent;
  publication.tables[0].mean = true;
  publication.tables[0].below = {Rational(200)};
  const PublishedTables tables = published(weighted(), publication);
  Publication of_units = publication;
  of_units.weights.reset();
  of_units.records_per_person = 3;
  const PublishedTables units = published(units_file(), of_units);
  std::int64_t all = 0;
  for (const Record& record : records()) all += (std::min(record.weight, 6) + 1) / 2;
  for (std::size_t i = 0; i < tables.levels.size(); ++i)
    EXPECT_EQ(statistics_of(tables, tables.levels[i]), statistics_of(units, units.levels[i])) << i;
  EXPECT_EQ(statistics_of(tables, tables.levels[3])[0].count.value, all);
  const std::string csv = to_csv(tables);
  EXPECT_NE(csv.find(fmt::format("pay,,,weight,,{},", 2 * all)), std::string::npos) << csv;
  EXPECT_NE(csv.find("pay,n,f,weight below 200,,"), std::string::npos) << csv;
  EXPECT_EQ(to_csv(read_publication_receipt(tables.receipt, "it")), csv);
  publication.budget = of_units.budget = Budget::pure(Rational(3));
  const PublicationPlan plan = plan_publication(publication, parts(publication));
  const PublicationPlan plan_of_units = plan_publication(of_units, parts(of_units));
  for (std::size_t i = 0; i < plan.levels.size(); ++i)
    EXPECT_EQ(plan.levels[i].cells[0].count_error, plan_of_units.levels[i].cells[0].count_error) << i;
  EXPECT_GT(plan.levels[3].cells[0].count_error, plan.levels[0].cells[0].count_error);
}

TEST_F(PublishingWeights, AreReadBackAndExplained) {
  const PublishedTables tables = published(weighted(), survey());
  const PublishedTables read = read_publication_receipt(tables.receipt, "it");
  EXPECT_EQ(to_csv(read), to_csv(tables));
  ASSERT_TRUE(read.publication.weights);
  EXPECT_EQ(read.publication.weights->column, "w");
  EXPECT_EQ(read.publication.records_per_person, 1U);
  const std::string text = in_one_line(explain(read, Prose::text));
  for (const char* const part :
       {"The promise is about weighted files", "the table's records by their weights as they count", "units of weight",
        "or that have no weight, were left out"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(PublishingWeights, GoWithWhatIsProved) {
  const auto field_of = [](const Publication& publication) { return error_of([&] { parts(publication); }).field(); };
  Publication publication = survey();
  publication.tables[0].count = true;
  EXPECT_EQ(parts(publication).size(), 4U);
  publication.marks.hidden = 10;
  EXPECT_EQ(field_of(publication), "hidden");
  publication = survey();
  publication.neighbors = Neighbors::change_one;
  EXPECT_EQ(field_of(publication), "neighbors");
  publication = survey();
  publication.tables[0].intervals = IntervalRequest{Rational(9, 10), IntervalSubject::population};
  EXPECT_EQ(field_of(publication), "of");
  publication = survey();
  publication.tables[0].expected_rows.assign(8, 100);
  EXPECT_EQ(field_of(publication), "rows");
  publication.weights->mean = Rational(3);
  EXPECT_EQ(parts(publication).size(), 4U);
  publication = survey();
  publication.weights->stability = 4;
  EXPECT_EQ(parts(publication).size(), 4U);
  publication.person = "id";
  EXPECT_EQ(parts(publication).size(), 4U);
  publication = survey();
  publication.person = "id";
  EXPECT_EQ(parts(publication).size(), 4U);
  publication.tables[0].per_person = PerPerson::sum;
  EXPECT_EQ(field_of(publication), "weight");
}

// What an owner declares about weights holds in all tables, whichever is the first.
TEST_F(PublishingWeights, AreNothingElseOnALedgerThatDeclaresWhatTheyCarry) {
  LedgerDataset dataset{"people", Budget::pure(Rational(9))};
  dataset.reading = {{"weight_stability", "4"}};
  const std::string ledger = folder.path("people.ledger");
  Ledger::create(ledger).add_dataset(dataset);
  Publication publication = survey();
  EXPECT_EQ(error_of([&] { published(weighted(), publication, Payment{ledger}); }).field(), "weight_stability");
  publication.weights->stability = 4;
  published(weighted(), publication, Payment{ledger});
  publication.budget = Budget::pure(Rational(6));
  publication.tables.push_back(table_by("w", {"region"}, {{0}}));
  EXPECT_EQ(error_of([&] { published(weighted(), publication, Payment{ledger}); }).field(), "column");
}

// A plan's errors are those of a table of units. If all weights are the largest, here 3 units, they are 3 times those of records.
TEST(PublicationPlans, CountWeightedErrorsInUnits) {
  Publication plain = earnings();
  plain.tables[0].expected_rows.assign(8, 700);
  Publication weighted = plain;
  weighted.weights = RecordWeights{"w", 0, 6, 2, {}, Rational(6)};
  const PublicationPlan of_records = plan_publication(plain, parts(plain));
  const PublicationPlan of_units = plan_publication(weighted, parts(weighted));
  for (std::size_t level = 0; level < of_units.levels.size(); ++level) {
    const PlannedCell& records = of_records.levels[level].cells.front();
    const PlannedCell& units = of_units.levels[level].cells.front();
    EXPECT_EQ(units.rows, records.rows);
    EXPECT_EQ(*units.units, 3 * *records.units);
    EXPECT_DOUBLE_EQ(*units.typical, 3 * *records.typical);
    EXPECT_DOUBLE_EQ(*units.nine_in_ten, 3 * *records.nine_in_ten);
    EXPECT_GE(*units.worst, 3 * *records.worst - 3);
    EXPECT_LE(10 * *units.worst, 33 * *records.worst);
    EXPECT_EQ(units.worth, records.worth);
  }
  EXPECT_NE(to_table(of_units).find("in units of weight, 2 each"), std::string::npos);
  EXPECT_NE(to_json(of_units).find("\"units\": 2100"), std::string::npos);
}

// Noise grows with the number of a person's values that count. Everyone has only one value in the total of all, which needs less of the
// budget.
TEST(PublicationPlans, GiveTheOnlyValueOfAPersonLess) {
  Publication publication = earnings();
  publication.person = "id";
  publication.tables[0].per_person = PerPerson::sum;
  publication.tables[0].count = true;
  const std::vector<PublicationPart> once = parts(publication);
  publication.records_per_person = 3;
  const std::vector<PublicationPart> thrice = parts(publication);
  EXPECT_LT(thrice.back().share, once.back().share);
  EXPECT_EQ(thrice.back().query.records_per_person, 1U);
  const PublicationPlan plan = plan_publication(publication, thrice);
  for (const PlannedLevel& level : plan.levels) EXPECT_TRUE(level.counts_cost && level.cells.front().count_error);
}

}  // namespace
}  // namespace fractile
