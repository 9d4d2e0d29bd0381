// Counts, shares and means: what is drawn from a profile, and what follows from the draws.
// Proof: docs/proofs/counts.md
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/release.hpp"
#include "quantiles/draws/count_noise.hpp"
#include "quantiles/draws/draws.hpp"
#include "quantiles/stages/noise_sum.hpp"

namespace fractile {

/// The draws, exactly as they were: all other published statistics are computed from these and from public numbers.
struct DrawnStatistics {
  std::vector<std::int64_t>
      bins;  ///< records below the first value, from there to below the next, ..., from the last on
  std::optional<std::int64_t> sum;  ///< StatisticsTerms::centered_sum
};

/// A bound of every released sum, whatever the records are.
inline constexpr std::int64_t most_sum = std::int64_t{1} << 61;

/// Throws `usage` for a mean of values on a lattice of which no mean is published.
void require_mean_of(const Lattice& lattice);

/// The statistics that follow from what was drawn, for one group or for the sums of several.
class StatisticsIntervals {
 public:
  /// Throws `usage` when the noise is too wide.
  StatisticsIntervals(const StatisticsTerms& terms, const Lattice& lattice, std::uint64_t groups = 1);

  Statistics computed(const DrawnStatistics& drawn) const;
  /// As computed(), for sums over several groups. `is_cut_off`: whether the sum of one of them may_be_cut_off().
  Statistics computed(const DrawnStatistics& drawn, bool is_cut_off) const;
  /// Whether this sum of one group is so close to +-most_sum that the records' own sum may lie beyond.
  bool may_be_cut_off(std::int64_t sum) const;
  /// Throws `usage` for no rows.
  StatisticsErrors errors(std::uint64_t rows) const;

 private:
  /// Bounds of |noise| with the wanted probability, one for each band of shares or means.
  struct Bands {
    std::vector<std::int64_t> within;
  };

  Statistics::Records records(std::int64_t value, std::size_t bins) const;
  Statistics::Ratio share_of(std::int64_t below, std::int64_t count, const Bands& bands) const;
  Statistics::Ratio mean_of(std::int64_t sum, std::int64_t count, bool is_cut_off) const;

  Lattice lattice_;
  std::vector<std::uint64_t> half_widths_;  // for the first bin, the first two bins, ...
  std::vector<Bands> of_shares_;            // one for each value
  std::optional<Bands> of_mean_;
  std::int64_t reach_of_sum_ = 0;  // a bound of one draw of the sum's noise with the wanted probability
};

/// The statistics of one profile after another, all under the same terms. For one thread at a time.
class StatisticsSampler {
 public:
  /// `query`: the query for one profile, with the budget for its statistics alone. Throws `usage` when the noise is too wide.
  StatisticsSampler(const StatisticsRequest& request, const QuantileQuery& query, const Lattice& lattice);

  /// `share`: its amount is the budget of the query.
  Statistics sample(const RankProfile& profile, Share share, Draws& draws) const;
  const StatisticsTerms& terms() const { return terms_; }
  const StatisticsIntervals& intervals() const { return intervals_; }

 private:
  DrawnStatistics drawn(const RankProfile& profile, Share share, Draws& draws) const;

  std::vector<Position> cuts_;  // a record below a value is at a smaller position
  CountTreeNoise count_noise_;
  std::optional<CountTreeNoise> sum_noise_;
  StatisticsTerms terms_;
  StatisticsIntervals intervals_;
};

}  // namespace fractile
