#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <random>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"

namespace fractile {
namespace {

RankProfile profile_with(const Lattice& lattice, const std::vector<double>& values) {
  ProfileBuilder builder(lattice);
  builder.add(values);
  return builder.finish();
}

/// Counts the values one by one in a map.
template <class Number>
RankProfile plain_profile_of(const Lattice& lattice, const std::vector<Number>& values) {
  std::map<Position, std::uint64_t> records;
  for (const Number value : values) ++records[lattice.position_of(value)];
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (const auto& [position, count] : records) {
    positions.push_back(position);
    counts.push_back(count);
  }
  return {lattice, positions, counts};
}

Lattice numbers_to(std::int64_t upper) { return Lattice::regular(0, upper, 1); }

/// Lattices of four candidates other than 0, 1, 2, 3; and one of five.
std::vector<Lattice> others_of_four() {
  return {Lattice::regular(1, 4, 1), Lattice::regular(0, 6, 2), Lattice::regular(0, 3, 1, ValueKind::date),
          Lattice::explicit_points({0, 1, 2, 3}), numbers_to(4)};
}

TEST(RankProfile, CountsBelowAndEqual) {
  const RankProfile p = profile_with(numbers_to(10), {3, 3, 7, 0, 12, 2.6});
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
    const RankProfile coarse = profile_with(numbers_to(25), doubles);
    const RankProfile fine = profile_with(numbers_to((std::int64_t{1} << 40) - 1), doubles);
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

TEST(RankProfile, ManyRecordsAreCountedOnLatticesOfAllSizes) {
  std::mt19937_64 random(1);
  std::vector<double> reals;
  std::vector<std::int64_t> wholes;
  for (int i = 0; i < 140'000; ++i) {
    wholes.push_back(static_cast<std::int64_t>(random() % 5000));
    reals.push_back(static_cast<double>(random() >> 11) * 0x1p-53 * 5000);
  }
  std::vector<Lattice> lattices{Lattice::explicit_points({10, 100, 2500, 4000})};
  for (const char* step : {"2500", "1", "0.2", "0.01", "0.0001", "0.000000001"}) {
    lattices.push_back(Lattice::regular(0, 5000, Rational::parse(step)));
  }
  for (const Lattice& lattice : lattices) {
    ProfileBuilder builder(lattice);
    builder.add(std::span<const double>(reals).first(1234));
    builder.add(std::span<const double>(reals).subspan(1234));
    EXPECT_EQ(builder.finish(), plain_profile_of(lattice, reals));
    builder.add(wholes);
    EXPECT_EQ(builder.finish(), plain_profile_of(lattice, wholes));
    builder.add(std::vector<double>(100'000, 42.0));
    EXPECT_EQ(builder.finish().distinct(), 1U);
  }
}

TEST(RankProfile, TheNumberOfThreadsChangesNothing) {
  std::mt19937_64 random(3);
  std::vector<double> reals;
  std::vector<std::int64_t> wholes;
  for (int i = 0; i < 600'000; ++i) {
    wholes.push_back(static_cast<std::int64_t>(random() % 5000) - 1);
    reals.push_back(i % 3 == 0 ? 42.5 : static_cast<double>(random() >> 11) * 0x1p-53 * 5100);
  }
  const std::vector<float> narrow(reals.begin(), reals.end());
  const std::vector<double> of_floats(narrow.begin(), narrow.end());
  const std::vector<Lattice> lattices{Lattice::explicit_points({10, 100, 2500, 4000}), Lattice::regular(0, 5000, 1),
                                      Lattice::regular(0, 5000, Rational::parse("0.01")),
                                      Lattice::regular(0, 5000, Rational::parse("0.000000001"))};
  for (const Lattice& lattice : lattices) {
    ProfileBuilder one(lattice);
    for (const std::size_t threads : {0U, 2U, 3U, 5U}) {
      ProfileBuilder several(lattice, threads);
      for (const std::span<const double> values :
           {std::span<const double>(reals), std::span<const double>(of_floats)}) {
        one.add(values);
        several.add(values);
        EXPECT_TRUE(several.finish() == one.finish()) << threads;
      }
      one.add(wholes);
      several.add(wholes);
      EXPECT_TRUE(several.finish() == one.finish()) << threads;
    }
  }
}

// Positions that all fit 32 bits are held in half of the memory. The first lattice is the finest one whose positions, 0 .. 2 size, do.
TEST(RankProfile, CountsTheHighestPositionsOfFineLattices) {
  for (const std::int64_t candidates :
       {(std::int64_t{1} << 31) - 1, std::int64_t{1} << 31, (std::int64_t{1} << 31) + 1, std::int64_t{1} << 40}) {
    const Lattice lattice = numbers_to(candidates - 1);
    ASSERT_EQ(lattice.size(), static_cast<std::uint64_t>(candidates));
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < 3000; ++i) values.push_back(i % 3 == 0 ? i : candidates + 1000 - i);
    const std::vector<double> reals(values.begin(), values.end());
    ProfileBuilder builder(lattice);
    builder.add(values);
    EXPECT_EQ(builder.finish(), plain_profile_of(lattice, values));
    builder.add(reals);
    EXPECT_EQ(builder.finish(), plain_profile_of(lattice, values));
    for (const std::int64_t value : values) builder.add(value);
    EXPECT_EQ(builder.finish(), plain_profile_of(lattice, values));
    ProfileBuilder other(lattice);
    other.add(values);
    builder.take(other);
    EXPECT_EQ(builder.finish(), plain_profile_of(lattice, values));
    EXPECT_EQ(other.finish().records(), 0U);
  }
}

TEST(RankProfile, WhatOneThreadRefusesIsRefusedByAll) {
  std::vector<double> values(600'000, 1.0);
  values.back() = std::nan("");
  for (const std::int64_t upper : {std::int64_t{100}, std::int64_t{1} << 28, std::int64_t{1} << 50}) {
    ProfileBuilder builder(numbers_to(upper), 4);
    EXPECT_THROW(builder.add(values), Error);
    EXPECT_EQ(builder.finish().records(), 0U);
  }
}

TEST(RankProfile, ABuilderTakesWhatAnotherHas) {
  for (const std::int64_t upper : {std::int64_t{100}, std::int64_t{1} << 28, std::int64_t{1} << 50}) {
    const Lattice lattice = numbers_to(upper);
    ProfileBuilder builder(lattice);
    ProfileBuilder other(lattice);
    builder.add(std::vector<double>{3, 7, 0});
    other.add(std::vector<double>{3, 12});
    other.add_position(2 * 5, 1000);
    builder.take(other);
    EXPECT_EQ(other.finish().records(), 0U);
    const RankProfile both = builder.finish();
    EXPECT_EQ(both.records(), 1005U);
    EXPECT_EQ(both.equal(3), 2U);
    EXPECT_EQ(both.below(5), 1003U);
    ProfileBuilder elsewhere(numbers_to(upper + 1));
    EXPECT_THROW(builder.take(elsewhere), Error);
    builder.add_position(1, RankProfile::max_records - 7);
    other.add_position(1, 8);
    EXPECT_THROW(builder.take(other), Error);
  }
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
    RC_ASSERT(RankProfile::merge(profile_with(lattice, a), profile_with(lattice, b)) == profile_with(lattice, both));
  }));
  const RankProfile three = profile_with(numbers_to(3), {});
  for (const Lattice& other : others_of_four()) EXPECT_THROW(RankProfile::merge(three, profile_with(other, {})), Error);
}

TEST(RankProfile, KnowsItsLatticeAndRefusesAnother) {
  const RankProfile profile = profile_with(numbers_to(3), {0, 2, 2});
  EXPECT_EQ(profile.lattice(), numbers_to(3));
  EXPECT_NO_THROW(profile.require_on(Lattice::numbers(4)));  // the same, made anew
  for (const Lattice& other : others_of_four()) {
    EXPECT_THROW(profile.require_on(other), Error);
    ProfileBuilder here(numbers_to(3));
    ProfileBuilder there(other);
    EXPECT_THROW(here.take(there), Error);
  }
}

TEST(RankProfile, IsRelabeledPositionByPosition) {
  const Lattice tens = Lattice::regular(10, 40, 10);
  const RankProfile profile = relabeled(profile_with(numbers_to(3), {0, 2, 2}), tens);
  EXPECT_EQ(profile, profile_with(tens, {10, 30, 30}));
  EXPECT_FALSE(profile == profile_with(numbers_to(3), {0, 2, 2}));
  EXPECT_THROW(relabeled(profile, numbers_to(4)), Error);
  EXPECT_THROW(relabeled(profile, Lattice::explicit_points({10, 20, 30, 40})), Error);
}

TEST(RankProfile, IsClampedToAPartOfItsLattice) {
  const Lattice tens = Lattice::regular(10, 50, 10);
  const std::vector<RankProfile> both{profile_with(tens, {10, 30, 50}), profile_with(tens, {20})};
  const std::vector<RankProfile> within = clamped(both, 1, 3);
  EXPECT_EQ(within[0], profile_with(Lattice::regular(20, 40, 10), {20, 30, 40}));
  EXPECT_EQ(within[1], profile_with(Lattice::regular(20, 40, 10), {20}));
  EXPECT_EQ(clamped(both[0], 1, 3), within[0]);
  const Lattice listed = Lattice::explicit_points({1, 2, 4, 8});
  EXPECT_EQ(clamped(profile_with(listed, {0, 3, 9}), 1, 2), profile_with(Lattice::explicit_points({2, 4}), {2, 3, 4}));
  EXPECT_THROW(clamped(both[0], 3, 2), Error);
  EXPECT_THROW(clamped(both[0], 3, 5), Error);
  EXPECT_THROW(clamped(std::vector{both[0], profile_with(numbers_to(4), {})}, 1, 3), Error);
}

TEST(RankProfile, CountsFromAnEngineAreRecords) {
  for (const std::int64_t upper : {std::int64_t{100}, std::int64_t{1} << 28, std::int64_t{1} << 50}) {
    ProfileBuilder builder(numbers_to(upper));
    builder.add_position(2 * 5 + 1, 1'000'000);
    builder.add(5.0);
    builder.add_position(2 * 3 + 1, 1);
    builder.add_position(2 * 9 + 1, 0);
    builder.add_position(2 * 9, 7);
    const RankProfile p = builder.finish();
    EXPECT_EQ(p.records(), 1'000'009U);
    EXPECT_EQ(p.equal(5), 1'000'001U);
    EXPECT_EQ(p.below(9), 1'000'009U);
    EXPECT_EQ(p.distinct(), 3U);
    EXPECT_EQ(builder.finish().records(), 0U);
  }
}

TEST(RankProfile, RefusesWhatCannotBe) {
  const std::vector<std::uint64_t> ones{1, 1};
  EXPECT_THROW(RankProfile(Lattice::numbers(3), {3, 3}, ones), Error);
  EXPECT_THROW(RankProfile(Lattice::numbers(3), {1, 7}, ones), Error);
  EXPECT_THROW(RankProfile(Lattice::numbers(3), {1}, ones), Error);
  const std::vector<std::uint64_t> many{RankProfile::max_records - 7, 8};
  EXPECT_THROW(RankProfile(Lattice::numbers(3), {1, 3}, many), Error);
  for (const std::int64_t upper : {std::int64_t{100}, std::int64_t{1} << 28, std::int64_t{1} << 50}) {
    ProfileBuilder builder(numbers_to(upper));
    EXPECT_THROW(builder.add_position(static_cast<Position>(2 * upper + 3), 1), Error);
    builder.add_position(1, RankProfile::max_records - 7);
    EXPECT_THROW(builder.add_position(1, 8), Error);
    EXPECT_EQ(builder.finish().records(), RankProfile::max_records - 7);
  }
}

/// Counters of a coarse lattice have 32 bits: they are emptied before they overflow.
TEST(RankProfile, CountsPastWhatACounterHolds) {
  for (const std::int64_t upper : {std::int64_t{100}, std::int64_t{1} << 28, std::int64_t{1} << 50}) {
    ProfileBuilder builder(numbers_to(upper));
    ProfileBuilder other(numbers_to(upper));
    for (int i = 0; i < 3; ++i) {
      builder.add_position(1, 4'000'000'000);
      builder.add(std::vector<double>{0, 5});
      other.add_position(1, 3'000'000'000);
      other.add_position(3, 1);
    }
    builder.take(other);
    const RankProfile profile = builder.finish();
    EXPECT_EQ(profile.equal(0), 3 * std::uint64_t{4'000'000'001} + 3 * std::uint64_t{3'000'000'000});
    EXPECT_EQ(profile.equal(1), 3U);
    EXPECT_EQ(profile.equal(5), 3U);
  }
}

}  // namespace
}  // namespace fractile
