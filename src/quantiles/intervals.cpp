#include "quantiles/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "fractile/error.hpp"
#include "quantiles/count_tree.hpp"
#include "quantiles/interval_law.hpp"
#include "quantiles/recursion.hpp"

namespace fractile {

Rational level_in_pairs(const IntervalRequest& request) { return (Rational(1) + request.level) * Rational(1, 2); }

std::string to_string(IntervalOf of) { return of == IntervalOf::table ? "table" : "population"; }

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::usage, what, hint);
}

/// Beyond the critical value, in deviations of the noise, and as a multiple of the critical value: the last one is for tables of
/// another size than was expected.
struct Distance {
  double critical;
  double deviations;
};
constexpr Distance ladder[] = {{1, 0.2}, {1, 0.9}, {1.1, 2}, {1.6, 4}};

constexpr std::size_t most_intervals = 20;  // each takes its brackets, all of which are counted

/// The normal deviate beyond which so much lies.
double deviate_of(double failure) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > failure ? low : high) = middle;
  }
  return high;
}

/// How the failure probability of a request is divided.
struct Failures {
  double of_end;  ///< each end of each interval
  double of_n;    ///< of the bounds of the number of records, once

  explicit Failures(const IntervalRequest& request, std::size_t quantiles) {
    const Rational all = Rational(1) - request.level;
    const Rational n = request.of == IntervalOf::population ? all / Rational(20) : Rational(0);
    const Rational ends = request.together ? Rational(2) * Rational(static_cast<std::int64_t>(quantiles)) : Rational(2);
    of_end = ((all - n) / ends).to_double() * (1 - 0x1p-50);
    of_n = n.to_double() * (1 - 0x1p-50);
  }
};

CountTreeNoise noise_of(QuantileQuery query, const Budget& share) {
  query.budget = share;
  return {query, 1};
}

/// About how far from its quantile an end is expected, in records.
class ExpectedEnds {
 public:
  ExpectedEnds(const QuantileQuery& query, std::size_t cells)
      : request_(*query.intervals),
        rows_(static_cast<double>(*query.expected_rows)),
        cells_(static_cast<double>(cells)),
        deviate_(deviate_of(Failures(request_, query.quantiles.size()).of_end)) {
    const CountTreeNoise noise = noise_of(query, query.budget.scaled(shares_of(request_).cells));
    deviation_ = noise_deviation(noise.measure(), noise.price());
  }

  double at(double q, const Distance& distance) const {
    const double noise = deviation_ * std::sqrt(cells_ * q * (1 - q));
    const double sampling = request_.of == IntervalOf::population ? std::sqrt(rows_ * q * (1 - q)) : 0;
    return distance.critical * deviate_ * std::hypot(noise, sampling) + distance.deviations * noise + 1;
  }

 private:
  IntervalRequest request_;
  double rows_;
  double cells_;
  double deviate_;
  double deviation_;
};

}  // namespace

/// Of a table, the points' own error counts. Of a population, they err by their sample far more than by their noise, and the counts
/// decide how wide the intervals are.
IntervalShares shares_of(const IntervalRequest& request) {
  if (request.of == IntervalOf::table) return {{4, 5}, {2, 25}, {3, 25}};
  return {{3, 10}, {1, 4}, {9, 20}};
}

void require_intervals(const QuantileQuery& query) {
  const IntervalRequest& request = *query.intervals;
  if (request.level <= Rational(0) || request.level >= Rational(1)) {
    refuse("the level of an interval lies between 0 and 1", "write for example 0.95");
  }
  if (query.budget.measure() == Measure::approximate) {
    refuse("intervals under a budget with a delta are not known", "leave the delta out, or use rho");
  }
  if (query.mechanism == Mechanism::exponential) {
    refuse("an interval takes several quantiles, and the exponential mechanism releases one", "use --mechanism auto");
  }
  if (query.quantiles.size() > most_intervals) {
    refuse("a release has at most 20 intervals", "ask for fewer quantiles");
  }
  if (query.quantiles.front() <= Rational(0) || query.quantiles.back() >= Rational(1)) {
    refuse("the smallest and the largest value have no interval", "ask for quantiles above 0 and below 1");
  }
  if (!query.expected_rows) {
    refuse("intervals need to know about how many records there are, which must be public",
           "give the expected rows: the intervals are valid whatever the number is, and narrow when it is about right");
  }
  if (request.of == IntervalOf::population && query.records_per_person > 1) {
    refuse("records of one person are no simple random sample: intervals of the population take one record a person",
           "keep one record of each person, or ask for intervals of the table");
  }
}

