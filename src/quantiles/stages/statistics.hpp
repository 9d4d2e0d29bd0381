// Counts, shares and means: what is drawn of a profile, and what follows from it.
// Proof: docs/proofs/counts.md
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/statistics.hpp"
#include "quantiles/draws/count_noise.hpp"
#include "quantiles/draws/draws.hpp"
#include "quantiles/stages/noise_sum.hpp"

namespace fractile {

/// What is drawn, exactly as it was: all else that is published of statistics is computed from this and from what is public.
struct DrawnStatistics {
  std::vector<std::int64_t>
      bins;  ///< records below the first value, from there to below the next, ..., from the last on
  std::optional<std::int64_t> sum;  ///< StatisticsTerms::centered_sum
};

/// A released sum is never larger, whatever the records.
inline constexpr std::int64_t most_sum = std::int64_t{1} << 61;

/// The statistics of one profile after another, all under the same terms. For one thread at a time.
class StatisticsSampler {
 public:
  /// `query`: as it is for one profile, with the budget that is its statistics' alone. Error(usage) when the noise is too wide.
  StatisticsSampler(const StatisticsRequest& request, const QuantileQuery& query, const Lattice& lattice);

  /// `share`: the budget of the query.
  Statistics sample(const RankProfile& profile, Share share, Draws& draws) const;
  /// What follows from what was drawn.
  Statistics computed(const DrawnStatistics& drawn) const;
  const StatisticsTerms& terms() const { return terms_; }

 private:
  /// Where |noise| stays with the wanted probability, whatever the share or the mean is within a band.
  struct Bands {
    std::vector<std::int64_t> within;
  };

  DrawnStatistics drawn(const RankProfile& profile, Share share, Draws& draws) const;
  Statistics::Records records(std::int64_t value, std::size_t draws) const;
  Statistics::Ratio share_of(std::int64_t below, std::int64_t count, const Bands& bands) const;
  Statistics::Ratio mean_of(std::int64_t sum, std::int64_t count) const;

  StatisticsTerms terms_;
  Lattice lattice_;
  std::vector<Position> cuts_;  // a record below a value is at a smaller position
  CountTreeNoise count_noise_;
  std::optional<CountTreeNoise> sum_noise_;
  std::vector<std::uint64_t> half_widths_;  // of sums of 1, 2, ... draws
  std::vector<Bands> of_shares_;            // one for each value
  Bands of_mean_;
};

}  // namespace fractile
