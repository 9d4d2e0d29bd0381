#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "exact/flint.hpp"
#include "exact/uniform.hpp"
#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::chi_square_p;
using testing::effort;
using testing::placed_bits;

TEST(RandomBits, SystemBitsDoNotRepeat) {
  RandomBits bits = RandomBits::system();
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 10'000; ++i) seen.insert(bits.next64());
  EXPECT_EQ(seen.size(), 10'000U);
  EXPECT_FALSE(bits.unsafe_seed().has_value());
}

TEST(RandomBits, EveryBitIsUsedAsOftenAsNot) {
  RandomBits bits = RandomBits::system();
  std::array<std::uint64_t, 64> ones{};
  const std::uint64_t draws = effort(100'000);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t word = bits.next64();
    for (std::size_t b = 0; b < 64; ++b) ones[b] += (word >> b) & 1;
  }
  for (const std::uint64_t count : ones) EXPECT_GT(chi_square_p({count, draws - count}, {0.5, 0.5}), 1e-9);
}

TEST(RandomBits, SeedsReproduceAndAreToldApart) {
  RandomBits a = RandomBits::unsafe_seeded(7);
  RandomBits b = RandomBits::unsafe_seeded(7);
  RandomBits c = RandomBits::unsafe_seeded(8);
  EXPECT_EQ(a.unsafe_seed(), 7U);
  bool differs = false;
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t word = a.next64();
    ASSERT_EQ(word, b.next64());
    differs |= word != c.next64();
  }
  EXPECT_TRUE(differs);
}

