#include "ranks/span.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <map>

#include "exact/law.hpp"
#include "support/profiles.hpp"

namespace fractile {
namespace {

using testing::profile_of;

/// A record by its position and its first split above.
struct PlainRecord {
  Position position;
  Split threshold;
};

/// By the definition: the i-th record of a cell lies in the part whose number is i with mirrored bits.
std::vector<PlainRecord> plain_records(const std::map<Position, std::uint64_t>& records, std::uint64_t subcells) {
  const int bits = std::countr_zero(subcells);
  std::vector<PlainRecord> result;
  for (const auto& [position, count] : records) {
    for (std::uint64_t i = 1; i <= count; ++i) {
      std::uint64_t part = 0;
      for (int k = 0; k < bits; ++k) part |= ((i >> k) & 1) << (bits - 1 - k);
      const Split cell = position / 2 * subcells;
      result.push_back({position, position % 2 == 0 ? cell : cell + part + 1});
    }
  }
  std::ranges::stable_sort(result, {}, &PlainRecord::threshold);
  return result;
}

/// A node's records in a list, with which the cursors are compared.
struct PlainNode {
  std::vector<PlainRecord> records;
  Split lowest;
  Split highest;

  std::uint64_t total() const { return records.size(); }
  std::uint64_t below(Split split) const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(records, [&](const PlainRecord& r) { return r.threshold <= split; }));
  }
  std::pair<PlainNode, PlainNode> split_at(Split split) const {
    const auto border = records.begin() + static_cast<std::ptrdiff_t>(below(split));
    return {{{records.begin(), border}, lowest, split}, {{border, records.end()}, split, highest}};
  }
};

std::map<Position, std::uint64_t> any_records(std::uint64_t candidates) {
  std::map<Position, std::uint64_t> records;
  for (int k = *rc::gen::inRange(0, 6); k > 0; --k) {
    records[*rc::gen::inRange<Position>(0, 2 * candidates + 1)] += *rc::gen::inRange<std::uint64_t>(1, 9);
  }
  return records;
}

TEST(Span, TheFirstEntryIsFoundFromEveryGuess) {
  for (std::size_t low = 0; low < 3; ++low) {
    for (std::size_t high = low + 1; high < 40; ++high) {
      for (std::size_t first = low; first <= high; ++first) {
        const auto enough = [&](std::size_t k) { return k >= first; };
        ASSERT_EQ(first_entry(low, high, enough), first);
        for (std::size_t near = low; near < high; ++near) {
          std::size_t read = 0;
          const auto counted = [&](std::size_t k) {
            EXPECT_TRUE(low <= k && k < high);
            ++read;
            return enough(k);
          };
          ASSERT_EQ(first_entry_near(near, low, high, counted), first) << near << " in " << low << ", " << high;
          if (near == first) {
            ASSERT_LE(read, 2U);
          }
        }
      }
    }
  }
}

