#include "quantiles/stages/brackets.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>

#include "fractile/error.hpp"
#include "quantiles/draws/calibration.hpp"
#include "quantiles/stages/critical_values.hpp"
#include "quantiles/stages/recursion.hpp"

namespace fractile {

IntervalFailures::IntervalFailures(const IntervalRequest& request, std::size_t quantiles) {
  const Rational all = Rational(1) - request.level;
  const Rational n = request.subject == IntervalSubject::population ? all / Rational(20) : Rational(0);
  const Rational ends = request.is_simultaneous ? Rational(2) * Rational(quantiles) : Rational(2);
  of_end = ((all - n) / ends).to_double() * (1 - 0x1p-50);
  of_n = n.to_double() * (1 - 0x1p-50);
}

namespace {

[[noreturn]] void refuse(const std::string& what, const Words& hint, const char* field = "") {
  throw Error(ErrorCode::usage, what, hint, field);
}

/// A distance from a quantile: a multiple of the critical value, plus a number of deviations of everything else that is uncertain.
struct Distance {
  double critical;
  double deviations;
};

/// What depends on whether the intervals are about the table or the population.
struct Ladder {
  std::vector<Distance> cuts;                ///< where intervals may end
  Distance selected;                         ///< the brackets, which show where the cuts are
  Distance selected_far;                     ///< the brackets beyond the first and the last quantile
  std::optional<Distance> selected_farther;  ///< further brackets beyond these, each with a separate cut
  bool with_points;                          ///< whether deviations include those of the points, besides the noise
  bool fills_gaps;  ///< whether cuts and brackets are left out where those of the next quantile suffice
};

/// The noise decides how far out the ends are, and every cut adds noise. So there is one cut for lucky draws, one that nearly
/// always decides, and a bracket far out. If the far bracket is drawn to an empty part of the range, an interval can end at another
/// quantile's cuts; a single quantile has none, so it gets a second bracket, and more of the budget for both.
Ladder of_table(std::size_t quantiles) {
  if (quantiles == 1) return {{{1, 0.4}, {1, 2}}, {1, 6}, {1, 3}, Distance{1, 20}, true, true};
  return {{{1, 0.4}, {1, 2}}, {1, 6}, {1, 6}, {}, true, true};
}

/// The sampling error decides, so one more cut costs little. The last cut is for unusually large noise.
Ladder of_population() {
  return {{{0.9, -0.3}, {0.95, 0.1}, {1, 0.5}, {1.06, 1}, {1.15, 1.7}, {1.3, 2.7}, {1.6, 5}},
          {1.05, 0.7},
          {1.6, 4},
          {},
          false,
          false};
}

Ladder ladder_for(const QuantileQuery& query) {
  return query.intervals->subject == IntervalSubject::table ? of_table(query.quantiles.size()) : of_population();
}

constexpr std::size_t most_intervals = 20;  // each has brackets, whose cells are all counted

double deviation_of_noise(const QuantileQuery& query, const Rational& share) {
  const CountTreeNoise noise(with_part(query, share), 1);
  return noise_deviation(noise.measure(), noise.price());
}

}  // namespace

double deviation_of_counts(const QuantileQuery& query, const IntervalShares& shares) {
  return deviation_of_noise(query, shares.cells);
}

double deviation_of_points(const QuantileQuery& query, const IntervalShares& shares) {
  return 1.06 * std::pow(static_cast<double>(query.quantiles.size()), 0.44) * deviation_of_noise(query, shares.points);
}

namespace {

/// The approximate distance of an end from its quantile, for this many records and cells.
class ExpectedEnds {
 public:
  ExpectedEnds(const QuantileQuery& query, const IntervalShares& shares, const Ladder& ladder, std::uint64_t rows,
               std::size_t cells)
      : request_(*query.intervals),
        rows_(static_cast<double>(rows)),
        cells_(static_cast<double>(cells)),
        deviate_(deviate_of(IntervalFailures(request_, query.quantiles.size()).of_end)),
        deviation_(deviation_of_counts(query, shares)),
        of_points_(ladder.with_points ? deviation_of_points(query, shares) : 0) {}

