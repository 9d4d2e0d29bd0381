// Coverage of the intervals of all small tables, by the exact laws of the selected candidates and of the noise: nothing is drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "quantiles/audit/audit.hpp"
#include "quantiles/audit/enumerated_draws.hpp"
#include "quantiles/draws/calibration.hpp"
#include "quantiles/release/release.hpp"
#include "quantiles/stages/brackets.hpp"
#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/critical_values.hpp"
#include "quantiles/stages/intervals.hpp"

namespace fractile {
namespace {

constexpr std::uint64_t records = 6;
constexpr std::size_t candidates = 3;
constexpr std::int64_t reach = 10;  // of a count's noise; what lies beyond is counted as a failure

QuantileQuery median_of(IntervalSubject of) {
  // Budgets with which brackets lie inside the range: with so few records, the counts have little of the budget.
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(of == IntervalSubject::table ? 14 : 12))};
  query.mechanism = Mechanism::joint_total;
  query.base = Base::uniform;
  query.intervals = IntervalRequest{Rational(1, 2), of, false};
  return query;
}

/// The state of one release when it counts its cells.
struct Counted {
  std::vector<Position> cuts;
  std::vector<std::size_t> cells_below;  // of the cuts of all targets
  std::vector<std::int64_t> counts;      // without noise
  friend auto operator<=>(const Counted&, const Counted&) = default;
};

/// A law by its outcomes, as midpoints of enclosures.
using CountedLaw = std::map<Counted, double>;

const Lattice three = Lattice::regular(0, 2, 1);
const AutoPolicy small = [] {
  AutoPolicy policy = audit_policy();
  policy.rows = {records};
  return policy;
}();

CountedLaw counted_law(const RankProfile& table, const QuantileQuery& query) {
  CountedLaw law;
  EnumeratedDraws draws;
  PlacedCuts placed;
  const auto release = [&] {
    const Release made = release_with(table, query, draws, small);
    placed = cuts_of(made.only().course->selected, *made.only().course->plan->brackets, three);
  };
  draws.run(release, [&](const Enclosure& probability, const std::vector<CountedNoise>& noises) {
    law[{placed.positions, placed.cells_below, noises.front().counts}] +=
        (probability.lower_double() + probability.upper_double()) / 2;
  });
  return law;
}

/// The probability that an end errs, as a sum over all noise.
class ExactEnds {
 public:
  explicit ExactEnds(IntervalSubject of)
      : query_(median_of(of)),
        brackets_(with_brackets(query_, records)),
        noise_(noise_of(query_, brackets_)),
        critical_(Measure::pure, noise_.price(), brackets_.cuts.size() + 1) {
    const double r = std::exp(-noise_.rate().to_double());
    for (std::int64_t k = -reach; k <= reach; ++k) {
      noise_masses_.push_back((1 - r) / (1 + r) * std::pow(r, static_cast<double>(std::abs(k))));
    }
  }

  const QuantileQuery& query() const { return query_; }

  /// Whether an end errs when these are the noisy counts.
  bool errs_with(const Counted& noisy, std::uint64_t x, IntervalEnd end) {
    const Scan scan = scan_of(noisy, x, end);
    if (!scan.wrong) return false;
    const std::int64_t n = std::accumulate(noisy.counts.begin(), noisy.counts.end(), std::int64_t{0});
    std::int64_t below = 0;
    for (std::size_t cell = 0; cell <= *scan.wrong; ++cell) {
      below += scan.counts[cell];
      if (scan.is_tested[cell] && !threshold(noisy, end, n).exceeds(2 * below - n)) return false;
    }
    return true;
  }

  const Brackets& brackets() const { return brackets_; }

  /// The probability that the lower end lies above candidate x, or the upper one below it.
  double errs(const Counted& counted, std::uint64_t x, IntervalEnd end) {
    const Scan scan = scan_of(counted, x, end);
    if (!scan.wrong) return 0;
    double all = 0;
    const std::int64_t around = 2 * reach;
    for (std::int64_t n = static_cast<std::int64_t>(records) - around; n <= static_cast<std::int64_t>(records) + around;
         ++n) {
      all += rejected(scan, n, threshold(counted, end, n));
    }
    return all;
  }

 private:
  /// From the side of an end: the upper end is the lower one of the column from behind.
  struct Scan {
    std::vector<std::int64_t> counts;
    std::vector<bool> is_tested;       // cut i is after cell i
    std::optional<std::size_t> wrong;  // the first cut whose rejection is an error
  };

