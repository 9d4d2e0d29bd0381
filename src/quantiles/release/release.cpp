#include "quantiles/release/release.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "quantiles/release/private_bounds.hpp"
#include "quantiles/stages/brackets.hpp"
#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/independent.hpp"
#include "quantiles/stages/interpolation.hpp"
#include "quantiles/stages/intervals.hpp"
#include "quantiles/stages/plan.hpp"

namespace fractile {

std::string to_string(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::automatic:
      return "auto";
    case Mechanism::exponential:
      return "exponential";
    case Mechanism::approximate:
      return "approximate";
    case Mechanism::joint:
      return "joint";
    case Mechanism::joint_total:
      return "joint-total";
    case Mechanism::joint_tree:
      return "joint-tree";
    case Mechanism::independent:
      return "independent";
    case Mechanism::tree:
      return "tree";
  }
  return {};
}

std::string to_string(Rates rates) { return rates == Rates::tight ? "tight" : "as-published"; }

namespace {

void require_increasing(const std::vector<Rational>& quantiles) {
  for (std::size_t i = 1; i < quantiles.size(); ++i) {
    if (quantiles[i] > quantiles[i - 1]) continue;
    const bool repeated = quantiles[i] == quantiles[i - 1];
    throw Error(ErrorCode::usage,
                "the quantile " + quantiles[i].to_string() + (repeated ? " stands twice" : " comes after a larger one"),
                "write them once each, in increasing order", "quantiles");
  }
}

/// Whatever node of the recursion a quantile is decided in, its fraction there has a denominator that divides this one's.
void require_small_denominators(const std::vector<Rational>& quantiles) {
  for (const Rational& q : quantiles) QuantileFraction::of(q);
  const Rational common = common_denominator(quantiles);
  if (common > Rational(std::int64_t{1} << 31)) {
    throw Error(ErrorCode::usage, "the quantiles' common denominator " + common.to_string() + " is above 2147483648",
                "write all of them with at most nine decimals, or as multiples of one fraction", "quantiles");
  }
}

}  // namespace

std::vector<Rational> synthetic_rows(std::uint64_t rows) {
  if (rows < 1 || rows > 1'000'000) {
    throw Error(ErrorCode::usage, "synthetic rows: not from 1 to 1000000", "about as many as the table has is of use");
  }
  const auto parts = static_cast<std::int64_t>(rows);
  std::vector<Rational> quantiles;
  for (std::int64_t i = 1; i <= parts; ++i) quantiles.emplace_back(i, parts);
  return quantiles;
}

void QuantileQuery::validate() const {
  const Field mechanism_field("mechanism");
  if (quantiles.empty()) {
    throw Error(ErrorCode::usage, "no quantiles",
                {"write for example ", Field("quantiles").numbers({"0.25", "0.5", "0.75"})}, "quantiles");
  }
  require_small_denominators(quantiles);
  require_increasing(quantiles);
  if (records_per_person == 0) {
    throw Error(ErrorCode::usage, "a person has at least one record",
                {"write ", Field("records_per_person").number(1), " or more"}, "records_per_person");
  }
  if (budget.measure() == Measure::approximate && mechanism != Mechanism::independent) {
    throw Error(ErrorCode::usage, to_string(mechanism) + " needs no delta",
                {"leave the delta out, or use ", mechanism_field.text("independent")}, "delta");
  }
  if (rates == Rates::as_published && mechanism != Mechanism::approximate && mechanism != Mechanism::exponential) {
    throw Error(ErrorCode::usage, "published rates are those of approximate, not of " + to_string(mechanism),
                {"write ", mechanism_field.text("approximate"), ", or leave ", Field("rates"), " out"}, "rates");
  }
  if (base == Base::adaptive && (mechanism == Mechanism::independent || mechanism == Mechanism::tree)) {
    throw Error(ErrorCode::usage, to_string(mechanism) + " has no adaptive base", {"leave ", Field("base"), " out"},
                "base");
  }
  if (mechanism == Mechanism::exponential && quantiles.size() > 1) {
    throw Error(ErrorCode::usage, "the exponential mechanism releases one quantile at a time",
                {"use ", mechanism_field.text("approximate"), " for several"}, "mechanism");
  }
  if (intervals) require_intervals(*this);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names.size() == quantiles.size() && Rational::parse(names[i]) == quantiles[i]) continue;
    throw Error(ErrorCode::usage, "the names of the quantiles are not theirs", "leave them out", "quantiles");
  }
}

void require_statistics_alone(const QuantileQuery& query) {
  if (query.records_per_person == 0) {
    throw Error(ErrorCode::usage, "a person has at least one record",
                {"write ", Field("records_per_person").number(1), " or more"}, "records_per_person");
  }
  if (!query.intervals) return;
  throw Error(ErrorCode::usage, {Field("intervals"), ": they are of quantiles, and there are none"},
              "leave it out: counts, shares and means have intervals of their own", "intervals");
}