BracketedQuantiles with_brackets(const QuantileQuery& query) {
  const std::size_t cells = 2 * std::size(ladder) * query.quantiles.size() + 1;
  const ExpectedEnds ends(query, cells);
  const Rational common = common_denominator(query.quantiles);
  const Rational finer = (Rational(std::int64_t{1} << 24) / common).floor();
  const Rational unit = Rational(1) / (common * (finer.sign() > 0 ? finer : Rational(1)));
  struct Part {
    Role role;
    std::size_t owner;
  };
  std::map<Rational, Part> all;
  for (std::size_t i = 0; i < query.quantiles.size(); ++i) all.emplace(query.quantiles[i], Part{Role::point, i});
  for (std::size_t i = 0; i < query.quantiles.size(); ++i) {
    const Rational& q = query.quantiles[i];
    for (const Distance& distance : ladder) {
      const double share = ends.at(q.to_double(), distance) / static_cast<double>(*query.expected_rows);
      if (share >= 1) continue;
      const Rational away = (Rational::from_double(share) / unit).ceil() * unit;
      if (q - away > Rational(0)) all.emplace(q - away, Part{Role::lower_bracket, i});
      if (q + away < Rational(1)) all.emplace(q + away, Part{Role::upper_bracket, i});
    }
  }
  BracketedQuantiles result;
  for (const auto& [q, part] : all) {
    result.quantiles.push_back(q);
    result.roles.push_back(part.role);
    result.owners.push_back(part.owner);
  }
  return result;
}

std::vector<Position> cuts_of(const std::vector<std::uint64_t>& selected, const std::vector<Role>& roles) {
  std::vector<Position> cuts;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    if (roles[i] == Role::point) continue;
    const Position cut = 2 * selected[i] + (roles[i] == Role::lower_bracket ? 1 : 2);
    cuts.push_back(cuts.empty() ? cut : std::max(cut, cuts.back()));
  }
  return cuts;
}

std::vector<std::int64_t> cell_counts(const RankProfile& profile, const std::vector<Position>& cuts) {
  std::vector<std::int64_t> counts;
  std::uint64_t before = 0;
  std::size_t k = 0;
  for (const Position cut : cuts) {
    while (k < profile.distinct() && profile.position(k) < cut) ++k;
    counts.push_back(static_cast<std::int64_t>(profile.cumulative(k) - before));
    before = profile.cumulative(k);
  }
  counts.push_back(static_cast<std::int64_t>(profile.records() - before));
  return counts;
}

namespace {

/// Which cuts decide an end: from the first of its quantile's brackets on this side to the last.
struct CutRange {
  std::size_t first = 1;
  std::size_t last = 0;  ///< before `first` when there is no bracket

  bool empty() const { return last < first; }
  CellsBelow cells_below() const { return {first + 1, last + 1}; }
};

CutRange cuts_for(const BracketedQuantiles& bracketed, Role role, std::size_t owner) {
  CutRange range;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < bracketed.roles.size(); ++i) {
    if (bracketed.roles[i] == Role::point) continue;
    if (bracketed.roles[i] == role && bracketed.owners[i] == owner) {
      if (range.empty()) range.first = cut;
      range.last = cut;
    }
    ++cut;
  }
  return range;
}

/// Which cuts are rejected, and the ends that follow.
class CutScan {
 public:
  CutScan(const Lattice& lattice, const std::vector<Position>& cuts, const std::vector<int128>& below)
      : lattice_(lattice), cuts_(cuts), below_(below) {}

  std::int64_t noisy_records() const {
    constexpr int128 most = int128{1} << 40;
    return static_cast<std::int64_t>(std::clamp(below_.back(), -most, most));
  }

