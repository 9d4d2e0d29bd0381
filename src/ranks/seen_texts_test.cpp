#include "ranks/seen_texts.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

namespace fractile {
namespace {

TEST(SeenTexts, NamesThePlaceOfTheFirstEqualText) {
  EXPECT_TRUE(rc::check([] {
    const auto texts = *rc::gen::container<std::vector<std::string>>(
        rc::gen::container<std::string>(rc::gen::element('a', 'b', '\0')));
    std::map<std::string, std::size_t> first;
    SeenTexts seen(texts, texts.size());
    for (std::size_t k = 0; k < texts.size(); ++k) {
      const auto [place, is_new] = first.emplace(texts[k], k);
      const std::optional<std::size_t> earlier = seen.add(k);
      RC_ASSERT(earlier == (is_new ? std::nullopt : std::optional(place->second)));
    }
  }));
}

// Every text has a slot, even if none is equal to another one.
TEST(SeenTexts, HoldsAsManyTextsAsWereTold) {
  for (const std::size_t most :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{100'000}}) {
    std::vector<std::string> texts;
    SeenTexts seen(texts, most);
    for (std::size_t k = 0; k < most; ++k) {
      texts.push_back(std::to_string(k));
      ASSERT_FALSE(seen.add(k));
    }
    texts.emplace_back("0");
    if (most > 0) {
      EXPECT_EQ(seen.add(most), 0U);
    }
  }
}

}  // namespace
}  // namespace fractile
