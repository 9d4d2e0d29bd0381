#include "source/entries/table_test_support.hpp"

namespace fractile {
namespace {

using source_test::error_of;

class CodeCounts : public source_test::EngineTest {
 protected:
  std::vector<CodeCount> read(const std::string& text) const {
    return read_code_counts({.file = folder.write("codes.csv", text)});
  }
  void refuse(const std::string& text, const std::string& part) const {
    const Error error = error_of([&] { read(text); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
};

TEST_F(CodeCounts, AreReadExactly) {
  const std::vector<CodeCount> counts = read("code,label,count\n0,\"a, b\",2358\n0.5,,0\n 7/3 ,c, 12\n");
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].code, Rational(0));
  EXPECT_EQ(counts[0].count, 2358U);
  EXPECT_EQ(counts[1].code, Rational(1, 2));
  EXPECT_EQ(counts[1].count, 0U);
  EXPECT_EQ(counts[2].code, Rational(7, 3));
  EXPECT_EQ(counts[2].count, 12U);
}

TEST_F(CodeCounts, RefuseWhatIsNoHistogram) {
  refuse("code,count\n0,1\nsecret,2\n", "row 2, column 'code': not a number");
  refuse("code,count\n0,1\n1,many\n", "row 2, column 'count': not a number");
  refuse("code,count\n0,-1\n", "row 1, column 'count': not a number of records");
  refuse("code,count\n0,1/2\n", "row 1, column 'count': not a number of records");
  refuse("code,count\n0,1\n0.0,2\n", "row 2, column 'code': a code appears twice");
  refuse("code,count\n0,\n", "row 1, column 'count': empty");
  refuse("code,number\n0,1\n", "count");
  EXPECT_EQ(error_of([&] { read_code_counts({.file = folder.path("absent.csv")}); }).code(), ErrorCode::data);
}

}  // namespace
}  // namespace fractile
