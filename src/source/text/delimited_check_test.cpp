#include "source/text/delimited_check.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "source/entries/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

using source_test::error_of;

const std::string name = "x.csv";

/// The number of records in a text that is checked in pieces of `piece` bytes.
std::uint64_t records(const std::string& text, const DelimitedShape& shape = {",", 0}, std::size_t piece = 1'000) {
  DelimitedCheck check(shape, LineEndsInCells::allowed, name);
  for (std::size_t at = 0; at < text.size(); at += piece) check.see(std::string_view(text).substr(at, piece));
  return check.finish();
}

std::string refusal(const std::string& text) {
  const std::string what = error_of([&] { records(text); }).what();
  EXPECT_EQ(what, error_of([&] { records(text, {",", 0}, 1); }).what()) << text;
  return what;
}

/// The number of records in text whose records are declared to stand on single lines.
std::uint64_t lines(const std::string& text) {
  DelimitedCheck check({",", 0}, LineEndsInCells::refused, name);
  check.see(text);
  return check.finish();
}

// Two stray quotes pair, and RFC 4180 makes one record of three lines.
TEST(DelimitedCheck, RecordsCanBeDeclaredToStandOnSingleLines) {
  const std::string stray = "id,age\n\"a,1\nb,2\nc\",3\n";
  EXPECT_EQ(records(stray), 1u);
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string text = "id,age" + end + "a,1" + end + "\"b" + end + "c\",2" + end;
    EXPECT_EQ(records(text), 2u);
    const Error error = error_of([&] { lines(text); });
    EXPECT_EQ(std::string(error.what()), "x.csv: line 3 has a quoted cell that holds a line end");
    EXPECT_EQ(error.code(), ErrorCode::data);
  }
  EXPECT_EQ(lines("id,age\n\"a,b \"\"c\"\"\",1\n\"b\",2"), 2u);
}

TEST(DelimitedCheck, RecordsAreCounted) {
  EXPECT_EQ(records("id,age"), 0u);
  EXPECT_EQ(records("id,age\n"), 0u);
  EXPECT_EQ(records("id,age\n1,2"), 1u);
  EXPECT_EQ(records("id,age\n1,2\n\n\n3,4\n\n"), 2u);
  EXPECT_EQ(records("age\n1\n\n3\n\n", {",", 1}), 4u);
  EXPECT_EQ(records("age\n1\n\"\"", {",", 1}), 2u);
  EXPECT_EQ(records("id,age\r\n1,2\r\n\r\n3,4\r\n"), 2u);
  EXPECT_EQ(records("id,age\r1,2\r3,4"), 2u);
}

