#include "report/text/shown_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "fractile/planning.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release.hpp"
#include "fractile/reports.hpp"
#include "report/text/canonical_query.hpp"
#include "report/text/characters.hpp"
#include "support/described.hpp"
#include "support/releases.hpp"

namespace fractile {
namespace {

using report_detail::Character;
using report_detail::first_character;
using report_detail::is_hidden;

/// Bytes of all kinds. Escapes, separators, directions, Markdown and broken UTF-8 are more frequent than by chance.
rc::Gen<std::string> nasty_text() {
  const auto piece = rc::gen::oneOf(
      rc::gen::container<std::string>(rc::gen::arbitrary<char>()),
      rc::gen::element<std::string>("\x1b[2J", "\n", "\r", "\t", "\x7f", "\xc2\x9b", "\xe2\x80\xa8", "\xe2\x80\xae",
                                    "\xe2\x81\xa6", "\xd8\x9c", "\xe2\x80\x8b", "\xef\xbb\xbf", "\xf3\xa0\x80\x81",
                                    "\xff", "\xed\xa0\x80", "\xc3", "\\x", "\\xff", "\\", "](http://x)", "<script>",
                                    "`", "|", "a", "\xc3\xa9", "\xe2\x80\x8d", "\"", "'", ","));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece), [](const std::vector<std::string>& pieces) {
    std::string text;
    for (const std::string& each : pieces) text += each;
    return text;
  });
}

/// Expects UTF-8 without hidden characters, except for `allowed`.
void expect_clean(std::string_view text, char32_t allowed = U' ') {
  while (!text.empty()) {
    const Character character = first_character(text);
    RC_ASSERT(character.valid);
    RC_ASSERT(character.code == allowed || !is_hidden(character.code));
    text.remove_prefix(character.size);
  }
}

