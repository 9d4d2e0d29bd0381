#include "publication/steps.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "exact/wording.hpp"

namespace fractile::publication_detail {
namespace {

class Listener final : public Attendant {
 public:
  void warn(const Words& what, const Words& hint) override {
    said += what.in(Wording::program) + "; " + hint.in(Wording::program) + "\n";
  }
  std::string said;
};

std::string said_of(const std::vector<std::string>& keys) {
  Listener listener;
  warn_of_like_keys(keys, listener);
  return listener.said;
}

TEST(LikeKeys, AreWarnedOf) {
  EXPECT_EQ(said_of({"north", "North"}),
            "the keys 'north' and 'North' differ only by one letter, by case or by blanks; if one is a typing error, "
            "its group has no records, and nothing shows that: compare the list with what the table may hold\n");
  for (const auto& [a, b] :
       {std::pair{"Nottinghamshire", "Notinghamshire"}, std::pair{"Bézier", "Bezier"}, std::pair{"manger", "manager"},
        std::pair{"Lancashire", "Lanacshire"}, std::pair{"a b", "ab"}, std::pair{"Middlesex ", "Middlesex"}}) {
    EXPECT_NE(said_of({"x", a, "y", b}).find(std::string("the keys '") + a + "' and '" + b + "'"), std::string::npos)
        << a;
  }
  EXPECT_NE(said_of({"aa", "AA", "Aa"}).find("the first of 2 such pairs"), std::string::npos);
}

TEST(LikeKeys, ThatDifferOnPurposeAreNot) {
  EXPECT_EQ(said_of({"E12000001", "E12000002", "region 1", "region 2", "region 11"}), "");
  EXPECT_EQ(said_of({"Northern", "Southern", "north", "south", "f", "m", "A", "B", "cat", "bat"}), "");
  EXPECT_EQ(said_of({}), "");
}

}  // namespace
}  // namespace fractile::publication_detail
