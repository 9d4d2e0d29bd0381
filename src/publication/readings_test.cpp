#include "publication/readings.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "exact/wording.hpp"
#include "fractile/error.hpp"
#include "publication/datasets.hpp"
#include "support/errors.hpp"

namespace fractile::publication_detail {
namespace {

LedgerDataset people_with(LedgerReading reading = {}, std::string source = {}) {
  LedgerDataset dataset{"people", Budget::pure(Rational(1))};
  dataset.reading = std::move(reading);
  dataset.source = std::move(source);
  return dataset;
}

ColumnToCount ages_read(NullPolicy null_policy = NullPolicy::drop, bool public_rows = false) {
  return {"age", Lattice::regular(0, 120, 1), null_policy, {}, public_rows};
}

TableOptions people_file(std::string file = "people.csv") { return {.file = std::move(file)}; }

LedgerReading read_by_owner(const TableOptions& read, const LedgerDataset& dataset,
                            const ColumnToCount& column = ages_read()) {
  return reading_of(Source::file(read), column, dataset);
}

TEST(ReadingsOfReleases, HaveWhatIsNotAtItsDefault) {
  TableOptions read = people_file();
  EXPECT_EQ(read_by_owner(read, people_with()), LedgerReading());
  read.format = "csv";
  read.threads = 2;
  read.unreadable = Unreadable::missing;
  EXPECT_EQ(read_by_owner(read, people_with()), LedgerReading());
  read.missing = {"NA", "-9"};
  EXPECT_EQ(read_by_owner(read, people_with()), (LedgerReading{{"missing", "NA,-9"}}));
}

TEST(ReadingsOfReleases, AFormatThatIsDeclaredMayBeSaidByTheName) {
  const LedgerReading expected{{"input_format", "csv"}};
  EXPECT_EQ(read_by_owner(people_file(), people_with(expected)), expected);
  TableOptions other = people_file("people.data");
  other.format = "csv";
  EXPECT_EQ(read_by_owner(other, people_with(expected)), expected);
}

/// A way to read that only the owner may declare.
struct OwnersWay {
  std::string field;
  std::string value;
  Source source;
  ColumnToCount column;
};

std::vector<OwnersWay> owners_ways() {
  std::vector<OwnersWay> ways;
  const auto add = [&](const char* field, const char* value, const TableOptions& read, const ColumnToCount& column) {
    ways.push_back({field, value, Source::file(read), column});
  };
  TableOptions read = people_file();
  add("null", "error", read, ages_read(NullPolicy::error));
  add("public_rows", "yes", read, ages_read(NullPolicy::drop, true));
  read.delimiter = ";";
  add("delimiter", ";", read, ages_read());
  read = people_file();
  read.single_line_records = true;
  add("single_line_records", "yes", read, ages_read());
  read = people_file();
  read.numbers.decimal = ",";
  add("decimal", ",", read, ages_read());
  read = people_file();
  read.format = "tsv";
  add("input_format", "tsv", read, ages_read());
  read = people_file();
  read.library = "/nowhere/engine.so";
  add("duckdb", "/nowhere/engine.so", read, ages_read());
  read = people_file();
  read.unreadable = Unreadable::error;
  add("unreadable", "error", read, ages_read());
  ways.push_back(
      {"postgres", "postgres://db/people", Source::postgres("postgres://db/people", {.sql = "SELECT 1"}), ages_read()});
  return ways;
}

TEST(ReadingsOfReleases, SomeHoldOnlyWhereTheyAreDeclared) {
  for (const auto& [field, value, source, column] : owners_ways()) {
    try {
      reading_of(source, column, people_with());
      ADD_FAILURE() << field;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_EQ(error.field(), field);
    }
    EXPECT_EQ(reading_of(source, column, people_with({{field, value}})), (LedgerReading{{field, value}})) << field;
  }
}

/// Once, the hint named one option at a time, and each time a new dataset was to be made.
TEST(ReadingsOfReleases, AllThatANewDatasetMustDeclareIsNamed) {
  TableOptions read = people_file();
  read.numbers = {",", "."};
  read.encoding = "latin1";
  const Error error = testing::error_of([&] { read_by_owner(read, people_with({{"decimal", ","}})); });
  EXPECT_EQ(error.field(), "thousands");
  EXPECT_EQ(
      error.hint_words().in(Wording::program),
      "leave it out; fractile ledger init declares it for a new dataset: with --decimal , --thousands . --encoding "
      "latin1");
}

/// Once, a publication with the one text "NA,-9" was taken to be read as one with the two texts "NA" and "-9".
TEST(ReadingsOfReleases, MissingTextsHaveNoCommas) {
  TableOptions read = people_file();
  read.missing = {"NA,-9"};
  const Error error = testing::error_of([&] { read_by_owner(read, people_with()); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_EQ(error.field(), "missing");
}

TEST(ReadingsOfReleases, WhatIsPermittedNeedNotBeUsed) {
  const LedgerReading permitted{
      {"public_rows", "yes"}, {"sql_stability", "3"}, {"keys_file", "hash"}, {"duckdb", "/e.so"}, {"table", "/v.csv"}};
  EXPECT_EQ(read_by_owner(people_file(), people_with(permitted)), permitted);
  TableOptions read{.sql_stability = 4};
  EXPECT_EQ(read_by_owner(read, people_with(permitted)), permitted);
  read.sql_stability = 2;
  EXPECT_THROW(read_by_owner(read, people_with(permitted)), Error);
  EXPECT_EQ(read_by_owner(people_file(), people_with({{"null", "error"}})), LedgerReading());  // the ledger refuses it
}

TEST(ReadingsOfReleases, AStabilityIsDeclaredOfOneQuery) {
  const LedgerReading declared{{"sql_stability", "3"}, {"sql", "SELECT 1"}};
  const LedgerDataset dataset = people_with(declared);
  const auto read = [&](const char* sql) { return read_by_owner({.sql = sql, .sql_stability = 3}, dataset); };
  EXPECT_EQ(read("SELECT 1"), declared);
  EXPECT_THROW(read("SELECT 2"), Error);
  EXPECT_EQ(read_by_owner({.sql = "SELECT 2"}, dataset), declared);  // a query without a stability must be row-wise
}

// With a declared stability, the weights of others change. So no asker may make a value, a person or a group from weights.
TEST(ReadingsOfReleases, NothingElseIsMadeOfWeightsThatChange) {
  const LedgerReading declared{{"weight_stability", "3"}};
  const auto field_of = [&](const ColumnToCount& column, const TableOptions& read, const LedgerReading& of_dataset) {
    const std::optional<Error> error =
        testing::error_if_any([&] { EXPECT_EQ(read_by_owner(read, people_with(of_dataset), column), of_dataset); });
    if (!error) return std::string();
    EXPECT_EQ(error->code(), ErrorCode::usage);
    return error->field();
  };
  ColumnToCount ages = ages_read();
  ages.selection.weights = RecordWeights{"w", 0, 4, 1, 3};
  EXPECT_EQ(field_of(ages, people_file(), declared), "");
  EXPECT_EQ(field_of(ages, {.file = "people.csv", .sql = "SELECT w AS age, w FROM input"}, declared), "sql");
  EXPECT_EQ(field_of(ages, {.file = "people.csv", .missing = {"1.25"}}, declared), "missing");
  EXPECT_EQ(field_of(ages, {.file = "people.csv", .missing = {"NA"}}, {{"missing", "NA"}, {"weight_stability", "3"}}),
            "");
  ColumnToCount of_weights = ages;
  of_weights.column = "w";
  EXPECT_EQ(field_of(of_weights, people_file(), declared), "column");
  ColumnToCount of_persons = ages;
  of_persons.selection.person = "w";
  EXPECT_EQ(field_of(of_persons, people_file(), declared), "person");
  ColumnToCount in_groups = ages;
  in_groups.selection.by = KeyColumns{"city", "w"};
  EXPECT_EQ(field_of(in_groups, people_file(), declared), "by");
  of_weights.selection.weights->stability.reset();
  EXPECT_EQ(field_of(of_weights, people_file(), {{"weights_as_they_are", "yes"}}), "");
}

/// Once, a query could make one record's value NULL under a condition, and the release ended where the condition held. Later, it could
/// name NULL itself, so that the release ended unless the table was empty, or a field that some structures do not have.
TEST(ReadingsOfReleases, NoQueryMakesWhatEndsARelease) {
  const auto field_of = [](const std::string& sql, std::vector<std::string> missing, const LedgerReading& declared) {
    TableOptions read = people_file();
    read.sql = sql;
    read.missing = std::move(missing);
    const std::optional<Error> error = testing::error_if_any(
        [&] { reading_of(Source::file(read), ages_read(NullPolicy::error), people_with(declared)); });
    if (!error) return std::string();
    EXPECT_EQ(error->code(), ErrorCode::usage);
    return error->field();
  };
  for (const char* sql : {"SELECT age FROM people", " select \"age\" AS a,\tid , * From \"my people\".people ;\n",
                          "SELECT \"null\", nulls FROM people"}) {
    EXPECT_EQ(field_of(sql, {}, {{"null", "error"}}), "") << sql;
  }
  for (const char* sql : {"SELECT CASE WHEN id = '17' THEN NULL ELSE age END AS age FROM input",
                          "SELECT nullif(age, '17') AS age FROM input",
                          "SELECT age FROM input WHERE age IS NULL",
                          "SELECT NOT age AS age FROM input",
                          "SELECT (age) FROM input",
                          "SELECT age FROM (SELECT age FROM input)",
                          "SELECT * REPLACE (1 AS age) FROM input",
                          "SELECT age::DATE FROM input",
                          "SELECT age /* */ FROM input",
                          "SELECT age FROM input, input",
                          "SELECT age FROM input i",
                          "SELECT age - 1 FROM input",
                          "SELECT age, max(age) OVER (PARTITION BY id) FROM input",
                          "SELECT \"age\"\"\" FROM input",
                          "SELECT CASE\u00A0WHEN\u00A0poor\u00A0THEN\u00A0age\u00A0END FROM input",
                          "SELECT",
                          "FROM input",
                          "SELECT NULL AS age FROM input",
                          "SELECT id, null FROM input",
                          "SELECT person.age FROM input",
                          "SELECT \"person\".age FROM input",
                          "SELECT input.* FROM input"}) {
    EXPECT_EQ(field_of(sql, {}, {{"null", "error"}}), "sql") << sql;
  }
  EXPECT_EQ(field_of("", {"17"}, {{"null", "error"}}), "missing");
  EXPECT_EQ(field_of("", {"17"}, {{"null", "error"}, {"missing", "NA"}}), "missing");
  EXPECT_EQ(field_of("", {"NA", "17"}, {{"null", "error"}, {"missing", "NA,17"}}), "");
  EXPECT_EQ(field_of("", {"17", "NA"}, {{"null", "error"}, {"missing", "NA,17"}}), "");
}

TEST(ReadingsOfReleases, WhoHoldsTheRecordsSaysWhatIsLeftOpen) {
  const auto frame = [] {
    return Source::frame(Frame::of(NumberBuffer{nullptr, "g", 0, 8, nullptr}, "age"), TableOptions{});
  };
  const ColumnToCount column = ages_read(NullPolicy::error, true);
  EXPECT_EQ(reading_of(frame(), column, people_with()), LedgerReading());
  EXPECT_EQ(reading_of(frame(), column, people_with({{"null", "error"}})), (LedgerReading{{"null", "error"}}));
}

TEST(SourcesOfReleases, ArePinnedByAllFilesThatAreOpened) {
  const LedgerDataset pinned = people_with({}, "/d/people.csv");
  const LedgerDataset open = people_with();
  const OpenedFile people{"people.csv", "/d/people.csv"};
  const OpenedFile visits{"visits.csv", "/d/visits.csv"};
  const OpenedFile pipe{"-", ""};
  const Source file = Source::file(people_file());
  const Source tables = Source::file({.tables = {{"p", "people.csv"}, {"v", "visits.csv"}}});
  EXPECT_EQ(source_for(file, "", pinned, {people}), "/d/people.csv");
  EXPECT_EQ(source_for(file, "", pinned, {people, people}), "/d/people.csv");
  EXPECT_THROW(source_for(file, "", pinned, {people, visits}), Error);
  EXPECT_EQ(source_for(file, "", pinned, {visits}), "/d/visits.csv");
  EXPECT_EQ(source_for(file, "", pinned, {people, pipe}), "");
  EXPECT_THROW(source_for(tables, "", pinned, {people, visits}), Error);
  EXPECT_EQ(source_for(tables, "", open, {people, visits}), "/d/people.csv,/d/visits.csv");

  const LedgerDataset both = people_with({{"table", "/d/houses.csv,/d/visits.csv"}}, "/d/people.csv");
  EXPECT_EQ(source_for(file, "", both, {people, visits}), "/d/people.csv");
  EXPECT_EQ(source_for(file, "", both, {visits, people}), "/d/people.csv");
  EXPECT_EQ(source_for(file, "", both, {visits}), "/d/visits.csv");
}

// A join that repeats a record as often as a list has its region must not be given the records in place of that list.
TEST(SourcesOfReleases, AStabilityIsDeclaredOfTheQuerysTables) {
  const LedgerReading declared{
      {"sql_stability", "1"}, {"sql", "FROM input, a, b"}, {"table", "a=/d/regions.csv,b=/d/visits.csv"}};
  const OpenedFile people{"people.csv", "/d/people.csv"};
  const OpenedFile regions{"regions.csv", "/d/regions.csv"};
  const OpenedFile visits{"visits.csv", "/d/visits.csv"};
  const OpenedFile pipe{"-", ""};
  const auto with = [](std::vector<NamedTable> tables) {
    return Source::file(
        {.file = "people.csv", .sql = "FROM input, a, b", .tables = std::move(tables), .sql_stability = 1});
  };
  const Source asked = with({{"a", "regions.csv"}, {"b", "visits.csv"}});
  const auto refused = [](const Source& source, const LedgerDataset& dataset, const std::vector<OpenedFile>& opened) {
    for (const char* name : {"", "survey"}) {
      const Error error = testing::error_of([&] { source_for(source, name, dataset, opened); });
      if (error.code() != ErrorCode::usage || error.field() != "table") return false;
    }
    return true;
  };
  for (const LedgerDataset& dataset : {people_with(declared, "/d/people.csv"), people_with(declared)}) {
    EXPECT_EQ(source_for(asked, "", dataset, {people, regions, visits}), "/d/people.csv");
    EXPECT_TRUE(refused(asked, dataset, {people, people, visits}));
    EXPECT_TRUE(refused(asked, dataset, {people, visits, regions}));
    EXPECT_TRUE(refused(asked, dataset, {people, visits, visits}));
    EXPECT_TRUE(refused(asked, dataset, {people, pipe, visits}));
    EXPECT_TRUE(refused(asked, dataset, {visits, regions, visits}));
    EXPECT_TRUE(refused(with({{"b", "regions.csv"}, {"a", "visits.csv"}}), dataset, {people, regions, visits}));
  }
  const Source one = with({{"a", "regions.csv"}});
  for (const char* files : {"/d/regions.csv", "a=/d/regions.csv"}) {  // an older program declares the path alone
    const LedgerDataset dataset = people_with({{"sql_stability", "1"}, {"table", files}}, "/d/people.csv");
    EXPECT_EQ(source_for(one, "", dataset, {people, regions}), "/d/people.csv");
    EXPECT_TRUE(refused(one, dataset, {people, people}));
  }
  const LedgerDataset with_itself =
      people_with({{"sql_stability", "1"}, {"table", "a=/d/people.csv"}}, "/d/people.csv");
  EXPECT_EQ(source_for(one, "", with_itself, {people, people}), "/d/people.csv");
  const Source row_wise = Source::file({.file = "people.csv", .sql = "FROM b", .tables = {{"b", "regions.csv"}}});
  EXPECT_EQ(source_for(row_wise, "", people_with(declared, "/d/people.csv"), {people, regions}), "/d/people.csv");
}

TEST(SourcesOfReleases, ANameCountsWhereOneIsPinned) {
  const OpenedFile people{"people.csv", "/d/people.csv"};
  const Source file = Source::file(people_file());
  EXPECT_EQ(source_for(file, "survey", people_with({}, "survey"), {people}), "survey");
  EXPECT_EQ(source_for(file, "survey", people_with({}, "/d/people.csv"), {people}), "survey");  // the ledger refuses it
  EXPECT_EQ(source_for(file, "survey", people_with(), {people}), "/d/people.csv");
  EXPECT_EQ(source_for(file, "survey", people_with(), {}), "");
  EXPECT_EQ(name_of_source("survey", people_file(), {people}), "survey");
  EXPECT_THROW(name_of_source("a/survey", people_file(), {people}), Error);
}

}  // namespace
}  // namespace fractile::publication_detail
