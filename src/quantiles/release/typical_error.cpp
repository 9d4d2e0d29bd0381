#include "quantiles/release/typical_error.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/own_environment.hpp"
#include "exact/workers.hpp"
#include "fractile/error.hpp"
#include "quantiles/joint/joint.hpp"
#include "quantiles/release/release.hpp"
#include "quantiles/stages/intervals.hpp"
#include "ranks/profile_parts.hpp"

namespace fractile {

std::string to_string(Shape shape) {
  switch (shape) {
    case Shape::uniform:
      return "uniform";
    case Shape::normal:
      return "normal";
    case Shape::log_normal:
      return "log-normal";
  }
  return {};
}

namespace {

/// Standard normal quantiles of increasing p >= 1/2. Newton's steps from the previous quantile stay below the root, since the
/// distribution function is concave there.
class NormalQuantiles {
 public:
  double at(double p) {
    for (int steps = 0; steps < 100; ++steps) {
      const double missing = p - std::erfc(-z_ / std::numbers::sqrt2) / 2;
      const double density = std::exp(-z_ * z_ / 2) / std::sqrt(2 * std::numbers::pi);
      const double step = missing / density;
      z_ += step;
      if (!(step > 1e-12)) break;
    }
    return z_;
  }

 private:
  double z_ = 0;
};

/// The places of the records between the bounds, as parts of the width; the i-th record is at the quantile (i + 1/2)/rows.
std::vector<double> places_of(Shape shape, std::uint64_t rows) {
  std::vector<double> places(rows);
  const auto quantile = [rows](std::uint64_t i) { return (static_cast<double>(i) + 0.5) / static_cast<double>(rows); };
  if (shape == Shape::uniform) {
    for (std::uint64_t i = 0; i < rows; ++i) places[i] = quantile(i);
    return places;
  }
  const auto place = [shape](double z) { return shape == Shape::normal ? 0.5 + z / 8 : std::exp(0.75 * z) / 16; };
  NormalQuantiles normal;
  for (std::uint64_t i = rows / 2; i < rows; ++i) {
    const double z = normal.at(quantile(i));
    places[i] = place(z);
    places[rows - 1 - i] = place(-z);
  }
  return places;
}

}  // namespace

RankProfile reference_table(const Lattice& lattice, Shape shape, std::uint64_t rows) {
  const OwnEnvironment own;
  if (rows > any_number_of_rows) {
    throw Error(ErrorCode::usage, "a reference table has at most " + std::to_string(any_number_of_rows) + " records",
                "take fewer: it stands for a larger one, too");
  }
  const std::uint64_t last = lattice.size() - 1;
  CollectedCounts records;
  for (const double place : places_of(shape, rows)) {  // increasing
    const double at = std::clamp(place, 0.0, 1.0) * static_cast<double>(last);
    records.add(2 * std::min(last, static_cast<std::uint64_t>(std::llround(at))) + 1, 1);
  }
  return std::move(records).on(lattice);
}

namespace {

/// The distance of q n from [below, below + equal].
double rank_error(const RankProfile& table, const Rational& quantile, std::uint64_t candidate) {
  const QuantileFraction alpha = QuantileFraction::of(quantile);
  const std::uint64_t score = interval_score(alpha, table.below(candidate), table.equal(candidate), table.records());
  return static_cast<double>(score) / static_cast<double>(alpha.denominator);
}

/// Whether two problems about all of one table are the same. Base measures differ in their round numbers, and so in the mass below
/// places that are not round numbers.
bool are_alike(const JointProblem& a, const JointProblem& b) {
  const auto is_close = [&](const BaseMeasure& one, const BaseMeasure& other) {
    const Split width = a.span.highest - a.span.lowest;
    for (Split part = 1; part <= 16; ++part) {
      const Split place = a.span.lowest + width / 17 * part + part;
      if (one.mass(a.span.lowest, place) != other.mass(a.span.lowest, place)) return false;
    }
    return one.total() == other.total();
  };
  const auto step = [](const JointProblem& problem) { return problem.totals ? problem.totals->step : 0; };
  return a.span == b.span && a.subcells == b.subcells && a.target.weights == b.target.weights &&
         a.target.denominator == b.target.denominator && a.rate == b.rate && step(a) == step(b) &&
         is_close(a.base, b.base);
}

/// A source for many releases of one table. The tables of a joint selection take long to fill, and the first selection of most
/// releases is the same.
class RepeatedSource : public RandomSource {
 public:
  explicit RepeatedSource(RandomBits& bits) : RandomSource(bits), bits_(bits) {}

 private:
  struct Kept {
    explicit Kept(JointProblem of) : problem(std::move(of)), selection(problem) {}
    JointProblem problem;
    JointSelection selection;
  };
  static constexpr std::size_t most_kept = 8;

  std::vector<Split> select(const JointSplits& splits) override {
    const JointProblem& problem = splits.problem();
    if (problem.span.records() != problem.profile.records()) return JointSelection(problem).draw(bits_).splits;
    auto at = std::ranges::find_if(kept_, [&](const auto& one) { return are_alike(one->problem, problem); });
    if (at == kept_.end()) {
      if (kept_.size() == most_kept) kept_.erase(kept_.begin());
      kept_.push_back(std::make_unique<Kept>(problem));
      at = kept_.end() - 1;
    }
    return (*at)->selection.draw(bits_).splits;
  }

