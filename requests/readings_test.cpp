#include "requests/readings.hpp"

#include <gtest/gtest.h>

#include "fractile/error.hpp"
#include "requests/sources.hpp"

namespace fractile::requests {
namespace {

LedgerDataset dataset_of_people(LedgerReading reading = {}, std::string source = {}) {
  LedgerDataset dataset{"people", Budget::pure(Rational(1))};
  dataset.reading = std::move(reading);
  dataset.source = std::move(source);
  return dataset;
}

Typed typed_with(std::map<std::string, std::vector<std::string>> values, std::string file = "people.csv") {
  Typed typed;
  typed.file = std::move(file);
  typed.values = std::move(values);
  return typed;
}

LedgerReading read_by_owner(const Typed& typed, const LedgerDataset& dataset) {
  return reading_of(typed, dataset, Holder::owner);
}

TEST(Readings, HaveWhatIsNotAtItsDefault) {
  const LedgerDataset dataset = dataset_of_people();
  EXPECT_EQ(read_by_owner(typed_with({}), dataset), LedgerReading());
  EXPECT_EQ(read_by_owner(typed_with({{"null", {"drop"}}, {"input_format", {"csv"}}, {"threads", {"2"}}}), dataset),
            LedgerReading());
  EXPECT_EQ(read_by_owner(typed_with({{"missing", {"NA"}}}), dataset), (LedgerReading{{"missing", "NA"}}));
}

TEST(Readings, AFormatThatIsDeclaredMayBeSaidByTheName) {
  const LedgerDataset dataset = dataset_of_people({{"input_format", "csv"}});
  const LedgerReading expected{{"input_format", "csv"}};
  EXPECT_EQ(read_by_owner(typed_with({}), dataset), expected);
  EXPECT_EQ(read_by_owner(typed_with({{"input_format", {"csv"}}}, "people.data"), dataset), expected);
}

/// Every option of the owner's is in a reading, unless it is said elsewhere: one that is added later is, too.
TEST(Readings, HaveEveryOptionOfTheOwners) {
  const std::map<std::string, std::string> elsewhere{
      {"ledger", ""}, {"source", ""}, {"counts", ""}, {"neighbors", ""},  {"person", ""}, {"records_per_person", ""},
      {"table", ""},  {"null", ""},   {"duckdb", ""}, {"unsafe_seed", ""}};
  for (const OptionSpec& option : release_verb().options) {
    const std::string field = option.field();
    if (elsewhere.contains(field)) continue;
    const std::string value = option.values() == 0 ? "yes" : "7";
    const Typed typed = typed_with({{field, option.values() == 0 ? std::vector<std::string>{} : std::vector{value}}});
    if (option.option_class != OptionClass::owner) continue;
    const LedgerReading declared{{field, value}};
    EXPECT_EQ(read_by_owner(typed, dataset_of_people(declared)), declared) << field;
  }
}

TEST(Readings, SomeHoldOnlyWhereTheyAreDeclared) {
  for (const auto& [field, value] : LedgerReading{{"null", "error"},
                                                  {"public_rows", "yes"},
                                                  {"sql_stability", "3"},
                                                  {"keys_file", "hash"},
                                                  {"duckdb", "/nowhere/engine.so"},
                                                  {"delimiter", ";"},
                                                  {"single_line_records", "yes"},
                                                  {"input_format", "tsv"},
                                                  {"postgres", "postgres://db/people"}}) {
    const Typed typed = typed_with({{field, {value}}});
    try {
      read_by_owner(typed, dataset_of_people());
      ADD_FAILURE() << field;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_EQ(error.field(), field);
    }
    EXPECT_EQ(read_by_owner(typed, dataset_of_people({{field, value}})), (LedgerReading{{field, value}})) << field;
  }
}

TEST(Readings, HaveWhatAProfileFileDeclaresOfPersons) {
  const LedgerReading disjoint{{"disjoint_persons", "yes"}};
  EXPECT_EQ(read_by_owner(typed_with({{"disjoint_persons", {}}}), dataset_of_people()), disjoint);
  EXPECT_EQ(reading_to_declare(typed_with({{"disjoint_persons", {}}})), disjoint);
}

TEST(Readings, WhatIsPermittedNeedNotBeUsed) {
  const LedgerReading permitted{
      {"public_rows", "yes"}, {"sql_stability", "3"}, {"keys_file", "hash"}, {"duckdb", "/e.so"}, {"table", "/v.csv"}};
  EXPECT_EQ(read_by_owner(typed_with({}), dataset_of_people(permitted)), permitted);
  EXPECT_EQ(read_by_owner(typed_with({{"sql_stability", {"4"}}}), dataset_of_people(permitted)), permitted);
  EXPECT_THROW(read_by_owner(typed_with({{"sql_stability", {"2"}}}), dataset_of_people(permitted)), Error);
  EXPECT_EQ(read_by_owner(typed_with({}), dataset_of_people({{"null", "error"}})), LedgerReading());  // refused there
}

TEST(Readings, AStabilityIsDeclaredOfOneQuery) {
  const Typed declaring = typed_with({{"sql_stability", {"03"}}, {"sql", {"SELECT 1"}}}, "");
  const LedgerReading declared{{"sql_stability", "3"}, {"sql", "SELECT 1"}};
  EXPECT_EQ(reading_to_declare(declaring), declared);
  EXPECT_THROW(reading_to_declare(typed_with({{"sql_stability", {"3"}}}, "")), Error);
  EXPECT_THROW(reading_to_declare(typed_with({{"sql", {"SELECT 1"}}}, "")), Error);
  const LedgerDataset dataset = dataset_of_people(declared);
  const auto read = [&](const char* sql) {
    return read_by_owner(typed_with({{"sql_stability", {"3"}}, {"sql", {sql}}}), dataset);
  };
  EXPECT_EQ(read("SELECT 1"), declared);
  EXPECT_THROW(read("SELECT 2"), Error);
  EXPECT_EQ(read_by_owner(typed_with({{"sql", {"SELECT 2"}}}), dataset), declared);  // which must be row-wise
}

TEST(Readings, WhoHoldsTheRecordsSaysWhatIsLeftOpen) {
  const Typed typed = typed_with({{"null", {"error"}}, {"public_rows", {}}}, "");
  EXPECT_EQ(reading_of(typed, dataset_of_people(), Holder::asker), LedgerReading());
  EXPECT_EQ(reading_of(typed, dataset_of_people({{"null", "error"}}), Holder::asker),
            (LedgerReading{{"null", "error"}}));
}

TEST(Sources, ArePinnedByAllFilesThatAreOpened) {
  const LedgerDataset pinned = dataset_of_people({}, "/d/people.csv");
  const LedgerDataset open = dataset_of_people();
  const OpenedFile people{"people.csv", "/d/people.csv"};
  const OpenedFile visits{"visits.csv", "/d/visits.csv"};
  const OpenedFile pipe{"-", ""};
  const Typed file = typed_with({});
  const Typed tables = typed_with({{"table", {"p=people.csv", "v=visits.csv"}}}, "");
  EXPECT_EQ(source_for(file, pinned, {people}), "/d/people.csv");
  EXPECT_EQ(source_for(file, pinned, {people, people}), "/d/people.csv");
  EXPECT_THROW(source_for(file, pinned, {people, visits}), Error);
  EXPECT_EQ(source_for(file, pinned, {visits}), "/d/visits.csv");
  EXPECT_EQ(source_for(file, pinned, {people, pipe}), "");
  EXPECT_THROW(source_for(tables, pinned, {people, visits}), Error);
  EXPECT_EQ(source_for(tables, open, {people, visits}), "/d/people.csv,/d/visits.csv");

  const LedgerDataset both = dataset_of_people({{"table", "/d/houses.csv,/d/visits.csv"}}, "/d/people.csv");
  EXPECT_EQ(source_for(file, both, {people, visits}), "/d/people.csv");
  EXPECT_EQ(source_for(file, both, {visits, people}), "/d/people.csv");
  EXPECT_EQ(source_for(file, both, {visits}), "/d/visits.csv");
}

TEST(Sources, ANameCountsWhereOneIsPinned) {
  const OpenedFile people{"people.csv", "/d/people.csv"};
  const Typed named = typed_with({{"source", {"survey"}}});
  EXPECT_EQ(source_for(named, dataset_of_people({}, "survey"), {people}), "survey");
  EXPECT_EQ(source_for(named, dataset_of_people({}, "/d/people.csv"), {people}), "survey");  // refused there
  EXPECT_EQ(source_for(named, dataset_of_people(), {people}), "/d/people.csv");
  EXPECT_EQ(source_for(named, dataset_of_people(), {}), "");
  EXPECT_EQ(source_read(named, {people}), "survey");
}

}  // namespace
}  // namespace fractile::requests