void require_query(const QuantileQuery& query, const Lattice& lattice) {
  query.quantiles.empty() ? require_statistics_alone(query) : query.validate(lattice);
}

namespace {

/// What lines are drawn between: the selected quantiles; and where one of two neighbors is zero, zero again half way to the other.
struct Knots {
  std::vector<Rational> quantiles;
  std::vector<Split> splits;
};

Knots knots_of(const Interpolate& stage, const std::vector<Split>& splits) {
  const auto is_zero = [&](std::size_t k) { return stage.zero == splits[k] / stage.subcells; };
  Knots knots;
  const auto add = [&](Rational quantile, Split split) {
    knots.quantiles.push_back(std::move(quantile));
    knots.splits.push_back(split);
  };
  for (std::size_t k = 0; k < splits.size(); ++k) {
    if (k > 0 && is_zero(k - 1) != is_zero(k)) {
      add((stage.released[k - 1] + stage.released[k]) / Rational(2), splits[is_zero(k) ? k : k - 1]);
    }
    add(stage.released[k], splits[k]);
  }
  return knots;
}

/// The query with what a share has of its budget.
QuantileQuery paid_from(const Share& share, QuantileQuery query) {
  query.budget = share.amount();
  return query;
}

/// Draws one release, a stage at a time.
class StageSampler {
 public:
  StageSampler(const RankProfile& profile, QuantilePlan plan, Share share, Draws& draws)
      : profile_(profile), plan_(std::move(plan)), share_(std::move(share)), draws_(draws) {}

  /// What a stage finds decides which stages come after it.
  void run() {
    for (std::size_t i = 0; i < stages_.size(); ++i) {  // NOLINT(modernize-loop-convert): the list changes under way
      std::visit([&](const auto& stage) { draw(stage); }, stages_[i]);
      if (is_preliminary(stages_[i])) stages_ = plan_.stages(found_);
    }
  }

  /// The plan for the number of rows that was found.
  const QuantilePlan& plan() const { return plan_; }
  const PreliminaryOutcome& found() const { return found_; }
  const std::vector<Stage>& stages() const { return stages_; }
  /// One candidate per quantile of the plan.
  std::vector<std::uint64_t> take_selected() { return std::move(values_); }
  /// The counts of the cells between cuts_of(what was selected).
  const std::vector<std::int64_t>& counts() const { return counts_; }

 private:
  void draw(const CountRows& stage) {
    Share share = share_.take(preliminary_share(plan_.query.budget.measure()) * Rational(stage.shares));
    const CountTreeNoise noise = CountTreeNoise::of_all_records(paid_from(share, plan_.query));
    found_.rows = draws_.begin("rows", std::move(share))
                      .reached_borders(static_cast<std::int64_t>(profile_.records()), noise, stage.borders);
    if (!plan_.counted.empty()) keep_for_cells();
  }

  /// Where cuts go follows from the rows, and so does what their cells' counts cost.
  void keep_for_cells() {
    plan_ = plan_.with_rows(*found_.rows);
    const IntervalShares& shares = plan_.brackets->shares;
    Share selecting = share_.take(shares.points + shares.brackets);
    for_cells_ = share_.take_rest();
    share_ = std::move(selecting);
  }

  void draw(const FindGranularity& stage) {
    Share share = share_.take(preliminary_share(plan_.query.budget.measure()));
    const Calibration calibration(paid_from(share, plan_.query), 1);
    found_.grid = select_granularity(profile_, stage.grids, granularity_rate(calibration),
                                     draws_.begin("granularity", std::move(share)));
  }

  void draw(const FindHeaps& stage) {
    Share share = share_.take(preliminary_share(plan_.query.budget.measure()));
    const Calibration calibration(paid_from(share, plan_.query), 1);
    found_.heaps =
        select_heaps(profile_, stage.heaps, heaping_rate(calibration), draws_.begin("heaps", std::move(share)));
  }

  void draw(const SelectQuantiles& stage) {
    const Calibration calibration(paid_from(share_, plan_.query), stage.levels);
    const QuantileTree tree(profile_, stage.released, stage.shape, calibration, stage.subcells);
    values_ = sample_splits(tree, stage.released.size(), parts_for_levels(stage), stage.wants);
    if (stage.wants == Wanted::candidates) to_candidates(stage.subcells);
  }

  void draw(const SelectEach&) {
    const QuantileQuery& query = plan_.query;
    const IndependentQuantiles selections{query.quantiles, independent_range(paid_from(share_, query)), query.neighbors,
                                          query.records_per_person};
    values_ = sample_independent(profile_, selections,
                                 draws_.begin_composition("quantiles", share_.take_rest(), query.quantiles.size()));
  }

