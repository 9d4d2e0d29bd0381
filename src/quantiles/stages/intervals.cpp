#include "quantiles/stages/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#include "fractile/error.hpp"
#include "quantiles/joint/base_measure.hpp"
#include "quantiles/joint/round_grid.hpp"
#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/critical_values.hpp"
#include "quantiles/stages/interpolation.hpp"
#include "quantiles/stages/recursion.hpp"

namespace fractile {

Rational level_in_pairs(const IntervalRequest& request) { return (Rational(1) + request.level) * Rational(1, 2); }

std::string to_string(IntervalOf of) { return of == IntervalOf::table ? "table" : "population"; }

namespace {

[[noreturn]] void refuse(const std::string& what, const Words& hint, const char* field = "") {
  throw Error(ErrorCode::usage, what, hint, field);
}

/// From a quantile, as a multiple of the critical value, and then in deviations of the noise.
struct Distance {
  double critical;
  double deviations;
};
/// Where intervals may end. The last one is for tables of another size than was expected, and for noise that is far off.
constexpr Distance ladder[] = {{0.92, 0}, {1, 0.3}, {1.1, 1}, {1.25, 2.2}, {1.6, 4}};
/// What is selected, to tell where these are; and farther out, beyond the first and the last quantile.
constexpr Distance selected_at = {1.05, 0.7};
constexpr Distance selected_far = {1.6, 4};

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

/// Of an end's failure probability, what is for cuts that moved past those of other quantiles.
constexpr double share_of_moved = 0x1p-6;

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

double deviation_of_noise(const QuantileQuery& query, const Rational& share) {
  const CountTreeNoise noise = noise_of(query, query.budget.scaled(share));
  return noise_deviation(noise.measure(), noise.price());
}

/// About how far from its quantile an end is expected.
class ExpectedEnds {
 public:
  ExpectedEnds(const QuantileQuery& query, const IntervalShares& shares)
      : request_(*query.intervals),
        rows_(static_cast<double>(*query.expected_rows)),
        cells_(static_cast<double>(2 * (std::size(ladder) + 1) * query.quantiles.size())),
        deviate_(deviate_of(Failures(request_, query.quantiles.size()).of_end)),
        deviation_(deviation_of_noise(query, shares.cells)) {}

  /// As a share of the records.
  double at(const Rational& quantile, const Distance& distance) const {
    const double q = quantile.to_double();
    const double noise = deviation_ * std::sqrt(cells_ * q * (1 - q));
    const double sampling = request_.of == IntervalOf::population ? std::sqrt(rows_ * q * (1 - q)) : 0;
    return (distance.critical * deviate_ * std::hypot(noise, sampling) + distance.deviations * noise + 1) / rows_;
  }

 private:
  IntervalRequest request_;
  double rows_;
  double cells_;
  double deviate_;
  double deviation_;
};

}  // namespace

namespace {

/// The points have what keeps their error within about 1.2 times that of a release without intervals: error against what is asked
/// for, the table's quantiles or the population's, about which the sample errs as well. The counts, on which widths depend most, have
/// the larger part of the rest.
IntervalShares shares_of(const QuantileQuery& query) {
  constexpr double times = 1.18;
  constexpr std::int64_t parts = 40;
  const bool of_table = query.intervals->of == IntervalOf::table;
  const std::int64_t most = of_table ? 34 : 33;
  const Rational brackets = of_table ? Rational(11, 50) : Rational(33, 100);
  const double quantiles = static_cast<double>(query.quantiles.size());
  const double selecting = 0.7 * std::pow(quantiles, 0.6) * deviation_of_noise(query, 1);  // a point's mean error
  double sampling = 0;
  for (const Rational& q : query.quantiles) {
    const double variance = static_cast<double>(*query.expected_rows) * q.to_double() * (1 - q.to_double());
    if (!of_table) sampling += 0.8 * std::sqrt(variance) / quantiles;
  }
  const double of_large_tables = selecting / std::hypot(std::sqrt(times * times - 1) * sampling, times * selecting);
  // Among few records errors grow faster than the noise does, and no share of the counts makes intervals narrow.
  const double of_small_tables =
      20 * deviation_of_noise(query, 1) * (quantiles + 1) / static_cast<double>(*query.expected_rows);
  // Among many records the counts' noise hardly widens intervals. Points that are far off do: the brackets about them are far off, too.
  const std::int64_t least = 10 * selecting < sampling ? 14 : 8;
  const double share = std::min(1.0, std::max(of_large_tables, of_small_tables));
  const auto of_points = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(share * parts)), least, most);
  const Rational rest(parts - of_points, parts);
  return {Rational(of_points, parts), rest * brackets, rest * (Rational(1) - brackets)};
}

}  // namespace

