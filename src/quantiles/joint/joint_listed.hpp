// Joint selections by a table of masses for every total, or block of totals, near the number of records.
// Proof: docs/proofs/joint_total.md, sections "Tables" to "Proposal".
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "quantiles/joint/joint_proposal.hpp"
#include "quantiles/joint/joint_tables.hpp"

namespace fractile {

/// Totals first .. last of the grid (by index). The bound of a total's mass falls from the end opposite to the anchor, which is
/// the nearer to the number of records, to the anchor: by `decay` nats a total.
template <class Real>
struct TotalBlock {
  std::uint64_t first;
  std::uint64_t last;
  TotalRange totals;
  double decay;
  Real mass;  ///< at least the sum over the block

  std::uint64_t size() const { return last - first + 1; }
  bool falls_downwards() const { return totals.anchor == totals.first; }
};

/// Proposes selections, for one floating-point type. Time about k a table for each run of splits (JointRuns) near the targets,
/// memory 16 k bytes; about 40 tables when records can be near the targets, some hundreds otherwise.
template <class Real>
class ListedTotals {
 public:
  ListedTotals(const JointProblem& problem, JointRuns& runs)
      : problem_(problem),
        runs_(runs),
        forward_(problem, runs),
        rate_(std::max(0.0, Enclosure::of(problem.rate).lower_double())) {
    set_range();
    if (fits_) list_blocks();
    if (fits_) finish_total();
  }

  /// False where the type's range does not do, and where listing takes too many tables: where records lie between candidates.
  bool fits() const { return fits_; }
  /// Nothing when the tables were too large at some choice.
  std::optional<Proposal> propose(RandomBits& bits, bool verify);
  /// With which probability the proposal is kept.
  Enclosure acceptance(const Proposal& proposal, std::int64_t precision) const;
  JointWork work() const { return {tables_, forward_.work()}; }

 private:
  std::uint64_t grid_last() const { return problem_.totals ? problem_.totals->last_index() : 0; }
  std::uint64_t total_at(std::uint64_t index) const {
    return problem_.totals ? index * problem_.totals->step : runs_.records();
  }
  std::uint64_t step() const { return problem_.totals ? problem_.totals->step : 0; }
  std::uint64_t half_width() const { return range_ / 2 + 1; }
  double log_mass(Real mass) const { return static_cast<double>(std::log(mass)); }
  void fill(const TotalRange& totals) {
    forward_.fill(totals, half_width());
    ++tables_;
  }
  TotalRange only(std::uint64_t index) const { return {total_at(index), total_at(index), total_at(index)}; }

  void set_range();
  void list_blocks();
  void list_side(std::uint64_t from, bool upwards);
  TotalBlock<Real> block_of(std::uint64_t first, std::uint64_t last, std::uint64_t anchor);
  Real slices_of(const TotalBlock<Real>& block) const;
  std::uint64_t block_length(double excess, double slope, double distance) const;
  void finish_total();

  bool choose_total(Proposal& proposal, RandomBits& bits, bool verify);
  bool choose_in(const TotalBlock<Real>& block, Proposal& proposal, RandomBits& bits, bool verify);
  bool choose_runs(Proposal& proposal, RandomBits& bits, bool verify);
  bool choose_sharing(Proposal& proposal, std::size_t j, std::size_t run, Real& parent, std::size_t& first,
                      RandomBits& bits, bool verify);
  void draw_remote(Proposal& proposal, RandomBits& bits) const;
  bool is_remote(std::uint64_t total, const std::vector<std::uint64_t>& below) const;

  const JointProblem& problem_;
  JointRuns& runs_;
  JointForward<Real> forward_;
  double rate_;              ///< at most the rate, by less than 2^-50 of it
  std::uint64_t range_ = 0;  ///< what is not in a window costs at least this much
  std::vector<TotalBlock<Real>> blocks_;
  Real total_ = 0;  ///< of all blocks and of what is remote: a double times a power of two
  Real remote_ = 0;
  std::uint64_t tables_ = 0;
  bool fits_ = true;
};

extern template class ListedTotals<double>;
extern template class ListedTotals<long double>;

}  // namespace fractile