  static Scan scan_of(const Counted& counted, std::uint64_t x, IntervalEnd end) {
    const bool lower = end == IntervalEnd::lower;
    Scan scan{counted.counts, std::vector<bool>(counted.counts.size()), {}};
    if (!lower) std::ranges::reverse(scan.counts);
    const std::size_t cuts = counted.cuts.size();
    for (std::size_t i = 0; i < cuts; ++i) {
      const std::size_t k = lower ? i : cuts - 1 - i;
      if (k + 1 < cuts && counted.cuts[k] == counted.cuts[k + 1]) {
        continue;  // among equal cuts of a median the last decides
      }
      scan.is_tested[i] = true;
      const Position cut = counted.cuts[k];
      const bool is_wrong =
          lower ? std::min<std::uint64_t>(cut / 2, candidates - 1) > x : std::max<std::uint64_t>(cut / 2, 1) - 1 < x;
      if (is_wrong && !scan.wrong) scan.wrong = i;
    }
    return scan;
  }

  /// Whether a cut is on this end's side of the median, or at the median and made for this end.
  static bool is_made_for(const CutTarget& cut, IntervalEnd end) {
    if (cut.quantile == Rational(1, 2)) return cut.end == end;
    return end == IntervalEnd::lower ? cut.quantile < Rational(1, 2) : cut.quantile > Rational(1, 2);
  }

  static CountTreeNoise noise_of(QuantileQuery query, const Brackets& brackets) {
    query.budget = query.budget.scaled(brackets.shares.cells);
    return {query, 1};
  }

  struct Key {
    bool is_lower;
    std::int64_t n;
    std::size_t cells;
    std::size_t innermost;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  CriticalValues::Threshold threshold(const Counted& counted, IntervalEnd end, std::int64_t n) {
    const auto is_its = [&](const CutTarget& cut) { return is_made_for(cut, end); };
    const auto its = static_cast<std::size_t>(std::ranges::count_if(brackets_.cuts, is_its));
    const std::size_t place = end == IntervalEnd::lower ? its - 1 : brackets_.cuts.size() - its;
    const Key key{end == IntervalEnd::lower, n, counted.counts.size(), counted.cells_below[place]};
    const auto [at, is_new] = thresholds_.try_emplace(key);
    if (is_new) at->second = computed_threshold(key);
    return at->second;
  }

  CriticalValues::Threshold computed_threshold(const Key& key) {
    CriticalValues critical = critical_.of_fewer(key.cells);
    const IntervalEnd end = key.is_lower ? IntervalEnd::lower : IntervalEnd::upper;
    const QuantileFraction half{1, 2};
    if (query_.intervals->subject == IntervalSubject::table) return critical.of_table(half, end, key.innermost, 0.25);
    return critical.of_population(half, end, key.innermost, (0.5 - 0.025) / 2, key.n, 0.025);
  }

  /// The probability that all tested cuts up to the wrong one are rejected and that the noisy counts add up to n.
  double rejected(const Scan& scan, std::int64_t n, const CriticalValues::Threshold& threshold) const {
    std::map<std::int64_t, double> below{{0, 1}};
    for (std::size_t cell = 0; cell < scan.counts.size(); ++cell) {
      std::map<std::int64_t, double> next;
      for (const auto& [sum, mass] : below) {
        if (mass < 1e-12) continue;
        for (std::int64_t k = -reach; k <= reach; ++k) {
          next[sum + scan.counts[cell] + k] += mass * noise_masses_[static_cast<std::size_t>(k + reach)];
        }
      }
      const auto stays = [&](std::int64_t sum) {
        return !scan.is_tested[cell] || cell > *scan.wrong || threshold.exceeds(2 * sum - n);
      };
      std::erase_if(next, [&](const auto& entry) { return !stays(entry.first); });
      below = std::move(next);
    }
    const auto at = below.find(n);
    return at == below.end() ? 0 : at->second;
  }

  QuantileQuery query_;
  Brackets brackets_;
  CountTreeNoise noise_;
  CriticalValues critical_;
  std::vector<double> noise_masses_;
  std::map<Key, CriticalValues::Threshold> thresholds_;
};

/// The number of records at each candidate.
using Table = std::vector<std::uint64_t>;

std::vector<Table> all_tables() {
  std::vector<Table> tables;
  for (std::uint64_t a = 0; a <= records; ++a) {
    for (std::uint64_t b = 0; a + b <= records; ++b) tables.push_back({a, b, records - a - b});
  }
  return tables;
}

RankProfile profile_of(const Table& table) {
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (table[k] == 0) continue;
    positions.push_back(2 * k + 1);
    counts.push_back(table[k]);
  }
  return {three, std::move(positions), counts};
}

/// The candidates with at most half below them and at least half up to them.
std::vector<std::uint64_t> medians_of(const std::vector<double>& masses) {
  std::vector<std::uint64_t> medians;
  double before = 0;
  for (std::uint64_t k = 0; k < masses.size(); ++k) {
    const double up_to = before + masses[k];
    if (before <= 0.5 + 1e-12 && up_to >= 0.5 - 1e-12) medians.push_back(k);
    before = up_to;
  }
  return medians;
}

