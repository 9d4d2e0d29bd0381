#include <gtest/gtest.h>

#include "fractile/error.hpp"
#include "fractile/release.hpp"
#include "support/profiles.hpp"

namespace fractile {
namespace {

QuantileQuery of(std::uint32_t records) {
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(1))};
  query.records_per_person = records;
  return query;
}

TEST(OverQuery, TimesTheRecordsPerPerson) {
  EXPECT_EQ(over_query(of(1), 1).records_per_person, 1u);
  EXPECT_EQ(over_query(of(3), 7).records_per_person, 21u);
  EXPECT_EQ(over_query(of(65535), 65537).records_per_person, 4294967295u);
}

TEST(OverQuery, RefusesWhatWouldWrapAround) {
  for (const auto& [records, stability] : {std::pair{65536u, 65536u}, {4294967295u, 2u}, {5u, 1'000'000'000u}}) {
    EXPECT_THROW(over_query(of(records), stability), Error) << records << " " << stability;
  }
  EXPECT_THROW(over_query(of(1), 0), Error);
}

/// A release promises for at least as many records per person as the counting let count, times the query's stability.
TEST(OverQuery, WhatWasCountedCarriesItsBoundAndItsStability) {
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const RankProfile profile = testing::profile_of(9, {{3, 20}});
  const auto promised = [&](CountedColumn counted, std::uint32_t records) {
    return release(counted, of(records), bits).query.records_per_person;
  };
  EXPECT_EQ(promised({profile, 3}, 3), 3U);
  EXPECT_EQ(promised({profile, 3}, 5), 5U);
  EXPECT_EQ(promised(CountedColumn(profile, 3).over_query(7), 3), 21U);
  EXPECT_THROW(promised({profile, 3}, 2), Error);
  EXPECT_THROW(promised(CountedColumn(profile, 1).over_query(1'000'000'000), 5), Error);
  const CountedColumn groups = CountedColumn({"a", "b"}, {profile, profile}, 2).over_query(3);
  const Release released = release(groups, of(2), bits);
  EXPECT_EQ(released.keys(), groups.keys());
  EXPECT_EQ(released.query.records_per_person, 6U);
  EXPECT_THROW(release(groups, of(1), bits), Error);
  const CountedColumn with_rows = CountedColumn(profile, 1).with_public_rows(25);
  EXPECT_EQ(release(with_rows, of(1), bits).public_rows, 25U);
}

}  // namespace
}  // namespace fractile
