#include "fractile/error.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <string>

#include "exact/edit_distance.hpp"
#include "exact/wording.hpp"

namespace fractile {
namespace {

constexpr std::array every_wording{Wording::library, Wording::program, Wording::python, Wording::r, Wording::file};

/// The words in the library's, the program's, Python's and R's syntax.
std::array<std::string, 4> in_all(const Words& words) {
  return {words.in(Wording::library), words.in(Wording::program), words.in(Wording::python), words.in(Wording::r)};
}

using All = std::array<std::string, 4>;

TEST(Field, IsNamedAlone) {
  EXPECT_EQ(in_all(Field("records_per_person")),
            (All{"records_per_person", "--records-per-person", "records_per_person", "records_per_person"}));
}

/// `from` is a keyword of Python.
TEST(Field, IsNoKeyword) {
  EXPECT_EQ(in_all(Field("from").number("ln 3")),
            (All{"from = \"ln 3\"", "--from \"ln 3\"", "from_=\"ln 3\"", "from = \"ln 3\""}));
}

TEST(Field, HasANumber) {
  EXPECT_EQ(in_all(Field("records_per_person").number(3)), (All{"records_per_person = 3", "--records-per-person 3",
                                                                "records_per_person=3", "records_per_person = 3"}));
  for (const char* const literal : {"1", "-2", "0.5", "1e-6", "-1.5e3"}) {
    EXPECT_EQ(in_all(Field("rho").number(literal)),
              (All{std::string("rho = ") + literal, std::string("--rho ") + literal, std::string("rho=") + literal,
                   std::string("rho = ") + literal}));
  }
}

/// Numbers that Python and R would compute differently, or not understand.
TEST(Field, HasANumberThatIsNoLiteral) {
  EXPECT_EQ(in_all(Field("rho").number("1/2")), (All{"rho = \"1/2\"", "--rho 1/2", "rho=\"1/2\"", "rho = \"1/2\""}));
  EXPECT_EQ(in_all(Field("epsilon").number("ln 3")),
            (All{"epsilon = \"ln 3\"", "--epsilon \"ln 3\"", "epsilon=\"ln 3\"", "epsilon = \"ln 3\""}));
  for (const char* const text : {"", "-", ".5", "1e", "1e-", "1x", "0.1..10", "1d", "inf", "--1"}) {
    EXPECT_EQ(Field("x").number(text).in(Wording::python), "x=\"" + std::string(text) + "\"");
  }
}

TEST(Field, HasAText) {
  EXPECT_EQ(in_all(Field("null").text("drop")),
            (All{"null = \"drop\"", "--null drop", "null=\"drop\"", "null = \"drop\""}));
  EXPECT_EQ(in_all(Field("person").text("5")), (All{"person = \"5\"", "--person 5", "person=\"5\"", "person = \"5\""}));
  EXPECT_EQ(Field("delimiter").text(";").in(Wording::program), "--delimiter ';'");
  EXPECT_EQ(Field("delimiter").text(";").in(Wording::r), "delimiter = \";\"");
}

TEST(Field, IsQuotedForTheOneWhoReadsIt) {
  const Field sql = Field("sql").text(R"(SELECT "a b\c" AS x)");
  EXPECT_EQ(sql.in(Wording::program), R"(--sql 'SELECT "a b\c" AS x')");
  EXPECT_EQ(sql.in(Wording::python), R"(sql="SELECT \"a b\\c\" AS x")");
  EXPECT_EQ(sql.in(Wording::r), R"(sql = "SELECT \"a b\\c\" AS x")");
  EXPECT_EQ(Field("by").text("o'clock").in(Wording::program), R"(--by 'o'\''clock')");
  EXPECT_EQ(Field("by").text("o'clock, $ now").in(Wording::program), R"(--by 'o'\''clock, $ now')");
  EXPECT_EQ(Field("by").text("it is").in(Wording::program), "--by \"it is\"");
  EXPECT_EQ(Field("by").text("Größe").in(Wording::program), "--by Größe");
  EXPECT_EQ(Field("by").text("").in(Wording::program), "--by ''");
}

TEST(Field, HasABlank) {
  EXPECT_EQ(in_all(Field("output").blank("PATH")),
            (All{"output = PATH", "--output PATH", "output=PATH", "output = PATH"}));
  EXPECT_EQ(in_all(Field("bounds").blanks("LO", "HI")),
            (All{"bounds = {LO, HI}", "--bounds LO HI", "bounds=(LO, HI)", "bounds = c(LO, HI)"}));
}

TEST(Field, HasAPair) {
  EXPECT_EQ(in_all(Field("bounds").pair("0", "125")),
            (All{"bounds = {0, 125}", "--bounds 0 125", "bounds=(0, 125)", "bounds = c(0, 125)"}));
  EXPECT_EQ(in_all(Field("bounds").pair("2024-01-01", "2024-12-31")),
            (All{"bounds = {\"2024-01-01\", \"2024-12-31\"}", "--bounds 2024-01-01 2024-12-31",
                 "bounds=(\"2024-01-01\", \"2024-12-31\")", "bounds = c(\"2024-01-01\", \"2024-12-31\")"}));
}

TEST(Field, HasARange) {
  EXPECT_EQ(in_all(Field("epsilon").range("0.1", "10")),
            (All{"epsilon = {0.1, 10}", "--epsilon 0.1..10", "epsilon=(0.1, 10)", "epsilon = c(0.1, 10)"}));
  EXPECT_EQ(in_all(Field("epsilon").range("ln 2", "ln 3")),
            (All{"epsilon = {\"ln 2\", \"ln 3\"}", "--epsilon \"ln 2..ln 3\"", "epsilon=(\"ln 2\", \"ln 3\")",
                 "epsilon = c(\"ln 2\", \"ln 3\")"}));
}

TEST(Field, HasAList) {
  EXPECT_EQ(in_all(Field("quantiles").numbers({"0.25", "1/2"})),
            (All{"quantiles = {0.25, \"1/2\"}", "--quantiles 0.25,1/2", "quantiles=[0.25, \"1/2\"]",
                 "quantiles = c(0.25, \"1/2\")"}));
  EXPECT_EQ(
      in_all(Field("keys").texts({"north", "7"})),
      (All{"keys = {\"north\", \"7\"}", "--keys north,7", "keys=[\"north\", \"7\"]", "keys = c(\"north\", \"7\")"}));
}

TEST(Field, HasAnEntry) {
  EXPECT_EQ(in_all(Field("table").entry("visits", "visits.csv")),
            (All{"table = {\"visits\", \"visits.csv\"}", "--table visits=visits.csv",
                 "table={\"visits\": \"visits.csv\"}", "table = c(visits = \"visits.csv\")"}));
}

TEST(Words, AreWordedAsTheyAreAsked) {
  const Words words{"write ", Field("records_per_person").number(1), " or more"};
  EXPECT_EQ(in_all(words), (All{"write records_per_person = 1 or more", "write --records-per-person 1 or more",
                                "write records_per_person=1 or more", "write records_per_person = 1 or more"}));
}

/// Arguments have a comma between them, and options none.
TEST(Words, SeparateFieldsThatFollowEachOther) {
  const Words words{"for ages, write ", Field("bounds").pair("0", "125"), " ", Field("step").text("1d"), " or so"};
  EXPECT_EQ(words.in(Wording::program), "for ages, write --bounds 0 125 --step 1d or so");
  EXPECT_EQ(words.in(Wording::python), "for ages, write bounds=(0, 125), step=\"1d\" or so");
  EXPECT_EQ(words.in(Wording::r), "for ages, write bounds = c(0, 125), step = \"1d\" or so");
  EXPECT_EQ((Words{" ", Field("a"), " "}).in(Wording::python), " a ");
}

TEST(Words, ArePutTogether) {
  const Words inner{"the ", Field("step"), " is"};
  EXPECT_EQ((Words{"x: ", inner, std::string(" bad"), Words()}).in(Wording::program), "x: the --step is bad");
  EXPECT_TRUE(Words().empty());
  EXPECT_TRUE(Words("").empty());
  EXPECT_TRUE((Words{"", std::string()}).empty());
  EXPECT_FALSE(Words(Field("step")).empty());
}

TEST(Words, AreAboutAnotherField) {
  const Words words{Field("epsilon").number(1), " is no epsilon, nor ", Field("rho")};
  EXPECT_EQ(words.renamed("epsilon", "claim").in(Wording::program), "--claim 1 is no epsilon, nor --rho");
}

TEST(Error, TellsItsField) {
  const Error begins(ErrorCode::usage, {Field("step"), " is missing"}, {"write ", Field("step").number(1)});
  EXPECT_STREQ(begins.what(), "step is missing");
  EXPECT_EQ(begins.hint(), "write step = 1");
  EXPECT_EQ(begins.field(), "step");
  EXPECT_EQ(begins.what_words().in(Wording::program), "--step is missing");
  EXPECT_EQ(begins.hint_words().in(Wording::python), "write step=1");
  EXPECT_EQ(Error(ErrorCode::usage, "the step 0 is not positive", "", "step").field(), "step");
  EXPECT_EQ(Error(ErrorCode::usage, {Field("epsilon"), " or ", Field("rho")}, {}, "").field(), "");
  EXPECT_EQ(Error(ErrorCode::data, "a file").field(), "");
  EXPECT_EQ(Error(ErrorCode::data, "a file").hint(), "");
}

/// A column may have any name, and has the same name in every syntax.
TEST(Words, LeaveOtherTextAlone) {
  EXPECT_TRUE(rc::check([](const std::string& foreign) {
    for (const Wording wording : every_wording) {
      RC_ASSERT(Words(foreign).in(wording) == foreign);
      const std::string field = Field("by").in(wording);
      RC_ASSERT((Words{"column '", foreign, "': ", Field("by")}).in(wording) == "column '" + foreign + "': " + field);
    }
  }));
  for (const std::string foreign :
       {"--epsilon 3", "{epsilon}", "epsilon = 3", "fractile release --epsilon 3", "\x01", "{}"}) {
    for (const Wording wording : every_wording) {
      EXPECT_EQ(Error(ErrorCode::data, "no column '" + foreign + "'").what_words().in(wording),
                "no column '" + foreign + "'");
    }
  }
}

TEST(Field, IsAMemberOfAFile) {
  EXPECT_EQ(Field("records_per_person").number(3).in(Wording::file), "records_per_person = 3");
  EXPECT_EQ(Field("bounds").pair("0", "125").in(Wording::file), "bounds = [0, 125]");
  EXPECT_EQ(Field("quantiles").numbers({"0.25", "1/2"}).in(Wording::file), "quantiles = [0.25, \"1/2\"]");
  EXPECT_EQ(Field("table").entry("visits", "visits.csv").in(Wording::file), "table = { visits = \"visits.csv\" }");
}

/// Reads a quoted value as a shell, Python or R would: the result must be the value.
std::string read_back(Wording wording, const std::string& text) {
  std::string value;
  const char quote = text.front();
  if (wording == Wording::program && quote != '"' && quote != '\'') return text;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (wording != Wording::program && text[i] == '\\') ++i;
    if (wording == Wording::program && quote == '\'' && text.compare(i, 4, "'\\''") == 0) i += 3;
    value += text[i];
  }
  return value;
}

TEST(Field, IsReadAsWhatItIs) {
  EXPECT_TRUE(rc::check([] {
    const auto value = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab '\"\\$`!;,=#\xc3\xb6")));
    for (const Wording wording : every_wording) {
      const std::string text = Field("x").text(value).in(wording);
      const std::string before = wording == Wording::program ? "--x " : wording == Wording::python ? "x=" : "x = ";
      RC_ASSERT(text.starts_with(before));
      RC_ASSERT(read_back(wording, text.substr(before.size())) == value);
    }
  }));
}

TEST(EditDistance, OfWords) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("income", "income"), 0u);
  EXPECT_EQ(edit_distance("incoem", "income"), 2u);
}

TEST(EditDistance, IsAMetric) {
  EXPECT_TRUE(rc::check([](const std::string& a, const std::string& b, const std::string& c) {
    RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
    RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
    RC_ASSERT(edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c));
  }));
}

}  // namespace
}  // namespace fractile
