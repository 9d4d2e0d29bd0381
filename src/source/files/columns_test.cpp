#include "source/files/columns.hpp"

#include <gtest/gtest.h>

#include "source/entries/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

using source_test::error_of;

const std::vector<Column> people{
    {"id", "c0", "BIGINT"}, {"Age", "c1", "DOUBLE"}, {"age", "c2", "VARCHAR"}, {"born", "c3", "DATE"}};

TEST(Columns, ExactSpellingComesFirst) {
  EXPECT_EQ(find_column(people, "age", "x").engine_name, "c2");
  EXPECT_EQ(find_column(people, "Age", "x").engine_name, "c1");
  EXPECT_EQ(find_column(people, "ID", "x").engine_name, "c0");
}

TEST(Columns, AmbiguityIsRefused) {
  EXPECT_NE(std::string(error_of([] { find_column(people, "AGE", "x"); }).what()).find("more than one"),
            std::string::npos);
  const std::vector<Column> twins{{"a", "c0", "DOUBLE"}, {"a", "c1", "DOUBLE"}};
  EXPECT_EQ(error_of([&] { find_column(twins, "a", "x"); }).code(), ErrorCode::data);
}

TEST(Columns, UnknownNameListsWhatThereIs) {
  const Error error = error_of([] { find_column(people, "bron", "people.csv"); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(std::string(error.what()), "people.csv has no column 'bron'; it has 'id', 'Age', 'age', 'born'");
  EXPECT_EQ(error_of([] { find_column(people, "borm", "x"); }).hint(), "did you mean 'born'?");
  EXPECT_EQ(error_of([] { find_column(people, "salary", "x"); }).hint(), "name one of the columns");
}

TEST(Columns, TypesWithoutParameters) {
  EXPECT_EQ(bare_type("DECIMAL(18,3)"), "DECIMAL");
  EXPECT_EQ(bare_type("ENUM('secret', 'other')"), "ENUM");
  EXPECT_EQ(bare_type("STRUCT(a INTEGER)[]"), "LIST");
  EXPECT_EQ(bare_type("TIMESTAMP WITH TIME ZONE"), "TIMESTAMP WITH TIME ZONE");
  EXPECT_EQ(numeric_of("UINTEGER"), Numeric::integer);
  EXPECT_EQ(numeric_of("UBIGINT"), Numeric::real);
  EXPECT_EQ(numeric_of("VARCHAR"), Numeric::text);
  EXPECT_EQ(numeric_of("BOOLEAN"), Numeric::none);
}

TEST(Columns, DistinctNames) {
  EXPECT_EQ(distinct_names({"a", "A", "a_1", "b"}), (std::vector<std::string>{"a", "A_1", "a_1_1", "b"}));
}

}  // namespace
}  // namespace fractile::source_detail
