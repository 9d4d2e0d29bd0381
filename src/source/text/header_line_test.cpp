#include "source/text/header_line.hpp"

#include <gtest/gtest.h>

#include "source/entries/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

using Names = std::vector<std::string>;
using source_test::error_of;

Names names(std::string_view header) { return column_names(header, delimiter_of(header), "x.csv"); }

TEST(HeaderLine, FirstLineLosesMarkAndLineEnd) {
  EXPECT_EQ(first_line_of("\xEF\xBB\xBFid,age\r\n1,2\r\n"), "id,age");
  EXPECT_EQ(first_line_of("id,age\n1,2"), "id,age");
  EXPECT_EQ(first_line_of("id,age"), "id,age");
  EXPECT_EQ(first_line_of(""), "");
}

TEST(HeaderLine, DelimiterIsTheCommonestOutsideQuotes) {
  EXPECT_EQ(delimiter_of("id,age;x,y"), ",");
  EXPECT_EQ(delimiter_of("id;age;x,y"), ";");
  EXPECT_EQ(delimiter_of("id\tage"), "\t");
  EXPECT_EQ(delimiter_of("id|age"), "|");
  EXPECT_EQ(delimiter_of("\"a,b,c\";age"), ";");
  EXPECT_EQ(delimiter_of("age"), ",");
}

TEST(HeaderLine, NamesAreUnquotedAndTrimmed) {
  EXPECT_EQ(names("id, age ,\"a, \"\"b\"\"\""), (Names{"id", "age", "a, \"b\""}));
  EXPECT_EQ(names("age"), Names{"age"});
  EXPECT_EQ(names("a,,c,"), (Names{"a", "column1", "c", "column3"}));
  EXPECT_EQ(column_names("a||b", "||", "x"), (Names{"a", "b"}));
}

// Found by fuzzing: a single quote inside quotes swallowed the byte after it.
TEST(HeaderLine, StrayQuotesKeepTheBytesAroundThem) {
  EXPECT_EQ(names("a,\"\"\xC3\xA9\"\""), (Names{"a", "\"\xC3\xA9\""}));
}

TEST(HeaderLine, RefusesWhatIsNoHeader) {
  EXPECT_EQ(error_of([] { names(""); }).code(), ErrorCode::data);
  EXPECT_EQ(error_of([] { names("  \t"); }).code(), ErrorCode::data);
  EXPECT_EQ(error_of([] { names("a,\"b"); }).code(), ErrorCode::data);
  EXPECT_EQ(error_of([] {
              names(
                  "gr\xF6\xDF"
                  "e,b");
            }).code(),
            ErrorCode::data);
  EXPECT_EQ(error_of([] {
              names(
                  "\xFF\xFE"
                  "a");
            }).code(),
            ErrorCode::data);
}

TEST(HeaderLine, NumbersOnlyAreARecordAndAreNotShown) {
  const Error error = error_of([] { names("1984, 12.5,+7e3"); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(std::string(error.what()), "x.csv: the first line holds numbers, not column names");
  EXPECT_EQ(names("2019,2020,country").size(), 3u);
}

TEST(HeaderLine, Utf8) {
  EXPECT_TRUE(
      is_utf8("plain gr\xC3\xB6\xC3\x9F"
              "e \xE2\x82\xAC \xF0\x9F\x98\x80"));
  EXPECT_FALSE(is_utf8("\xC0\x80"));
  EXPECT_FALSE(is_utf8("\xE0\x80\x80"));
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));
  EXPECT_FALSE(is_utf8("\xE2\x82"));
}

}  // namespace
}  // namespace fractile::source_detail