/// For each candidate x, the probabilities that the lower end is above x and that the upper one is below it.
using Errors = std::vector<std::pair<double, double>>;

Errors errors_of(const Table& table, ExactEnds& ends) {
  Errors errors(candidates);
  for (const auto& [counted, probability] : counted_law(profile_of(table), ends.query())) {
    for (std::uint64_t x = 0; x < candidates; ++x) {
      errors[x].first += probability * ends.errs(counted, x, IntervalEnd::lower);
      errors[x].second += probability * ends.errs(counted, x, IntervalEnd::upper);
    }
  }
  return errors;
}

constexpr double of_end = 0.25;  // at the level 1/2
constexpr double unlisted = 1e-6;

TEST(IntervalCoverage, OfEveryTableByItsExactLaw) {
  ExactEnds ends(IntervalSubject::table);
  double most = 0;
  for (const Table& table : all_tables()) {
    std::vector<double> shares;
    for (const std::uint64_t count : table) shares.push_back(static_cast<double>(count) / records);
    const Errors errors = errors_of(table, ends);
    for (const std::uint64_t median : medians_of(shares)) {
      EXPECT_LE(errors[median].first + unlisted, of_end);
      EXPECT_LE(errors[median].second + unlisted, of_end);
      most = std::max({most, errors[median].first, errors[median].second});
    }
  }
  EXPECT_GT(most, of_end / 100) << "no table comes near what is promised";
}

double chance_of(const Table& table, const std::vector<double>& masses) {
  double chance = std::lgamma(records + 1);
  for (std::size_t k = 0; k < candidates; ++k) {
    if (table[k] == 0) continue;
    if (masses[k] == 0) return 0;
    chance += static_cast<double>(table[k]) * std::log(masses[k]) - std::lgamma(static_cast<double>(table[k]) + 1);
  }
  return std::exp(chance);
}

/// The chance of a table as a simple random sample without replacement from `population` people on each candidate.
double chance_without_replacement(const Table& table, const Table& population) {
  const auto choices = [](std::uint64_t n, std::uint64_t k) {
    double product = 1;
    for (std::uint64_t i = 0; i < k; ++i) product *= static_cast<double>(n - i) / static_cast<double>(i + 1);
    return product;
  };
  double chance = 1 / choices(std::accumulate(population.begin(), population.end(), std::uint64_t{0}), records);
  for (std::size_t k = 0; k < candidates; ++k) {
    if (table[k] > population[k]) return 0;
    chance *= choices(population[k], table[k]);
  }
  return chance;
}

TEST(IntervalCoverage, IsThatOfTheEndsThatAreReleased) {
  std::mt19937_64 generator(7);
  for (const IntervalSubject of : {IntervalSubject::table, IntervalSubject::population}) {
    ExactEnds ends(of);
    const Brackets& brackets = ends.brackets();
    const CriticalValues critical = critical_values(ends.query(), brackets);
    std::size_t errors = 0;
    for (std::uint64_t run = 0; run < 150; ++run) {
      std::vector<std::uint64_t> selected;
      for (std::size_t i = 0; i < brackets.selected.size(); ++i) selected.push_back(generator() % candidates);
      std::ranges::sort(selected);
      const PlacedCuts placed = cuts_of(selected, brackets, three);
      Counted noisy{placed.positions, placed.cells_below, {}};
      for (std::size_t i = 0; i <= placed.positions.size(); ++i) {
        noisy.counts.push_back(static_cast<std::int64_t>(generator() % 6) - 2);
      }
      CriticalValues of_cells = critical.of_fewer(noisy.counts.size());
      const CountedCells cells(ends.query(), three, brackets, selected, noisy.counts, of_cells);
      const Interval interval = cells.intervals(ends.query().intervals->level).front();
      for (std::uint64_t x = 0; x < candidates; ++x) {
        const bool low = ends.errs_with(noisy, x, IntervalEnd::lower);
        const bool high = ends.errs_with(noisy, x, IntervalEnd::upper);
        errors += low || high ? 1 : 0;
        if (low && high) continue;  // ends that cross are told in order
        EXPECT_TRUE(!low || interval.lower > x || interval.upper < x) << x;
        EXPECT_EQ(low || high, interval.lower > x || interval.upper < x) << x << ' ' << run;
      }
    }
    EXPECT_GT(errors, 20U);
  }
}