// What R's write.table makes of row names: their column has no name, and the engine once read on where the last cell was empty.
TEST(DelimitedCheck, RecordsOfOtherThanTheHeadersCellsArePlaced) {
  const std::string wrong = "x.csv: line 3 has more or fewer cells than the header";
  for (const std::string line :
       {"1,34,", "1,34,\"\"", "1,34,,", "1,34, ", "1,34,5", "1", "\"1,2\"", "\"1\n\",2,", " "}) {
    for (const std::string end : {"\n", "\r\n", "\r"}) {
      for (const std::size_t piece : {1U, 1'000U}) {
        const auto check = [&](const std::string& text) { return records(text, {",", 2}, piece); };
        const std::string head = "age,note" + end + "1,2" + end;
        EXPECT_EQ(std::string(error_of([&] { check(head + line + end + "3,4" + end); }).what()), wrong) << line;
        EXPECT_EQ(std::string(error_of([&] { check(head + line); }).what()), wrong) << line;
        EXPECT_EQ(check(head + end + "\"3,\"\"\",4" + end + "," + end), 3u);
      }
    }
  }
  EXPECT_EQ(std::string(error_of([] { records("a\n1\n2,\n", {",", 1}); }).what()), wrong);
  EXPECT_EQ(records("a||b\n1|||2\n|||3\n", {"||", 2}), 2u);
  EXPECT_EQ(std::string(error_of([] { records("a||b\n1||2\n1||||2\n", {"||", 2}); }).what()), wrong);
}

TEST(DelimitedCheck, QuotedCellsHoldAnything) {
  EXPECT_EQ(records("id,age\n\"1\n,\"\"\r\n2\",3\n\"\",\"\"\n"), 2u);
  EXPECT_EQ(records("id,age\n1, \"2\n3\" \n"), 1u);
  EXPECT_EQ(records("a||b\n\"1\n||2\"||\"3\n\"\n|||4\n", {"||", 0}), 2u);
  EXPECT_EQ(records("a b\n\"1\n\" \"2\n\"\n", {" ", 0}), 1u);
}

TEST(DelimitedCheck, ElsewhereAQuoteIsAByte) {
  EXPECT_EQ(records("id,age\n5' 11\",1\nx\"y,2\n\t\",3\n"), 3u);
  EXPECT_EQ(records("a||b\n|\"||4\n5||6\n", {"||", 0}), 2u);
}

TEST(DelimitedCheck, QuotesThatAreNeverClosedArePlaced) {
  EXPECT_EQ(refusal("id,age\n1,2\n3,\"4\n5,6\n7,8\n"), "x.csv: line 3 has a quoted cell without its end");
  EXPECT_EQ(refusal("id,age\n1,\"2\n3\"\n\"4"), "x.csv: line 4 has a quoted cell without its end");
  EXPECT_EQ(refusal("id,age\n1,\"2\"\"\n"), "x.csv: line 2 has a quoted cell without its end");
}

TEST(DelimitedCheck, WhatFollowsAQuotedCellIsPlaced) {
  for (const char* line : {"1,\"a\"b", "1,\"a\" b", "1,\"a\" \"b\"", "1,\"a\"\t", "\"a\"b,1"}) {
    EXPECT_EQ(refusal("id,age\n1,2\n" + std::string(line) + "\n"), "x.csv: line 3 has text after a quoted cell")
        << line;
  }
  EXPECT_EQ(refusal("id,age\n1,  \"2\"\n"), "x.csv: line 2 has a quoted cell after several blanks");
  for (const char* text : {"a||b\n1||\"2\"|", "a||b\n1||\"2\" |\n", "a||b\r1||\"2\"|\r", "a||b\r\n1||\"\"|\r\n"}) {
    const Error error = error_of([&] { records(text, {"||", 2}); });
    EXPECT_EQ(std::string(error.what()), "x.csv: line 2 has text after a quoted cell") << text;  // half a delimiter
  }
}

TEST(DelimitedCheck, MixedLineEndsArePlaced) {
  const std::string lf = "id,age\n1,2\n";
  const std::string crlf = "id,age\r\n1,2\r\n";
  for (const std::string& text : {lf + "3,4\r\n5,6\n", lf + "3,4\r5,6\n", lf + "3,4\r", lf + "\"3\n\",4\n5,6\r\n",
                                  crlf + "3,4\n5,6\r\n", crlf + "3,4\r5,6\r\n", crlf + "3,4\r\r\n"}) {
    EXPECT_NE(refusal(text).find(" does not end as the header line does"), std::string::npos) << text;
  }
  EXPECT_EQ(refusal(lf + "3,4\r\n5,6\n"), "x.csv: line 3 does not end as the header line does (LF, CR LF or CR)");
  EXPECT_EQ(refusal(lf + "\"3\n\",4\n5,6\r\n"), "x.csv: line 5 does not end as the header line does (LF, CR LF or CR)");
}

TEST(DelimitedCheck, PiecesChangeNothing) {
  EXPECT_TRUE(rc::check([] {
    const auto letters = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 9));
    const bool crlf = *rc::gen::arbitrary<bool>();
    std::string text = crlf ? "a,b\r\n" : "a,b\n";
    for (const std::size_t k : letters) text += std::string(crlf ? "\"x, \r\n,\"a" : "\"x, \n\n,\"a").at(k);
    const auto outcome = [&](std::size_t piece) -> std::string {
      try {
        return std::to_string(records(text, {",", 0}, piece));
      } catch (const Error& error) {
        return error.what();
      }
    };
    const std::string whole = outcome(1'000);
    for (const std::size_t piece : {1U, 2U, 3U, 7U}) RC_ASSERT(outcome(piece) == whole);
  }));
}

// They are counted many bytes at a time.
TEST(DelimitedCheck, PlainLinesAreCountedOneByOne) {
  EXPECT_TRUE(rc::check([] {
    std::string text = "a\n";
    std::uint64_t all = 0;
    std::uint64_t blank = 0;
    for (const std::size_t length :
         *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 4))) {
      const std::size_t times = *rc::gen::element<std::size_t>(1, 2, 254, 255, 256, 600);
      for (std::size_t i = 0; i < times; ++i) text += std::string(length, '7') + "\n";
      all += times;
      if (length == 0) blank += times;
    }
    for (const std::size_t piece : {1U, 2U, 5U, 255U, 1'000U, 1'000'000U}) {
      RC_ASSERT(records(text, {",", 1}, piece) == all);
      RC_ASSERT(records(text, {",", 0}, piece) == all - blank);
      RC_ASSERT(records(text + "7", {",", 0}, piece) == all - blank + 1);
    }
  }));
}

TEST(DelimitedCheck, WhatIsWrongBehindManyPlainLinesIsPlaced) {
  std::string plain = "id,age\n";
  for (int i = 0; i < 300; ++i) plain += i % 3 == 0 ? "\n" : "1,2\n";
  for (const std::size_t piece : {1U, 100U, 1'000U, 5'000'000U}) {
    const auto refused = [&](const std::string& text) {
      return std::string(error_of([&] { records(text, {",", 0}, piece); }).what());
    };
    EXPECT_EQ(refused(plain + std::string(1'100, ',') + "\n\"a"), "x.csv: line 303 has a quoted cell without its end");
    EXPECT_EQ(refused(plain + std::string(1'100, ',') + "\n3,4\r\n"),
              "x.csv: line 303 does not end as the header line does (LF, CR LF or CR)");
    const std::string long_line = plain + std::string(longest_record + 1, '7');
    EXPECT_EQ(refused(long_line), "x.csv: line 302 is longer than 2,000,000 bytes");
    EXPECT_EQ(refused(long_line + "\n" + plain), "x.csv: line 302 is longer than 2,000,000 bytes");
    EXPECT_EQ(records(plain + std::string(longest_record, '7') + "\n7\n", {",", 0}, piece), 202u);
  }
}

}  // namespace
}  // namespace fractile::source_detail