TEST(ShownText, EscapesWhatNobodySees) {
  EXPECT_EQ(shown_text("age in \xc3\xa9t\xc3\xa9, 100 %"), "age in \xc3\xa9t\xc3\xa9, 100 %");
  EXPECT_EQ(shown_text("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(shown_text("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(shown_text("\xc2\x9b"), "\\u{9b}");
  EXPECT_EQ(shown_text("\xe2\x80\xae txt.exe"), "\\u{202e} txt.exe");
  EXPECT_EQ(shown_text("\xe2\x80\xa8\xe2\x81\xa9\xd8\x9c\xe2\x80\x8f"), "\\u{2028}\\u{2069}\\u{61c}\\u{200f}");
  EXPECT_EQ(shown_text("\xf3\xa0\x80\x81"), "\\u{e0001}");
  EXPECT_EQ(shown_text("\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae"), "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae");  // a joiner
  EXPECT_EQ(shown_lines("a\nb\r\n"), "a\nb\\r\n");
}

/// Unicode's Cc, Zl and Zp, and Cf except for the joiners and for visible characters, such as the signs before Arabic numbers.
TEST(ShownText, HiddenCharactersOneByOne) {
  for (const char32_t code : std::initializer_list<char32_t>{
           0x00,   0x07,   0x1F,   0x7F,   0x80,   0x9B,   0x9F,   0xAD,   0x61C,  0x180E, 0x200B,  0x200E, 0x200F,
           0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0x206F, 0xFEFF, 0xFFF9, 0xE0001, 0xE007F}) {
    EXPECT_TRUE(is_hidden(code)) << static_cast<std::uint32_t>(code);
  }
  for (const char32_t code : std::initializer_list<char32_t>{0x20, 0x7E, 0xA0, 0xE9, 0x200C, 0x200D, 0x2010, 0x2030,
                                                             0x20AC, 0x1F393, 0xE0100}) {
    EXPECT_FALSE(is_hidden(code)) << static_cast<std::uint32_t>(code);
  }
}

TEST(ShownText, BytesThatAreNotUtf8) {
  EXPECT_EQ(shown_text("caf\xe9.csv"), "caf\\xe9.csv");
  EXPECT_EQ(shown_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(shown_text("\xc0\x80\xf4\x90\x80\x80"), "\\xc0\\x80\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(shown_text("\xe2\x82"), "\\xe2\\x82");
  EXPECT_TRUE(is_utf8("\xe2\x82\xac\xf0\x9f\x8e\x93"));
  for (const char* text : {"\xe9", "\xed\xa0\x80", "\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xf5\x80\x80\x80",
                           "\xf4\x90\x80\x80", "\x80", "\xe2\x82"}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

TEST(ShownText, WhateverTheBytes) {
  EXPECT_TRUE(rc::check("one clean line", [] {
    const std::string text = *nasty_text();
    expect_clean(shown_text(text));
    expect_clean(shown_lines(text), U'\n');
  }));
}

/// The inverse of name_text.
std::string bytes_of(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size();) {
    const bool escape = text.compare(i, 2, "\\x") == 0 && i + 4 <= text.size() &&
                        text.find_first_not_of("0123456789abcdef", i + 2) >= i + 4;
    bytes += escape ? static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16)) : text[i];
    i += escape ? 4 : 1;
  }
  return bytes;
}

TEST(NameText, DifferentNamesHaveDifferentTexts) {
  EXPECT_EQ(name_text("r\xc3\xa9sum\xc3\xa9\n.csv"), "r\xc3\xa9sum\xc3\xa9\n.csv");
  EXPECT_EQ(name_text("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(name_text("caf\\xe9"), "caf\\x5cxe9");
  EXPECT_EQ(name_text("C:\\xabel\\xE9\\xa"), "C:\\x5cxabel\\xE9\\xa");
  EXPECT_TRUE(rc::check("can be undone", [] {
    const std::string name = *nasty_text();
    RC_ASSERT(is_utf8(name_text(name)));
    RC_ASSERT(bytes_of(name_text(name)) == name);
  }));
}

Release small_release() {
  const Lattice lattice = Lattice::regular(0, 10, 1);
  const QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(1))};
  RandomBits bits = RandomBits::unsafe_seeded(1);
  return release(reference_table(lattice, Shape::normal, 30), query, bits);
}

TEST(ShownText, ReceiptsAndPagesOfAnyNames) {
  const Release release = small_release();
  EXPECT_TRUE(rc::check("valid, without hidden characters, and read again", [&] {
    const std::string file = *nasty_text();
    const std::string column = *nasty_text();
    const std::string key = *nasty_text() + "k";
    const SourceDescription source{file, *nasty_text(), column, NullPolicy::drop, "E", *nasty_text(), "b"};
    const Release groups = testing::under_key(release, key, source);
    const std::string json = to_json(groups);
    expect_clean(json, U'\n');
    const Release receipt = read_receipt(json, file);
    RC_ASSERT(receipt.source.file == name_text(file));
    RC_ASSERT(receipt.source.column == utf8_text(column));
    RC_ASSERT(receipt.source.person == utf8_text(source.person));
    RC_ASSERT(receipt.source.sql == utf8_text(source.sql));
    RC_ASSERT(receipt.groups.at(0).key == utf8_text(key));
    for (const Prose prose : {Prose::text, Prose::markdown}) expect_clean(explain(receipt, prose), U'\n');
    expect_clean(to_table(groups), U'\n');
    expect_clean(to_table(receipt), U'\n');
    const std::string query = canonical_query(release.query, release.lattice, source, {"", "", false, false, {key}});
    RC_ASSERT(is_utf8(query));
  }));
}

// A person who writes a receipt by hand can write any text anywhere, and the matching hash.
TEST(ShownText, PagesOfReceiptsFromElsewhere) {
  const SourceDescription source{"t.csv", "", "x", NullPolicy::drop, "E", "", "b"};
  const Release sound = read_receipt(to_json(testing::under_key(small_release(), "k", source)), "r");
  const auto texts = [](Release& receipt) {
    Release::Group& group = receipt.groups.at(0);
    return std::vector<std::string*>{&group.used.reason, &receipt.program, &receipt.errors->unbounded_reason,
                                     &receipt.source.engine, &group.spent.at(0).part};
  };
  Release first = sound;
  for (std::size_t i = 0; i < texts(first).size(); ++i) {
    Release receipt = sound;
    *texts(receipt)[i] += "\x1b]0;x\x07\u202e";
    for (const Prose prose : {Prose::text, Prose::markdown}) expect_clean(explain(receipt, prose), U'\n');
  }
}

TEST(ShownText, TwoFilesAreTwoQueries) {
  const Release release = small_release();
  const auto query_of = [&](const std::string& file) {
    return canonical_query(release.query, release.lattice, {file, "", "x", NullPolicy::drop, "E"}, {});
  };
  EXPECT_NE(query_of("a\xe9.csv"), query_of("a\xe8.csv"));
  EXPECT_NE(query_of("a\xe9.csv"), query_of("a\\xe9.csv"));
  EXPECT_NE(query_of("a\xe9.csv"), query_of("a\xc3\xa9.csv"));
}

TEST(ShownText, MarkdownMeansNothing) {
  const SourceDescription source{
      "](http://x).csv", "", "`a` | <script>alert(1)</script>", NullPolicy::drop, "E", "", "b"};
  const Release groups = testing::under_key(small_release(), "[k](http://x)\n# h", source);
  const std::string page = explain(read_receipt(to_json(groups), "r"), Prose::markdown);
  const auto counts = [&](const std::string& text) { return page.find(text) != std::string::npos; };
  EXPECT_TRUE(counts(R"(\`a\` \| \<script\>alert\(1\)\<\/script\>)")) << page;
  EXPECT_TRUE(counts(R"(\]\(http\:\/\/x\)\.csv)")) << page;
  EXPECT_TRUE(counts(R"(| \[k\]\(http\:\/\/x\)\\n\# h |)")) << page;
}

LedgerStatement statement_with(const std::string& text) {
  const Budget budget = Budget::pure(Rational(1));
  LedgerDataset dataset{text, budget};
  dataset.unit = text;
  LedgerEntry entry{1, {text, text, budget}, budget};
  entry.request.receipt_path = text;
  entry.reason = text;
  LedgerStatement statement;
  statement.accounts.push_back({dataset, {}});
  statement.entries.push_back(entry);
  return statement;
}

TEST(ShownText, LedgersOfAnyNames) {
  EXPECT_TRUE(rc::check("tables and JSON are clean, CSV is UTF-8", [] {
    const LedgerStatement statement = statement_with(*nasty_text());
    expect_clean(to_table(statement), U'\n');
    expect_clean(to_json(statement, LedgerDetail::everything), U'\n');
    RC_ASSERT(is_utf8(to_csv(statement, LedgerDetail::everything)));
    RC_ASSERT(is_utf8(to_csv(statement, LedgerDetail::balances)));
  }));
}

/// Once, a word of which another began with what was typed was nearer than a word in which one letter differs.
TEST(NearestWord, IsNotTheOneThatBeginsAlikeIfAnotherIsAsNear) {
  EXPECT_EQ(nearest_word("counts", {"count", "mean", "counts_share"}), "count");
  EXPECT_EQ(nearest_word("quant", {"count", "quantiles"}), "quantiles");
  EXPECT_EQ(nearest_word("far", {"count", "quantiles"}), "");
}

}  // namespace
}  // namespace fractile