  RandomBits& bits_;
  std::vector<std::unique_ptr<Kept>> kept_;
};

/// The least value that at least this share of the values do not exceed.
double quantile_of(std::vector<double>& values, double share) {
  std::ranges::sort(values);
  const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(at, 1) - 1];
}

/// What simulated releases of one table gave.
struct Simulated {
  std::vector<std::vector<double>> errors;  ///< per quantile, per release
  std::vector<std::vector<double>>
      widths;                   ///< the same: records between the ends of intervals; empty without intervals
  std::vector<double> largest;  ///< per release: the largest error

  void add(const Simulated& more) {
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    for (std::size_t i = 0; i < errors.size(); ++i) append(errors[i], more.errors[i]);
    for (std::size_t i = 0; i < widths.size(); ++i) append(widths[i], more.widths[i]);
    append(largest, more.largest);
  }
};

Simulated empty_results(const QuantileQuery& query) {
  const std::size_t quantiles = query.quantiles.size();
  return {std::vector<std::vector<double>>(quantiles),
          std::vector<std::vector<double>>(query.intervals ? quantiles : 0),
          {}};
}

/// Simulates releases of one table.
class SimulatedReleases {
 public:
  /// Releases with the same seed are the same.
  SimulatedReleases(const QuantileQuery& query, const RankProfile& table, std::uint64_t seed)
      : query_(query),
        table_(table),
        results_(empty_results(query)),
        bits_(RandomBits::unsafe_seeded(seed)),  // not real data
        source_(bits_),
        sampler_(query, PersonSteps::in_table(query)) {}

  void draw() {
    const DrawnStages drawn = sampler_.sample_stages(table_, Share::whole(query_.budget), source_);
    const std::vector<std::uint64_t> points = points_with(drawn);
    results_.largest.push_back(0);
    for (std::size_t j = 0; j < results_.errors.size(); ++j) {
      results_.errors[j].push_back(rank_error(table_, query_.quantiles[j], points[j]));
      results_.largest.back() = std::max(results_.largest.back(), results_.errors[j].back());
    }
  }

  Simulated results() && { return std::move(results_); }

 private:
  /// The points of a release; with intervals, those that come with them.
  std::vector<std::uint64_t> points_with(const DrawnStages& drawn) {
    if (results_.widths.empty()) return drawn.group.indices;
    const QuantileQuery& query = sampler_.query_of_stages();
    const detail::Course& course = *drawn.group.course;
    const Brackets& brackets = *course.plan->brackets;
    const CountedCells cells(query, table_.lattice(), brackets, course.selected, drawn.counts,
                             sampler_.critical_for(course, drawn.counts.size()));
    const std::vector<Interval> intervals =
        cells.intervals(query_.intervals->level, static_cast<std::int64_t>(table_.records()));
    for (std::size_t i = 0; i < results_.widths.size(); ++i) {
      const std::uint64_t from = table_.below(intervals[i].lower) + table_.equal(intervals[i].lower);
      results_.widths[i].push_back(static_cast<double>(std::max(table_.below(intervals[i].upper), from) - from));
    }
    return cells.points(intervals);
  }

  const QuantileQuery& query_;
  const RankProfile& table_;
  Simulated results_;
  RandomBits bits_;
  RepeatedSource source_;
  ReleaseSampler sampler_;
};

}  // namespace

TypicalRelease typical_release(const QuantileQuery& query, const Lattice& lattice, Shape shape, std::uint64_t rows,
                               std::uint64_t releases, std::size_t pieces) {
  if (rows == 0 || releases == 0)
    throw Error(ErrorCode::usage, "a typical error needs at least one row and one release");
  query.validate(lattice);
  const RankProfile table = reference_table(lattice, shape, rows);
  std::vector<Simulated> simulated(pieces);
  share_among_threads(threads_of_machine(), pieces, [&](std::size_t piece) {
    SimulatedReleases of_piece(query, table, piece);
    for (std::uint64_t i = piece; i < releases; i += pieces) {
      checkpoint();
      of_piece.draw();
    }
    simulated[piece] = std::move(of_piece).results();
  });
  Simulated all = empty_results(query);
  for (const Simulated& of_piece : simulated) all.add(of_piece);
  std::ranges::sort(all.largest);
  TypicalRelease typical{TypicalError{shape, rows, releases, {}, {}, {}, std::move(all.largest)}, {}};
  for (std::vector<double>& of_one : all.errors) {
    typical.errors.median.push_back(quantile_of(of_one, 0.5));
    typical.errors.nine_in_ten.push_back(quantile_of(of_one, 0.9));
    typical.errors.mean.push_back(std::accumulate(of_one.begin(), of_one.end(), 0.0) / static_cast<double>(releases));
  }
  for (std::vector<double>& of_one : all.widths) typical.interval_widths.push_back(quantile_of(of_one, 0.5));
  return typical;
}

TypicalError typical_error(const QuantileQuery& query, const Lattice& lattice, Shape shape, std::uint64_t rows,
                           std::uint64_t releases) {
  const OwnEnvironment own;
  return typical_release(query, lattice, shape, rows, releases).errors;
}

}  // namespace fractile