std::set<std::uint64_t> words_of(RandomBits bits) {
  std::set<std::uint64_t> words;
  while (words.size() < 1'000) words.insert(bits.next64());
  return words;
}

TEST(RandomBits, StreamsThatWereSplitOffHaveNothingInCommon) {
  for (const bool seeded : {false, true}) {
    RandomBits bits = seeded ? RandomBits::unsafe_seeded(7) : RandomBits::system();
    std::set<std::uint64_t> all;
    for (int i = 0; i < 5; ++i) {
      RandomBits own = bits.split().value();
      EXPECT_EQ(own.unsafe_seed(), bits.unsafe_seed());
      RandomBits of_own = own.split().value();
      all.merge(words_of(std::move(own)));
      all.merge(words_of(std::move(of_own)));
    }
    all.merge(words_of(std::move(bits)));
    EXPECT_EQ(all.size(), 11'000U);
  }
}

TEST(RandomBits, SplitsOfASeedAreReproduced) {
  RandomBits a = RandomBits::unsafe_seeded(7);
  RandomBits b = RandomBits::unsafe_seeded(7);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(a.split().value().next64(), b.split().value().next64());
  EXPECT_EQ(a.next64(), b.next64());
}

TEST(RandomBits, SeveralSplitsAtOnceAreThoseOneByOne) {
  RandomBits one_by_one = RandomBits::unsafe_seeded(7);
  RandomBits at_once = RandomBits::unsafe_seeded(7);
  std::vector<RandomBits> streams = at_once.split(5);
  ASSERT_EQ(streams.size(), 5U);
  for (RandomBits& stream : streams) {
    RandomBits own = one_by_one.split().value();
    for (int i = 0; i < 1'000; ++i)
      EXPECT_EQ(stream.next64(), own.next64());  // none is used up before the next one begins
  }
  EXPECT_EQ(at_once.next64(), one_by_one.next64());
  std::set<std::uint64_t> all;
  RandomBits system = RandomBits::system();
  for (RandomBits& stream : system.split(5)) all.merge(words_of(std::move(stream)));
  EXPECT_EQ(all.size(), 5'000U);
  EXPECT_TRUE(system.split(0).empty());
}

TEST(RandomBits, AFunctionIsCalledByOneStreamAlone) {
  RandomBits bits = RandomBits::from_source([](std::span<std::byte> out) { std::ranges::fill(out, std::byte{1}); });
  EXPECT_FALSE(bits.split().has_value());
  EXPECT_TRUE(bits.split(3).empty());
}

TEST(RandomBits, FailureThrowsAndNothingIsReturned) {
  EXPECT_THROW(RandomBits::from_source({}), Error);
  int fills = 0;
  RandomBits bits = RandomBits::from_source([&fills](std::span<std::byte>) {
    ++fills;
    throw Error(ErrorCode::internal, "no bits");
  });
  EXPECT_THROW(bits.next64(), Error);
  EXPECT_THROW(bits.next64(), Error);  // a half-filled buffer is never used
  EXPECT_EQ(fills, 2);
}

TEST(RandomBits, AForkedChildStartsFresh) {
  RandomBits bits = RandomBits::system();
  bits.next64();  // the buffer is full now, and would be shared
  std::array<int, 2> channel{};
  ASSERT_EQ(pipe(channel.data()), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::uint64_t word = bits.next64();
    _exit(write(channel[1], &word, sizeof word) == sizeof word ? 0 : 1);
  }
  std::uint64_t theirs = 0;
  ASSERT_EQ(read(channel[0], &theirs, sizeof theirs), static_cast<ssize_t>(sizeof theirs));
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  for (const int end : channel) close(end);
  for (int i = 0; i < 2'000; ++i) EXPECT_NE(bits.next64(), theirs);
}

TEST(RandomBits, UsedBitsAreWiped) {
  // The source is given the buffer again when it is refilled: all of it must have been zeroed.
  bool first = true;
  bool wiped = true;
  std::size_t size = 0;
  RandomBits bits = RandomBits::from_source([&](std::span<std::byte> out) {
    size = out.size();
    for (std::byte& b : out) {
      if (!first) wiped &= b == std::byte{0};
      b = std::byte{0xa5};
    }
    first = false;
  });
  bits.next64();
  for (std::size_t i = 0; i < size / 8; ++i) bits.next64();
  EXPECT_FALSE(first);
  EXPECT_TRUE(wiped);
  EXPECT_LE(size, 4096U);
}

TEST(Uniform, IsUniform) {
  RandomBits bits = RandomBits::system();
  for (const std::uint64_t n : {1U, 2U, 3U, 5U, 7U, 12U}) {
    std::vector<std::uint64_t> counts(n);
    for (std::uint64_t i = 0; i < effort(200'000); ++i) ++counts[uniform_below(bits, n)];
    EXPECT_GT(chi_square_p(counts, std::vector<double>(n, 1.0 / static_cast<double>(n))), 1e-9) << n;
  }
}

TEST(Uniform, OfBytesIsExact) {
  for (int n = 1; n < 256; ++n) {
    std::vector<int> answers(static_cast<std::size_t>(n), 0);
    int rejections = 0;
    for (int byte = 0; byte < 256; ++byte) {
      int words = 0;
      // The word after a rejected one is accepted for every n.
      const auto answer = uniform_by_product(static_cast<std::uint8_t>(n),
                                             [&] { return static_cast<std::uint8_t>(words++ == 0 ? byte : 255); });
      rejections += words > 1 ? 1 : 0;
      if (words == 1) ++answers.at(answer);
    }
    EXPECT_EQ(answers, std::vector<int>(answers.size(), 256 / n)) << n;
    EXPECT_EQ(rejections, 256 % n);
  }
}

TEST(Uniform, ProductsAreExact) {
  EXPECT_TRUE(rc::check([](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    const auto words = [](std::uint64_t high, std::uint64_t low) {
      Integer result;
      fmpz_set_uiui(result.get(), high, low);
      return result;
    };
    // About every third word has all bits set.
    const auto word = [](std::uint64_t x) { return x % 3 == 0 ? ~std::uint64_t{0} : x; };
    const uint128 x = (uint128{word(a)} << 64) | word(b);
    const uint128 y = (uint128{word(c)} << 64) | word(d);
    const Product<uint128> whole = product(x, y);
    Integer expected;
    fmpz_mul(expected.get(), words(word(a), word(b)).get(), words(word(c), word(d)).get());
    Integer found = words(static_cast<std::uint64_t>(whole.high >> 64), static_cast<std::uint64_t>(whole.high));
    fmpz_mul_2exp(found.get(), found.get(), 128);
    const Integer low = words(static_cast<std::uint64_t>(whole.low >> 64), static_cast<std::uint64_t>(whole.low));
    fmpz_add(found.get(), found.get(), low.get());
    RC_ASSERT(fmpz_equal(found.get(), expected.get()));
  }));
}

TEST(Uniform, RejectsTheLeastLowWords) {
  // 2^64 mod 5 = 1: of the words with product 5 r, only r = 0 has a low word below 1.
  RandomBits bits = placed_bits({0, 1, 0, ~std::uint64_t{0}});
  EXPECT_EQ(uniform_below(bits, std::uint64_t{5}), 0U);
  EXPECT_EQ(uniform_below(bits, std::uint64_t{5}), 4U);
  // 2^64 mod 3 2^62 = 2^62: a quarter of the words are rejected.
  RandomBits quarter = placed_bits({0, std::uint64_t{1} << 62, 4, 5, 6});
  EXPECT_EQ(uniform_below(quarter, std::uint64_t{3} << 62), 3U);  // 0 and 2^62 have a low word of 0; 4 is like them
}

TEST(Uniform, ReachesBothEndsBeyond64Bits) {
  const std::uint64_t full = ~std::uint64_t{0};
  const uint128 n = (uint128{5} << 64) + 3;
  RandomBits bits = placed_bits({0, 0, 0, 1, full, full});
  EXPECT_TRUE(uniform_below(bits, n) == 0);  // the product 0 is rejected
  EXPECT_TRUE(uniform_below(bits, n) == n - 1);
  RandomBits exactly64 = placed_bits({42, 7});
  EXPECT_TRUE(uniform_below(exactly64, uint128{1} << 64) == 42);
  RandomBits small = placed_bits({std::uint64_t{9} << 60});
  EXPECT_TRUE(uniform_below(small, uint128{16}) == 9);
}

TEST(Effort, MalformedFactorsAreErrors) {
  EXPECT_EQ(testing::effort_factor("10"), 10);
  EXPECT_EQ(testing::effort_factor("0.5"), 0.5);
  for (const char* malformed : {"", "ten", "10x", "1,5", "0", "-1", "nan", "inf"}) {
    EXPECT_THROW(testing::effort_factor(malformed), std::invalid_argument) << malformed;
  }
}

}  // namespace
}  // namespace fractile
