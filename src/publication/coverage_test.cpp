// Checks, through the entry that users call, that intervals hold in cells of every size as often as stated, and the law by which counts are
// off.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fractile/publication.hpp"
#include "publication/publication_test_support.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using publication_test::CountedCells;
using testing::chi_square_p;
using testing::effort;

constexpr std::int64_t width = 100;  // numbers are 0 .. 100
constexpr std::array<std::uint64_t, 6> sizes{0, 1, 10, 100, 10'000, 1'000'000};

/// The records of a cell: a third of them at 60, and the others spread evenly from 20 to 59. A single record lies at 37.
std::vector<std::uint64_t> spread(std::uint64_t records) {
  std::vector<std::uint64_t> counts(width + 1);
  if (records == 1) ++counts[37];
  if (records <= 1) return counts;
  counts[60] = records / 3;
  for (std::uint64_t i = 0; i < records - records / 3; ++i) ++counts[20 + i % 40];
  return counts;
}

/// The true numbers of a cell.
struct Truth {
  explicit Truth(std::vector<std::uint64_t> of_each) : counts(std::move(of_each)) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      records += counts[i];
      sum += i * counts[i];
    }
  }
  std::uint64_t below(std::uint64_t value) const {
    std::uint64_t sum_below = 0;
    for (std::size_t i = 0; i < value; ++i) sum_below += counts[i];
    return sum_below;
  }
  /// Whether some value from the interval's lower to its upper end is the quantile.
  bool is_held(const Interval& interval, const Rational& quantile) const {
    const Rational rank = quantile * Rational(records);
    const bool from = interval.or_below || Rational(below(interval.lower)) <= rank;
    const bool to = interval.or_above || Rational(below(interval.upper + 1)) >= rank;
    return from && to;
  }

  std::vector<std::uint64_t> counts;
  std::uint64_t records = 0;
  std::uint64_t sum = 0;
};

Publication table_of_sizes(const Budget& budget, bool with_all) {
  Publication publication{"", budget};
  publication.keys = {{"size", {}}};
  for (const std::uint64_t size : sizes) publication.keys[0].keys.push_back(std::to_string(size));
  PublicationTable table{"x", "x", Lattice::numbers(width + 1), {Rational(1, 2)}};
  table.by = {"size"};
  table.levels = {{0}};
  table.count = true;
  if (with_all) {
    table.quantiles = {Rational(1, 4), Rational(1, 2), Rational(9, 10)};
    table.levels.push_back({});
    table.mean = true;
    table.below = {Rational(40)};
    table.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::table};
  }
  publication.tables = {std::move(table)};
  return publication;
}

std::vector<std::vector<std::uint64_t>> cells_of_sizes() {
  std::vector<std::vector<std::uint64_t>> cells;
  for (const std::uint64_t size : sizes) cells.push_back(spread(size));
  return cells;
}

PublishedTables published(const Publication& publication, const std::vector<std::vector<std::uint64_t>>& cells) {
  return publish(Source::counted_elsewhere(std::make_unique<CountedCells>(cells)), {publication});
}

bool is_in(const CountInterval& interval, std::uint64_t number) {
  return interval.lower <= number && number <= interval.upper;
}
bool is_in(const Statistics::Ratio& ratio, const Rational& number) {
  return ratio.lower <= number && number <= ratio.upper;
}

/// How often each interval missed, by the statistic and the cell that it is for.
using Misses = std::map<std::string, std::uint64_t>;

