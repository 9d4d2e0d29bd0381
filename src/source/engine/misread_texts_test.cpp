#include "source/engine/misread_texts.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "source/engine/engine.hpp"
#include "source/entries/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

/// Texts in the engine's layout.
class LaidDown {
 public:
  /// The unused bytes behind a short text are `filler`.
  void add(std::string text, char filler) {
    const std::string& kept = texts_.emplace_back(std::move(text));
    EngineText& cell = cells_.emplace_back();
    std::memset(static_cast<void*>(&cell), filler, sizeof(cell));
    cell.length = static_cast<std::uint32_t>(kept.size());
    if (kept.size() <= EngineText::longest_inside) {
      std::memcpy(reinterpret_cast<char*>(&cell) + offsetof(EngineText, prefix), kept.data(), kept.size());
    } else {
      std::memcpy(cell.prefix, kept.data(), sizeof(cell.prefix));
      cell.bytes = kept.data();
    }
  }
  std::vector<bool> marks(const std::uint64_t* validity = nullptr) const {
    const auto marks = std::make_unique<bool[]>(cells_.size());
    mark_misread(ColumnView(cells_.data(), validity, cells_.size()), marks.get());
    return std::vector<bool>(marks.get(), marks.get() + cells_.size());
  }

 private:
  std::deque<std::string> texts_;  // which stay where they are
  std::vector<EngineText> cells_;
};

std::vector<bool> marks_of(const std::vector<std::string>& texts, char filler = 0) {
  LaidDown laid;
  for (const std::string& text : texts) laid.add(text, filler);
  return laid.marks();
}

TEST(MisreadTexts, EveryPlaceIsLookedAt) {
  for (std::size_t length = 1; length <= 40; ++length) {
    for (const char filler : {'\0', '_', '+', '-', '\xff'}) {
      EXPECT_EQ(marks_of({std::string(length, '7')}, filler), std::vector<bool>{false}) << length;
      for (std::size_t at = 0; at < length; ++at) {
        std::string text(length, '7');
        text[at] = '_';
        EXPECT_EQ(marks_of({text}, filler), std::vector<bool>{true}) << text;
        text[at] = '+';
        EXPECT_EQ(marks_of({text}, filler), std::vector<bool>{false}) << text;
        if (at + 1 == length) continue;
        text[at + 1] = '-';
        EXPECT_EQ(marks_of({text}, filler), std::vector<bool>{true}) << text;
      }
    }
  }
  EXPECT_EQ(marks_of({"", "-+", "+", "-5", "1e+5"}), std::vector<bool>(5, false));
}

TEST(MisreadTexts, AnyTextsAreMarkedOneByOne) {
  EXPECT_TRUE(rc::check([] {
    const auto texts = *rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(
        rc::gen::element<char>('_', '+', '-', '0', '^', '`', '*', ',', '\x5e', '\xdf', '\xab', '\0', '\x80')));
    std::vector<bool> expected;
    for (const std::string& text : texts) {
      expected.push_back(text.find('_') != std::string::npos || text.find("+-") != std::string::npos);
    }
    RC_ASSERT(marks_of(texts) == expected);
    RC_ASSERT(marks_of(texts, '_') == expected);
  }));
}

TEST(MisreadTexts, WhatANullHoldsIsNotLookedAt) {
  LaidDown laid;
  for (const char* text : {"1_0", "1_0", "+-5"}) laid.add(text, 0);
  const std::uint64_t validity = 0b101;
  EXPECT_EQ(laid.marks(&validity), (std::vector<bool>{true, false, true}));
}

using MisreadTextsOfTheEngine = source_test::EngineTest;

// The engine's functions find the same texts, in every kind of vector.
TEST_F(MisreadTextsOfTheEngine, AreThoseThatItsFunctionsFind) {
  const Session connection = Session::open({});
  const std::string letters = "(SELECT unnest(['', '7', '_', '+', '-', 'a long text', NULL]) AS c)";
  const std::string texts = "(SELECT a.c || b.c || d.c || e.c AS x FROM " + letters + " a, " + letters + " b, " +
                            letters + " d, " + letters +
                            " e UNION ALL SELECT '1_0' FROM range(5000) UNION ALL SELECT NULL FROM "
                            "range(5000))";
  ResultStream rows = connection.query(
      "SELECT count(*) FILTER (fractile_misread(x) IS DISTINCT FROM coalesce(contains(x, '_') OR contains(x, '+-'), "
      "false)), count(*) FILTER (fractile_misread(x)), count(*) FILTER (fractile_misread('1_0')), count(*) FILTER "
      "(fractile_misread(NULL)) FROM " +
          texts,
      std::vector<CellType>(4, CellType::integer));
  const auto chunk = rows.next();
  ASSERT_TRUE(chunk);
  const auto count = [&](std::size_t column) { return chunk->column(column).numbers<std::int64_t>()[0]; };
  EXPECT_EQ(count(0), 0);
  EXPECT_GT(count(1), 5000);
  EXPECT_EQ(count(2), 7 * 7 * 7 * 7 + 10000);
  EXPECT_EQ(count(3), 0);
}

}  // namespace
}  // namespace fractile::source_detail
