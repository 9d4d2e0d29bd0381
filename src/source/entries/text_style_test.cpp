// Styles of numbers in delimited text, and its encodings.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "source/entries/table_test_support.hpp"

namespace fractile {
namespace {

using source_test::EngineTest;
using source_test::error_of;
using source_test::lattice_of;
using source_test::profile_of;

class TextStyle : public EngineTest {
 protected:
  RankProfile read(const std::string& cells, const NumberStyle& numbers,
                   const std::vector<std::string>& missing = {}) const {
    std::string text = "x;id\n";
    std::size_t at = 0;
    while (at < cells.size()) {
      const std::size_t end = std::min(cells.find('|', at), cells.size());
      text += cells.substr(at, end - at) + ";1\n";
      at = end + 1;
    }
    const std::string file = folder.write("t.csv", text);
    return Table::open({.file = file, .unreadable = Unreadable::missing, .missing = missing, .numbers = numbers})
        .profile("x", numbers_to_10000, NullPolicy::drop);
  }
  static RankProfile of(const std::vector<double>& numbers) { return profile_of<double>(numbers_to_10000, numbers); }

  static inline const Lattice numbers_to_10000 = lattice_of("-10000", "10000", "0.25");
};

TEST_F(TextStyle, ADecimalCommaIsRead) {
  EXPECT_EQ(read("1,5|-2,25| 3,0 |4|,5|1,5e2|inf", {","}), of({1.5, -2.25, 3, 4, 0.5, 150, 1e9}));
  EXPECT_EQ(read("1.5|1,234,5|1_0|NA|nan||,", {","}), of({}));
  EXPECT_EQ(read("1.5|4", {"."}), of({1.5, 4}));
}

TEST_F(TextStyle, ThousandsStandInGroupsOfThree) {
  EXPECT_EQ(read("1.234,5|12.345|1234,5|-1.000|0,25|7", {",", "."}), of({1234.5, 12345, 1234.5, -1000, 0.25, 7}));
  EXPECT_EQ(read("1.5|12.34,5|1.2345|1,234.5|.5|1234.567", {",", "."}), of({}));
  EXPECT_EQ(read("1,234.5|1'000|7", {"", ","}), of({1234.5, 7}));
  EXPECT_EQ(read("1'234.5|7", {".", "'"}), of({1234.5, 7}));
  EXPECT_EQ(read("1 234,5|1\xC2\xA0"
                 "234|1\xE2\x80\xAF"
                 "000,25| 7 |1 23",
                 {",", " "}),
            of({1234.5, 1234, 1000.25, 7}));
}

// Where thousands were separated, a blank around a cell counted as a separator, and a vertical tab as a letter.
TEST_F(TextStyle, BlanksAroundACellMeanNothing) {
  for (const NumberStyle& style : {NumberStyle{}, NumberStyle{","}, NumberStyle{",", "."}, NumberStyle{",", " "}}) {
    EXPECT_EQ(read("\v7|7\v\f| inf|-inf |\t8", style), of({7, 7, 1e9, -1e9, 8})) << style.thousands;
    const std::string file = folder.write("t.csv", "x;id\n nan;1\nNaN ;2\n \v ;3\n7 ;4\n");
    const Table table = Table::open({.file = file, .unreadable = Unreadable::error, .numbers = style});
    EXPECT_EQ(table.profile("x", numbers_to_10000, NullPolicy::drop), of({7})) << style.thousands;
  }
}

TEST_F(TextStyle, WhatIsMissingIsSoByValueAndAsItIsWritten) {
  EXPECT_EQ(read("-9|-9,0|1,5|2.x|7", {","}, {"-9", "2.x"}), of({1.5, 7}));
  EXPECT_EQ(read("1.000|1000|7", {",", "."}, {"1000"}), of({7}));
  for (const NumberStyle& style : {NumberStyle{}, NumberStyle{","}, NumberStyle{",", "."}, NumberStyle{"", ","}}) {
    const std::string file = folder.write("t.csv", "x;id\n1;1\nNA;2\n;3\n7;4\n");
    const Table table = Table::open({.file = file, .missing = {"NA"}, .numbers = style});
    EXPECT_EQ(table.profile("x", numbers_to_10000, NullPolicy::drop), of({1, 7})) << style.thousands;
    EXPECT_EQ(table.checked_columns()[0].cells->missing, 2U) << style.thousands;
  }
}

TEST_F(TextStyle, CellsThatAreKeysOrPersonsStayAsTheyAre) {
  const std::string file = folder.write("t.csv", "x;k\n1,5;1,5\n2,5;1.5\n");
  const Table table = Table::open({.file = file, .numbers = {","}});
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const ColumnToCount by_key{"x", numbers_to_10000, NullPolicy::drop, {.by = {"k"}, .keys = {"1,5", "1.5"}}};
  const std::vector<CountedColumn> counted = table.count({by_key}, bits);
  EXPECT_EQ(counted[0].profiles()[0], of({1.5}));
  EXPECT_EQ(counted[0].profiles()[1], of({2.5}));
  const ColumnToCount of_itself{"x", numbers_to_10000, NullPolicy::drop, {.by = {"x"}, .keys = {"1,5"}}};
  EXPECT_EQ(table.count({of_itself}, bits)[0].profiles()[0], of({1.5}));
}

TEST_F(TextStyle, OwnersSeeWhatIsUnreadable) {
  const std::string file = folder.write("t.csv", "x;id\n1,5;1\n2.5;2\n");
  const std::vector<TableColumn> columns = Table::open({.file = file, .numbers = {","}}).checked_columns();
  ASSERT_TRUE(columns[0].cells.has_value());
  EXPECT_EQ(columns[0].cells->read, 1U);
  EXPECT_EQ(columns[0].cells->unreadable_rows, std::vector<std::uint64_t>{2});
  const Error error = error_of([&] { Table::open({.file = file}).profile("x", numbers_to_10000, NullPolicy::drop); });
  EXPECT_NE(std::string(error.hint()).find("say how numbers are written: decimal"), std::string::npos) << error.hint();
}

TEST_F(TextStyle, IsRefusedWhereItSaysNothing) {
  const std::string csv = folder.write("t.csv", "x\n1\n");
  const std::string json = folder.write("t.json", "{\"x\":1}\n");
  const auto refused = [](const TableOptions& options) {
    return error_of([&] { Table::open(options); }).code() == ErrorCode::usage;
  };
  EXPECT_TRUE(refused({.file = json, .numbers = {","}}));
  EXPECT_TRUE(refused({.file = json, .encoding = "latin1"}));
  EXPECT_TRUE(refused({.file = csv, .sql = "SELECT x FROM input", .numbers = {","}}));
  for (const NumberStyle& style :
       {NumberStyle{";"}, NumberStyle{",", ","}, NumberStyle{"", "."}, NumberStyle{",", "x"}}) {
    EXPECT_TRUE(refused({.file = csv, .numbers = style})) << style.decimal << style.thousands;
  }
}

TEST_F(TextStyle, OtherEncodingsAreRead) {
  const auto read = [&](const std::string& bytes, const std::string& encoding, const std::string& key) {
    const std::string file = folder.write("t.csv", bytes);
    RandomBits bits = RandomBits::unsafe_seeded(1);
    const ColumnToCount by_key{
        "gr\xC3\xB6\xC3\x9F"
        "e",
        numbers_to_10000,
        NullPolicy::drop,
        {.by = {"ort"}, .keys = {key}}};
    return Table::open({.file = file, .encoding = encoding}).count({by_key}, bits)[0].profiles()[0];
  };
  EXPECT_EQ(read("gr\xF6\xDF"
                 "e,ort\n3,Z\xFCrich\n4,Bern\n",
                 "latin1", "Z\xC3\xBCrich"),
            of({3}));
  EXPECT_EQ(read("gr\xF6\xDF"
                 "e,ort\n3,\x80\n4,Bern\n",
                 "cp1252", "\xE2\x82\xAC"),
            of({3}));
  std::string wide = "\xFF\xFE";
  for (const char c : std::string("gr\xF6\xDF"
                                  "e,ort\r\n3,\"Z\xFCrich\"\r\n4,Bern\r\n"))
    wide += {c, '\0'};
  EXPECT_EQ(read(wide, "utf-16", "Z\xC3\xBCrich"), of({3}));
}

}  // namespace
}  // namespace fractile
