#include "requests/readings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "fractile/error.hpp"

namespace fractile::requests {
namespace {

Typed typed_with(std::map<std::string, std::vector<std::string>> values, std::string file = "people.csv") {
  Typed typed;
  typed.file = std::move(file);
  typed.values = std::move(values);
  return typed;
}

/// Every option of class owner is in a reading, unless it is listed as said elsewhere. This also holds for options that are added later.
TEST(Readings, HaveEveryOptionOfTheOwners) {
  const std::map<std::string, std::string> elsewhere{
      {"ledger", ""}, {"source", ""},     {"counts", ""},   {"neighbors", ""},     {"person", ""},
      {"table", ""},  {"keys_file", ""},  {"duckdb", ""},   {"unsafe_seed", ""},   {"records_per_person", ""},
      {"null", ""},   {"unreadable", ""}, {"postgres", ""}, {"sql_stability", ""}, {"input_format", ""}};
  const std::map<std::string, std::string> readable{{"decimal", ","}, {"thousands", ","}, {"encoding", "latin1"}};
  for (const OptionSpec& option : release_verb().options) {
    const std::string field = option.field();
    if (elsewhere.contains(field) || option.option_class != OptionClass::owner) continue;
    const std::string value = option.values() == 0 ? "yes" : readable.contains(field) ? readable.at(field) : "7";
    const Typed typed = typed_with({{field, option.values() == 0 ? std::vector<std::string>{} : std::vector{value}}});
    EXPECT_EQ(reading_to_declare(typed), (LedgerReading{{field, value}})) << field;
  }
  EXPECT_EQ(reading_to_declare(typed_with({{"null", {"error"}}, {"unreadable", {"error"}}, {"input_format", {"tsv"}}})),
            (LedgerReading{{"null", "error"}, {"unreadable", "error"}, {"input_format", "tsv"}}));
}

TEST(Readings, HaveListsInOneForm) {
  EXPECT_EQ(reading_to_declare(typed_with({{"missing", {"NA, -9"}}})), (LedgerReading{{"missing", "NA,-9"}}));
}

// A dataset that declared such a reading could pay for no release, and never changes.
TEST(Readings, WithWhichNoTableCanBeReadAreRefused) {
  const std::vector<std::map<std::string, std::vector<std::string>>> all{
      {{"delimiter", {"tab"}}},
      {{"delimiter", {"abcde"}}},
      {{"delimiter", {";"}}, {"input_format", {"json"}}},
      {{"decimal", {"x"}}},
      {{"thousands", {"."}}},
      {{"decimal", {","}}, {"thousands", {","}}},
      {{"encoding", {"ebcdic"}}},
      {{"encoding", {"latin1"}}, {"input_format", {"parquet"}}},
      {{"missing", {"NA,NA"}}}};
  for (const auto& values : all) EXPECT_THROW(reading_to_declare(typed_with(values)), Error) << values.begin()->first;
}

TEST(Readings, HaveWhatIsDeclaredOfPersons) {
  EXPECT_EQ(reading_to_declare(typed_with({{"disjoint_persons", {}}})), (LedgerReading{{"disjoint_persons", "yes"}}));
}

TEST(Readings, AStabilityIsDeclaredOfOneQuery) {
  EXPECT_EQ(reading_to_declare(typed_with({{"sql_stability", {"03"}}, {"sql", {"SELECT 1"}}}, "")),
            (LedgerReading{{"sql_stability", "3"}, {"sql", "SELECT 1"}}));
  EXPECT_THROW(reading_to_declare(typed_with({{"sql_stability", {"3"}}}, "")), Error);
  EXPECT_THROW(reading_to_declare(typed_with({{"sql", {"SELECT 1"}}}, "")), Error);
}

}  // namespace
}  // namespace fractile::requests
