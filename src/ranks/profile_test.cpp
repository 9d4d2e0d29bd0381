#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"

namespace fractile {
namespace {

RankProfile profile_of(const Lattice& lattice, const std::vector<double>& values) {
  ProfileBuilder builder(lattice);
  for (const double v : values) builder.add(v);
  return builder.finish();
}

Lattice numbers_to(std::int64_t upper) { return Lattice::regular(0, upper, 1); }

TEST(RankProfile, CountsBelowAndEqual) {
  const RankProfile p = profile_of(numbers_to(10), {3, 3, 7, 0, 12, 2.6});
  EXPECT_EQ(p.records(), 6U);
  EXPECT_EQ(p.distinct(), 4U);
  EXPECT_EQ(p.below(3), 1U);
  EXPECT_EQ(p.equal(3), 3U);
  EXPECT_EQ(p.below(4), 4U);
  EXPECT_EQ(p.equal(10), 1U);
  EXPECT_EQ(p.equal(5), 0U);
}

TEST(RankProfile, CoarseAndFineLatticesCountAlike) {
  EXPECT_TRUE(rc::check("as a plain count", [] {
    const auto values = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-2, 30));
    const std::vector<double> doubles(values.begin(), values.end());
    const RankProfile coarse = profile_of(numbers_to(25), doubles);
    const RankProfile fine = profile_of(numbers_to((std::int64_t{1} << 40) - 1), doubles);
    for (int c = 0; c <= 25; ++c) {
      const auto candidate = static_cast<std::uint64_t>(c);
      const auto clamped = [](int v, int top) { return std::clamp(v, 0, top); };
      const auto below = std::ranges::count_if(values, [&](int v) { return clamped(v, 25) < c; });
      const auto equal = std::ranges::count_if(values, [&](int v) { return clamped(v, 25) == c; });
      RC_ASSERT(coarse.below(candidate) == static_cast<std::uint64_t>(below));
      RC_ASSERT(coarse.equal(candidate) == static_cast<std::uint64_t>(equal));
      const auto fine_equal = std::ranges::count_if(values, [&](int v) { return clamped(v, 1000) == c; });
      RC_ASSERT(fine.equal(candidate) == static_cast<std::uint64_t>(fine_equal));
    }
  }));
}

TEST(RankProfile, MergesLikeOneColumn) {
  EXPECT_TRUE(rc::check("parts add up", [] {
    const auto a =
        *rc::gen::container<std::vector<double>>(rc::gen::map(rc::gen::inRange(0, 12), [](int v) { return v / 2.0; }));
    const auto b =
        *rc::gen::container<std::vector<double>>(rc::gen::map(rc::gen::inRange(0, 12), [](int v) { return v / 2.0; }));
    std::vector<double> both = a;
    both.insert(both.end(), b.begin(), b.end());
    const Lattice lattice = Lattice::explicit_points({Rational(1), Rational(2), Rational(4)});
    RC_ASSERT(RankProfile::merge(profile_of(lattice, a), profile_of(lattice, b)) == profile_of(lattice, both));
  }));
  EXPECT_THROW(RankProfile::merge(profile_of(numbers_to(3), {}), profile_of(numbers_to(4), {})), Error);
}

TEST(RankProfile, CountsFromAnEngineAreRecords) {
  for (const std::int64_t upper : {std::int64_t{100}, std::int64_t{1} << 50}) {
    ProfileBuilder builder(numbers_to(upper));
    builder.add_position(2 * 5 + 1, 1'000'000);
    builder.add(5.0);
    builder.add_position(2 * 3 + 1, 1);
    builder.add_position(2 * 9 + 1, 0);
    const RankProfile p = builder.finish();
    EXPECT_EQ(p.records(), 1'000'002U);
    EXPECT_EQ(p.equal(5), 1'000'001U);
    EXPECT_EQ(p.distinct(), 2U);
    EXPECT_EQ(builder.finish().records(), 0U);
  }
}

TEST(RankProfile, RefusesWhatCannotBe) {
  const std::vector<std::uint64_t> ones{1, 1};
  EXPECT_THROW(RankProfile(3, {3, 3}, ones), Error);
  EXPECT_THROW(RankProfile(3, {1, 7}, ones), Error);
  EXPECT_THROW(RankProfile(3, {1}, ones), Error);
  const std::vector<std::uint64_t> many{4'000'000'000, 400'000'000};
  EXPECT_THROW(RankProfile(3, {1, 3}, many), Error);
}

}  // namespace
}  // namespace fractile
