#include "fractile/planning.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "quantiles/draws/calibration.hpp"
#include "quantiles/release/noise_share.hpp"
#include "quantiles/release/planned_intervals.hpp"
#include "quantiles/release/release.hpp"
#include "quantiles/release/short_budgets.hpp"
#include "quantiles/release/typical_error.hpp"
#include "quantiles/stages/plan.hpp"
#include "quantiles/stages/statistics.hpp"
#include "ranks/span.hpp"

namespace fractile {
namespace {

/// The largest reference table: beyond some thousand records, rank errors do not depend on their number.
constexpr std::uint64_t most_reference_rows = 100'000;

/// Chosen so that a plan takes a second or two. Brackets, the critical values of intervals and trees of counts take longer than
/// selections of quantiles do.
std::uint64_t affordable_releases(const QuantileQuery& query, const Lattice& lattice, std::uint64_t rows,
                                  std::uint64_t wanted) {
  constexpr std::uint64_t most_counts = 8'000'000;  // of all simulated trees; every count of a tree gets its noise
  constexpr std::uint64_t largest_tree = std::uint64_t{1} << 17;
  if (query.mechanism == Mechanism::tree)
    wanted = std::min(wanted, most_counts / std::min(lattice.size(), largest_tree));
  const std::uint64_t quantiles = query.quantiles.size();
  // typical_release() refuses a table without rows.
  const std::uint64_t affordable = std::min(40'000 / quantiles, 20'000'000 / std::max<std::uint64_t>(rows, 1));
  const std::uint64_t with_intervals = std::clamp<std::uint64_t>(1'000 / quantiles, 50, 200);
  return std::min(std::max<std::uint64_t>(query.intervals ? std::min(with_intervals, affordable) : affordable, 20),
                  wanted);
}

std::optional<PlannedStatistics> planned_statistics(const QuantileQuery& query, const Lattice& lattice,
                                                    const PlanOptions& options) {
  if (!options.statistics) return {};
  options.statistics->validate(lattice, query);
  const StatisticsSampler sampler(*options.statistics, with_part(query, options.statistics->share), lattice);
  return PlannedStatistics{sampler.terms(), sampler.intervals().errors(query.expected_rows.value_or(options.rows))};
}

}  // namespace

ReleasePlan plan_release(const QuantileQuery& query, const Lattice& lattice, const PlanOptions& options) {
  const OwnEnvironment own;
  require_short_joint(query);
  std::optional<PlannedStatistics> statistics = planned_statistics(query, lattice, options);
  const Rational left = Rational(1) - (statistics ? statistics->terms.request.share : Rational(0));
  const QuantileQuery rest = statistics ? with_part(query, left) : query;
  const QuantilePlan plan = plan_of(rest, lattice);
  MechanismUsed used = plan.used({});
  used.granularity.reset();  // not searched for yet
  const std::uint64_t expected = query.expected_rows.value_or(options.rows);
  const std::uint64_t simulated = std::min(expected, most_reference_rows);
  constexpr std::size_t pieces = 4;
  TypicalRelease typical = typical_release(rest, lattice, options.shape, simulated,
                                           affordable_releases(rest, lattice, simulated, options.releases), pieces);
  std::optional<PlannedIntervals> intervals =
      planned_intervals(rest, std::move(typical.interval_widths), simulated, expected);
  if (intervals) intervals->unsettled = enough_of_all(std::move(intervals->unsettled), left);
  return {query,
          lattice,
          std::move(used),
          worst_case(rest, lattice, options.confidence),
          std::move(typical.errors),
          std::move(intervals),
          options.with_noise ? enough_of_all(mostly_noise(rest, lattice), left) : std::nullopt,
          std::move(statistics)};
}

namespace {

/// The distances from each quantile to the nearest other one, or to the nearer end, as shares of the rows. For quantiles 0 and 1,
/// their own end does not count.
std::vector<double> gaps_of(const std::vector<Rational>& quantiles) {
  std::vector<double> gaps;
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    const Rational before = i == 0 ? Rational(0) : quantiles[i - 1];
    const Rational after = i + 1 == quantiles.size() ? Rational(1) : quantiles[i + 1];
    Rational gap(1);
    if (before < quantiles[i]) gap = quantiles[i] - before;
    if (quantiles[i] < after) gap = std::min(gap, after - quantiles[i]);
    gaps.push_back(gap.to_double());
  }
  return gaps;
}

}  // namespace

double noise_share(const std::vector<Rational>& quantiles, const std::vector<double>& mean_errors, std::uint64_t rows) {
  const std::vector<double> gaps = gaps_of(quantiles);
  double sum = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) sum += mean_errors[i] / (gaps[i] * static_cast<double>(rows));
  return sum / static_cast<double>(gaps.size());
}

namespace {

constexpr std::uint64_t most_simulated_rows = 10'000;  // every release waits for this
// More quantiles, such as synthetic rows, are read together, and take long to simulate.
constexpr std::size_t most_simulated_quantiles = 200;

/// The simulations that a warning may use: they must not cost more than the release that it is about. Their cost is estimated
/// beforehand, in microseconds of one core, so no clock influences the warning.
class Simulations {
 public:
  static constexpr std::uint64_t tenth_of_a_second = 100'000;
  explicit Simulations(std::uint64_t left) : left_(left) {}

