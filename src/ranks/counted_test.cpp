#include <gtest/gtest.h>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "support/profiles.hpp"

namespace fractile {
namespace {

using testing::profile_of;

TEST(CountedColumns, KnowWhoseTheirRecordsAre) {
  const RankProfile profile = profile_of(5, {{3, 2}});
  const CountedColumn alone(profile, 4);
  EXPECT_FALSE(alone.has_groups());
  EXPECT_EQ(alone.records_per_person(), 4U);
  EXPECT_EQ(alone.sql_stability(), 1U);
  EXPECT_NO_THROW(alone.require_bound(4));
  EXPECT_THROW(alone.require_bound(3), Error);
  const CountedColumn groups({"a", "b"}, {profile, profile}, 1);
  EXPECT_TRUE(groups.has_groups());
  EXPECT_EQ(groups.profiles().size(), 2U);
  EXPECT_EQ(CountedColumn(profile, 1).over_query(3).sql_stability(), 3U);
  EXPECT_EQ(CountedColumn(profile, 1).with_public_rows(9).public_rows(), 9U);
}

TEST(CountedColumns, AreWhole) {
  const RankProfile profile = profile_of(5, {{3, 2}});
  EXPECT_THROW(CountedColumn(profile, 0), Error);
  EXPECT_THROW(CountedColumn({"a"}, {profile}, 0), Error);
  EXPECT_THROW(CountedColumn({}, {}, 1), Error);
  EXPECT_THROW(CountedColumn({"a", "b"}, {profile}, 1), Error);
  EXPECT_THROW(CountedColumn({"a", "b"}, {profile, profile_of(6, {})}, 1), Error);
  EXPECT_THROW(CountedColumn(profile, 1).over_query(0), Error);
  EXPECT_THROW(CountedColumn({"a"}, {profile}, 1).with_public_rows(9), Error);
  EXPECT_THROW(CountedColumn(profile, 1).with_public_rows(RankProfile::max_records + 1), Error);
}

}  // namespace
}  // namespace fractile