void add_misses(const Truth& truth, const Release& release, const Release::Group& group, const Statistics& statistics,
                Misses& misses) {
  const std::string cell = " of " + std::to_string(truth.records);
  const auto expect = [&](const std::string& what, bool is_held) { misses[what + cell] += is_held ? 0 : 1; };
  expect("count", is_in(statistics.count.interval, truth.records));
  expect("count below 40", is_in(statistics.below[0].interval, truth.below(40)));
  if (truth.records == 0) return;  // an empty cell has no quantile, share or mean
  const auto records = static_cast<std::int64_t>(truth.records);
  expect("share below 40", is_in(statistics.shares[0], Rational(static_cast<std::int64_t>(truth.below(40)), records)));
  expect("mean", is_in(statistics.mean.value(), Rational(static_cast<std::int64_t>(truth.sum), records)));
  for (std::size_t i = 0; i < group.intervals.size(); ++i) {
    const Rational& quantile = release.query.quantiles[i];
    expect("quantile " + quantile.to_string(), truth.is_held(group.intervals[i], quantile));
  }
}

/// If each run misses with a probability of at most 1/20, more misses than this occur less than once in a billion times.
std::uint64_t most_misses(std::uint64_t runs) {
  const double expected = static_cast<double>(runs) / 20;
  return static_cast<std::uint64_t>(expected + 6 * std::sqrt(expected) + 8);
}

class Coverage : public ::testing::TestWithParam<Budget> {};

TEST_P(Coverage, OfIntervalsInCellsOfEverySize) {
  const Publication publication = table_of_sizes(GetParam(), true);
  const std::vector<std::vector<std::uint64_t>> cells = cells_of_sizes();
  std::vector<Truth> truths;
  std::vector<std::uint64_t> all(width + 1);
  for (const std::vector<std::uint64_t>& cell : cells) {
    truths.emplace_back(cell);
    std::ranges::transform(all, cell, all.begin(), std::plus());
  }
  const Truth of_all(all);
  Misses misses;
  const std::uint64_t runs = effort(60);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const PublishedTables tables = published(publication, cells);
    for (std::size_t level = 0; level < 2; ++level) {
      const Release& release = tables.levels[level].release;
      const std::vector<Statistics> statistics = statistics_of(tables, tables.levels[level]);
      for (std::size_t i = 0; i < release.groups.size(); ++i) {
        add_misses(level == 0 ? truths[i] : of_all, release, release.groups[i], statistics[i], misses);
      }
    }
  }
  EXPECT_EQ(misses.size(), 2 + 6 * 7U);
  for (const auto& [what, missed] : misses) EXPECT_LE(missed, most_misses(runs)) << what << ", of " << runs;
}

/// If a count contains only one draw, its error has the law that the receipt states, whatever the cell holds.
TEST_P(Coverage, CountsAreOffByTheStatedNoise) {
  const Publication publication = table_of_sizes(GetParam(), false);
  const std::vector<std::vector<std::uint64_t>> cells = cells_of_sizes();
  std::vector<std::uint64_t> seen;
  std::vector<double> law;
  std::int64_t reach = 0;
  for (std::uint64_t run = 0; run < effort(400); ++run) {
    const Release release = published(publication, cells).levels[0].release;
    if (law.empty()) {
      const CountNoise& noise = release.statistics.value().count_noise;
      const double scale =
          noise.measure == Measure::zcdp ? std::sqrt(noise.sigma_squared.to_double()) : 1 / noise.rate.to_double();
      reach = static_cast<std::int64_t>(40 * scale) + 1;
      double sum = 0;
      for (std::int64_t k = -reach; k <= reach; ++k) {
        const double x = std::abs(static_cast<double>(k)) / scale;
        law.push_back(noise.measure == Measure::zcdp ? std::exp(-x * x / 2) : std::exp(-x));
        sum += law.back();
      }
      for (double& each : law) each /= sum;
      seen.resize(law.size());
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::int64_t error =
          release.groups[i].statistics.value().count.value - static_cast<std::int64_t>(sizes.at(i));
      ++seen.at(static_cast<std::size_t>(std::clamp(error, -reach, reach) + reach));
    }
  }
  EXPECT_GT(chi_square_p(seen, law), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Publication, Coverage,
                         ::testing::Values(Budget::pure(Rational(2)), Budget::zcdp(Rational(1, 2))));

}  // namespace
}  // namespace fractile