  /// Takes as many releases as are left, up to `wanted`; takes none if fewer than `least` are left.
  std::uint64_t take(const QuantileQuery& query, std::uint64_t rows, std::uint64_t wanted, std::uint64_t least) {
    const std::uint64_t cost = cost_of(query, std::min(rows, most_simulated_rows));
    const std::uint64_t taken = std::min(wanted, left_ / cost);
    if (taken < least) return 0;
    left_ -= taken * cost;
    return taken;
  }

 private:
  /// Measured costs: automatic reads few quantiles together, joint mechanisms read all of them.
  static std::uint64_t cost_of(const QuantileQuery& query, std::uint64_t rows) {
    const std::uint64_t quantiles = query.quantiles.size();
    const bool is_joint = query.mechanism == Mechanism::joint || query.mechanism == Mechanism::joint_total;
    const std::uint64_t thousandths =  // thousandths of a microsecond per row
        is_joint ? 200 + 6 * quantiles * quantiles : std::min<std::uint64_t>(50 + 45 * quantiles, 1'600);
    return 100 + rows * thousandths / 1'000;
  }

  std::uint64_t left_;
};

/// The mean rank error, as a share of the rows between quantiles.
double noise_share(const QuantileQuery& query, const Lattice& lattice, std::uint64_t rows, std::uint64_t releases) {
  const std::uint64_t simulated = std::min(rows, most_simulated_rows);
  return noise_share(query.quantiles, typical_error(query, lattice, Shape::normal, simulated, releases).mean, rows);
}

/// Whether enough records lie between neighboring quantiles for values to be far from noise, on any lattice. Among 2^62 candidates,
/// a value of one of eight levels has an error of about 16 (1 + ln 2^62) / epsilon records, some 700 at epsilon 1, and `auto` runs
/// nothing worse.
bool are_far_apart(const QuantileQuery& query, std::uint64_t rows) {
  constexpr double enough = 5'000;  // records at epsilon 1
  if (query.mechanism != Mechanism::automatic || query.budget.measure() == Measure::approximate) return false;
  const double epsilon = query.budget.measure() == Measure::zcdp ? std::sqrt(2 * query.budget.rho().to_double())
                                                                 : query.budget.epsilon().to_double();
  const double least = std::ranges::min(gaps_of(query.quantiles)) * static_cast<double>(rows);
  return least * epsilon >= enough * query.records_per_person;
}

/// A few simulated releases suffice if values are far from being noise, as most are; of many quantiles, one release suffices.
/// Nothing when even these would take too long.
std::optional<double> noise_share(const QuantileQuery& query, const Lattice& lattice, std::uint64_t rows,
                                  Simulations& simulations) {
  constexpr double far_from_noise = 0.1;
  if (are_far_apart(query, rows)) return 0;
  const std::uint64_t few_releases = std::clamp<std::uint64_t>(30 / query.quantiles.size(), 1, 3);
  const std::uint64_t few = simulations.take(query, rows, few_releases, 1);
  if (few == 0) return {};
  const double share = noise_share(query, lattice, rows, few);
  if (share <= far_from_noise) return share;
  const std::uint64_t wanted = std::clamp<std::uint64_t>(200 / query.quantiles.size(), 4, 40);
  const std::uint64_t more = simulations.take(query, rows, wanted, few_releases + 1);
  return more == 0 ? share : noise_share(query, lattice, rows, more);
}

/// A budget larger than the query's, with which the values are mostly noise. Nothing when finding it would take too many
/// simulations.
std::optional<Budget> enough_for(QuantileQuery query, const Lattice& lattice, std::uint64_t rows,
                                 Simulations& simulations) {
  constexpr std::int64_t stride = 30;  // at most a factor of four
  if (query.budget.measure() == Measure::approximate) return {};
  const double now =
      query.budget.measure() == Measure::zcdp ? query.budget.rho().to_double() : query.budget.epsilon().to_double();
  const auto is_enough = [&](std::int64_t place) -> std::optional<bool> {
    query.budget = budget_like(query.budget, TwoDigits::at(place));
    const std::optional<double> share = noise_share(query, lattice, rows, simulations);
    return share ? std::optional(*share <= tolerated_share) : std::nullopt;
  };
  std::int64_t low = TwoDigits::from(Rational::from_double(now));
  std::int64_t high = low;
  for (;;) {
    const std::optional<bool> enough = is_enough(high);
    if (!enough || (!*enough && high >= TwoDigits::last)) return {};
    if (*enough) break;
    low = high + 1;
    high = std::min(high + stride, TwoDigits::last);
  }
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const std::optional<bool> enough = is_enough(middle);
    if (!enough) return {};
    *enough ? high = middle : low = middle + 1;
  }
  return budget_like(query.budget, TwoDigits::at(high));
}

std::optional<MostlyNoise> noise_among(const QuantileQuery& query, const Lattice& lattice,
                                       const std::optional<std::uint64_t>& rows, std::uint64_t work) {
  if (!rows || query.intervals || query.quantiles.size() > most_simulated_quantiles) return {};
  const std::uint64_t some = std::max<std::uint64_t>(*rows, 1);
  Simulations simulations(work);
  const std::optional<double> share = noise_share(query, lattice, some, simulations);
  if (!share || *share <= tolerated_share) return {};
  return MostlyNoise{*rows, *share, enough_for(query, lattice, some, simulations)};
}

}  // namespace

std::optional<MostlyNoise> mostly_noise(const QuantileQuery& query, const Lattice& lattice) {
  const OwnEnvironment own;
  return noise_among(query, lattice, query.expected_rows, Simulations::tenth_of_a_second);
}

namespace {

std::optional<MostlyNoise> noise_of(const Release& release, const Release::Group& group, std::uint64_t work) {
  if (release.errors) return group.noise;  // computed together with them
  if (!group.course) return {};
  const QuantileQuery& query = group.course->plan->query;
  const std::optional<std::uint64_t>& believed = group.used.rows ? group.used.rows : query.expected_rows;
  return enough_of_all(noise_among(query, release.lattice, release.public_rows ? release.public_rows : believed, work),
                       left_for_quantiles(release));
}

}  // namespace

std::vector<std::optional<MostlyNoise>> mostly_noise(const Release& release) {
  const OwnEnvironment own;
  constexpr std::uint64_t least_work = 3'000;  // some releases of a group of some hundred rows
  std::set<std::optional<std::uint64_t>> rows;
  for (const Release::Group& group : release.groups) rows.insert(group.used.rows);
  const std::uint64_t work =
      std::max(Simulations::tenth_of_a_second / std::max<std::uint64_t>(rows.size(), 1), least_work);
  // Everything else is the same for all groups.
  std::map<std::optional<std::uint64_t>, std::optional<MostlyNoise>> by_rows;
  std::vector<std::optional<MostlyNoise>> noises;
  noises.reserve(release.groups.size());
  for (const Release::Group& group : release.groups) {
    const auto [place, is_new] = by_rows.try_emplace(group.used.rows);
    if (is_new) place->second = noise_of(release, group, work);
    noises.push_back(place->second);
  }
  return noises;
}

namespace {

/// The number of records of the largest group, as declared or published; otherwise the expected number.
std::optional<std::uint64_t> known_rows(const Release& release) {
  if (release.public_rows) return release.public_rows;
  std::optional<std::uint64_t> most;
  for (const Release::Group& group : release.groups) {
    std::optional<std::uint64_t> known = group.used.rows;
    if (group.statistics) known = std::max<std::int64_t>(group.statistics->count.value, 0);
    if (known) most = std::max(most.value_or(0), *known);
  }
  return most ? most : release.query.expected_rows;
}

}  // namespace

std::optional<TypicalError> typical_error(const Release& release) {
  constexpr std::uint64_t wanted_values = 400;
  constexpr std::uint64_t least_releases = 10;
  constexpr std::uint64_t most_releases = 100;
  if (release.groups.empty()) throw Error(ErrorCode::usage, "the release has no values");
  const std::size_t quantiles = release.query.quantiles.size();
  if (release.query.intervals || quantiles == 0 || quantiles > most_simulated_quantiles) return {};
  QuantileQuery query = release.is_grouped() ? group_query(release.query) : release.query;
  query.budget = query.budget.scaled(left_for_quantiles(release));
  // Uses only members that a receipt has, since the result must not depend on whether the release was read back.
  const std::size_t selected = release.groups.front().used.selected;
  query.interpolate = selected > 0 && selected < quantiles;
  query.base = Base::by_mechanism;
  const std::uint64_t rows =
      std::clamp<std::uint64_t>(known_rows(release).value_or(most_simulated_rows), 1, most_simulated_rows);
  Simulations simulations(Simulations::tenth_of_a_second);
  const std::uint64_t releases = simulations.take(
      query, rows, std::clamp<std::uint64_t>(wanted_values / quantiles, least_releases, most_releases), least_releases);
  if (releases == 0) return {};
  return typical_error(query, release.lattice, Shape::normal, rows, releases);
}

QuantileQuery query_for_rank_error(QuantileQuery query, const Lattice& lattice, std::uint64_t ranks,
                                   const Rational& confidence) {
  const OwnEnvironment own;
  if (query.budget.measure() == Measure::approximate) {
    throw Error(ErrorCode::usage, "no budget with a delta is found for a wanted error", "ask for epsilon or rho alone");
  }
  if (query.intervals) {
    throw Error(ErrorCode::usage,
                "no rank error is promised for a release with intervals: the intervals say how far off a value may be",
                "name a budget, and see how wide plan says that the intervals will be");
  }
  if (!lattice.is_regular()) {
    throw Error(
        ErrorCode::usage, "no rank error is promised among listed candidates: records may lie between two of them",
        {"name ", Field("bounds"), " and ", Field("step"), ", or name a budget, and see what errors are typical"});
  }
  WorstCase worst;
  const auto enough = [&](std::int64_t place) {
    query.budget = budget_like(query.budget, ShortDecimal::at(place).value());
    worst = worst_case(query, lattice, confidence);
    const std::optional<std::uint64_t> largest = worst.largest();
    return largest && *largest <= ranks;
  };
  const std::int64_t high = ShortDecimal::decades * ShortDecimal::per_decade;
  if (!enough(high)) {
    if (worst.rounding && *worst.rounding > ranks) {
      throw Error(
          ErrorCode::usage,
          "no budget gives that rank error: records that are finer than the granularity that is found are "
          "rounded to it",
          {"write ", Field("base").text("uniform"), ", with which none is looked for, or ask for a larger rank error"},
          "rank_error");
    }
    throw Error(
        ErrorCode::usage,
        "no budget gives that rank error" + (worst.unbounded_reason.empty() ? "" : ": " + worst.unbounded_reason),
        "ask for a larger rank error, or for another mechanism", "rank_error");
  }
  query.budget = budget_like(query.budget, ShortDecimal::at(first_entry(0, high, enough)).value());
  return query;
}

}  // namespace fractile
