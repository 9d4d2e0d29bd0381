#include "requests/toml_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "fractile/error.hpp"

namespace fractile::requests {
namespace {

/// The parser's binary fractions are only near the numbers in the file; the values come from the digits in the file.
TEST(TomlNumbers, AreExactlyWhatIsWritten) {
  const TomlFile file("x.toml",
                      "\xEF\xBB\xBF# ä comment\r\n"
                      "step = 0.01\r\n"
                      "\"größe\" = { tiefe = [ 0.1 , 1_000.25,\n -2.5e-3, +3.0 ], text = \"1/3\", whole = 1_000 }\n",
                      "see elsewhere");
  const Item root = file.root();
  EXPECT_EQ(root.find("step")->number(), Rational(1, 100));
  const Item inner = *root.find("größe");
  EXPECT_EQ(inner.find("tiefe")->numbers(),
            (std::vector<Rational>{Rational(1, 10), Rational(4001, 4), Rational(-1, 400), Rational(3)}));
  EXPECT_EQ(inner.find("text")->number(), Rational(1, 3));
  EXPECT_EQ(inner.find("whole")->entry(), "1000");
  EXPECT_EQ(root.find("step")->entry(), "0.01");
}

TEST(TomlNumbers, AreFoundWhereverTheyStand) {
  EXPECT_TRUE(rc::check([] {
    const auto digits = *rc::gen::inRange(0, 1'000'000);
    const auto places = *rc::gen::inRange(1, 30);
    std::string text = "before = 'ü'  # 0.5\n";
    text += std::string(static_cast<std::size_t>(*rc::gen::inRange(0, 5)), ' ');
    text +=
        "a.\"é\" = [7, " + std::to_string(digits) + "." + std::string(static_cast<std::size_t>(places), '0') + "1]\n";
    const TomlFile file("x.toml", text, "");
    const Rational expected = Rational(digits) + Rational(10).pow(-places - 1);
    RC_ASSERT(file.root().find("a")->find("é")->numbers()[1] == expected);
  }));
}

TEST(TomlDates, AreTextsAsOptionsHaveThem) {
  const TomlFile file("x.toml", "bounds = [2020-01-01, 2024-12-31T17:00:00Z ] # to the end\nday = 2024-02-29\n", "");
  EXPECT_EQ(file.root().find("bounds")->items()[0].entry(), "2020-01-01");
  EXPECT_EQ(file.root().find("bounds")->items()[1].entry(), "2024-12-31T17:00:00Z");
  EXPECT_EQ(file.root().find("day")->entry(), "2024-02-29");
}

TEST(TomlMembers, ComeInTheirOrder) {
  const TomlFile file("x.toml", "[keys]\nz = 1\na = 2\nm = { y = 1, b = 2 }\n", "");
  std::string order;
  for (const auto& [key, item] : file.root().find("keys")->members()) order += key;
  EXPECT_EQ(order, "zam");
}

/// The parser's own error would quote the text at that place.
TEST(TomlFiles, AreRefusedWithoutQuotingThem) {
  try {
    TomlFile("x.toml", "a = 1\nsecret 17\n", "see elsewhere");
    FAIL() << "no TOML";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_STREQ(error.what(), "x.toml:2: this is not TOML");
    EXPECT_EQ(error.hint(), "a TOML file is expected; see elsewhere");
  }
}

}  // namespace
}  // namespace fractile::requests