  /// As a share of the records.
  double at(const Rational& quantile, const Distance& distance) const {
    const double q = quantile.to_double();
    const double noise = deviation_ * std::sqrt(cells_ * q * (1 - q));
    const double sampling = request_.subject == IntervalSubject::population ? std::sqrt(rows_ * q * (1 - q)) : 0;
    const double critical = deviate_ * std::hypot(noise, sampling);
    return (distance.critical * critical + distance.deviations * std::hypot(noise, of_points_) + 1) / rows_;
  }

 private:
  IntervalRequest request_;
  double rows_;
  double cells_;
  double deviate_;
  double deviation_;
  double of_points_;
};

/// Shares of the points and the brackets of intervals of the table, in hundredths of what the count of records leaves. Widths follow from
/// the noise of counts and from the errors of the points around which the cuts lie; docs/decisions/intervals-count-first.md compares
/// shares.
constexpr int points_of_table = 42;
constexpr int points_of_one_quantile = 38;
constexpr int brackets_of_table = 7;
constexpr int brackets_of_one_quantile = 22;  // these brackets alone show how far the records reach on either side

/// How many records a single quantile has on the side with fewer of them, in deviations of a count with the whole budget.
double room_beside(const QuantileQuery& query, std::uint64_t rows) {
  const double q = query.quantiles.front().to_double();
  return std::min(q, 1 - q) * static_cast<double>(rows) / deviation_of_noise(query, 1);
}

/// Whether the query asks for one quantile, with intervals of the table, and at least this much room beside it.
bool is_one_with_room(const QuantileQuery& query, std::uint64_t rows, double room) {
  return query.intervals->subject == IntervalSubject::table && query.quantiles.size() == 1 &&
         room_beside(query, rows) > room;
}

constexpr double room_for_brackets = 35;
/// With about 14 deviations of room, the noise of further cuts would leave more than one end in a hundred unsettled. The counted room
/// itself has a standard error of about 10.
constexpr double room_for_cuts = 45;

/// For intervals of the population, the points get a share that keeps their error within about 1.2 times that of a release without
/// intervals. These errors are relative to the population's quantiles, so they include the sampling error. The counts, on which
/// widths depend most, get the larger part of the rest.
Rational points_of_population(const QuantileQuery& query, std::uint64_t rows) {
  constexpr double times = 1.18;
  constexpr std::int64_t parts = 40;
  constexpr std::int64_t most = 33;
  const auto quantiles = static_cast<double>(query.quantiles.size());
  const double selecting = 0.7 * std::pow(quantiles, 0.6) * deviation_of_noise(query, 1);  // the mean error of a point
  double sampling = 0;
  for (const Rational& q : query.quantiles) {
    sampling += 0.8 * std::sqrt(static_cast<double>(rows) * q.to_double() * (1 - q.to_double())) / quantiles;
  }
  const double of_large_tables = selecting / std::hypot(std::sqrt(times * times - 1) * sampling, times * selecting);
  // Among few records, errors grow faster than the noise, and no share for the counts makes intervals narrow.
  const double of_small_tables = 20 * deviation_of_noise(query, 1) * (quantiles + 1) / static_cast<double>(rows);
  // Among many records, the noise of counts hardly widens intervals. Points with large errors do, since the brackets around them
  // are misplaced, too.
  const std::int64_t least = 10 * selecting < sampling ? 14 : 8;
  const double share = std::min(1.0, std::max(of_large_tables, of_small_tables));
  return {std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(share * parts)), least, most), parts};
}

IntervalShares shares_of(const QuantileQuery& query, std::uint64_t rows) {
  const Rational counting = preliminary_share(query.budget.measure()) * Rational(shares_of_rows(query));
  const Rational left = Rational(1) - counting;
  if (query.intervals->subject == IntervalSubject::table) {
    const bool is_one = is_one_with_room(query, rows, room_for_brackets);
    const Rational points = left * Rational(is_one ? points_of_one_quantile : points_of_table, 100);
    const Rational brackets = left * Rational(is_one ? brackets_of_one_quantile : brackets_of_table, 100);
    return {counting, points, brackets, left - points - brackets};
  }
  const Rational points = points_of_population(query, rows);
  const Rational rest = Rational(1) - points;
  const Rational brackets(25, 100);
  return {counting, left * points, left * rest * brackets, left * rest * (Rational(1) - brackets)};
}

}  // namespace

int shares_of_rows(const QuantileQuery& query) { return query.intervals->subject == IntervalSubject::table ? 2 : 1; }

