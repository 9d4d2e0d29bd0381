#include "ranks/sorted_points.hpp"

#include <gtest/gtest.h>

#include <cfenv>

#include "ranks/lattice_test_support.hpp"
#include "support/instruction_sets.hpp"

namespace fractile {
namespace {

std::vector<double> any_doubles(std::mt19937_64& random) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values{0.0, -0.0, infinity, -infinity, std::nan(""), 5e-324, -5e-324, 1e308, -1e308};
  values.resize(values.size() + random() % 64);
  for (double& value : values) {
    if (random() % 2 == 0) value = std::bit_cast<double>(random());
    if (random() % 4 == 0) value = static_cast<double>(random() % 1000) - 500;
  }
  return values;
}

TEST(BucketMap, IsTheSameInEveryInstructionSetAndRoundingMode) {
  const BucketMap maps[] = {
      {false, 0, 1, 1023},
      {false, -3.5, 0.001, 7},
      {false, 1e300, 1e-300, 2147483000},
      {false, 2, std::numeric_limits<double>::infinity(), 3},
      {true, BucketMap::place_among_doubles(1e-9), 1e-15, 65535},
      {true, BucketMap::place_among_doubles(-1e200), 1e-12, 2147483000},
  };
  testing::on_every_instruction_set([&] {
    std::mt19937_64 random(5);
    for (const BucketMap& map : maps) {
      for (int i = 0; i < 200; ++i) {
        const std::vector<double> values = any_doubles(random);
        for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
          std::fesetround(mode);
          std::vector<std::uint32_t> expected;
          for (const double value : values) expected.push_back(map(value));
          std::vector<std::uint32_t> buckets(values.size() + 1, 77);
          map(values, buckets.data());
          std::fesetround(FE_TONEAREST);
          expected.push_back(77);  // and nothing behind them
          ASSERT_EQ(buckets, expected);
        }
      }
    }
  });
}

}  // namespace
}  // namespace fractile
