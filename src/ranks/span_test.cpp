#include "ranks/span.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "exact/law.hpp"

namespace fractile {
namespace {

/// A node as plain counts: what the cursors are checked against.
struct PlainNode {
  std::map<Position, std::uint64_t> records;
  Split lowest;
  Split highest;

  std::uint64_t total() const {
    std::uint64_t n = 0;
    for (const auto& [p, e] : records) n += e;
    return n;
  }

  /// The definition of the spread, cell by cell.
  std::uint64_t at_below(Position position, std::uint64_t count, std::uint64_t subcells, Split split) const {
    const Split cell = position / 2 * subcells;
    if (position % 2 == 0) return cell <= split ? count : 0;
    const Split start = std::max(cell, lowest);
    const Split end = std::min(cell + subcells, highest);
    if (start >= end || split < start) return 0;
    return split >= end ? count : count * (split - start) / (end - start);
  }

  std::uint64_t below(std::uint64_t subcells, Split split) const {
    std::uint64_t n = 0;
    for (const auto& [p, e] : records) n += at_below(p, e, subcells, split);
    return n;
  }

  std::pair<PlainNode, PlainNode> split_at(std::uint64_t subcells, Split split) const {
    PlainNode left{{}, lowest, split};
    PlainNode right{{}, split, highest};
    for (const auto& [p, e] : records) {
      const std::uint64_t down = at_below(p, e, subcells, split);
      if (down > 0) left.records[p] = down;
      if (e > down) right.records[p] = e - down;
    }
    return {left, right};
  }
};

RankProfile profile_of(std::uint64_t candidates, const std::map<Position, std::uint64_t>& records) {
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (const auto& [p, e] : records) {
    positions.push_back(p);
    counts.push_back(e);
  }
  return {candidates, positions, counts};
}

std::map<Position, std::uint64_t> any_records(std::uint64_t candidates) {
  std::map<Position, std::uint64_t> records;
  for (int k = *rc::gen::inRange(0, 6); k > 0; --k) {
    records[*rc::gen::inRange<Position>(0, 2 * candidates + 1)] += *rc::gen::inRange<std::uint64_t>(1, 9);
  }
  return records;
}

TEST(Span, CursorsAgreeWithTheDefinitionDownTheRecursion) {
  EXPECT_TRUE(rc::check("splits and candidates", [] {
    const std::uint64_t candidates = *rc::gen::inRange<std::uint64_t>(1, 6);
    const std::uint64_t subcells = *rc::gen::element<std::uint64_t>(1, 2, 3, 7, 16);
    const std::uint64_t den = *rc::gen::inRange<std::uint64_t>(1, 9);
    const QuantileFraction alpha{*rc::gen::inRange<std::uint64_t>(0, den + 1), den};
    const auto records = any_records(candidates);
    const RankProfile profile = profile_of(candidates, records);
    RankSpan span = whole_span(profile, subcells);
    PlainNode plain{records, span.lowest, span.highest};
    for (int level = 0; level < 4; ++level) {
      const std::uint64_t n = plain.total();
      RC_ASSERT(span.records() == n);
      Split next = span.lowest;
      for (const auto& run : runs_of(SplitCursor(profile, span, subcells, alpha))) {
        RC_ASSERT(run.start == next);
        next = run.start + run.length;
        for (Split s = run.start; s < next; ++s) {
          const std::uint64_t below = plain.below(subcells, s);
          RC_ASSERT(records_below(profile, span, subcells, s) == below);
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
          for (const auto& [p, e] : plain.records) below += p < 2 * candidate + 1 ? e : 0;
          const auto tied = plain.records.find(2 * candidate + 1);
          const std::uint64_t equal = tied == plain.records.end() ? 0 : tied->second;
          RC_ASSERT(run.score == interval_score(alpha, below, equal, n));
        }
      }
      RC_ASSERT(candidate == span.highest / subcells + 1);

      const Split split = *rc::gen::inRange(span.lowest, span.highest + 1);
      const std::uint64_t border = span.first_rank + records_below(profile, span, subcells, split);
      const auto [left, right] = plain.split_at(subcells, split);
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

// docs/proofs/approximate_quantiles.md, lemma 2: with the same splits, one record more is one record more in one part.
TEST(Span, OneRecordMoreIsOneRecordMoreInExactlyOnePart) {
  EXPECT_TRUE(rc::check("splits keep records apart", [] {
    const std::uint64_t candidates = *rc::gen::inRange<std::uint64_t>(1, 6);
    const std::uint64_t subcells = *rc::gen::element<std::uint64_t>(1, 2, 3, 16);
    auto records = any_records(candidates);
    PlainNode small{records, 0, candidates * subcells - 1};
    records[*rc::gen::inRange<Position>(0, 2 * candidates + 1)] += 1;
    PlainNode large{records, 0, candidates * subcells - 1};
    for (int level = 0; level < 4; ++level) {
      const Split split = *rc::gen::inRange(small.lowest, small.highest + 1);
      const auto [small_left, small_right] = small.split_at(subcells, split);
      const auto [large_left, large_right] = large.split_at(subcells, split);
      const auto more_left = large_left.total() - small_left.total();
      const auto more_right = large_right.total() - small_right.total();
      RC_ASSERT(more_left + more_right == 1U);
      small = more_left == 1 ? small_left : small_right;
      large = more_left == 1 ? large_left : large_right;
      RC_ASSERT(
          (more_left == 1 ? small_right.records == large_right.records : small_left.records == large_left.records));
      std::size_t differing = 0;
      for (const auto& [p, e] : large.records) {
        const auto at = small.records.find(p);
        const std::uint64_t before = at == small.records.end() ? 0 : at->second;
        RC_ASSERT(e == before || e == before + 1);
        differing += e == before ? 0 : 1;
      }
      RC_ASSERT(differing == 1U);
    }
  }));
}

// A part without records, between two records of one tie.
TEST(Span, AnEmptyPartInsideATieHasOneRun) {
  const RankProfile profile(3, {3}, std::vector<std::uint64_t>{8});
  const RankSpan span{4, 4, 6, 7};
  EXPECT_EQ(runs_of(SplitCursor(profile, span, 4, {1, 2})).size(), 1U);
  EXPECT_EQ(runs_of(CandidateCursor(profile, span, 4, {1, 2})).size(), 1U);
}

TEST(Span, SubcellsKeepSplitsCountable) {
  EXPECT_EQ(subcells_for(126), std::uint64_t{1} << 16);
  EXPECT_EQ(subcells_for(std::uint64_t{1} << 46), std::uint64_t{1} << 16);
  EXPECT_EQ(subcells_for((std::uint64_t{1} << 46) + 1), std::uint64_t{1} << 15);
  EXPECT_EQ(subcells_for(Lattice::max_size), 1U);
}

TEST(Span, ATieOfAMillionIsDividedEvenly) {
  const RankProfile profile(3, {3}, std::vector<std::uint64_t>{1'000'000});
  const std::uint64_t subcells = subcells_for(3);
  const RankSpan span = whole_span(profile, subcells);
  EXPECT_EQ(records_below(profile, span, subcells, subcells + subcells / 4), 250'000U);
  EXPECT_LE(runs_of(SplitCursor(profile, span, subcells, {1, 2})).size(), subcells + 2);
}

}  // namespace
}  // namespace fractile
