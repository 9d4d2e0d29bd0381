#include "exact/divisor.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <vector>

namespace fractile {
namespace {

constexpr std::uint64_t most = ~std::uint64_t{0};

TEST(Divisor, DividesAsTheProcessorDoes) {
  EXPECT_TRUE(rc::check("any numbers", [] {
    const int bits = *rc::gen::inRange(0, 64);
    const std::uint64_t divisor = (*rc::gen::arbitrary<std::uint64_t>() >> bits) | 2;
    const auto number = *rc::gen::arbitrary<std::uint64_t>();
    RC_ASSERT(Divisor(divisor).into(number) == number / divisor);
  }));
}

TEST(Divisor, DividesWhereQuotientsChange) {
  std::vector<std::uint64_t> divisors{4096, 4097, most / 2, most / 2 + 1, most / 2 + 2, most - 1, most};
  for (std::uint64_t divisor = 2; divisor < 100; ++divisor) divisors.push_back(divisor);
  for (const std::uint64_t divisor : divisors) {
    const Divisor by(divisor);
    for (const std::uint64_t quotient : {std::uint64_t{1}, (most / divisor + 1) / 2, most / divisor}) {
      EXPECT_EQ(by.into(quotient * divisor), quotient) << divisor;
      EXPECT_EQ(by.into(quotient * divisor - 1), quotient - 1) << divisor;
    }
    EXPECT_EQ(by.into(most), most / divisor) << divisor;
    EXPECT_EQ(by.into(0), 0U);
  }
}

TEST(Divisibility, HoldsOfMultiples) {
  EXPECT_TRUE(rc::check("any numbers", [] {
    const std::uint64_t divisor =
        *rc::gen::arbitrary<std::uint64_t>() >> *rc::gen::inRange(0, 64) | 1 << *rc::gen::inRange(0, 20);
    const std::uint64_t number = *rc::gen::arbitrary<std::uint64_t>();
    const Divisibility by(divisor);
    RC_ASSERT(by.of(number) == (number % divisor == 0));
    RC_ASSERT(by.of(number - number % divisor));
  }));
}

TEST(Divisibility, HoldsOfNoNeighborOfAMultiple) {
  std::vector<std::uint64_t> divisors{4096, 4097, most / 2, most / 2 + 1, most / 2 + 2, most - 1, most};
  for (std::uint64_t divisor = 1; divisor < 130; ++divisor) divisors.push_back(divisor);
  for (const std::uint64_t divisor : divisors) {
    const Divisibility by(divisor);
    for (const std::uint64_t quotient :
         {std::uint64_t{0}, std::uint64_t{1}, (most / divisor + 1) / 2, most / divisor}) {
      const std::uint64_t multiple = quotient * divisor;
      EXPECT_TRUE(by.of(multiple)) << divisor;
      EXPECT_EQ(by.of(multiple + 1), (multiple + 1) % divisor == 0) << divisor;
      EXPECT_EQ(by.of(multiple - 1), (multiple - 1) % divisor == 0) << divisor;
    }
  }
}

}  // namespace
}  // namespace fractile
