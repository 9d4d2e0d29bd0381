#include "source/text/text_numbers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "libraries/fmt.hpp"
#include "source/engine/engine.hpp"
#include "source/engine/misread_texts.hpp"
#include "source/entries/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(TextNumbers, AreDoublesNearestToWhatIsWritten) {
  const std::vector<std::pair<std::string, double>> all{
      {"0", 0},
      {"7", 7},
      {"-12.50", -12.5},
      {"5.", 5},
      {".5", .5},
      {"-.5", -.5},
      {"+5", 5},
      {" 5\t", 5},
      {"\v5\f\r\n", 5},
      {"1e5", 1e5},
      {"1E-05", 1e-5},
      {"00012", 12},
      {"0.1", .1},
      {"0.3", .3},
      {"4.35", 4.35},
      {"1.e5", 1e5},
      {"1e400", infinite},
      {"-1e400", -infinite},
      {"inf", infinite},
      {"-Infinity", -infinite},
      {"1e-400", 0},
      {"4.9e-324", 5e-324},
      {"0.30000000000000004", .1 + .2},
      {"123456789012345", 123456789012345},
      {"9007199254740993", 9007199254740992},
      {"99999999999999.9", 99999999999999.9},
      {"0." + std::string(400, '0') + "1e401", 1},
      {std::string(400, '9') + "e99999999999999999999", infinite},
      {"0." + std::string(400, '0') + "1e99999999999999999999", infinite},
      {"1" + std::string(400, '0') + "e-99999999999999999999", 0}};
  for (const auto& [text, number] : all) {
    ASSERT_TRUE(number_in(text).has_value()) << text;
    EXPECT_EQ(*number_in(text), number) << text;
  }
  EXPECT_TRUE(std::signbit(*number_in("-0")));
  EXPECT_TRUE(std::signbit(*number_in("-1e-400")));
  EXPECT_TRUE(std::isnan(*number_in("NaN")) && std::isnan(*number_in("-nan")));
  for (const char* text : {"",
                           " ",
                           ".",
                           "-",
                           "+",
                           "e5",
                           "1e",
                           "1e+",
                           "--5",
                           "+-5",
                           "-+5",
                           "++5",
                           "- 5",
                           "1_000",
                           "5 5",
                           "5,0",
                           "0x10",
                           "1f",
                           "5%",
                           "1..2",
                           "1.2.3",
                           "NULL",
                           "true",
                           "1e5.5",
                           "\xC2\xA0"
                           "5"})
    EXPECT_FALSE(number_in(text)) << text;
}

/// The engine's answers to an expression of x, for each text; NULL: nothing.
std::vector<std::optional<double>> asked(const std::vector<std::string>& texts, const std::string& expression) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quote_literal(text);
  const Session connection = Session::open({});
  ResultStream rows = connection.query(
      fmt::format("SELECT {} FROM (SELECT unnest(CAST([{}] AS VARCHAR[])) AS x)", expression, list), {CellType::real});
  std::vector<std::optional<double>> answers;
  while (const auto chunk = rows.next()) {
    const ColumnView column = chunk->column(0);
    for (std::size_t row = 0; row < column.rows(); ++row)
      answers.push_back(column.is_null(row) ? std::nullopt : std::optional(column.numbers<double>()[row]));
  }
  return answers;
}

bool are_same(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::bit_cast<std::uint64_t>(*a) == std::bit_cast<std::uint64_t>(*b) || (std::isnan(*a) && std::isnan(*b));
}

/// Texts of some of these parts each.
rc::Gen<std::vector<std::string>> many_texts(const rc::Gen<std::string>& part) {
  const auto joined = [](const std::vector<std::string>& parts) {
    return std::accumulate(parts.begin(), parts.end(), std::string());
  };
  constexpr std::size_t many = 200;
  return rc::gen::container<std::vector<std::string>>(
      many, rc::gen::map(rc::gen::container<std::vector<std::string>>(part), joined));
}

using TextNumbersOfTheEngine = source_test::EngineTest;

// A cell is one number, whether text or the engine's column of text holds it.
TEST_F(TextNumbersOfTheEngine, AreThoseOfItsCast) {
  EXPECT_TRUE(rc::check([] {
    const auto letter = rc::gen::weightedOneOf<std::string>(
        {{10, rc::gen::map(rc::gen::inRange(0, 10), [](int digit) { return std::to_string(digit); })},
         {8, rc::gen::element<std::string>(".", "e", "E", "+", "-", " ", "\t", "\v", "000", "99999", "e-32", "E30")},
         {1, rc::gen::element<std::string>("inf", "NaN", "nan(", ")", "infinity", "_", "+-", "x", ",", "\xC2\xA0",
                                           "\x01", "0x", "true")}});
    const std::vector<std::string> texts = *many_texts(letter);
    const auto answers = asked(texts, "TRY_CAST(x AS DOUBLE)");
    RC_ASSERT(answers.size() == texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (is_misread(texts[i])) {
        RC_ASSERT(!number_in(texts[i]));
      } else if (!are_same(number_in(texts[i]), answers[i])) {
        RC_FAIL(fmt::format("'{}'", texts[i]));
      }
    }
  }));
}