  /// The last cut up to which all of the range are rejected; the range's own end without one.
  std::uint64_t lower_end(const QuantileFraction& q, const CutRange& range,
                          const CriticalValues::Threshold& threshold) const {
    std::uint64_t end = 0;
    for (std::size_t k = range.first; k <= range.last; ++k) {
      if (!threshold.exceeds(statistic(q, k), q.denominator)) break;
      end = first_from(cuts_[k]);
    }
    return end;
  }

  std::uint64_t upper_end(const QuantileFraction& q, const CutRange& range,
                          const CriticalValues::Threshold& threshold) const {
    std::uint64_t end = lattice_.size() - 1;
    for (std::size_t k = range.last + 1; k-- > range.first;) {
      if (!threshold.exceeds(-statistic(q, k), q.denominator)) break;
      end = last_before(cuts_[k]);
    }
    return end;
  }

 private:
  /// (1 - q) below - q above of the cut, in units of 1 / denominator.
  int128 statistic(const QuantileFraction& q, std::size_t cut) const {
    const int128 below = below_[cut + 1];
    const int128 above = below_.back() - below;
    return static_cast<int128>(q.denominator - q.numerator) * below - static_cast<int128>(q.numerator) * above;
  }
  /// The candidates next to a quantile that is not below the cut, and to one that is: listed candidates may have it between them.
  std::uint64_t first_from(Position cut) const {
    const std::uint64_t candidate = lattice_.is_regular() ? cut / 2 : (cut - 1) / 2;
    return std::min(candidate, lattice_.size() - 1);
  }
  std::uint64_t last_before(Position cut) const {
    if (cut % 2 == 0) return cut / 2 - 1;
    return lattice_.is_regular() && cut > 1 ? cut / 2 - 1 : cut / 2;
  }

  const Lattice& lattice_;
  const std::vector<Position>& cuts_;
  const std::vector<int128>& below_;
};

}  // namespace

namespace {

CriticalValues critical_values(const QuantileQuery& query, const Budget& share, std::size_t cells) {
  const CountTreeNoise noise = noise_of(query, share);
  return {noise.measure(), noise.price(), cells};
}

std::vector<int128> sums_from_none(const std::vector<std::int64_t>& counts) {
  std::vector<int128> sums{0};
  for (const std::int64_t count : counts) sums.push_back(sums.back() + count);
  return sums;
}

}  // namespace

CountedCells::CountedCells(const QuantileQuery& query, const Lattice& lattice, std::vector<Position> cuts,
                           const std::vector<std::int64_t>& counts, const Budget& share)
    : query_(query),
      lattice_(lattice),
      cuts_(std::move(cuts)),
      below_(sums_from_none(counts)),
      critical_(critical_values(query, share, counts.size())) {}

std::vector<Interval> CountedCells::intervals(const Rational& level) const {
  IntervalRequest request = *query_.intervals;
  request.level = level;
  const BracketedQuantiles bracketed = with_brackets(query_);
  const Failures failures(request, query_.quantiles.size());
  const CutScan scan(lattice_, cuts_, below_);
  const auto threshold = [&](const QuantileFraction& q, IntervalEnd end, const CutRange& range) {
    if (request.of == IntervalOf::table) return critical_.of_table(q, range.cells_below(), failures.of_end);
    return critical_.of_population(q, end, range.cells_below(), failures.of_end, scan.noisy_records(), failures.of_n);
  };
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < query_.quantiles.size(); ++i) {
    const QuantileFraction q = QuantileFraction::of(query_.quantiles[i]);
    const CutRange low = cuts_for(bracketed, Role::lower_bracket, i);
    const CutRange high = cuts_for(bracketed, Role::upper_bracket, i);
    std::uint64_t lower = 0;
    std::uint64_t upper = lattice_.size() - 1;
    if (!low.empty()) lower = scan.lower_end(q, low, threshold(q, IntervalEnd::lower, low));
    if (!high.empty()) upper = scan.upper_end(q, high, threshold(q, IntervalEnd::upper, high));
    const auto [first, last] = std::minmax(lower, upper);
    intervals.push_back({first, last, first == 0, last == lattice_.size() - 1});
  }
  return intervals;
}

}  // namespace fractile