/// How many cells a release counts depends on what it selected: fewer where values are tied. Its thresholds are for their noise.
TEST(IntervalCoverage, ThresholdsAreOfTheCellsThatWereCounted) {
  const Lattice lattice = Lattice::numbers(100);
  QuantileQuery query{{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, Budget::pure(Rational(1))};
  query.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::table, false};
  RandomBits bits = RandomBits::unsafe_seeded(11);
  RandomSource source(bits);
  ReleaseSampler sampler(query, PersonSteps::in_table(query));
  std::set<std::size_t> sizes;
  for (const std::uint64_t tied : {500U, 0U, 200U, 490U, 300U, 400U}) {
    ProfileBuilder builder(lattice);
    for (Position k = 0; k < 100; ++k) builder.add_position(2 * k + 1, k == 0 ? tied + 5 : 5);
    const RankProfile table = builder.finish();
    const DrawnStages drawn = sampler.sample_stages(table, Share::whole(query.budget), source);
    const Brackets& brackets = *drawn.group.course->plan->brackets;
    EXPECT_EQ(drawn.counts.size(), cuts_of(drawn.group.course->selected, brackets, lattice).positions.size() + 1);
    sizes.insert(drawn.counts.size());
    const CountTreeNoise noise(with_part(sampler.query_of_stages(), brackets.shares.cells), 1);
    CriticalValues fresh(noise.measure(), noise.price(), drawn.counts.size());
    const QuantileFraction q{1, 2};
    EXPECT_EQ(
        sampler.critical_for(*drawn.group.course, drawn.counts.size()).of_table(q, IntervalEnd::lower, 1, 0.025).value,
        fresh.of_table(q, IntervalEnd::lower, 1, 0.025).value)
        << tied;
  }
  EXPECT_GT(sizes.size(), 2U);
}

/// The proof for a population needs a number of cells that does not depend on what was selected.
TEST(IntervalCoverage, OfAPopulationCountsAllCellsWhateverIsTied) {
  const Lattice lattice = Lattice::numbers(100);
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(8))};
  query.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::population, false};
  RandomBits bits = RandomBits::unsafe_seeded(12);
  RandomSource source(bits);
  ReleaseSampler sampler(query, PersonSteps::in_table(query));
  for (const std::uint64_t tied : {0U, 1000U}) {
    ProfileBuilder builder(lattice);
    for (Position k = 0; k < 100; ++k) builder.add_position(2 * k + 1, k == 0 ? tied + 5 : 5);
    const DrawnStages drawn = sampler.sample_stages(builder.finish(), Share::whole(query.budget), source);
    EXPECT_EQ(drawn.counts.size(), drawn.group.course->plan->brackets->cuts.size() + 1) << tied;
  }
}

TEST(IntervalCoverage, OfPopulationsByTheExactLawOverAllTables) {
  ExactEnds ends(IntervalSubject::population);
  const std::vector<Table> tables = all_tables();
  std::vector<Errors> errors;
  for (const Table& table : tables) errors.push_back(errors_of(table, ends));
  double most = 0;
  for (const std::vector<double>& masses : std::vector<std::vector<double>>{{0.5, 0, 0.5},
                                                                            {0.25, 0.5, 0.25},
                                                                            {0.4, 0.2, 0.4},
                                                                            {0.5, 0.25, 0.25},
                                                                            {0.49, 0.02, 0.49},
                                                                            {0, 0.5, 0.5},
                                                                            {0, 1, 0},
                                                                            {0.4, 0, 0.6}}) {
    for (const std::uint64_t median : medians_of(masses)) {
      double low = 0;
      double high = 0;
      for (std::size_t i = 0; i < tables.size(); ++i) {
        const double chance = chance_of(tables[i], masses);
        low += chance * errors[i][median].first;
        high += chance * errors[i][median].second;
      }
      EXPECT_LE(low + unlisted, of_end) << masses[0] << ' ' << masses[1];
      EXPECT_LE(high + unlisted, of_end) << masses[0] << ' ' << masses[1];
      most = std::max({most, low, high});
    }
  }
  EXPECT_GT(most, of_end / 100) << "no law comes near what is promised";

  most = 0;
  for (std::uint64_t size = records; size <= 9; ++size) {
    for (std::uint64_t a = 0; a <= size; ++a) {
      for (std::uint64_t b = 0; a + b <= size; ++b) {
        const Table population{a, b, size - a - b};
        std::vector<double> masses;
        for (const std::uint64_t count : population)
          masses.push_back(static_cast<double>(count) / static_cast<double>(size));
        for (const std::uint64_t median : medians_of(masses)) {
          double low = 0;
          double high = 0;
          for (std::size_t i = 0; i < tables.size(); ++i) {
            const double chance = chance_without_replacement(tables[i], population);
            low += chance * errors[i][median].first;
            high += chance * errors[i][median].second;
          }
          EXPECT_LE(low + unlisted, of_end) << size << ' ' << a << ' ' << b;
          EXPECT_LE(high + unlisted, of_end) << size << ' ' << a << ' ' << b;
          most = std::max({most, low, high});
        }
      }
    }
  }
  EXPECT_GT(most, of_end / 100) << "no population comes near what is promised";
}

}  // namespace
}  // namespace fractile