namespace {

/// A certified law of noise counts up to 2e-11 of each draw's mass as missing (`negligible`), and an end that may fail less often than what
/// is missing has no threshold. Of 20 quantiles and at most 325 cells this is 6.5e-9. At this level, an end of intervals of the population
/// that hold together and in pairs may fail with probability 1.2e-8, and each bound of the number of records with 1.25e-8.
const Rational& highest_level() {
  static const Rational level(999'999, 1'000'000);
  return level;
}

}  // namespace

void require_intervals(const QuantileQuery& query) {
  const IntervalRequest& request = *query.intervals;
  if (request.level <= Rational(0) || request.level >= Rational(1)) {
    refuse("the level of an interval lies between 0 and 1", {"write for example ", Field("intervals").number("0.95")},
           "intervals");
  }
  if (request.level > highest_level()) {
    const std::string most = highest_level().to_decimal();
    refuse(
        "intervals have levels up to " + most + ", each by itself or all together: at higher ones all ends may be open",
        {"write at most ", Field("intervals").number(most)}, "intervals");
  }
  if (query.budget.measure() == Measure::approximate) {
    refuse("there are no intervals under a budget with a delta", "leave the delta out, or use rho", "delta");
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
  if (request.subject == IntervalSubject::population && query.records_per_person > 1) {
    refuse(
        "several records of a person are not a simple random sample: intervals of the population take one record a "
        "person",
        "keep one record of each person, or ask for intervals of the table");
  }
}

namespace {

/// Collects quantiles around the wanted ones, all on one common denominator.
class BracketBuilder {
 public:
  BracketBuilder(const QuantileQuery& query, std::uint64_t rows, const std::vector<Rational>& points)
      : query_(query),
        points_(points),
        rows_(std::max<std::uint64_t>(rows, 1)),
        ladder_(ladder_for(query)),
        shares_(shares_of(query, rows_)) {
    const Rational common = common_denominator(query.quantiles);
    const std::uint64_t most = std::min(std::uint64_t{1} << 24, (std::uint64_t{1} << 61) / rows_);
    const Rational finer = (Rational(most) / common).floor();
    unit_ = Rational(1) / (common * (finer.sign() > 0 ? finer : Rational(1)));
  }

  /// How far ends are off depends on how many cells there are, and how many cuts are of use on how far off they are.
  Brackets build() {
    const std::size_t most = 2 * (ladder_.cuts.size() + 1) * query_.quantiles.size() + 2 * far_cuts + 1;
    return build(build(most).cuts.size() + 1);
  }

 private:
  static constexpr std::size_t far_cuts = 2;  ///< the most cuts beyond all others, on each side

  Brackets build(std::size_t cells) {
    ends_.emplace(query_, shares_, ladder_, rows_, cells);
    selected_.clear();
    cuts_.clear();
    for (const Rational& q : points_) selected_.insert(q);
    for (std::size_t i = 0; i < query_.quantiles.size(); ++i) {
      for (const IntervalEnd end : {IntervalEnd::lower, IntervalEnd::upper}) {
        for (std::size_t k = 0; k < ladder_.cuts.size(); ++k) {
          if (k == 0 || !is_served(i, end, ladder_.cuts[k])) add_cut(i, end, ladder_.cuts[k]);
        }
      }
    }
    if (is_one_with_room(query_, rows_, room_for_cuts)) add_cuts_at_the_point();
    select_far(query_.quantiles.front(), IntervalEnd::lower);
    select_far(query_.quantiles.back(), IntervalEnd::upper);
    select_farther(0, IntervalEnd::lower);
    select_farther(query_.quantiles.size() - 1, IntervalEnd::upper);
    for (std::size_t i = 0; i < query_.quantiles.size(); ++i) {
      for (const IntervalEnd end : {IntervalEnd::lower, IntervalEnd::upper}) {
        if (!ladder_.fills_gaps || is_wide(i, end)) select(query_.quantiles[i], end, ladder_.selected);
      }
    }
    for (std::size_t i = 0; i < query_.quantiles.size(); ++i) {
      for (const IntervalEnd end : {IntervalEnd::lower, IntervalEnd::upper}) add_cut_beyond(i, end);
    }
    if (selected_.size() < 2) cuts_.clear();  // nothing shows where the cuts are
    for (std::size_t k = 0; k < far_cuts_of(IntervalEnd::lower); ++k) {
      cuts_.push_back({Rational(0), IntervalEnd::lower, 0});
    }
    for (std::size_t k = 0; k < far_cuts_of(IntervalEnd::upper); ++k) {
      cuts_.push_back({Rational(1), IntervalEnd::upper, query_.quantiles.size() - 1});
    }
    const auto by_quantile = [](const CutTarget& a, const CutTarget& b) { return a.quantile < b.quantile; };
    std::ranges::stable_sort(cuts_, by_quantile);
    return {query_.quantiles,
            {selected_.begin(), selected_.end()},
            cuts_,
            shares_,
            query_.intervals->subject == IntervalSubject::table};
  }

  /// The quantile at this distance from q, on the side of the end; nothing outside the range.
  std::optional<Rational> beside(const Rational& q, IntervalEnd end, const Distance& distance) const {
    const double share = ends_->at(q, distance);
    if (share >= 1) return {};
    const Rational away = std::max((Rational::from_double(share) / unit_).ceil(), Rational(1)) * unit_;
    const Rational there = end == IntervalEnd::lower ? q - away : q + away;
    if (there <= Rational(0) || there >= Rational(1)) return {};
    return there;
  }

  /// The next quantile on this side; none beside the outermost.
  const Rational* neighbor(std::size_t i, IntervalEnd end) const {
    const bool down = end == IntervalEnd::lower;
    if (down ? i == 0 : i + 1 == query_.quantiles.size()) return nullptr;
    return &query_.quantiles[down ? i - 1 : i + 1];
  }

  double gap(std::size_t i, const Rational& next) const { return std::abs((next - query_.quantiles[i]).to_double()); }

  bool reaches_neighbor(std::size_t i, IntervalEnd end, const Rational& there) const {
    const Rational* next = neighbor(i, end);
    return next && (end == IntervalEnd::lower ? there <= *next : there >= *next);
  }

  /// Whether the next quantile's nearest cut is no farther out than this one would be.
  bool is_served(std::size_t i, IntervalEnd end, const Distance& distance) const {
    const Rational* next = neighbor(i, end);
    return ladder_.fills_gaps && next &&
           ends_->at(query_.quantiles[i], distance) + ends_->at(*next, ladder_.cuts.front()) >= gap(i, *next);
  }

  /// Whether a bracket between two neighboring quantiles improves the interpolation.
  bool is_wide(std::size_t i, IntervalEnd end) const {
    constexpr double times = 2.5;
    const Rational* next = neighbor(i, end);
    return next && times * ends_->at(query_.quantiles[i], ladder_.selected) < gap(i, *next);
  }

  void add_cut(std::size_t owner, IntervalEnd end, const Distance& distance) {
    const std::optional<Rational> there = beside(query_.quantiles[owner], end, distance);
    if (there) cuts_.push_back({*there, end, owner});
  }

  /// A single quantile has one where its second bracket serves as the other, and where there is no room for the other's noise.
  std::size_t far_cuts_of(IntervalEnd end) const {
    if (query_.intervals->subject != IntervalSubject::table || query_.quantiles.size() > 1) return far_cuts;
    const bool has_second_bracket =
        ladder_.selected_farther && beside(query_.quantiles.front(), end, *ladder_.selected_farther);
    return has_second_bracket || !is_one_with_room(query_, rows_, room_for_cuts) ? 1 : far_cuts;
  }

  /// Adds a cut on either side of the point. Where the point lies on a tie, the interval can end there.
  void add_cuts_at_the_point() {
    cuts_.push_back({query_.quantiles.front(), IntervalEnd::lower, 0});
    cuts_.push_back({query_.quantiles.front(), IntervalEnd::upper, 0});
  }

  /// Adds a cut at the next selected quantile that is farther out than all cuts of this end. With tied values, interpolated cuts
  /// may lie between two values, where no further records are below them; this cut lies on the next value. From the next wanted
  /// quantile on, there are that quantile's own cuts.
  void add_cut_beyond(std::size_t owner, IntervalEnd end) {
    const bool down = end == IntervalEnd::lower;
    Rational last = query_.quantiles[owner];
    for (const CutTarget& cut : cuts_) {
      const bool farther = down ? cut.quantile < last : cut.quantile > last;
      if (cut.owner == owner && cut.end == end && farther) last = cut.quantile;
    }
    auto next = down ? selected_.lower_bound(last) : selected_.upper_bound(last);
    if (next == (down ? selected_.begin() : selected_.end())) return;
    if (down) --next;
    if (ladder_.fills_gaps && reaches_neighbor(owner, end, *next)) return;
    cuts_.push_back({*next, end, owner});
  }

  /// Selects a bracket, unless something is already selected nearby.
  void select(const Rational& q, IntervalEnd end, const Distance& distance) {
    const std::optional<Rational> there = beside(q, end, distance);
    if (!there) return;
    const Rational near = (*there > q ? *there - q : q - *there) * Rational(1, 3);
    const auto next = selected_.lower_bound(*there - near);
    if (next == selected_.end() || *next > *there + near) selected_.insert(*there);
  }

  /// Selects a far bracket; half way to the end of the range if fewer records than that lie beyond.
  void select_far(const Rational& q, IntervalEnd end) {
    if (beside(q, end, ladder_.selected_far)) {
      select(q, end, ladder_.selected_far);
    } else if (ladder_.fills_gaps) {
      const Rational half = (end == IntervalEnd::lower ? q : q + Rational(1)) * Rational(1, 2);
      const Rational there = (half / unit_).floor() * unit_;
      if (there > Rational(0) && there != q) selected_.insert(there);
    }
  }

  /// Selects a bracket still farther out, if there are enough records, and adds a cut at each of the two.
  void select_farther(std::size_t owner, IntervalEnd end) {
    if (!ladder_.selected_farther) return;
    const std::optional<Rational> there = beside(query_.quantiles[owner], end, *ladder_.selected_farther);
    if (!there) return;
    selected_.insert(*there);
    add_cut(owner, end, ladder_.selected_far);
    add_cut(owner, end, *ladder_.selected_farther);
  }

  const QuantileQuery& query_;
  const std::vector<Rational>& points_;
  std::uint64_t rows_;
  Ladder ladder_;
  IntervalShares shares_;
  std::optional<ExpectedEnds> ends_;
  Rational unit_;
  std::set<Rational> selected_;
  std::vector<CutTarget> cuts_;
};

}  // namespace

Brackets with_brackets(const QuantileQuery& query, std::uint64_t rows) {
  return with_brackets(query, rows, query.quantiles);
}

Brackets with_brackets(const QuantileQuery& query, std::uint64_t rows, const std::vector<Rational>& points) {
  return BracketBuilder(query, rows, points).build();
}

double expected_half_width(const QuantileQuery& query, const Rational& quantile, std::uint64_t rows) {
  const Brackets brackets = with_brackets(query, rows);
  const ExpectedEnds ends(query, brackets.shares, ladder_for(query), rows, brackets.cuts.size() + 1);
  return ends.at(quantile, {1, 1}) * static_cast<double>(rows);
}

namespace {

/// For lower ends. It is possible that no record is below the cut farthest out. Its statistic is then -q n plus noise, which must
/// be less than the threshold.
bool lower_ends_are_settled(const QuantileQuery& query, const Brackets& brackets, double q, std::uint64_t rows) {
  // Deviations of a sum of few draws, whose tails are longer than the normal law's.
  constexpr double one_in_a_hundred = 3.25;
  const double deviation = deviation_of_noise(query, brackets.shares.cells);
  const auto cells = static_cast<double>(brackets.cuts.size() + 1);
  const auto noise = [&](double below) {
    return deviation * std::sqrt((1 - q) * (1 - q) * below + q * q * (cells - below));
  };
  const auto own = static_cast<double>(std::ranges::count_if(
      brackets.cuts, [](const CutTarget& cut) { return cut.end == IntervalEnd::lower && cut.owner == 0; }));
  const auto n = static_cast<double>(rows);
  const double sampling = query.intervals->subject == IntervalSubject::population ? std::sqrt(n * q * (1 - q)) : 0;
  const double deviate = deviate_of(IntervalFailures(*query.intervals, query.quantiles.size()).of_end);
  return q * n > deviate * std::hypot(noise(own), sampling) + one_in_a_hundred * noise(1);
}

}  // namespace

bool ends_are_settled(const QuantileQuery& query, std::uint64_t rows) {
  const double outermost = std::min(query.quantiles.front().to_double(), 1 - query.quantiles.back().to_double());
  return lower_ends_are_settled(query, with_brackets(query, rows), outermost, rows);
}

}  // namespace fractile
