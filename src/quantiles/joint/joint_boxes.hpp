// Joint selections by branch and bound: boxes of totals and groups of splits are cut where their bounds are far from the bounded
// masses. For records that lie between candidates: there no selection comes near its targets, and thousands of totals are about
// equally likely. Proof: docs/proofs/joint_total.md, section "Boxes".
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "quantiles/joint/joint_box_table.hpp"
#include "quantiles/joint/joint_groups.hpp"
#include "quantiles/joint/joint_proposal.hpp"
#include "quantiles/joint/rate_powers.hpp"

namespace fractile {

/// Proposes selections. The time for one table is about the squared number of quantiles times the number of groups; the list of
/// boxes takes some hundred tables.
class JointBoxes {
 public:
  explicit JointBoxes(const JointProblem& problem);

  /// Nothing if the bounds were too large at some choice.
  std::optional<Proposal> propose(RandomBits& bits, bool verify);
  /// The probability with which the proposal is kept.
  Enclosure acceptance(const Proposal& proposal, std::int64_t precision) const;
  /// Bounds of the same probability, for the coin's first comparison.
  Bounds acceptance_bounds(const Proposal& proposal) const;
  /// Cuts more boxes, until half as many proposals are needed as before. It may be called after any number of rejected proposals.
  void refine();
  JointWork work() const { return work_; }

 private:
  using Groups = std::shared_ptr<const SplitGroups>;
  /// Totals first .. last of the grid, by index.
  struct Box {
    std::uint64_t first;
    std::uint64_t last;
    Groups groups;
    std::vector<int> signs;    ///< the usual signs of the cells; 0: the sign varies
    WideReal mass = {};        ///< at least the mass of all selections with one of these totals
    double kept = 0;           ///< about the share of its proposals that is kept; 0: not known
    bool is_settled = false;   ///< not worth cutting
    std::uint64_t filled = 0;  ///< the number of the table filling that gave the mass; 0: none since the last cut
    std::uint64_t size() const { return last - first + 1; }
  };
  /// A selection that the current tables propose.
  struct Sample {
    std::size_t end;  ///< index of the table
    std::uint64_t total;
    BoxChoice choice;
    std::vector<std::uint64_t> below;
  };
  /// How much of a bound is lost, in nats, because totals, or splits, are not distinguished.
  struct Loss {
    double totals = 0;
    double groups = 0;
  };
  std::uint64_t total_at(std::uint64_t index) const {
    return problem_.totals ? index * problem_.totals->step : problem_.span.records();
  }
  std::vector<BoxCell> cells_of(const Box& box, std::uint64_t end) const;
  std::vector<int> signs_of(const std::vector<Sample>& drawn) const;
  Box box_of(std::uint64_t first, std::uint64_t last, const std::vector<int>& signs);
  bool change_signs(Box& box, const std::vector<Sample>& drawn);
  void fill(Box& box);
  void list();
  void set_total();
  bool is_enough() const;
  void improve(std::size_t index);
  std::vector<Sample> samples(const Box& box);
  void place(const BoxChoice& choice, const SplitGroups& groups, Proposal& proposal, RandomBits& bits) const;
  bool lies_at(std::size_t end, const std::vector<int>& signs) const;
  std::int64_t records_in(const Sample& sample, std::size_t j) const;
  double difference(std::size_t j, std::int64_t records, std::uint64_t total) const;
  double lost_in_group(const Sample& sample, const SplitGroups& groups, std::size_t j) const;
  double lost_by_sign(const Sample& sample, const std::vector<BoxCell>& cells, std::size_t j, std::uint64_t end) const;
  Loss loss_of(const Sample& sample, const std::vector<BoxCell>& cells, const Box& box) const;
  bool cut_groups(const std::vector<Sample>& drawn, Box& box);
  std::uint64_t middle_of(const std::vector<Sample>& drawn, const Box& box) const;
  void halve(std::size_t index, std::uint64_t middle);

  const JointProblem& problem_;
  double rate_;
  int scale_ = 60;
  RatePowers powers_;
  Groups groups_;  ///< the current partition, which each box takes over from the box before
  std::vector<Box> boxes_;
  WideReal total_;    ///< mass of all boxes: a double times a power of two
  double goal_ = 16;  ///< the largest number of proposals aimed at
  // The tables of the box that was filled last.
  std::array<BoxTable, 2> tables_;
  std::size_t ends_ = 1;
  std::uint64_t filled_ = 0;
  std::uint64_t fillings_ = 0;
  RandomBits guesses_;  ///< influence only the time of a draw, so they need not be secret
  JointWork work_;
};

}  // namespace fractile
