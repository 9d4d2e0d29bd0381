#include <gtest/gtest.h>

#include "fractile/error.hpp"
#include "fractile/quantiles.hpp"

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

}  // namespace
}  // namespace fractile
