// A release as its sampler and its audit run it: from a share of the budget, by any source of draws.
// Proof: docs/proofs/odometer.md
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fractile/release.hpp"
#include "quantiles/draws/draws.hpp"
#include "quantiles/release/stage_sampler.hpp"
#include "quantiles/stages/plan.hpp"
#include "quantiles/stages/statistics.hpp"

namespace fractile {

/// Throws `usage` unless a release of statistics alone can be asked for so: a query without quantiles, whatever is done with its records.
void require_statistics_alone(const QuantileQuery& query);
/// The same for a query with quantiles: as QuantileQuery::validate(lattice).
void require_query(const QuantileQuery& query, const Lattice& lattice);

/// release(), with draws of any source. The policy is an audit's, where it is not the standard one; it must outlive what is returned.
Release release_with(const RankProfile& profile, const ReleaseOptions& options, DrawSource& source,
                     const AutoPolicy& policy = AutoPolicy::standard());
Release release_with(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles,
                     const ReleaseOptions& options, DrawSource& source,
                     const AutoPolicy& policy = AutoPolicy::standard());

/// Statistics to be drawn beside the quantiles of each profile.
class BesideQuantiles {
 public:
  /// `each`: what one profile runs, with the budget of the whole release. Throws `usage` as
  /// StatisticsRequest::validate().
  BesideQuantiles(const ReleaseOptions& options, const QuantileQuery& each, const Lattice& counted_on);

  /// `profile`: as it was counted. Takes from `share`, which has all but what bounds cost, what they cost.
  Statistics draw(const RankProfile& profile, Share& share, Draws& draws) const;
  const StatisticsTerms& terms() const { return sampler_.terms(); }

 private:
  Rational of_share_;
  StatisticsSampler sampler_;
};

/// Nothing when the options ask for none.
std::optional<BesideQuantiles> beside_quantiles(const ReleaseOptions& options, const QuantileQuery& each,
                                                const Lattice& counted_on);

/// What the stages of one profile have drawn, before its points and intervals are read from the counts of its cells.
struct DrawnStages {
  Release::Group group;              ///< of a query with intervals without indices
  std::vector<std::int64_t> counts;  ///< noisy, of the cells between its cuts; none without intervals
};

/// Releases one profile after the other by one query, for a person of this many steps, and makes once what these releases have in common.
/// Not for two threads at once.
class ReleaseSampler {
 public:
  /// `policy` and `beside`, where it is given, outlive this.
  ReleaseSampler(QuantileQuery asked, PersonSteps person, const AutoPolicy& policy = AutoPolicy::standard(),
                 const BesideQuantiles* beside = nullptr)
      : asked_(std::move(asked)), person_(person), policy_(policy), beside_(beside) {}

  /// What one profile gives within its own bounds, with `share` in place of the query's budget; and beside that the statistics of the
  /// profile as it was `counted`, where that is another one. All profiles are on one lattice, and all shares have one amount.
  Release::Group sample(const RankProfile& profile, Share share, DrawSource& source,
                        const RankProfile* counted = nullptr);
  /// The same, without what intervals need.
  DrawnStages sample_stages(const RankProfile& profile, Share share, DrawSource& source,
                            const RankProfile* counted = nullptr);
  /// With what was left of the last share for quantiles. There were some.
  const QuantileQuery& query_of_stages() const { return common_->query(); }

 private:
  /// `share`: what is left for quantiles.
  CommonStages& common_for(const Share& share, const Lattice& lattice);

  QuantileQuery asked_;
  PersonSteps person_;
  const AutoPolicy& policy_;
  const BesideQuantiles* beside_;
  std::optional<CommonStages> common_ = {};
};

namespace detail {

/// What release() calls, with a filter that decides as little as a test wants.
Release release(const RankProfile& profile, const ReleaseOptions& options, RandomBits& bits, Filter filter);
Release release(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles,
                const ReleaseOptions& options, RandomBits& bits, Filter filter);

}  // namespace detail

}  // namespace fractile
