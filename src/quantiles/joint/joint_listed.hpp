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

constexpr std::size_t remote_table = ~std::size_t{0};

/// Totals first .. last of the grid (by index), all on one side of the anchor of the table that bounds them. The bound is largest
/// at one end, and falls towards the other by `decay` nats per total.
template <class Real>
struct TotalBlock {
  std::uint64_t first;
  std::uint64_t last;
  bool falls_downwards;
  double decay;
  std::size_t table;  ///< the table that bounds the block's selections; remote_table stands for the wide table
  Real slices = 0;    ///< at least the sum of all totals' bounds divided by the largest bound
  Real mass = 0;      ///< at least the sum over the block

  bool is_remote() const { return table == remote_table; }
  std::uint64_t size() const { return last - first + 1; }
};

/// How little mass tables leave to wider tables, and the wide table to uniform draws: the number of nats by which it is below their
/// own mass. Tests leave more.
struct TableReach {
  double remote = 5;
  double anywhere = 1.5;
  /// The nats that the wide table may lose because its ranks are in units. For each nat, the other tables reach 2 / rate ranks
  /// farther. Without units, the wide table would list and weigh several times as many ranks as the other tables.
  double units = 3;
};

/// The number of ranks in a unit: the largest odd number with which the tables of a selection at this rate lose at most `lost`
/// nats.
std::int64_t unit_for(std::size_t quantiles, double rate, double lost);

/// Proposes selections, for one floating-point type. For each run of splits (JointRuns) near the targets, a table takes time of
/// about k and 16 k bytes. There are about 15 tables when records can be near the targets, and some hundreds otherwise.
template <class Real>
class ListedTotals {
 public:
  ListedTotals(const JointProblem& problem, JointRuns& runs, TableReach least = {});

  /// False if the type's range does not suffice, or if listing takes too many tables because records lie between candidates.
  bool fits() const { return fits_; }
  /// Nothing when the tables were too large at some choice.
  std::optional<Proposal> propose(RandomBits& bits, bool verify);
  /// The probability with which the proposal is kept.
  Enclosure acceptance(const Proposal& proposal, std::int64_t precision) const;
  /// Bounds of the same probability, for the coin's first comparison.
  Bounds acceptance_bounds(const Proposal& proposal) const;
  JointWork work() const { return {filled_, near_.work() + wide_.work()}; }

 private:
  /// Tables for ranges of totals. Their contents are kept as long as there is room.
  struct Table {
    TotalRange totals;
    JointTable<Real> filled;
  };

  std::uint64_t grid_last() const { return problem_.totals ? problem_.totals->last_index() : 0; }
  std::uint64_t step() const { return problem_.totals ? problem_.totals->step : 0; }
  std::uint64_t total_at(std::uint64_t index) const {
    return problem_.totals ? index * problem_.totals->step : runs_.records();
  }
  std::uint64_t distance(std::uint64_t index) const {
    const std::uint64_t t = total_at(index);
    return t > runs_.records() ? t - runs_.records() : runs_.records() - t;
  }
  double log_mass(Real mass) const { return static_cast<double>(std::log(mass)); }

  void list_wide();
  void fill_wide();
  std::uint64_t half_width(const TotalRange& totals) const;
  std::uint64_t reach_for(double log_ratio) const;
  double log_of_remote() const;
  Table table_of(std::uint64_t first, std::uint64_t last, std::uint64_t anchor);
  void list_middle();
  void cover_within_reach();
  void list_side(std::uint64_t from, std::uint64_t middle, bool upwards);
  std::uint64_t block_length(double excess, double slope) const;
  void add(Table table, std::uint64_t first, std::uint64_t last, std::uint64_t anchor);
  TotalBlock<Real> block_of(std::uint64_t first, std::uint64_t last, std::uint64_t anchor, const Table& table) const;
  static Real slices_of(const TotalBlock<Real>& block);
  void list_remote();
  void finish_total();

  const TotalBlock<Real>* choose_block(Proposal& proposal, RandomBits& bits, bool verify);
  bool choose_in(const TotalBlock<Real>& block, Proposal& proposal, RandomBits& bits, bool verify);
  const JointTable<Real>& filled(std::size_t table);
  bool choose_runs(const JointForward<Real>& forward, const JointTable<Real>& table, Proposal& proposal,
                   RandomBits& bits, bool verify) const;
  bool choose_sharing(const JointForward<Real>& forward, const JointTable<Real>& table, Proposal& proposal,
                      std::size_t j, std::size_t run, Real& parent, std::size_t& first, RandomBits& bits,
                      bool verify) const;
  bool choose_wide(Proposal& proposal, RandomBits& bits, bool verify);
  void place(Proposal& proposal, RandomBits& bits) const;
  bool are_within(const JointForward<Real>& forward, const TotalRange& totals, std::uint64_t half_width,
                  const std::vector<std::uint64_t>& below) const;
  bool is_remote(std::uint64_t total, const std::vector<std::uint64_t>& below) const;

  const JointProblem& problem_;
  JointRuns& runs_;
  TableReach least_;
  double rate_;  ///< at most the rate, by less than 2^-50 of it
  JointForward<Real> near_;
  JointRuns wide_runs_;      ///< in larger units
  JointForward<Real> wide_;  ///< at 1/4 of the rate
  JointTable<Real> about_;   ///< the wide table, with the targets for all records
  std::uint64_t about_half_ = 0;
  Real anywhere_ = 0;        ///< at least the mass of what is not in about_, at that rate
  std::uint64_t reach_ = 0;  ///< totals that are farther from the number of records are remote
  std::vector<Table> tables_;
  std::vector<TotalBlock<Real>> blocks_;
  std::vector<TotalBlock<Real>> remote_;  ///< blocks of totals that no table stands for
  JointTable<Real> scratch_;
  std::size_t scratch_of_ = 0;  ///< index of the table that scratch_ holds
  std::size_t kept_ = 0;        ///< entries
  double plain_ = 0;            ///< about the sum of all totals' masses divided by the first table's mass
  Real total_ = 0;              ///< mass of all blocks and of what is remote: a double times a power of two
  std::uint64_t filled_ = 0;
  bool fits_ = true;
};

extern template class ListedTotals<double>;
extern template class ListedTotals<long double>;

}  // namespace fractile
