#include "ranks/tiles.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <span>

#include "exact/law.hpp"
#include "exact/tiled_selection.hpp"
#include "support/profiles.hpp"
#include "support/statistics.hpp"

namespace fractile {

static bool operator==(const Run& a, const Run& b) {
  return a.start == b.start && a.length == b.length && a.score == b.score;
}

namespace {

using testing::chi_square_p;
using testing::effort;
using testing::profile_of;
using Runs = std::vector<Run>;

std::vector<Run> runs_of(auto cursor) {
  std::vector<Run> runs;
  for (Run run{}; cursor.next(run);) runs.push_back(run);
  return runs;
}

std::vector<Run> runs_of_tiles(const auto& tiles, const auto& parts) {
  std::vector<Run> runs;
  for (const auto& part : parts) {
    const std::vector<Run> within = runs_of(tiles.cursor(part));
    runs.insert(runs.end(), within.begin(), within.end());
  }
  return runs;
}

/// Expects that a tile has its runs' members, each with its score, and their least score; and that its parts have, down to listed
/// runs.
void expect_sums(const auto& tiles, const auto& parts) {
  RC_ASSERT(parts.size() >= 1U);
  for (const auto& part : parts) {
    const Run tile = tiles.all(part);
    std::uint64_t at = tile.start;
    std::uint64_t least = ~std::uint64_t{0};
    const std::vector<Run> runs = runs_of(tiles.cursor(part));
    for (const Run& run : runs) {
      RC_ASSERT(run.start == at);
      RC_ASSERT(tiles.score_of(part, run.start) == run.score);
      RC_ASSERT(tiles.score_of(part, run.start + run.length - 1) == run.score);
      at += run.length;
      least = std::min(least, run.score);
    }
    RC_ASSERT(at == tile.start + tile.length);
    RC_ASSERT(tile.length > 0U);
    RC_ASSERT(tile.score == least);
    const auto smaller = tiles.parts(part);
    if (smaller.empty()) continue;
    RC_ASSERT(smaller.size() > 1U);
    RC_ASSERT(runs_of_tiles(tiles, smaller) == runs);
    expect_sums(tiles, smaller);
  }
}

struct Pass {
  RankProfile profile;
  RankSpan span;
  std::uint64_t subcells;
  QuantileFraction alpha;
};

/// A pass over a node as in a recursion: over the records between two splits.
Pass any_pass() {
  const auto candidates = *rc::gen::inRange<std::uint64_t>(1, 40);
  const std::uint64_t subcells = std::uint64_t{1} << *rc::gen::inRange(0, 7);
  std::map<Position, std::uint64_t> records;
  for (int k = *rc::gen::inRange(0, 30); k > 0; --k) {
    records[*rc::gen::inRange<Position>(0, 2 * candidates + 1)] += *rc::gen::inRange<std::uint64_t>(1, 40);
  }
  RankProfile profile = profile_of(candidates, records);
  const auto a = *rc::gen::inRange<Split>(0, candidates * subcells);
  const auto b = *rc::gen::inRange<Split>(0, candidates * subcells);
  RankSpan span = whole_span(profile, subcells);
  if (*rc::gen::arbitrary<bool>()) {
    span.lowest = std::min(a, b);
    span.first_rank = records_below(profile, subcells, span.lowest);
  }
  if (*rc::gen::arbitrary<bool>()) {
    span.highest = std::max(a, b);
    span.last_rank = records_below(profile, subcells, span.highest);
  }
  const auto denominator = *rc::gen::inRange<std::int64_t>(1, 12);
  const auto numerator = *rc::gen::inRange<std::int64_t>(0, denominator + 1);
  return {std::move(profile), span, subcells, QuantileFraction::of(Rational(numerator, denominator))};
}

TEST(Tiles, AreThePassInPieces) {
  EXPECT_TRUE(rc::check([] {
    const Pass p = any_pass();
    const auto count = *rc::gen::inRange<std::uint64_t>(1, 60);
    const auto listed = *rc::gen::element<std::uint64_t>(0, 3, listed_runs);
    const SplitTiles splits(p.profile, p.span, p.subcells, p.alpha, count, listed);
    RC_ASSERT(runs_of_tiles(splits, splits.parts()) == runs_of(SplitCursor(p.profile, p.span, p.subcells, p.alpha)));
    expect_sums(splits, splits.parts());
    const CandidateTiles candidates(p.profile, p.span, p.subcells, p.alpha, count, listed);
    RC_ASSERT(runs_of_tiles(candidates, candidates.parts()) ==
              runs_of(CandidateCursor(p.profile, p.span, p.subcells, p.alpha)));
    expect_sums(candidates, candidates.parts());
  }));
}

// Tiles once had as many borders as the root of the number of records, and an opened tile as many runs: a quartile of 4e9 records
// among 1e5 positions took 8 ms.
TEST(Tiles, CostTheLogarithmOfTheRecords) {
  RandomBits bits = RandomBits::system();
  for (const std::uint64_t each : {std::uint64_t{100}, std::uint64_t{10'000'000'000}}) {
    const RankProfile profile =
        profile_of(9, {{2, each}, {3, each * 5}, {7, each * 4}, {9, 1}, {11, 3 * each}, {17, 8}});
    const std::uint64_t subcells = subcells_for(9);
    const RankSpan span = whole_span(profile, subcells);
    for (const char* text : {"1/2", "1/1000000"}) {
      const Exponent rate = Exponent::parse(text);
      const RateBounds bounds(rate);
      const SplitTiles tiles(profile, span, subcells, QuantileFraction::of(Rational(1, 4)), tiles_for(span.records()));
      for (int i = 0; i < 20; ++i) {
        TiledSelection<SplitTiles> selection(tiles, rate, bounds);
        SelectionCost cost;
        selection.draw(bits, {}, &cost);
        EXPECT_LT(selection.weighed(), 10'000U) << each << " " << text;
        EXPECT_LT(cost.trials, 100U) << each << " " << text;
      }
    }
  }
}

/// Tiles of listed runs: each is opened into a tile of its first run and a tile of the others, and the second of these into its
/// runs.
class ListedTiles {
 public:
  struct Tile {
    std::size_t which;
    std::size_t first;
    std::size_t end;
  };

  explicit ListedTiles(std::vector<std::vector<Run>> tiles) : tiles_(std::move(tiles)) {}

  class Cursor {
   public:
    explicit Cursor(std::span<const Run> runs) : at_(runs.data()), end_(runs.data() + runs.size()) {}
    bool next(Run& run) {
      if (at_ == end_) return false;
      run = *at_++;
      return true;
    }

   private:
    const Run* at_;
    const Run* end_;
  };

  std::vector<Tile> parts() const {
    std::vector<Tile> parts;
    for (std::size_t i = 0; i < tiles_.size(); ++i) parts.push_back({i, 0, tiles_[i].size()});
    return parts;
  }
  std::vector<Tile> parts(const Tile& tile) const {
    if (tile.first > 0 || tile.end < tiles_[tile.which].size() || tile.end < 3) return {};
    return {{tile.which, 0, 1}, {tile.which, 1, tile.end}};
  }
  Run all(const Tile& tile) const {
    Run all = runs_in(tile).front();
    all.length = 0;
    for (const Run& run : runs_in(tile)) {
      all.length += run.length;
      all.score = std::min(all.score, run.score);
    }
    return all;
  }
  std::uint64_t score_of(const Tile& tile, std::uint64_t member) const {
    return std::ranges::find_if(runs_in(tile), [&](const Run& run) { return member - run.start < run.length; })->score;
  }
  Cursor cursor(const Tile& tile) const { return Cursor(runs_in(tile)); }
  std::vector<Run> runs() const {
    std::vector<Run> all;
    for (const std::vector<Run>& tile : tiles_) all.insert(all.end(), tile.begin(), tile.end());
    return all;
  }

 private:
  std::span<const Run> runs_in(const Tile& tile) const {
    return std::span(tiles_[tile.which]).subspan(tile.first, tile.end - tile.first);
  }

  std::vector<std::vector<Run>> tiles_;
};

/// Consecutive runs by lengths and scores, with a border at every empty one.
ListedTiles tiles_of(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& lengths_and_scores) {
  std::vector<std::vector<Run>> tiles(1);
  std::uint64_t start = 0;
  for (const auto& [length, score] : lengths_and_scores) {
    if (length == 0) {
      tiles.emplace_back();
      continue;
    }
    tiles.back().push_back({start, length, score});
    start += length;
  }
  return ListedTiles(tiles);
}

TEST(TiledSelection, HasTheSoftmaxLaw) {
  constexpr std::uint64_t border = 0;
  const std::vector<std::pair<const char*, ListedTiles>> cases{
      {"one", tiles_of({{3, 2}, {1, 0}, {2, 1}})},
      {"flat", tiles_of({{3, 5}, {1, 5}, {border, 0}, {2, 5}, {border, 0}, {5, 5}})},
      {"steep", tiles_of({{3, 4}, {1, 2}, {border, 0}, {2, 1}, {2, 0}, {1, 3}, {border, 0}, {4, 6}, {5, 9}})},
      // The tile's members are proposed as if each were as good as its best one, so the first coin always fails.
      {"long and worse",
       tiles_of(
           {{2, 1}, {border, 0}, {1, 0}, {std::uint64_t{1} << 61, 60}, {border, 0}, {std::uint64_t{1} << 61, 41}})},
  };
  RandomBits bits = RandomBits::system();
  for (const auto& [name, tiles] : cases) {
    const Runs runs = tiles.runs();
    for (const char* text : {"1", "1/3", "0"}) {
      const Exponent rate = Exponent::parse(text);
      const RateBounds bounds(rate);
      std::vector<double> law;
      for (const Enclosure& p : softmax_law(runs, rate)) law.push_back(p.to_double());
      for (const Filter filter : {Filter{}, Filter::stress()}) {
        std::vector<std::uint64_t> counts(runs.size());
        std::vector<std::uint64_t> halves(2);  // of the longest run: members are uniform
        for (std::uint64_t i = 0; i < effort(filter.prefix_bits == 64 ? 100'000 : 20'000); ++i) {
          const std::uint64_t member = TiledSelection<ListedTiles>(tiles, rate, bounds).draw(bits, filter);
          std::size_t run = 0;
          while (member - runs[run].start >= runs[run].length) ++run;
          ++counts[run];
          if (run == runs.size() - 1) ++halves[2 * (member - runs[run].start) >= runs[run].length ? 1 : 0];
        }
        EXPECT_GT(chi_square_p(counts, law), 1e-9) << name << " " << text;
        if (runs.back().length % 2 == 0 && halves[0] + halves[1] > 0) {
          EXPECT_GT(chi_square_p(halves, {0.5, 0.5}), 1e-9) << name << " " << text;
        }
      }
    }
  }
}

TEST(TiledSelection, DrawsAgainFromWhatItLearned) {
  // One object draws many times. Tiles that were once weighed run by run stay weighed that way.
  const ListedTiles tiles = tiles_of({{3, 4}, {1, 2}, {0, 0}, {2, 1}, {2, 0}, {1, 3}, {0, 0}, {4, 6}, {5, 9}});
  const Exponent rate = Exponent::parse("ln 3");
  const RateBounds bounds(rate);
  const Runs runs = tiles.runs();
  std::vector<double> law;
  for (const Enclosure& p : softmax_law(runs, rate)) law.push_back(p.to_double());
  RandomBits bits = RandomBits::system();
  TiledSelection<ListedTiles> selection(tiles, rate, bounds);
  std::vector<std::uint64_t> counts(runs.size());
  SelectionCost cost;
  const std::uint64_t draws = effort(300'000);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t member = selection.draw(bits, {}, &cost);
    std::size_t run = 0;
    while (member - runs[run].start >= runs[run].length) ++run;
    ++counts[run];
  }
  EXPECT_GT(chi_square_p(counts, law), 1e-9);
  EXPECT_LT(cost.trials, draws + draws / 15);  // no more than the majorants of runs refuse
}

TEST(TiledSelection, OfAProfileHasTheLawOfItsRuns) {
  RandomBits bits = RandomBits::system();
  const RankProfile profile = profile_of(12, {{1, 3}, {4, 2}, {5, 9}, {8, 1}, {9, 4}, {13, 30}, {17, 2}, {23, 5}});
  constexpr std::uint64_t subcells = 4;
  const RankSpan span = whole_span(profile, subcells);
  const QuantileFraction alpha = QuantileFraction::of(Rational(2, 5));
  const Exponent rate = Exponent::parse("1/50");
  const RateBounds bounds(rate);
  const Runs runs = runs_of(SplitCursor(profile, span, subcells, alpha));
  std::vector<double> law;
  for (const Enclosure& p : softmax_law(runs, rate)) law.push_back(p.to_double());
  for (const std::uint64_t count : {1U, 3U, 9U, 56U}) {
    const SplitTiles tiles(profile, span, subcells, alpha, count, count % 2 == 0 ? listed_runs : 4);
    std::vector<std::uint64_t> counts(runs.size());
    for (std::uint64_t i = 0; i < effort(50'000); ++i) {
      const std::uint64_t member = TiledSelection<SplitTiles>(tiles, rate, bounds).draw(bits);
      std::size_t run = 0;
      while (member - runs[run].start >= runs[run].length) ++run;
      ++counts[run];
    }
    EXPECT_GT(chi_square_p(counts, law), 1e-9) << count;
  }
}

}  // namespace
}  // namespace fractile