TEST_F(TextNumbersOfTheEngine, AreThoseOfItsCastForDoubles) {
  EXPECT_TRUE(rc::check([] {
    const auto texts = *rc::gen::container<std::vector<std::string>>(
        200, rc::gen::exec([] {
          const auto number = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
          const int digits = *rc::gen::inRange(0, 25);
          if (*rc::gen::arbitrary<bool>()) return fmt::format("{:.{}g}", number, digits);
          return fmt::format("{}.{:0{}}", *rc::gen::arbitrary<std::int64_t>(), *rc::gen::arbitrary<std::uint32_t>(),
                             digits);
        }));
    const auto answers = asked(texts, "TRY_CAST(x AS DOUBLE)");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!are_same(number_in(texts[i]), answers[i])) RC_FAIL(texts[i]);
    }
  }));
}

/// What in_plain_style() says, as an expression of x that uses regular expressions.
std::string styled(const NumberStyle& style) {
  const std::string bare = fmt::format("trim(x, '{}')", blanks_of_cells);
  const std::string decimal = style.decimal.empty() ? "." : style.decimal;
  if (style.thousands.empty())
    return fmt::format("CASE WHEN contains(x, '.') THEN '?' ELSE replace({}, ',', '.') END", bare);
  const std::string marks = style.thousands == " " ? R"([ \x{A0}\x{202F}])" : "[" + style.thousands + "]";
  const std::string number =
      fmt::format(R"([+-]?(\d{{1,3}}({0}\d{{3}})*|\d*)([{1}]\d*)?([eE][+-]?\d+)?)", marks, decimal);
  return fmt::format(
      "CASE WHEN NOT regexp_matches({3}, '[.,]') AND NOT regexp_matches({3}, {0}) THEN {3} WHEN "
      "regexp_full_match({3}, {1}) THEN replace(regexp_replace({3}, {0}, '', 'g'), '{2}', '.') ELSE '?' END",
      quote_literal(marks), quote_literal(number), decimal, bare);
}

TEST_F(TextNumbersOfTheEngine, AreWrittenInStylesAsRegularExpressionsSay) {
  const std::vector<NumberStyle> styles{NumberStyle{","}, {",", "."}, {"", ","}, {".", "'"},
                                        {",", " "},       {",", "'"}, {"", " "}};
  EXPECT_TRUE(rc::check([&] {
    const NumberStyle style = *rc::gen::elementOf(styles);
    const auto letter = rc::gen::weightedOneOf<std::string>(
        {{3, rc::gen::element<std::string>("1", "23", "234", "000", "5678", "inf")},
         {2,
          rc::gen::elementOf(std::vector<std::string>{style.decimal.empty() ? "." : style.decimal, style.thousands})},
         {1, rc::gen::element<std::string>(".", ",", "'", " ", "\xC2\xA0", "\xE2\x80\xAF", "e", "E5", "+", "-", "\t",
                                           "\v", "x")}});
    const std::vector<std::string> texts = *many_texts(letter);
    const auto answers = asked(texts, "TRY_CAST((" + styled(style) + ") AS DOUBLE)");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto plain = in_plain_style(texts[i], style);
      if (plain && is_misread(*plain)) continue;
      if (!are_same(number_in(texts[i], style), answers[i])) RC_FAIL(fmt::format("'{}'", texts[i]));
    }
  }));
}

TEST(TextNumbers, WholeNumbersAreComparedDigitByDigit) {
  const auto is_whole = [](const std::string& text) { return is_whole_number(text, *number_in(text)); };
  EXPECT_TRUE(is_whole("9007199254740992") && is_whole(" -9007199254740994.0 ") && is_whole("+9007199254740992.4"));
  EXPECT_FALSE(is_whole("9007199254740993") || is_whole("-9007199254740993.0") || is_whole("9007199254740992.5"));
  EXPECT_TRUE(is_whole("9007199254740995.5") && is_whole("1e17") && is_whole("100000000000000000.000"));
  EXPECT_TRUE(is_whole("99999999999999999999999999999999999.9e-18"));
  EXPECT_FALSE(is_whole("100000000000000001") || is_whole("10000000000000000.1e1") ||
               is_whole("000123456789012345670e-1"));
  EXPECT_TRUE(is_whole("0.00018014398509481984e20") && is_whole("18014398509481984000e-3"));
}

TEST(TextNumbers, AreWholeIfTheyAreExactly) {
  EXPECT_TRUE(rc::check([] {
    const auto whole = *rc::gen::inRange<std::int64_t>(std::int64_t{1} << 53, std::numeric_limits<std::int64_t>::max());
    const std::string text = std::to_string(whole);
    const double number = *number_in(text);
    RC_ASSERT(is_whole_number(text, number) == (Rational::from_double(number) == Rational(whole)));
    RC_ASSERT(is_whole_number("-" + text + ".000", -number) == is_whole_number(text, number));
    RC_ASSERT(is_whole_number(text + "e0", number) == is_whole_number(text, number));
  }));
}

TEST(TextNumbers, BlanksAroundATextAreLeftOutIfItBeginsWithOne) {
  EXPECT_EQ(without_blanks(" \t5 \n"), "5");
  EXPECT_EQ(without_blanks("5 "), "5 ");
  EXPECT_EQ(without_blanks(" \v\f\r"), "");
  EXPECT_EQ(without_blanks(""), "");
  EXPECT_EQ(without_blanks("\x01 "), "\x01");
  EXPECT_EQ(without_blanks("\xC2\xA0 "), "\xC2\xA0 ");
}

}  // namespace
}  // namespace fractile::source_detail