  void draw(const CountOnTree& stage) {
    if (!stage.grid) {
      values_ = counted(profile_);
      return;
    }
    values_ = counted(on_grid(profile_, *stage.grid));
    for (std::uint64_t& candidate : values_) candidate = stage.grid->offset + candidate * stage.grid->stride;
  }

  void draw(const Interpolate& stage) {
    const Split highest = whole_span(profile_, stage.subcells).highest;
    const Knots knots = knots_of(stage, values_);
    values_ = interpolated(plan_.query.quantiles, knots.quantiles, knots.splits, highest);
    to_candidates(stage.subcells);
  }

  void draw(const RoundToGrid& stage) {
    for (std::uint64_t& value : values_) value = stage.grid.nearest(value, profile_.candidates());
  }

  void draw(const CountCells& stage) {
    counts_ = cell_counts(profile_, cuts_of(values_, stage.brackets, profile_.lattice()).positions);
    const CountTreeNoise noise(paid_from(*for_cells_, plan_.query), 1);
    draws_.begin("cells", std::move(*for_cells_)).add_noise(noise, {counts_.size()}, counts_);
  }

  std::vector<std::uint64_t> counted(const RankProfile& profile) {
    const CountTreeShape shape = count_tree_shape(profile.candidates());
    const CountTreeNoise noise(paid_from(share_, plan_.query), shape.height());
    return sample_tree_quantiles(profile, plan_.query.quantiles, shape, noise,
                                 draws_.begin("counts", share_.take_rest()));
  }

  /// One part for each level, each with its share of what the selections have.
  std::vector<PaidPart> parts_for_levels(const SelectQuantiles& stage) {
    Share all = share_.take_rest();
    std::vector<PaidPart> levels;
    for (std::size_t i = 0; i < stage.shape.widths.size(); ++i) {
      const Rational emphasis = stage.shape.emphasis.empty() ? Rational(1) : stage.shape.emphasis[i];
      levels.push_back(draws_.begin("level " + std::to_string(i + 1), all.take(emphasis / stage.levels)));
    }
    return levels;
  }

  void to_candidates(std::uint64_t subcells) {
    for (std::uint64_t& value : values_) value /= subcells;
  }

  const RankProfile& profile_;
  QuantilePlan plan_;
  Share share_;                     // what is left for selections
  std::optional<Share> for_cells_;  // what is kept for counting cells
  Draws& draws_;
  PreliminaryOutcome found_;
  std::vector<Stage> stages_ = plan_.stages();
  std::vector<std::uint64_t> values_;  // splits of the released quantiles, or candidates
  std::vector<std::int64_t> counts_;   // of cells
};

/// The share of the budget that finds bounds.
Rational bounds_share(const ReleaseOptions& options) { return options.bounds ? options.bounds->share : Rational(0); }

QuantileQuery with_share(QuantileQuery query, const Rational& share) {
  query.budget = query.budget.scaled(share);
  return query;
}

/// The points among what was selected.
std::vector<std::uint64_t> points_of(const std::vector<std::uint64_t>& selected,
                                     const std::optional<Brackets>& brackets) {
  if (!brackets) return selected;
  std::vector<std::uint64_t> points;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    if (brackets->roles[i] == Role::point) points.push_back(selected[i]);
  }
  return points;
}

}  // namespace

BesideQuantiles::BesideQuantiles(const ReleaseOptions& options, const QuantileQuery& each, const Lattice& counted_on)
    : of_share_(options.statistics->share / (Rational(1) - bounds_share(options))),
      sampler_(*options.statistics, with_share(each, options.statistics->share), counted_on) {}

Statistics BesideQuantiles::draw(const RankProfile& profile, Share& share, Draws& draws) const {
  return sampler_.sample(profile, share.take(of_share_), draws);
}

std::optional<BesideQuantiles> beside_quantiles(const ReleaseOptions& options, const QuantileQuery& each,
                                                const Lattice& counted_on) {
  if (!options.statistics) {
    if (each.quantiles.empty()) each.validate();  // there is nothing to release
    return {};
  }
  options.statistics->validate(counted_on, each, bounds_share(options));
  return BesideQuantiles(options, each, counted_on);
}

