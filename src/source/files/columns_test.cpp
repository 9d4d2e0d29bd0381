#include "source/files/columns.hpp"

#include <gtest/gtest.h>

#include "source/entries/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

using source_test::error_of;

const std::vector<Column> people{
    {"id", "c0", "BIGINT"}, {"Age", "c1", "DOUBLE"}, {"age", "c2", "VARCHAR"}, {"born", "c3", "DATE"}};

TEST(Columns, TheNamedOneAndNoOther) {
  EXPECT_EQ(find_column(people, "age", "x").engine_name, "c2");
  EXPECT_EQ(find_column(people, "Age", "x").engine_name, "c1");
  for (const Names names : {Names::listed, Names::of_first_line, Names::unsaid}) {
    const Error other_case = error_of([&] { find_column(people, "ID", "x", names); });
    EXPECT_EQ(other_case.code(), ErrorCode::data);
    EXPECT_EQ(other_case.hint(), "did you mean 'id'?");
  }
}

TEST(Columns, TwinsAreRefused) {
  const std::vector<Column> twins{{"a", "c0", "DOUBLE"}, {"b", "c1", "DOUBLE"}, {"a", "c2", "DOUBLE"}};
  const Error error = error_of([&] { find_column(twins, "a", "x"); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(std::string(error.what()), "x has more than one column 'a'");
  EXPECT_EQ(find_column(twins, "b", "x").engine_name, "c1");
}

TEST(Columns, WhatMustNotBeSaidIsNotSuggested) {
  const Error error = error_of([] { find_column(people, "borm", "x", Names::unsaid); });
  EXPECT_EQ(std::string(error.what()), "x has no column 'borm'");
  EXPECT_EQ(error.hint(), "name one of the columns");
  const Error first_line = error_of([] { find_column(people, "borm", "x", Names::of_first_line); });
  EXPECT_EQ(std::string(first_line.what()), "x has no column 'borm' in its first line, the header line");
  EXPECT_EQ(first_line.hint(),
            "name a column as the header line spells it (fractile columns lists them); remove a title above the header "
            "line, or add a header line");
  const std::vector<Column> one{{"age income", "c0", "VARCHAR"}};  // of R's write.table
  const Error blanks = error_of([&] { find_column(one, "age", "x", Names::of_first_line); });
  EXPECT_EQ(std::string(blanks.what()), "x has no column 'age' in its first line, the header line");
  EXPECT_TRUE(
      blanks.hint().starts_with("its first line has blanks and no delimiter: if it is a title, remove it; if R's "
                                "write.table wrote it, write the file with"));
  EXPECT_EQ(blanks.hint().find("income"), std::string::npos);
  const std::vector<Column> excel{{"sep=", "c0", "VARCHAR"}, {"", "c1", "VARCHAR"}};
  const Error sep = error_of([&] { find_column(excel, "age", "x", Names::of_first_line); });
  EXPECT_TRUE(sep.hint().starts_with("its first line, sep=, is for Excel: remove it"));
}

TEST(Columns, TimesOfDayInsideOthersAreFoundInTheType) {
  for (const char* type : {"TIME[]", "TIME_NS[3]", "STRUCT(t TIME)", "STRUCT(a INTEGER, t TIME[])",
                           "MAP(VARCHAR, TIME_NS)", "STRUCT(\"a \"\"b\" TIME, c DATE)", "STRUCT(s STRUCT(t TIME))[]"}) {
    EXPECT_TRUE(has_times_of_day_inside(type)) << type;
  }
  for (const char* type :
       {"", "TIME", "TIME_NS", "TIMESTAMP[]", "STRUCT(t TIMESTAMP_NS)", "TIME WITH TIME ZONE[]", "STRUCT(TIME INTEGER)",
        "STRUCT(\"a TIME)\" INTEGER)", "MAP(TIMESTAMP WITH TIME ZONE, DATE)"}) {
    EXPECT_FALSE(has_times_of_day_inside(type)) << type;
  }
}

TEST(Columns, UnknownNameListsWhatThereIs) {
  const Error error = error_of([] { find_column(people, "bron", "people.csv"); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(std::string(error.what()), "people.csv has no column 'bron'; it has 'id', 'Age', 'age', 'born'");
  EXPECT_EQ(error_of([] { find_column(people, "borm", "x"); }).hint(), "did you mean 'born'?");
  EXPECT_EQ(error_of([] { find_column(people, "salary", "x"); }).hint(), "name one of the columns");
}

// All pairs of names were compared, which took seconds for the columns of a spreadsheet.
TEST(Columns, ManyAreToldApartAtOnce) {
  std::vector<Column> columns;
  constexpr std::size_t many = 200'000;
  for (std::size_t k = 0; k < many; ++k) columns.push_back({"c" + std::to_string(k), "", "VARCHAR"});
  for (const std::string name : {"C7", "", "d"}) columns.push_back({name, "", "VARCHAR"});
  columns.push_back({"digits", "", "DECIMAL", "", 40});
  const std::vector<Column> nameable = nameable_columns(columns);
  ASSERT_EQ(nameable.size(), many);  // all but c7, and d in its place
  EXPECT_EQ(nameable[7].name, "c8");
  EXPECT_EQ(nameable.back().name, "d");
}

TEST(Columns, TypesWithoutParameters) {
  EXPECT_EQ(bare_type("DECIMAL(18,3)"), "DECIMAL");
  EXPECT_EQ(bare_type("ENUM('secret', 'other')"), "ENUM");
  EXPECT_EQ(bare_type("STRUCT(a INTEGER)[]"), "LIST");
  EXPECT_EQ(bare_type("TIMESTAMP WITH TIME ZONE"), "TIMESTAMP WITH TIME ZONE");
  EXPECT_EQ(numeric_of("UINTEGER"), Numeric::integer);
  EXPECT_EQ(numeric_of("UBIGINT"), Numeric::units);
  EXPECT_EQ(digits_of("DECIMAL(18,3)").all, 18);
  EXPECT_EQ(digits_of("DECIMAL(18,3)").behind_point, 3);
  EXPECT_EQ(digits_of("DECIMAL(18,3)[]").all, 0);
  EXPECT_EQ(digits_of("UBIGINT").behind_point, 0);
  EXPECT_EQ(numeric_of("VARCHAR"), Numeric::text);
  EXPECT_EQ(numeric_of("BOOLEAN"), Numeric::none);
}

}  // namespace
}  // namespace fractile::source_detail
