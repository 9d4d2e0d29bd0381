#include "source/text/header_line.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "source/entries/table_test_support.hpp"
#include "source/text/delimited_check.hpp"

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

// Each name was compared with all others, which took minutes.
TEST(HeaderLine, MayHaveManyColumnsWithoutAName) {
  constexpr std::size_t many = 1'000'000;
  const Names found = names("x,column2" + std::string(many, ','));
  ASSERT_EQ(found.size(), many + 2);
  EXPECT_EQ(found[2], "column2_");
  EXPECT_EQ(found.back(), "column1000001");
}

// A quote within a name opened a quoted name here, but not in records: they had more cells than the header, or the name "had no end".
TEST(HeaderLine, QuotesWithinNamesAreOrdinaryBytes) {
  EXPECT_EQ(names("id,5\" nail,6\" nail,x"), (Names{"id", "5\" nail", "6\" nail", "x"}));
  EXPECT_EQ(names("height in\",x"), (Names{"height in\"", "x"}));
  EXPECT_EQ(names("a,x\"\"\xC3\xA9\"\""), (Names{"a", "x\"\"\xC3\xA9\"\""}));
  EXPECT_EQ(names("a, \"b,c\" ,\" d \""), (Names{"a", "b,c", " d "}));
}

// These were refused after the charge.
TEST(HeaderLine, RefusesWhatNoRecordMayHold) {
  for (const char* header : {"a,\"b\"c", "a,\"b\" \"c\"", "a,  \"b\"", "a,\"b\"\t", "a,\"\"\xC3\xA9\"\""}) {
    const Error error = error_of([&] { names(header); });
    EXPECT_EQ(error.code(), ErrorCode::data) << header;
    EXPECT_TRUE(std::string(error.what()).starts_with("x.csv: line 1 has ")) << error.what();
  }
}

TEST(HeaderLine, IsSplitAsRecordsAre) {
  struct Cells : CellSink {
    void cell(std::string_view text) override { all.emplace_back(text); }
    void end_record() override {}
    Names all;
  };
  EXPECT_TRUE(rc::check([] {
    const auto parts = *rc::gen::container<Names>(
        rc::gen::element<std::string>("\"", "\"", "\"\"", ",", "::", ":", " ", "\t", "a", "b"));
    const std::string line = "x" + std::accumulate(parts.begin(), parts.end(), std::string());
    for (const std::string delimiter : {",", "::", " "}) {
      Cells cells;
      const std::string name = "x.csv";
      DelimitedCheck check({delimiter, 0}, LineEndsInCells::allowed, name, LineEnd::lf, cells);
      try {
        check.see_record(line + "\n");
        check.finish();
      } catch (const Error&) {
        RC_ASSERT(error_of([&] { column_names(line, delimiter, name); }).code() == ErrorCode::data);
        continue;
      }
      const Names found = column_names(line, delimiter, name);
      RC_ASSERT(found.size() == cells.all.size());
      for (std::size_t k = 0; k < found.size(); ++k) {
        if (cells.all[k].find_first_of(" \t") == std::string::npos && !cells.all[k].empty())
          RC_ASSERT(found[k] == cells.all[k]);
      }
    }
  }));
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