DrawnStages drawn_stages(const RankProfile& profile, const QuantileQuery& asked, Share share, PersonSteps person,
                         DrawSource& source, const AutoPolicy& policy, const BesideQuantiles* beside,
                         const RankProfile* counted) {
  const Lattice& lattice = profile.lattice();
  Odometer odometer(share.amount(), person);
  Draws draws(source, odometer);
  std::optional<Statistics> statistics;
  if (beside) statistics = beside->draw(counted ? *counted : profile, share, draws);
  if (asked.quantiles.empty()) {
    Release::Group group;
    group.spent = odometer.spent();
    group.statistics = std::move(statistics);
    return {std::move(group), asked, {}};
  }
  Share rest = share.take_rest();  // the whole of which stages take their parts
  const QuantileQuery query = paid_from(rest, asked);
  StageSampler sampler(profile, plan_of(query, lattice, policy), std::move(rest), draws);
  sampler.run();
  const auto course =
      std::make_shared<detail::Course>(detail::Course{sampler.plan(), sampler.found(), sampler.take_selected()});
  const QuantilePlan& plan = course->plan;
  Release::Group group{{}, points_of(course->selected, plan.brackets), plan.used(sampler.found(), sampler.stages())};
  group.spent = odometer.spent();
  group.statistics = std::move(statistics);
  group.course = course;
  return {std::move(group), query, sampler.counts()};
}

Release::Group drawn_from(const RankProfile& profile, const QuantileQuery& asked, Share share, PersonSteps person,
                          DrawSource& source, const AutoPolicy& policy, const BesideQuantiles* beside,
                          const RankProfile* counted) {
  auto [group, query, counts] = drawn_stages(profile, asked, std::move(share), person, source, policy, beside, counted);
  if (!group.course) return std::move(group);  // of statistics alone
  if (const std::optional<Brackets>& brackets = group.course->plan.brackets) {
    CriticalValues critical = critical_values(query, *brackets);
    const CountedCells cells(query, profile.lattice(), *brackets, group.course->selected, counts, critical);
    group.intervals = cells.intervals(query.intervals->level);
    group.intervals_in_pairs = cells.intervals(level_in_pairs(*query.intervals));
  }
  return std::move(group);
}

Release release_with(const RankProfile& profile, const ReleaseOptions& options, DrawSource& source,
                     const AutoPolicy& policy) {
  const QuantileQuery& query = options.query;
  const std::optional<BesideQuantiles> beside = beside_quantiles(options, query, profile.lattice());
  const auto drawn = [&](const RankProfile& within, Share share) {
    Release release{query, within.lattice(), {}};
    release.groups.push_back(drawn_from(within, query, std::move(share), PersonSteps::in_table(query), source, policy,
                                        beside ? &*beside : nullptr, &profile));
    if (beside) release.statistics = beside->terms();
    return release;
  };
  if (!options.bounds) {
    // The plan does the same, but takes a query with intervals for a group's.
    if (query.intervals || beside) require_query(query, profile.lattice());
    return drawn(profile, Share::whole(query.budget));
  }
  Share whole = Share::whole(query.budget);
  const FoundBounds found = found_bounds({&profile, 1}, query, *options.bounds, whole, source);
  Release release = drawn(clamped(profile, found.lowest, found.highest), whole.take_rest());
  add_bounds(release, found);
  return release;
}

Release detail::release(const RankProfile& profile, const ReleaseOptions& options, RandomBits& bits, Filter filter) {
  RandomSource source(bits, filter);
  Release release = release_with(profile, options, source);
  release.unsafe_seed = bits.unsafe_seed();
  return release;
}

Release release(const CountedColumn& counted, const ReleaseOptions& options, RandomBits& bits) {
  const OwnEnvironment own;
  counted.require_bound(options.query.records_per_person);
  ReleaseOptions over_rows = options;
  over_rows.query = over_query(options.query, counted.sql_stability());
  if (counted.weights()) over_rows.query = over_weights(over_rows.query, *counted.weights());
  if (counted.has_groups()) return detail::release(counted.keys(), counted.profiles(), over_rows, bits, {});
  Release release = detail::release(counted.profiles().front(), over_rows, bits, {});
  release.public_rows = counted.public_rows();
  return release;
}

std::vector<GroupKey> Release::keys() const {
  std::vector<GroupKey> keys;
  if (!is_grouped()) return keys;
  for (const Group& group : groups) keys.push_back(group.key);
  return keys;
}

bool Release::ran_alike() const {
  return std::ranges::all_of(groups, [&](const Group& group) { return group.used == groups.front().used; });
}

const Release::Group& Release::only() const {
  if (is_grouped()) throw Error(ErrorCode::usage, "a release of groups has a value for each key", "name a group");
  return groups.front();
}

Rational Release::at(std::string_view quantile) const {
  const auto found = std::ranges::find(query.quantiles, Rational::parse(quantile));
  if (found == query.quantiles.end()) {
    throw Error(ErrorCode::usage, "the quantile " + std::string(quantile) + " was not released",
                "ask for it in the query");
  }
  return value(static_cast<std::size_t>(found - query.quantiles.begin()));
}

}  // namespace fractile
