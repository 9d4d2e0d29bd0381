#include "publication/tables.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "fractile/error.hpp"
#include "fractile/publication.hpp"
#include "publication/level_cells.hpp"
#include "publication/publication_test_support.hpp"
#include "support/errors.hpp"

namespace fractile {
namespace {

using publication_detail::label_of;
using publication_test::earnings;
using publication_test::table_by;

TEST(PublicationCells, AreAllTuplesWithTheLastColumnChangingFirst) {
  const Publication publication = earnings();
  const LevelCells cells = cells_of(publication, publication.tables.front(), {0, 1});
  EXPECT_EQ(cells.cells.size(), 8U);
  EXPECT_EQ(cells.cells[0], (KeyTuple{"n", "f"}));
  EXPECT_EQ(cells.cells[1], (KeyTuple{"n", "m"}));
  EXPECT_EQ(cells.cells[7], (KeyTuple{"w", "m"}));
  EXPECT_TRUE(cells.expected_rows.empty());
}

/// A margin's cell holds the records of the finest level's cells that it is made of.
TEST(PublicationCells, OfAMarginAreSumsOfTheFinest) {
  Publication publication = earnings();
  publication.tables.front().expected_rows = {1, 2, 3, 4, 5, 6, 7, 8};
  const PublicationTable& table = publication.tables.front();
  const LevelCells regions = cells_of(publication, table, {0});
  EXPECT_EQ(regions.cells, (std::vector<KeyTuple>{{"n"}, {"s"}, {"e"}, {"w"}}));
  EXPECT_EQ(regions.of_finest, (std::vector<std::size_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(regions.expected_rows, (std::vector<std::uint64_t>{3, 7, 11, 15}));
  const LevelCells sexes = cells_of(publication, table, {1});
  EXPECT_EQ(sexes.cells, (std::vector<KeyTuple>{{"f"}, {"m"}}));
  EXPECT_EQ(sexes.of_finest, (std::vector<std::size_t>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(sexes.expected_rows, (std::vector<std::uint64_t>{16, 20}));
  for (const KeyLevel& odd : {KeyLevel{9}, KeyLevel{1, 0}, KeyLevel{0, 0}}) {
    EXPECT_THROW(cells_of(publication, table, odd), Error);
  }
  const LevelCells everyone = cells_of(publication, table, {});
  EXPECT_EQ(everyone.cells, (std::vector<KeyTuple>{{}}));
  EXPECT_EQ(everyone.expected_rows, (std::vector<std::uint64_t>{36}));
}

TEST(PublicationCells, ThatCannotBeAreInNoLevel) {
  Publication publication = earnings();
  publication.tables.front().possible_cells = {{"w", "m"}, {"n", "f"}, {"w", "f"}};
  const PublicationTable& table = publication.tables.front();
  EXPECT_EQ(cells_of(publication, table, {0, 1}).cells, table.possible_cells);
  const LevelCells regions = cells_of(publication, table, {0});
  EXPECT_EQ(regions.cells, (std::vector<KeyTuple>{{"w"}, {"n"}}));
  EXPECT_EQ(regions.of_finest, (std::vector<std::size_t>{0, 1, 0}));
}

// `fractile plan` crashed on possible = [["north"]] beside `rows`, because rows are counted by cell before a table is validated.
TEST(PublicationCells, HaveOneKeyAColumn) {
  for (const KeyTuple& odd : {KeyTuple{}, KeyTuple{"w"}, KeyTuple{"w", "m", "m"}}) {
    Publication publication = earnings();
    publication.tables.front().possible_cells = {{"w", "m"}, odd};
    for (const KeyLevel& level : {KeyLevel{0, 1}, KeyLevel{1}, KeyLevel{}}) {
      EXPECT_THROW(cells_of(publication, publication.tables.front(), level), Error);
    }
  }
}

TEST(PublicationCells, AreThoseThatItsListsAreAbout) {
  Publication publication = earnings();
  publication.tables.front().others = {"abroad"};  // of two columns
  EXPECT_THROW(cells_of(publication, publication.tables.front(), {0, 1}), Error);
  publication.tables.front().others = {};
  publication.tables.front().expected_rows = {1, 2};  // of eight cells
  EXPECT_THROW(cells_of(publication, publication.tables.front(), {0, 1}), Error);
}

TEST(PublicationCells, OfOtherKeysComeAfterTheListed) {
  Publication publication = earnings();
  publication.tables.front().others = {"abroad", ""};
  const PublicationTable& table = publication.tables.front();
  EXPECT_NO_THROW(publication.validate());
  const LevelCells cells = cells_of(publication, table, {0, 1});
  ASSERT_EQ(cells.cells.size(), 10U);
  EXPECT_EQ(cells.cells[8], (KeyTuple{"abroad", "f"}));
  EXPECT_EQ(cells_of(publication, table, {0}).cells.back(), (KeyTuple{"abroad"}));
  EXPECT_EQ(cells_of(publication, table, {1}).of_finest.back(), 1U) << "a total has them, too";
}

/// Expects the changed publication to be refused for this reason, and the error to name the field.
void expect_refused(const std::string& field, const std::string& why, const std::function<void(Publication&)>& change) {
  Publication publication = earnings();
  change(publication);
  const Error error = testing::error_of([&] { publication.validate(); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_EQ(error.field(), field) << error.what();
  EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  EXPECT_FALSE(error.hint().empty());
}

// Rows of a table could not be told apart if their keys had one label.
TEST(PublicationCells, OfOneLabelShowTheirKeys) {
  Publication publication = earnings();
  EXPECT_EQ(label_of(publication, "sex", "m"), "men");
  publication.keys.back().labels = {"people", "people"};
  EXPECT_EQ(label_of(publication, "sex", "f"), "people (f)");
  EXPECT_EQ(label_of(publication, "sex", "m"), "people (m)");
  EXPECT_EQ(label_of(publication, "sex", "other"), "other");
}

TEST(Publications, AreRefused) {
  EXPECT_NO_THROW(earnings().validate());
  const auto first = [](Publication& all) -> PublicationTable& { return all.tables.front(); };
  expect_refused("table", "there is none", [](Publication& all) { all.tables.clear(); });
  expect_refused("other", "of 1 column, and the table has 2",
                 [&](Publication& all) { first(all).others = {"abroad"}; });
  expect_refused("other", "'men' is already a label of column 'sex'", [&](Publication& all) {
    first(all).others = {"", "men"};
  });
  expect_refused("other", "'n' is already a key of column 'region'", [&](Publication& all) {
    first(all).others = {"n", ""};
  });
  expect_refused("possible", "'e' of column 'region' is in no cell, and its records would count as 'abroad'",
                 [&](Publication& all) {
                   first(all).others = {"abroad", ""};
                   first(all).possible_cells = {{"n", "f"}, {"s", "f"}, {"abroad", "m"}};
                 });
  expect_refused("intervals", "intervals need quantiles, and there are none", [&](Publication& all) {
    first(all).quantiles.clear();
    first(all).count = true;
    first(all).intervals = IntervalRequest{Rational(19, 20), IntervalSubject::table};
  });
  const PublicationTarget narrow{PublicationTarget::Quantity::interval, Rational(1, 10)};
  expect_refused("target", "needs intervals, and the table has none", [&](Publication& all) {
    first(all).target = narrow;
    first(all).expected_rows.assign(8, 1000);
  });
  expect_refused("delta", "an epsilon or a rho",
                 [](Publication& all) { all.budget = Budget::approximate(Rational(1), Rational(1, 1000)); });
  expect_refused("confidence", "between 0 and 1", [](Publication& all) { all.confidence = 1; });
  expect_refused("records_per_person", "not above 0", [](Publication& all) { all.records_per_person = 0; });
  expect_refused("keys", "'region' has none", [](Publication& all) { all.keys.front().keys.clear(); });
  expect_refused("keys", "a key 'n' appears twice", [](Publication& all) { all.keys.front().keys.push_back("n"); });
  expect_refused("keys", "a key is an empty text", [](Publication& all) { all.keys.front().keys.push_back(""); });
  expect_refused("keys", "2 keys and 1 label", [](Publication& all) { all.keys.back().labels.pop_back(); });
  expect_refused("keys", "a column 'sex' appears twice", [](Publication& all) { all.keys.push_back(all.keys.back()); });
  expect_refused("name", "a table 'pay' appears twice", [](Publication& all) { all.tables.push_back(all.tables[0]); });
  expect_refused("by", "'regoin' are not listed", [&](Publication& all) { first(all).by = {"regoin", "sex"}; });
  expect_refused("by", "'sex' appears twice", [&](Publication& all) { first(all).by = {"sex", "sex"}; });
  expect_refused("levels", "not all of the table's columns", [&](Publication& all) { first(all).levels = {{0}}; });
  expect_refused("levels", "in their order", [&](Publication& all) { first(all).levels[1] = {1, 0}; });
  expect_refused("levels", "in their order", [&](Publication& all) { first(all).levels[1] = {2}; });
  expect_refused("levels", "appears twice", [&](Publication& all) { first(all).levels[1] = {1}; });
  expect_refused("possible", "a cell has 1 key, and the table 2 columns",
                 [&](Publication& all) { first(all).possible_cells = {{"n"}}; });
  expect_refused("possible", "'x' is not a key", [&](Publication& all) { first(all).possible_cells = {{"n", "x"}}; });
  expect_refused("possible", "appears twice", [&](Publication& all) {
    first(all).possible_cells = {{"n", "f"}, {"n", "f"}};
  });
  expect_refused("rows", "of 2 cells, and the table has 8", [&](Publication& all) {
    first(all).expected_rows = {1, 2};
  });
  expect_refused("below", "do not increase", [&](Publication& all) { first(all).below = {2, 2}; });
  expect_refused("below", "0 is not a possible value", [&](Publication& all) { first(all).below = {0}; });
  expect_refused("below", "0.5 is not a possible value",
                 [&](Publication& all) { first(all).below = {Rational(1, 2)}; });
  expect_refused("below", "1001 is not a possible value", [&](Publication& all) { first(all).below = {1001}; });
  // A plan of such a table once ended in an internal error or by division by zero.
  const auto expect_no_mean = [&](const std::string& why, const Lattice& lattice) {
    expect_refused("mean", why, [&](Publication& all) {
      first(all).mean = true;
      first(all).lattice = lattice;
    });
  };
  expect_no_mean("not a list of candidates", Lattice::explicit_points({100, 200, 400}));
  expect_no_mean("the mean is that value", Lattice::regular(5, 5, 1));
  expect_no_mean("at most 2^32 possible values", Lattice::numbers((std::uint64_t{1} << 32) + 1));
  expect_refused("quantiles", "publishes nothing", [&](Publication& all) { first(all).quantiles.clear(); });
  expect_refused("counts_share", "not between 0 and 1", [&](Publication& all) {
    first(all).count = true;
    first(all).counts_share = 1;
  });
  expect_refused("counts_share", "would share a level's part",
                 [&](Publication& all) { first(all).counts_share = Rational(1, 5); });
  expect_refused("share", "not above 0", [&](Publication& all) { first(all).share = 0; });
  expect_refused("level_shares", "2 shares for 4 levels", [&](Publication& all) { first(all).level_shares = {1, 2}; });
  const PublicationTarget target{PublicationTarget::Quantity::share, Rational(1, 50)};
  expect_refused("target", "the number of records of a cell is not given",
                 [&](Publication& all) { first(all).target = target; });
  expect_refused("target", "a target decides the table's part", [&](Publication& all) {
    first(all).target = target;
    first(all).share = 1;
  });
  expect_refused("hidden", "releases no count", [](Publication& all) { all.marks.hidden = 10; });
  expect_refused("unreliable", "has no intervals", [](Publication& all) { all.marks.unreliable = Rational(1, 5); });
  expect_refused("by", "more than 100000 cells", [&](Publication& all) {
    for (KeyColumn& column : all.keys) {
      column.labels.clear();
      for (int i = 0; i < 400; ++i) column.keys.push_back(std::to_string(i));
    }
  });
}

/// Once, "at most 2 records" was printed of persons all of whose records make one value in a cell.
TEST(Publications, SayHowMuchOfAPersonCounts) {
  Publication publication = earnings();
  publication.person = "id";
  publication.records_per_person = 2;
  EXPECT_EQ(publication_detail::most_of_person(publication), "2 records");
  publication.tables[0].per_person = PerPerson::max;
  EXPECT_EQ(publication_detail::most_of_person(publication), "2 values");
  EXPECT_NE(to_table(plan_publication(publication, parts(publication))).find("at most 2 values a person."),
            std::string::npos);
  publication.tables.push_back(table_by("hours", {}, {{}}));
  EXPECT_EQ(publication_detail::most_of_person(publication), "2 records or values");
  publication.tables[0] = table_by("pay", {}, {{}});
  publication.tables[0].per_person = PerPerson::max;
  EXPECT_EQ(publication_detail::most_of_person(publication), "2 records or 1 value");
  publication.records_per_person = 1;
  EXPECT_EQ(publication_detail::most_of_person(publication), "1 record or value");
}

/// Under change_one, a replaced record may leave one cell and enter another. So cells cost as groups do, for twice as many records per
/// person.
TEST(Publications, HoldWhatGroupsNeed) {
  Publication publication = earnings();
  publication.records_per_person = 4'000'000'000;
  publication.neighbors = Neighbors::change_one;
  EXPECT_THROW(publication.validate(), Error) << "twice as many records a person are too many";
}

}  // namespace
}  // namespace fractile
