#include "quantiles/stages/brackets.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "fractile/error.hpp"
#include "quantiles/stages/critical_values.hpp"
#include "quantiles/stages/recursion.hpp"

namespace fractile {

IntervalFailures::IntervalFailures(const IntervalRequest& request, std::size_t quantiles) {
  const Rational all = Rational(1) - request.level;
  const Rational n = request.of == IntervalOf::population ? all / Rational(20) : Rational(0);
  const Rational ends = request.together ? Rational(2) * Rational(static_cast<std::int64_t>(quantiles)) : Rational(2);
  of_end = ((all - n) / ends).to_double() * (1 - 0x1p-50);
  of_n = n.to_double() * (1 - 0x1p-50);
}

CountTreeNoise noise_of_cells(QuantileQuery query, const Budget& share) {
  query.budget = share;
  return {query, 1};
}

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

double deviation_of_noise(const QuantileQuery& query, const Rational& share) {
  const CountTreeNoise noise = noise_of_cells(query, query.budget.scaled(share));
  return noise_deviation(noise.measure(), noise.price());
}

/// About how far from its quantile an end is expected.
class ExpectedEnds {
 public:
  ExpectedEnds(const QuantileQuery& query, const IntervalShares& shares)
      : request_(*query.intervals),
        rows_(static_cast<double>(*query.expected_rows)),
        cells_(static_cast<double>(2 * (std::size(ladder) + 1) * query.quantiles.size())),
        deviate_(deviate_of(IntervalFailures(request_, query.quantiles.size()).of_end)),
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

/// The points have what keeps their error within about 1.2 times that of a release without intervals: error against what is asked
/// for, the table's quantiles or the population's, about which the sample errs as well. The counts, on which widths depend most, have
/// the larger part of the rest.
IntervalShares shares_of(const QuantileQuery& query) {
  constexpr double times = 1.18;
  constexpr std::int64_t parts = 40;
  const bool of_table = query.intervals->of == IntervalOf::table;
  const std::int64_t most = of_table ? 34 : 33;
  const Rational brackets = of_table ? Rational(11, 50) : Rational(33, 100);
  const auto quantiles = static_cast<double>(query.quantiles.size());
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

}  // namespace fractile