void require_intervals(const QuantileQuery& query) {
  const IntervalRequest& request = *query.intervals;
  if (request.level <= Rational(0) || request.level >= Rational(1)) {
    refuse("the level of an interval lies between 0 and 1", "write for example 0.95", "intervals");
  }
  if (query.budget.measure() == Measure::approximate) {
    refuse("intervals under a budget with a delta are not known", "leave the delta out, or use rho", "delta");
  }
  if (query.mechanism == Mechanism::exponential) {
    refuse("an interval takes several quantiles, and the exponential mechanism releases one",
           {"use ", Field("mechanism").text("auto")}, "mechanism");
  }
  if (query.quantiles.size() > most_intervals) {
    refuse("a release has at most 20 intervals", "ask for fewer quantiles", "quantiles");
  }
  if (query.quantiles.front() <= Rational(0) || query.quantiles.back() >= Rational(1)) {
    refuse("the smallest and the largest value have no interval", "ask for quantiles above 0 and below 1", "quantiles");
  }
  if (!query.expected_rows) {
    refuse("intervals need to know about how many records there are, which must be public",
           "give the expected rows: the intervals are valid whatever the number is, and narrow when it is about right",
           "expected_rows");
  }
  if (request.of == IntervalOf::population && *query.expected_rows > most_sampled_records) {
    refuse(
        "intervals of the population are certified for samples of at most 4294967295 records, fewer than the expected "
        "rows",
        {"ask for intervals of the table: ", Field("of").text("table")}, "of");
  }
  if (request.of == IntervalOf::population && query.records_per_person > 1) {
    refuse("records of one person are no simple random sample: intervals of the population take one record a person",
           "keep one record of each person, or ask for intervals of the table");
  }
}

namespace {

/// Collects quantiles about the wanted ones, all on one common denominator.
class BracketBuilder {
 public:
  explicit BracketBuilder(const QuantileQuery& query)
      : query_(query), brackets_{{}, {}, {}, shares_of(query)}, ends_(query, brackets_.shares) {
    const Rational common = common_denominator(query.quantiles);
    const std::uint64_t most =
        std::min(std::uint64_t{1} << 24, (std::uint64_t{1} << 61) / std::max<std::uint64_t>(*query.expected_rows, 1));
    const Rational finer = (Rational(static_cast<std::int64_t>(most)) / common).floor();
    unit_ = Rational(1) / (common * (finer.sign() > 0 ? finer : Rational(1)));
    for (const Rational& q : query.quantiles) selected_.emplace(q, Role::point);
  }

  Brackets build() {
    for (std::size_t i = 0; i < query_.quantiles.size(); ++i) {
      for (const IntervalEnd end : {IntervalEnd::lower, IntervalEnd::upper}) {
        for (const Distance& distance : ladder) add_cut(i, end, distance);
      }
    }
    select_far(query_.quantiles.front(), IntervalEnd::lower);
    select_far(query_.quantiles.back(), IntervalEnd::upper);
    for (const Rational& q : query_.quantiles) {
      for (const IntervalEnd end : {IntervalEnd::lower, IntervalEnd::upper}) select(q, end, selected_at);
    }
    for (std::size_t i = 0; i < query_.quantiles.size(); ++i) {
      for (const IntervalEnd end : {IntervalEnd::lower, IntervalEnd::upper}) add_cut_beyond(i, end);
    }
    add_outermost_cuts();
    if (selected_.size() < 2) brackets_.cuts.clear();  // nothing tells where they are
    const auto by_quantile = [](const CutTarget& a, const CutTarget& b) { return a.quantile < b.quantile; };
    std::ranges::stable_sort(brackets_.cuts, by_quantile);
    for (const auto& [q, role] : selected_) {
      brackets_.selected.push_back(q);
      brackets_.roles.push_back(role);
    }
    return brackets_;
  }

 private:
  /// So far from q, on the side of the end; nothing outside the range.
  std::optional<Rational> beside(const Rational& q, IntervalEnd end, const Distance& distance) const {
    const double share = ends_.at(q, distance);
    if (share >= 1) return {};
    const Rational away = std::max((Rational::from_double(share) / unit_).ceil(), Rational(1)) * unit_;
    const Rational there = end == IntervalEnd::lower ? q - away : q + away;
    if (there <= Rational(0) || there >= Rational(1)) return {};
    return there;
  }

