#include "requests/toml_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "support/errors.hpp"

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

/// Points within strings and comments are not those of keys, and each of them ends where TOML says that it ends.
TEST(TomlKeys, OfManyPartsAreRefusedWhereverTheyStand) {
  const std::string points(40, '.');
  const std::vector<std::string> lines{
      "x = \"" + points + "\"",
      "x = '" + points + "\\'",
      "x = \"\\\"" + points + "\\\\\"",
      "x = \"\"\"\n" + points + "\"\n\\\"\"\"\"\"",
      "x = '''" + points + "'\n\\''''",
      "x = [\"\", '', \"\"\"\"\"\", '''''', 1.5]  # \"" + points,
      "x = { a.\"" + points +
          "\".b = 1979-05-27T00:32:00.999, c = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0] }",
      "x . a.b . c.d.e.f.g.h.i.j.k.l.m.n.o = 1.5",
  };
  EXPECT_TRUE(rc::check([&] {
    std::string text;
    const auto chosen = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, lines.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i) text += "[t" + std::to_string(i) + "]\n" + lines[chosen[i]] + "\n";
    RC_ASSERT(TomlFile("x.toml", text, "").root().members().size() == chosen.size());

    const auto line = 1 + std::ranges::count(text, '\n');
    const std::string long_key = *rc::gen::element<std::string>("a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q = 1\n",
                                                                "[a.'b'.\"c\" .d.e. f.g.h.i.j.k.l.m.n.o.p.q]\n");
    try {
      const TomlFile file("x.toml", text + long_key, "", Quoting::allowed);
      RC_FAIL("the key was accepted");
    } catch (const Error& error) {
      RC_ASSERT(
          std::string(error.what()).starts_with("x.toml:" + std::to_string(line) + ": a key has more than 16 parts"));
    }
  }));
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

/// An editor may have saved it in an encoding of its own: that is said, rather than that it is no TOML.
TEST(TomlFiles, AreUtf8) {
  for (const char* const text : {"a = 1\nb = \"S\xFC"
                                 "d\"\n",
                                 "\xFF\xFE"
                                 "a"}) {
    const Error error = testing::error_of([&] { TomlFile("x.toml", text, "see elsewhere"); });
    EXPECT_NE(std::string(error.what()).find(": this is not UTF-8 text"), std::string::npos) << error.what();
    EXPECT_EQ(error.hint(), "save the file as UTF-8");
  }
}

/// The parser's own error would quote the text at that place.
TEST(TomlFiles, AreRefusedWithoutQuotingThem) {
  const Error error = testing::error_of([&] { TomlFile("x.toml", "a = 1\nsecret 17\n", "see elsewhere"); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_STREQ(error.what(), "x.toml:2: this is not TOML");
  EXPECT_EQ(error.hint(),
            "a TOML file is expected, with texts and fractions in quotes and decimals after a point; see elsewhere");
}

// The message was that this is not TOML. It may be some other file, so only a key is quoted.
TEST(TomlFiles, SayWhichKeyIsWrittenTwice) {
  const auto said = [](const std::string& text) {
    const Error error = testing::error_of([&] { const TomlFile file("x.toml", text, "see elsewhere"); });
    return std::string(error.what()) + "; " + error.hint();
  };
  EXPECT_EQ(said("[a]\nb = 1\nb  = 'secret'\n"), "x.toml:3: 'b' is written twice; write each key once");
  EXPECT_EQ(said("[a]\nb.c = 1\nb.c = 2\n"), "x.toml:3: 'b.c' is written twice; write each key once");
  EXPECT_EQ(said("[a]\nb = 1\nb.c = 2\n"), "x.toml:3: a key is written twice; write each key once");
  EXPECT_EQ(said("[a]\nb = 1\n[a]\n"), "x.toml:3: 'a' is written twice; write each key once");
  EXPECT_EQ(said("[a]\nb = { c = 1, c = 2 }\n"), "x.toml:2: 'c' is written twice; write each key once");
  for (const char* const none : {"2024-02-30", "2024-13-01", "2024-02-29T25:00:00Z", "25:00:00"}) {
    EXPECT_EQ(
        said(std::string("[a]\nb = ") + none + "\n"),
        "x.toml:2: there is no such date or time; write a date as 2024-02-29, and a time as 2024-02-29T17:00:00Z");
  }
  EXPECT_EQ(said("a = 1\nsecret, 3\n").find("secret"), std::string::npos);
}

}  // namespace
}  // namespace fractile::requests
