#include "report/text/time_axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace fractile::report_detail {
namespace {

double ticks_of(const char* text) { return static_cast<double>(read_moment(text).value().ticks); }

TEST(TimeAxis, TicsStandWhereCalendarsHaveThem) {
  const auto words = [](const char* least, const char* most) {
    return time_axis(read_moment(least)->kind, ticks_of(least), ticks_of(most)).words;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(words("2021-06-28", "2024-07-16"), (Words{"2022", "2023", "2024"}));
  EXPECT_EQ(words("2023-11-20", "2024-02-20"), (Words{"2023-12", "2024-01", "2024-02"}));
  EXPECT_EQ(words("2024-01-30", "2024-02-02"), (Words{"2024-01-30", "2024-01-31", "2024-02-01", "2024-02-02"}));
  EXPECT_EQ(words("2024-01-31T10:00Z", "2024-01-31T16:00Z"), (Words{"10:00", "12:00", "14:00", "16:00"}));
  EXPECT_EQ(words("0001-01-01", "9999-12-31"), (Words{"2000", "4000", "6000", "8000"}));
}

TEST(TimeAxis, HasAFewTicsWhateverItsEnds) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const ValueKind kind = i % 2 == 0 ? ValueKind::date : ValueKind::instant;
    const double ticks_a_day = kind == ValueKind::date ? 1 : double{microseconds_a_day};
    const double first = double{first_day} * ticks_a_day;
    const double range = double{last_day - first_day} * ticks_a_day;
    const auto share = [&] { return std::ldexp(static_cast<double>(random() >> 11), -53); };
    const double least = first + std::floor(range * share());
    const double most = least + std::floor((first + range - least) * std::pow(share(), 12));
    const figures::Axis axis = time_axis(kind, least, most);
    ASSERT_EQ(axis.tics.size(), axis.words.size());
    ASSERT_LE(axis.tics.size(), 8U) << least << " " << most;
    ASSERT_TRUE(std::is_sorted(axis.tics.begin(), axis.tics.end()));
    for (const double tic : axis.tics) ASSERT_TRUE(axis.least <= tic && tic <= axis.most);
    ASSERT_LT(axis.least, least);
    ASSERT_GT(axis.most, most);
    const bool at_an_end = axis.least < first || axis.most > first + range;
    ASSERT_TRUE(!axis.tics.empty() || at_an_end || axis.most - axis.least > 1000 * 365 * ticks_a_day)
        << least << " " << most;
  }
}

}  // namespace
}  // namespace fractile::report_detail
