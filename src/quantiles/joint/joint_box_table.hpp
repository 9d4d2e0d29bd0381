// The masses of selections, of which only the groups of their quantiles are known. Proof: docs/proofs/joint_total.md, section
// "Boxes".
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "quantiles/joint/joint_groups.hpp"
#include "quantiles/joint/joint_proposal.hpp"

namespace fractile {

/// What is known about a cell of weight w in a box with totals a .. c, where t is the end of the totals that a table is for. Since
/// |g - t w| >= s (g - t w) for every s in {-1, 0, 1}, every s gives a bound, and the sign of g - t w gives the best one.
struct BoxCell {
  std::int64_t too_many;           ///< this many records or more are at least the target, at all totals
  std::int64_t too_few;            ///< this many or fewer are at most the target, at all totals
  int usual;                       ///< s where neither is certain; 0: the sign of another cell
  std::array<WideReal, 3> at_end;  ///< at least exp(rate * s t w); the index is s + 1
  /// The s of a cell that has least .. most records; 0: the sign of another cell.
  int sign(std::int64_t least, std::int64_t most) const {
    if (most <= too_few) return -1;
    return least >= too_many ? 1 : usual;
  }
};

/// Sums over windows whose ends never move down. Nothing is subtracted: the part of a window below a middle is a sum from the
/// right, which is computed anew when the window has passed it.
class SlidingSum {
 public:
  explicit SlidingSum(std::size_t members) : suffixes_(members) {}
  /// The sum of value(first) .. value(end - 1).
  template <class Value>
  WideReal sum(std::size_t first, std::size_t end, Value&& value);

 private:
  std::vector<WideReal> suffixes_;
  std::size_t middle_ = 0;
  std::size_t end_ = 0;
  WideReal prefix_;
};

/// What the tables of a box propose: one group per quantile and one sign per cell.
struct BoxChoice {
  std::vector<std::size_t> groups;
  std::vector<int> signs;
  std::vector<std::uint64_t> weights;  ///< of the choices that were made
};

/// Upper bounds of the masses of all selections by the groups of their quantiles: of
/// exp(-rate * sum of s_j (g_j - t w_j)) * product of the base weights / product of the multiplicities' factorials, where t is an
/// end of the box's totals and s_j the sign of cell j between its quantiles' groups. If that sign is not certain and the cell has
/// no usual sign, s_j is the sign of the cell before, and for the first cell that of the second. Then the bound does not depend on
/// where the quantile between the two cells lies.
class BoxTable {
 public:
  /// `cells`: one more than there are quantiles.
  void fill(const SplitGroups& groups, std::vector<BoxCell> cells);
  /// The mass, times 2^(scale k) like the groups' masses.
  const WideReal& mass() const { return mass_; }
  std::size_t entries() const { return rows_.size() * (rows_.empty() ? 0 : rows_.front().size()); }
  /// False when nothing is chosen.
  bool choose(const SplitGroups& groups, BoxChoice& choice, RandomBits& bits, bool verify) const;

 private:
  using Signed = std::array<WideReal, 3>;  ///< the index is s + 1
  /// The entries for v_j in a group.
  struct Entry {
    int within;     ///< the sign of cell j if v_(j-1) lies in the group, too
    Signed enter;   ///< v_(j-1) lies in a lower group; indexed by the sign of cell j
    WideReal open;  ///< the same for v_1 if that sign is taken from the second cell
    Signed leave;   ///< v_j lies in the group; indexed by the sign of cell j + 1
    Signed keep;    ///< the same if both cells j and j + 1 have that sign
  };
  using Row = std::vector<Entry>;

  std::size_t quantiles() const { return cells_.size() - 1; }
  int sign_below(const SplitGroups& groups, std::size_t i) const {
    return cells_.front().sign(groups.lowest(i), groups.highest(i));
  }
  int sign_above(const SplitGroups& groups, std::size_t i) const {
    return cells_.back().sign(groups.records() - groups.highest(i), groups.records() - groups.lowest(i));
  }
  int sign_between(const SplitGroups& groups, std::size_t j, std::size_t lower, std::size_t upper) const {
    return cells_[j].sign(groups.lowest(upper) - groups.highest(lower), groups.highest(upper) - groups.lowest(lower));
  }
  WideReal above(const SplitGroups& groups, std::size_t i, int sign) const;
  WideReal first_sharing(const SplitGroups& groups, std::size_t j, std::size_t i, int sign) const;
  /// The mass if v_j is the r-th quantile of its group, r = 2 .. j + 1.
  const WideReal& shared(std::size_t j, std::size_t i, std::size_t r) const { return shared_[j][i * j + r - 2]; }
  WideReal opened(const SplitGroups& groups, std::size_t j, std::size_t i, int sign) const;
  void enter_first(const SplitGroups& groups);
  void enter(const SplitGroups& groups, std::size_t j);
  void share(const SplitGroups& groups, std::size_t j);
  void leave(const SplitGroups& groups, std::size_t j);

  struct Place {
    std::size_t j;
    std::size_t group;
    int sign;       ///< of cell j
    bool is_kept;   ///< cell j + 1 has this sign, too
    std::size_t r;  ///< the quantile is the r-th of its group
  };
  bool choose_last(const SplitGroups& groups, Place& place, BoxChoice& choice, RandomBits& bits, bool verify) const;
  bool choose_sharing(const SplitGroups& groups, Place& place, int leaving, BoxChoice& choice, RandomBits& bits,
                      bool verify) const;
  bool choose_second(const SplitGroups& groups, Place& place, BoxChoice& choice, RandomBits& bits, bool verify) const;
  bool choose_lower(const SplitGroups& groups, Place& place, BoxChoice& choice, RandomBits& bits, bool verify) const;

  std::vector<BoxCell> cells_;
  std::vector<Row> rows_;
  std::vector<std::vector<WideReal>> shared_;
  WideReal mass_;
};

template <class Value>
WideReal SlidingSum::sum(std::size_t first, std::size_t end, Value&& value) {
  if (first >= middle_) {
    WideReal suffix;
    for (std::size_t i = end; i-- > first;) suffixes_[i] = suffix = value(i) + suffix;
    middle_ = end_ = end;
    prefix_ = {};
  }
  for (; end_ < end; ++end_) prefix_ += value(end_);
  return first < middle_ ? suffixes_[first] + prefix_ : prefix_;
}

}  // namespace fractile
