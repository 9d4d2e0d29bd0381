#include "quantiles/release/stage_sampler.hpp"

#include <functional>
#include <string>
#include <utility>

#include "quantiles/stages/count_tree.hpp"
#include "quantiles/stages/independent.hpp"
#include "quantiles/stages/interpolation.hpp"
#include "quantiles/stages/intervals.hpp"

namespace fractile {

QuantileQuery paid_from(const Share& share, QuantileQuery query) {
  query.budget = share.amount();
  return query;
}

CommonStages::CommonStages(const QuantileQuery& query, const Lattice& lattice, const AutoPolicy& policy,
                           BoundsOrigin bounds)
    : plan_(std::make_shared<const QuantilePlan>(plan_of(query, lattice, policy, bounds))) {}

std::shared_ptr<const QuantilePlan> CommonStages::plan_for(const PreliminaryOutcome& found) {
  if (plan_->counted.empty() || !found.rows) return plan_;
  std::shared_ptr<const QuantilePlan>& plan = with_rows_[*found.rows];
  if (!plan) plan = std::make_shared<const QuantilePlan>(plan_->with_rows(*found.rows));
  return plan;
}

CommonStages::Next& CommonStages::after(const PreliminaryOutcome& found) {
  const auto at = kept_.find(found);
  if (at != kept_.end()) return at->second;
  std::shared_ptr<const QuantilePlan> plan = plan_for(found);
  std::vector<Stage> stages = plan->stages(found);
  std::vector<std::optional<Calibration>> calibrations(stages.size());
  std::vector<std::optional<CountTreeNoise>> noises(stages.size());
  return kept_.emplace(found, Next{std::move(plan), std::move(stages), std::move(calibrations), std::move(noises)})
      .first->second;
}

const MechanismUsed& CommonStages::used(const PreliminaryOutcome& found) {
  Next& next = after(found);
  if (!next.used) next.used = next.plan->used(found, next.stages);
  return *next.used;
}

namespace {

/// The knots of the interpolation: the selected quantiles and, where one of two neighbors is zero, zero once more half way to the
/// other.
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

/// Draws one release, a stage at a time.
class StageSampler {
 public:
  StageSampler(const RankProfile& profile, CommonStages& common, Share share, Draws& draws)
      : profile_(profile), common_(common), share_(std::move(share)), draws_(draws) {}

  /// The outcome of a stage decides which stages come after it.
  SampledStages sample() && {
    for (; at_ < next_->stages.size(); ++at_) {
      const Stage& stage = next_->stages[at_];
      std::visit([&](const auto& one) { draw(one); }, stage);
      if (is_preliminary(stage)) next_ = &common_.after(found_);
    }
    return {found_, std::move(values_), std::move(counts_)};
  }

 private:
  void draw(const CountRows& stage) {
    Share share = share_.take(preliminary_share(plan().query.budget.measure()) * Rational(stage.shares));
    const CountTreeNoise& noise =
        kept_noise([&] { return CountTreeNoise::of_all_records(paid_from(share, plan().query)); });
    found_.rows = draws_.begin("rows", std::move(share))
                      .reached_borders(static_cast<std::int64_t>(profile_.records()), noise, stage.borders);
    if (!plan().counted.empty()) keep_for_cells();
  }

  /// The places of cuts follow from the rows, and so does the cost of the cells' counts.
  void keep_for_cells() {
    next_ = &common_.after(found_);
    const IntervalShares& shares = plan().brackets->shares;
    Share selecting = share_.take(shares.points + shares.brackets);
    for_cells_ = share_.take_rest();
    share_ = std::move(selecting);
  }

  void draw(const FindGranularity& stage) {
    Share share = share_.take(preliminary_share(plan().query.budget.measure()));
    const Exponent rate = granularity_rate(calibration(share, 1));
    found_.grid = select_granularity(profile_, stage.grids, rate, draws_.begin("granularity", std::move(share)));
  }

  void draw(const FindHeaps& stage) {
    Share share = share_.take(preliminary_share(plan().query.budget.measure()));
    const Exponent rate = heaping_rate(calibration(share, 1));
    found_.heaps = select_heaps(profile_, stage.heaps, rate, draws_.begin("heaps", std::move(share)));
  }

  void draw(const SelectQuantiles& stage) {
    std::shared_ptr<const RecursionTerms>& terms = next_->recursion;
    if (!terms) {
      terms = std::make_shared<const RecursionTerms>(profile_.candidates(), stage.released, stage.shape,
                                                     calibration(share_, stage.levels), stage.subcells);
    }
    const QuantileTree tree(profile_, terms);
    values_ = sample_splits(tree, stage.released.size(), parts_for_levels(stage), stage.wants);
    if (stage.wants == Wanted::candidates) to_candidates(stage.subcells);
  }

  void draw(const SelectEach&) {
    const QuantileQuery& query = plan().query;
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
    values_ = interpolated(plan().query.quantiles, knots.quantiles, knots.splits, highest);
    to_candidates(stage.subcells);
  }

  void draw(const RoundToGrid& stage) {
    for (std::uint64_t& value : values_) value = stage.grid.nearest(value, profile_.candidates());
  }

  void draw(const CountCells& stage) {
    counts_ = cell_counts(profile_, cuts_of(values_, stage.brackets, profile_.lattice()).positions);
    const CountTreeNoise& noise = kept_noise([&] { return CountTreeNoise(paid_from(*for_cells_, plan().query), 1); });
    draws_.begin("cells", std::move(*for_cells_)).add_noise(noise, {counts_.size()}, counts_);
  }

  std::vector<std::uint64_t> counted(const RankProfile& profile) {
    const CountTreeShape shape = count_tree_shape(profile.candidates());
    const CountTreeNoise& noise =
        kept_noise([&] { return CountTreeNoise(paid_from(share_, plan().query), shape.height()); });
    return sample_tree_quantiles(profile, plan().query.quantiles, shape, noise,
                                 draws_.begin("counts", share_.take_rest()));
  }

  /// One part for each level, each with its share of the selections' budget.
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

  /// The plan, given what was found so far.
  const QuantilePlan& plan() const { return *next_->plan; }
  /// The calibration of the current stage, whose budget is divided among this many levels.
  const Calibration& calibration(const Share& share, const Rational& levels) {
    std::optional<Calibration>& kept = next_->calibrations[at_];
    if (!kept) kept.emplace(paid_from(share, plan().query), levels);
    return *kept;
  }

  /// The noise of the current stage.
  const CountTreeNoise& kept_noise(const std::function<CountTreeNoise()>& make) {
    std::optional<CountTreeNoise>& kept = next_->noises[at_];
    if (!kept) kept.emplace(make());
    return *kept;
  }

  const RankProfile& profile_;
  CommonStages& common_;
  Share share_;                     // what is left for selections
  std::optional<Share> for_cells_;  // what is kept for counting cells
  Draws& draws_;
  PreliminaryOutcome found_;
  CommonStages::Next* next_ = &common_.after(found_);
  std::size_t at_ = 0;                 // index of the current stage
  std::vector<std::uint64_t> values_;  // splits of the released quantiles, or candidates
  std::vector<std::int64_t> counts_;   // of cells
};

}  // namespace

SampledStages sample_stages(const RankProfile& profile, CommonStages& stages, Share share, Draws& draws) {
  return StageSampler(profile, stages, std::move(share), draws).sample();
}

}  // namespace fractile
