// A release as both its sampler and its audit run it: from a share of the budget, with any source of draws.
// Proof: docs/proofs/odometer.md
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fractile/release.hpp"
#include "quantiles/draws/draws.hpp"
#include "quantiles/release/stage_sampler.hpp"
#include "quantiles/stages/critical_values.hpp"
#include "quantiles/stages/plan.hpp"
#include "quantiles/stages/statistics.hpp"

namespace fractile {

/// Throws `usage` unless a query without quantiles can be answered with statistics alone, whatever is done with its records.
void require_statistics_alone(const QuantileQuery& query);
/// The same for a query with quantiles; throws as QuantileQuery::validate(lattice) does.
void require_query(const QuantileQuery& query, const Lattice& lattice);

/// Throws `usage` when the query would draw counts with noise that is wider than any table.
void require_narrow_noise(const QuantileQuery& query);

/// Throws `usage` for more quantiles than `joint` and `joint_total` take at this budget: the tables of more exceed the range of doubles,
/// and a draw from many records takes minutes and gigabytes (docs/scale.md).
void require_short_joint(const QuantileQuery& query);

/// release() with draws from any source. Audits pass another policy than the standard one; it must outlive the result.
Release release_with(const RankProfile& profile, const ReleaseOptions& options, DrawSource& source,
                     const AutoPolicy& policy = AutoPolicy::standard());
Release release_with(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles,
                     const ReleaseOptions& options, DrawSource& source,
                     const AutoPolicy& policy = AutoPolicy::standard());

/// Statistics that are drawn in addition to the quantiles of each profile.
class BesideQuantiles {
 public:
  /// `each`: the query for one profile, with the budget of the whole release. Throws `usage` as StatisticsRequest::validate() does.
  BesideQuantiles(const ReleaseOptions& options, const QuantileQuery& each, const Lattice& counted_on);

  /// `profile`: as it was counted. Takes the cost of the statistics from `share`, from which the cost of bounds was taken before.
  Statistics draw(const RankProfile& profile, Share& share, Draws& draws) const;
  const StatisticsTerms& terms() const { return sampler_.terms(); }

 private:
  Rational of_share_;
  StatisticsSampler sampler_;
};

/// Where the bounds of a release with these options come from.
inline BoundsOrigin origin_of_bounds(const ReleaseOptions& options) {
  return options.bounds ? BoundsOrigin::found : BoundsOrigin::declared;
}

/// Nothing when the options ask for none.
std::optional<BesideQuantiles> beside_quantiles(const ReleaseOptions& options, const QuantileQuery& each,
                                                const Lattice& counted_on);

/// What the stages of one profile have drawn, before its points and intervals are computed from the counts of its cells.
struct DrawnStages {
  Release::Group group;              ///< for a query with intervals, without indices
  std::vector<std::int64_t> counts;  ///< noisy counts of the cells between its cuts; none without intervals
};

/// Releases one profile after the other by one query, for a person with these steps. What the releases have in common is computed
/// once. Not for two threads at once.
class ReleaseSampler {
 public:
  /// `policy` and `beside`, if given, must outlive this object.
  ReleaseSampler(QuantileQuery asked, PersonSteps person, const AutoPolicy& policy = AutoPolicy::standard(),
                 const BesideQuantiles* beside = nullptr, BoundsOrigin bounds = BoundsOrigin::declared)
      : asked_(std::move(asked)), person_(person), policy_(policy), beside_(beside), bounds_(bounds) {}

  /// Releases one profile, with `share` in place of the query's budget. Statistics are of `counted`, the profile as it was counted,
  /// if it differs from `profile`. All profiles must be on one lattice, and all shares must have one amount.
  Release::Group sample(const RankProfile& profile, Share share, DrawSource& source,
                        const RankProfile* counted = nullptr);
  /// The same, without what intervals need.
  DrawnStages sample_stages(const RankProfile& profile, Share share, DrawSource& source,
                            const RankProfile* counted = nullptr);
  /// The query with the part of the last share that was left for quantiles. The query must have quantiles.
  const QuantileQuery& query_of_stages() const { return common_->query(); }
  /// The critical values for the cells that this course of stages has counted.
  CriticalValues& critical_for(const detail::Course& course, std::size_t cells);

 private:
  /// `share`: the part that is left for quantiles.
  CommonStages& common_for(const Share& share, const Lattice& lattice);

  QuantileQuery asked_;
  PersonSteps person_;
  const AutoPolicy& policy_;
  const BesideQuantiles* beside_;
  BoundsOrigin bounds_;
  std::optional<CommonStages> common_ = {};
  std::map<Rational, std::map<std::size_t, CriticalValues>> critical_ = {};  // by the share and the number of cells
};

namespace detail {

/// What release() calls; tests pass a filter that decides little.
Release release(const RankProfile& profile, const ReleaseOptions& options, RandomBits& bits, Filter filter);
Release release(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles,
                const ReleaseOptions& options, RandomBits& bits, Filter filter);

}  // namespace detail

}  // namespace fractile