// The product of 10^14 records and a quantile's numerator of 10^9 does not fit 64 bits.
TEST(Span, SplitsOfManyRecordsAreScoredExactly) {
  const RankProfile profile(Lattice::numbers(3), {1, 5},
                            std::vector<std::uint64_t>{100'000'000'000'000 - 100'000, 100'000});
  const QuantileFraction alpha{999'999'999, 1'000'000'000};
  const auto runs = runs_of(SplitCursor(profile, whole_span(profile, 1), 1, alpha));
  EXPECT_EQ(std::ranges::count_if(runs, [](const auto& run) { return run.score == 0; }), 1);
}

TEST(Span, CursorsAgreeWithTheDefinitionDownTheRecursion) {
  EXPECT_TRUE(rc::check("splits and candidates", [] {
    const std::uint64_t candidates = *rc::gen::inRange<std::uint64_t>(1, 6);
    const std::uint64_t subcells = *rc::gen::element<std::uint64_t>(1, 2, 4, 16);
    const std::uint64_t den = *rc::gen::inRange<std::uint64_t>(1, 9);
    const QuantileFraction alpha{*rc::gen::inRange<std::uint64_t>(0, den + 1), den};
    const auto records = any_records(candidates);
    const RankProfile profile = profile_of(candidates, records);
    RankSpan span = whole_span(profile, subcells);
    PlainNode plain{plain_records(records, subcells), span.lowest, span.highest};
    for (int level = 0; level < 4; ++level) {
      const std::uint64_t n = plain.total();
      RC_ASSERT(span.records() == n);
      Split next = span.lowest;
      for (const auto& run : runs_of(SplitCursor(profile, span, subcells, alpha))) {
        RC_ASSERT(run.start == next);
        next = run.start + run.length;
        for (Split s = run.start; s < next; ++s) {
          const std::uint64_t below = plain.below(s);
          RC_ASSERT(records_below(profile, subcells, s) == span.first_rank + below);
          const std::uint64_t a = alpha.denominator * below;
          const std::uint64_t b = alpha.numerator * n;
          RC_ASSERT(run.score == (a > b ? a - b : b - a));
        }
      }
      RC_ASSERT(next == span.highest + 1);

      std::uint64_t candidate = span.lowest / subcells;
      for (const auto& run : runs_of(CandidateCursor(profile, span, subcells, alpha))) {
        for (std::uint64_t i = 0; i < run.length; ++i, ++candidate) {
          RC_ASSERT(run.start + i == candidate);
          std::uint64_t below = 0;
          std::uint64_t equal = 0;
          for (const PlainRecord& r : plain.records) {
            below += r.position < 2 * candidate + 1 ? 1 : 0;
            equal += r.position == 2 * candidate + 1 ? 1 : 0;
          }
          RC_ASSERT(run.score == interval_score(alpha, below, equal, n));
        }
      }
      RC_ASSERT(candidate == span.highest / subcells + 1);

      const Split split = *rc::gen::inRange(span.lowest, span.highest + 1);
      const std::uint64_t border = records_below(profile, subcells, split);
      const auto [left, right] = plain.split_at(split);
      if (*rc::gen::arbitrary<bool>()) {
        plain = left;
        span = {span.first_rank, border, span.lowest, split};
      } else {
        plain = right;
        span = {border, span.last_rank, split, span.highest};
      }
    }
  }));
}

TEST(Span, ThresholdsAreThoseOfTheRecordsFromAnyRankOn) {
  EXPECT_TRUE(rc::check("thresholds", [] {
    const std::uint64_t candidates = *rc::gen::inRange<std::uint64_t>(1, 4);
    const std::uint64_t subcells = *rc::gen::element<std::uint64_t>(1, 2, 8, 64);
    const auto records = any_records(candidates);
    const std::vector<PlainRecord> plain = plain_records(records, subcells);
    const RankProfile profile = profile_of(candidates, records);
    const std::uint64_t first = *rc::gen::inRange<std::uint64_t>(0, plain.size() + 1);
    const std::uint64_t last = *rc::gen::inRange<std::uint64_t>(first, plain.size() + 1);
    ThresholdCursor cursor(profile, first, last, subcells);
    Split threshold = 0;
    std::uint64_t together = 0;
    std::uint64_t rank = first;
    while (cursor.next(threshold, together)) {
      RC_ASSERT(together > 0U);
      for (; together > 0; --together, ++rank) RC_ASSERT(plain[rank].threshold == threshold);
    }
    RC_ASSERT(rank == last);
  }));
}

// docs/proofs/approximate_quantiles.md, lemma 2: one more record adds one threshold, and moves no other.
TEST(Span, OneRecordMoreIsOneThresholdMore) {
  EXPECT_TRUE(rc::check("thresholds are nested", [] {
    const std::uint64_t candidates = *rc::gen::inRange<std::uint64_t>(1, 6);
    const std::uint64_t subcells = *rc::gen::element<std::uint64_t>(1, 2, 4, 16);
    auto records = any_records(candidates);
    const RankProfile small = profile_of(candidates, records);
    records[*rc::gen::inRange<Position>(0, 2 * candidates + 1)] += 1;
    const RankProfile large = profile_of(candidates, records);
    std::uint64_t before = 0;
    for (Split split = 0; split < candidates * subcells; ++split) {
      const std::uint64_t more = records_below(large, subcells, split) - records_below(small, subcells, split);
      RC_ASSERT(more == before || more == before + 1);
      RC_ASSERT(more <= 1U);
      before = more;
    }
  }));
}

// A part without records, between two records of one tie.
TEST(Span, AnEmptyPartInsideATieHasOneRun) {
  const RankProfile profile(Lattice::numbers(3), {3}, std::vector<std::uint64_t>{8});
  const RankSpan span{4, 4, 6, 7};
  EXPECT_EQ(runs_of(SplitCursor(profile, span, 4, {1, 2})).size(), 1U);
  EXPECT_EQ(runs_of(CandidateCursor(profile, span, 4, {1, 2})).size(), 1U);
}

TEST(Span, SubcellsKeepSplitsCountable) {
  EXPECT_EQ(subcells_for(126), std::uint64_t{1} << 32);
  EXPECT_EQ(subcells_for(std::uint64_t{1} << 30), std::uint64_t{1} << 32);
  EXPECT_EQ(subcells_for((std::uint64_t{1} << 30) + 1), std::uint64_t{1} << 31);
  EXPECT_EQ(subcells_for(std::uint64_t{1} << 46), std::uint64_t{1} << 16);
  EXPECT_EQ(subcells_for(Lattice::max_size), 1U);
}

TEST(Span, ATieOfAMillionIsDividedEvenly) {
  const RankProfile profile(Lattice::numbers(3), {3}, std::vector<std::uint64_t>{1'000'000});
  const std::uint64_t subcells = subcells_for(3);
  const RankSpan span = whole_span(profile, subcells);
  EXPECT_NEAR(static_cast<double>(records_below(profile, subcells, subcells + subcells / 4)), 250'000, 16);
  EXPECT_EQ(runs_of(SplitCursor(profile, span, subcells, {1, 2})).size(), 1'000'001U);
}

}  // namespace
}  // namespace fractile
