// A release as its sampler and its audit run it: from a share of the budget, by any source of draws.
// Proof: docs/proofs/odometer.md
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/release.hpp"
#include "quantiles/draws/draws.hpp"
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

/// What the stages of one profile have drawn, before its intervals are read from the counts of its cells.
struct DrawnStages {
  Release::Group group;
  QuantileQuery query;               ///< with the budget that was kept for it
  std::vector<std::int64_t> counts;  ///< noisy, of the cells between its cuts; none without intervals
};

/// As drawn_from(), without intervals.
DrawnStages drawn_stages(const RankProfile& profile, const QuantileQuery& asked, Share share, PersonSteps person,
                         DrawSource& source, const AutoPolicy& policy = AutoPolicy::standard(),
                         const BesideQuantiles* beside = nullptr, const RankProfile* counted = nullptr);

/// What one profile gives within its own bounds, for a person of this many steps, with `share` in place of the query's budget; and beside
/// that the statistics of the profile as it was counted.
Release::Group drawn_from(const RankProfile& profile, const QuantileQuery& asked, Share share, PersonSteps person,
                          DrawSource& source, const AutoPolicy& policy = AutoPolicy::standard(),
                          const BesideQuantiles* beside = nullptr, const RankProfile* counted = nullptr);

namespace detail {

/// What release() calls, with a filter that decides as little as a test wants.
Release release(const RankProfile& profile, const ReleaseOptions& options, RandomBits& bits, Filter filter);
Release release(const std::vector<GroupKey>& keys, const std::vector<RankProfile>& profiles,
                const ReleaseOptions& options, RandomBits& bits, Filter filter);

}  // namespace detail

}  // namespace fractile