  void add_cut(std::size_t owner, IntervalEnd end, const Distance& distance) {
    const std::optional<Rational> there = beside(query_.quantiles[owner], end, distance);
    if (there) brackets_.cuts.push_back({*there, end, owner});
  }

  /// At the next of those selected, farther out than all cuts of this end. Of tied values, those interpolated may lie between two, where
  /// no more records are below them; this one lies on the next.
  void add_cut_beyond(std::size_t owner, IntervalEnd end) {
    const bool down = end == IntervalEnd::lower;
    Rational last = query_.quantiles[owner];
    for (const CutTarget& cut : brackets_.cuts) {
      const bool farther = down ? cut.quantile < last : cut.quantile > last;
      if (cut.owner == owner && cut.end == end && farther) last = cut.quantile;
    }
    auto next = down ? selected_.lower_bound(last) : selected_.upper_bound(last);
    if (next == (down ? selected_.begin() : selected_.end())) return;
    if (down) --next;
    brackets_.cuts.push_back({next->first, end, owner});
  }

  /// Where a bad selection leaves no other cut outside, these keep the outermost ends from staying open.
  void add_outermost_cuts() {
    brackets_.cuts.push_back({Rational(0), IntervalEnd::lower, 0});
    brackets_.cuts.push_back({Rational(1), IntervalEnd::upper, query_.quantiles.size() - 1});
  }

  /// Unless what is selected already is nearly there.
  void select(const Rational& q, IntervalEnd end, const Distance& distance) {
    const std::optional<Rational> there = beside(q, end, distance);
    if (!there) return;
    const Rational near = (*there > q ? *there - q : q - *there) * Rational(1, 3);
    const auto next = selected_.lower_bound(*there - near);
    if (next == selected_.end() || next->first > *there + near) selected_.emplace(*there, Role::bracket);
  }

  void select_far(const Rational& q, IntervalEnd end) { select(q, end, selected_far); }

  const QuantileQuery& query_;
  Brackets brackets_;
  ExpectedEnds ends_;
  Rational unit_;
  std::map<Rational, Role> selected_;
};

}  // namespace

Brackets with_brackets(const QuantileQuery& query) { return BracketBuilder(query).build(); }

namespace {

/// The candidates of all cuts but the two outermost follow from the line on which they lie; that of a cut at the quantile 0 or 1 is as
/// far beyond the outermost selected ones as these are apart.
std::vector<std::uint64_t> candidates_of(const std::vector<CutTarget>& cuts, const Brackets& brackets,
                                         const std::vector<std::uint64_t>& selected, std::uint64_t largest) {
  std::vector<Rational> targets;
  for (const CutTarget& cut : cuts) targets.push_back(cut.quantile);
  std::vector<std::uint64_t> places = interpolated(targets, brackets.selected, selected, largest);
  const std::uint64_t apart = selected.back() - selected.front();
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    if (cuts[i].quantile == Rational(0)) places[i] = selected.front() - std::min(selected.front(), apart);
    if (cuts[i].quantile == Rational(1)) places[i] = selected.back() + std::min(largest - selected.back(), apart);
  }
  return places;
}

/// The coarsest grid of round numbers on which at least four of those selected are, and three in five, zero left out; one that is selected
/// again counts twice. Of a column that is at least ten times finer than the grid, and has hardly any ties, so many are on it in less than
/// one release of 700. On a grid of every second candidate they often are by chance, which moves a cut by a candidate at most.
std::optional<RoundGrid> grid_of(const std::vector<std::uint64_t>& selected, const Lattice& lattice) {
  const std::optional<std::uint64_t> zero = zero_of(lattice);
  std::optional<RoundGrid> coarsest;
  for (const RoundGrid& grid : round_grids(lattice)) {
    std::size_t all = 0;
    std::size_t on_it = 0;
    std::size_t again = 0;
    for (std::size_t i = 0; i < selected.size(); ++i) {
      if (selected[i] == zero) continue;
      ++all;
      if (!grid.contains(selected[i])) continue;
      ++on_it;
      if (i > 0 && selected[i] == selected[i - 1]) ++again;
    }
    if (on_it >= 4 && 5 * (on_it + again) >= 3 * all) coarsest = grid;
  }
  return coarsest;
}

