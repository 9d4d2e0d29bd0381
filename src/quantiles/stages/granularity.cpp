#include "quantiles/stages/granularity.hpp"

#include <algorithm>

#include "exact/divisor.hpp"
#include "ranks/profile_parts.hpp"

namespace fractile {

namespace {

/// How many grids hold positions. Every grid contains the next one.
class Granularity {
 public:
  explicit Granularity(const std::vector<RoundGrid>& grids) : grids_(grids), on_first_(grids.front().stride) {}

  std::size_t of(Position position) const {
    if (position % 2 == 0) return 0;
    const std::uint64_t candidate = position / 2;
    const RoundGrid& first = grids_.front();
    if (candidate < first.offset) return 0;
    if (!on_first_.of(candidate - first.offset)) return 0;  // most positions; a division would take longer
    std::size_t level = 1;
    while (level < grids_.size() && grids_[level].contains(candidate)) ++level;
    return level;
  }

 private:
  const std::vector<RoundGrid>& grids_;
  Divisibility on_first_;
};

}  // namespace

std::vector<std::uint64_t> granularity_scores(const RankProfile& profile, const std::vector<RoundGrid>& grids) {
  const Granularity granularity(grids);
  const std::uint64_t records = profile.records();
  std::vector<std::uint64_t> counts(grids.size() + 1);
  counts.front() = records;
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    const std::size_t level = granularity.of(profile.position(k));
    if (level == 0) continue;
    counts[level] += profile.count(k);
    counts.front() -= profile.count(k);
  }
  std::uint64_t finer = counts.front();
  std::vector<std::uint64_t> scores{13 * (records - finer)};
  for (std::size_t j = 1; j < counts.size(); ++j) {
    const std::uint64_t finer_than_next = finer + counts[j];
    const std::uint64_t not_coarser = 4 * records - std::min(4 * records, 10 * finer_than_next);
    scores.push_back(6 * records + std::max(10 * finer, not_coarser));
    finer = finer_than_next;
  }
  return scores;
}

std::vector<std::uint64_t> granularity_multiplicities(std::size_t grids) {
  std::vector<std::uint64_t> multiplicities(grids + 1, 1);
  multiplicities.front() = 20 * grids;
  return multiplicities;
}

RankProfile on_grid(const RankProfile& profile, const RoundGrid& grid) {
  CollectedCounts records;
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    const std::uint64_t nearest = grid.nearest(profile.position(k) / 2, profile.candidates());
    records.add(2 * ((nearest - grid.offset) / grid.stride) + 1, profile.count(k));
  }
  const Lattice& lattice = profile.lattice();
  const std::uint64_t last = grid.offset + (grid.size(lattice.size()) - 1) * grid.stride;
  const Rational step = lattice.step() * Rational(grid.stride);
  return std::move(records).on(Lattice::regular(lattice.at(grid.offset), lattice.at(last), step, lattice.kind()));
}

namespace {

constexpr std::int64_t granularity_range_added = 16;
constexpr std::int64_t granularity_range_changed = 23;

}  // namespace

Exponent granularity_rate(const Calibration& calibration) {
  return calibration.rate(Rational(granularity_range_added), Rational(granularity_range_changed), true);
}

std::optional<RoundGrid> select_granularity(const RankProfile& profile, const std::vector<RoundGrid>& grids,
                                            const Exponent& rate, PaidPart part) {
  const ScoredSelection selection(granularity_scores(profile, grids), granularity_multiplicities(grids.size()));
  const std::uint64_t level = part.select(selection, {rate, granularity_range_added, granularity_range_changed});
  if (level == 0) return {};
  return grids[level - 1];
}

}  // namespace fractile
