#include "quantiles/release/release.hpp"

#include <algorithm>
#include <memory>

#include "exact/checkpoint.hpp"
#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "quantiles/draws/calibration.hpp"
#include "quantiles/release/private_bounds.hpp"
#include "quantiles/stages/intervals.hpp"

namespace fractile {

namespace {

/// The share of the budget for finding bounds.
Rational bounds_share(const ReleaseOptions& options) { return options.bounds ? options.bounds->share : Rational(0); }

}  // namespace

BesideQuantiles::BesideQuantiles(const ReleaseOptions& options, const QuantileQuery& each, const Lattice& counted_on)
    : of_share_(options.statistics->share / (Rational(1) - bounds_share(options))),
      sampler_(*options.statistics, with_part(each, options.statistics->share), counted_on) {}

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

CommonStages& ReleaseSampler::common_for(const Share& share, const Lattice& lattice) {
  if (!common_) common_.emplace(paid_from(share, asked_), lattice, policy_, bounds_);
  return *common_;
}

DrawnStages ReleaseSampler::sample_stages(const RankProfile& profile, Share share, DrawSource& source,
                                          const RankProfile* counted) {
  Odometer odometer(share.amount(), person_);
  Draws draws(source, odometer);
  DrawnStages drawn;
  Release::Group& group = drawn.group;
  if (beside_) group.statistics = beside_->draw(counted ? *counted : profile, share, draws);
  if (!asked_.quantiles.empty()) {
    Share rest = share.take_rest();  // the share from which stages take their parts
    CommonStages& common = common_for(rest, profile.lattice());
    SampledStages sampled = fractile::sample_stages(profile, common, std::move(rest), draws);
    const std::shared_ptr<const QuantilePlan>& plan = common.after(sampled.found).plan;
    if (!plan->brackets) group.indices = sampled.selected;
    group.used = common.used(sampled.found);
    group.course = std::make_shared<detail::Course>(detail::Course{plan, sampled.found, std::move(sampled.selected)});
    drawn.counts = std::move(sampled.counts);
  }
  group.spent = odometer.spent();
  return drawn;
}

CriticalValues& ReleaseSampler::critical_for(const detail::Course& course, std::size_t cells) {
  constexpr std::size_t most = 16;  // those of a population keep some megabytes
  const Brackets& brackets = *course.plan->brackets;
  const Rational& share = brackets.shares.cells;
  if (critical_.size() == most && !critical_.contains(share)) critical_.clear();
  std::map<std::size_t, CriticalValues>& of_share = critical_[share];
  const auto kept = of_share.find(cells);
  if (kept != of_share.end()) return kept->second;
  if (of_share.empty() || of_share.rbegin()->first < cells) {
    of_share.emplace(brackets.cuts.size() + 1, critical_values(query_of_stages(), brackets));
  }
  return of_share.emplace(cells, of_share.rbegin()->second.of_fewer(cells)).first->second;
}

Release::Group ReleaseSampler::sample(const RankProfile& profile, Share share, DrawSource& source,
                                      const RankProfile* counted) {
  auto [group, counts] = sample_stages(profile, std::move(share), source, counted);
  if (!group.course) return std::move(group);  // a release of statistics alone
  if (const std::optional<Brackets>& brackets = group.course->plan->brackets) {
    const QuantileQuery& query = query_of_stages();
    const CountedCells cells(query, profile.lattice(), *brackets, group.course->selected, counts,
                             critical_for(*group.course, counts.size()));
    group.intervals = cells.intervals(query.intervals->level);
    group.indices = cells.points(group.intervals);
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
    ReleaseSampler sampler(query, PersonSteps::in_table(query), policy, beside ? &*beside : nullptr,
                           origin_of_bounds(options));
    release.groups.push_back(sampler.sample(within, std::move(share), source, &profile));
    if (beside) release.statistics = beside->terms();
    return release;
  };
  if (!options.bounds) {
    if (beside) require_query(query, profile.lattice());  // statistics alone have no plan, which would check it
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
  const detail::CheckpointsOfThread none(nullptr);
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
  if (groups.empty()) throw Error(ErrorCode::usage, "the release has no values");
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