/// Inwards to the next of the grid, since no value of a column on it is between; unless one of those selected is nearer.
std::uint64_t rounded_inwards(std::uint64_t candidate, IntervalEnd end, const RoundGrid& grid,
                              const std::vector<std::uint64_t>& selected) {
  const std::uint64_t past = candidate < grid.offset ? 0 : (candidate - grid.offset) % grid.stride;
  if (end == IntervalEnd::lower) {
    const std::uint64_t up = candidate < grid.offset ? grid.offset : candidate + (past == 0 ? 0 : grid.stride - past);
    const auto next = std::ranges::lower_bound(selected, candidate);
    return next != selected.end() && up <= *next ? up : candidate;
  }
  const auto next = std::ranges::upper_bound(selected, candidate);
  return next != selected.begin() && candidate - past >= *(next - 1) ? candidate - past : candidate;
}

/// Where a point ties with what was selected next to it on the other side, the tie may reach as far on this side: an end has its innermost
/// cut there, so that it need not go farther.
void move_to_ties(std::vector<std::uint64_t>& places, const Brackets& brackets,
                  const std::vector<std::uint64_t>& selected) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < brackets.roles.size(); ++i) {
    if (brackets.roles[i] == Role::point) points.push_back(i);
  }
  for (std::size_t owner = 0; owner < points.size(); ++owner) {
    const std::size_t point = points[owner];
    const auto is_of = [&](IntervalEnd end) {
      return [=](const CutTarget& cut) { return cut.owner == owner && cut.end == end; };
    };
    const auto first_upper = std::ranges::find_if(brackets.cuts, is_of(IntervalEnd::upper));
    if (first_upper != brackets.cuts.end() && point > 0 && selected[point - 1] == selected[point]) {
      places[static_cast<std::size_t>(first_upper - brackets.cuts.begin())] = selected[point];
    }
    const auto last_lower = std::find_if(brackets.cuts.rbegin(), brackets.cuts.rend(), is_of(IntervalEnd::lower));
    if (last_lower != brackets.cuts.rend() && point + 1 < selected.size() && selected[point + 1] == selected[point]) {
      places[static_cast<std::size_t>(brackets.cuts.rend() - last_lower) - 1] = selected[point];
    }
  }
}

}  // namespace

PlacedCuts cuts_of(const std::vector<std::uint64_t>& selected, const Brackets& brackets, const Lattice& lattice) {
  PlacedCuts placed;
  if (brackets.cuts.empty()) return placed;
  const std::optional<RoundGrid> grid = grid_of(selected, lattice);
  std::vector<std::uint64_t> places = candidates_of(brackets.cuts, brackets, selected, lattice.size() - 1);
  move_to_ties(places, brackets, selected);
  std::vector<Position> at;  // by target
  Position lower = 0;
  Position upper = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const IntervalEnd end = brackets.cuts[i].end;
    const std::uint64_t place = grid ? rounded_inwards(places[i], end, *grid, selected) : places[i];
    if (end == IntervalEnd::lower) {
      lower = std::max(lower, 2 * place + 1);
    } else {
      upper = std::max({upper, lower, 2 * place + 2});
    }
    at.push_back(end == IntervalEnd::lower ? lower : upper);
    placed.targets.push_back(i);
  }
  std::ranges::stable_sort(placed.targets, {}, [&](std::size_t target) { return at[target]; });
  for (const std::size_t target : placed.targets) placed.positions.push_back(at[target]);
  return placed;
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

/// Cuts by their place, from the first to the last.
struct CutRange {
  std::size_t first;
  std::size_t last;

  CellsBelow cells_below() const { return {first + 1, last + 1}; }
};

/// Which cuts decide an end. Both ranges follow from what is public alone.
struct EndRanges {
  CutRange own;    ///< the places of its quantile's cuts on this side, when none has moved
  CutRange wider;  ///< all places to which they may move, past cuts of other quantiles
  bool have_moved = false;

  bool may_move() const { return wider.first < own.first || wider.last > own.last; }
};

/// Nothing for an end without cuts. A lower cut may move before the upper ones whose targets are before its own, and no others do.
std::optional<EndRanges> ranges_of(const Brackets& brackets, const PlacedCuts& placed, IntervalEnd end,
                                   std::size_t owner) {
  const bool is_lower = end == IntervalEnd::lower;
  const std::vector<CutTarget>& cuts = brackets.cuts;
  const auto is_own = [&](const CutTarget& cut) { return cut.end == end && cut.owner == owner; };
  const auto is_other = [&](const CutTarget& cut) { return cut.end != end; };
  const auto front = std::ranges::find_if(cuts, is_own);
  if (front == cuts.end()) return {};
  const auto after_last = std::find_if(cuts.rbegin(), cuts.rend(), is_own).base();
  const CutRange own{static_cast<std::size_t>(front - cuts.begin()),
                     static_cast<std::size_t>(after_last - cuts.begin()) - 1};
  EndRanges ranges{own, own};
  if (is_lower) ranges.wider.first -= static_cast<std::size_t>(std::count_if(cuts.begin(), front, is_other));
  if (!is_lower) ranges.wider.last += static_cast<std::size_t>(std::count_if(after_last, cuts.end(), is_other));
  for (std::size_t place = 0; place < placed.targets.size(); ++place) {
    const bool outside = place < own.first || place > own.last;
    if (outside && is_own(cuts[placed.targets[place]])) ranges.have_moved = true;
  }
  return ranges;
}

/// Which cuts are rejected, and the ends that follow.
class CutScan {
 public:
  CutScan(const Lattice& lattice, const std::vector<Position>& cuts, const std::vector<int128>& below)
      : lattice_(lattice), cuts_(cuts), below_(below) {}

  std::int64_t noisy_records() const {
    constexpr int128 most = int128{1} << 50;
    return static_cast<std::int64_t>(std::clamp(below_.back(), -most, most));
  }

  /// The last cut up to which all of the range are rejected; the range's own end without one.
  std::uint64_t lower_end(const QuantileFraction& q, const CutRange& range,
                          const CriticalValues::Threshold& threshold) const {
    std::uint64_t end = 0;
    for (std::size_t k = range.first; k <= range.last; ++k) {
      if (!threshold.exceeds(statistic(q, k))) break;
      end = first_from(cuts_[k]);
    }
    return end;
  }

  std::uint64_t upper_end(const QuantileFraction& q, const CutRange& range,
                          const CriticalValues::Threshold& threshold) const {
    std::uint64_t end = lattice_.size() - 1;
    for (std::size_t k = range.last + 1; k-- > range.first;) {
      if (!threshold.exceeds(-statistic(q, k))) break;
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

CountedCells::CountedCells(const QuantileQuery& query, const Lattice& lattice, const Brackets& brackets,
                           const std::vector<std::uint64_t>& selected, const std::vector<std::int64_t>& counts)
    : query_(query),
      lattice_(lattice),
      brackets_(brackets),
      cuts_(cuts_of(selected, brackets, lattice)),
      below_(sums_from_none(counts)),
      critical_(critical_values(query, query.budget.scaled(brackets.shares.cells), counts.size())) {}

std::vector<Interval> CountedCells::intervals(const Rational& level) {
  IntervalRequest request = *query_.intervals;
  request.level = level;
  const Failures failures(request, query_.quantiles.size());
  const CutScan scan(lattice_, cuts_.positions, below_);
  const auto threshold = [&](const QuantileFraction& q, IntervalEnd end, const CutRange& range, double share) {
    const double failure = failures.of_end * share;
    if (request.of == IntervalOf::table) return critical_.of_table(q, end, range.cells_below(), failure);
    return critical_.of_population(q, end, range.cells_below(), failure, scan.noisy_records(), failures.of_n);
  };
  const auto end_of = [&](std::size_t owner, IntervalEnd end) {
    const std::optional<EndRanges> ranges = ranges_of(brackets_, cuts_, end, owner);
    if (!ranges) return end == IntervalEnd::lower ? 0 : lattice_.size() - 1;
    const QuantileFraction q = QuantileFraction::of(query_.quantiles[owner]);
    const auto scanned = [&](const CutRange& range, double share) {
      const CriticalValues::Threshold limit = threshold(q, end, range, share);
      return end == IntervalEnd::lower ? scan.lower_end(q, range, limit) : scan.upper_end(q, range, limit);
    };
    const std::uint64_t there = scanned(ranges->own, ranges->may_move() ? 1 - share_of_moved : 1);
    if (!ranges->have_moved) return there;
    const std::uint64_t moved = scanned(ranges->wider, share_of_moved);
    return end == IntervalEnd::lower ? std::max(there, moved) : std::min(there, moved);
  };
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < query_.quantiles.size(); ++i) {
    const std::uint64_t lower = end_of(i, IntervalEnd::lower);
    const std::uint64_t upper = end_of(i, IntervalEnd::upper);
    const auto [first, last] = std::minmax(lower, upper);
    intervals.push_back({first, last, first == 0, last == lattice_.size() - 1});
  }
  return intervals;
}

}  // namespace fractile
