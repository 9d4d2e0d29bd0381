// What joint selections are drawn by: a proposal, made by choices of probabilities in whole units, and the exact probability
// with which it is kept. Proof: docs/proofs/joint_total.md, sections "Proposal" and "Acceptance".
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "exact/coin.hpp"
#include "exact/enclosure.hpp"
#include "fractile/exact.hpp"
#include "quantiles/joint/joint_problem.hpp"
#include "quantiles/joint/wide_real.hpp"

namespace fractile {

constexpr int unit_bits = 62;  // choices are made with probabilities that are multiples of 2^-62

/// leading * 2^exponent, leading a double of [1/2, 1).
struct LeadingDouble {
  double leading;
  std::int64_t exponent;
};

/// The value, its leading digits rounded to those of a double.
template <class Real>
LeadingDouble leading_double(Real value) {
  if constexpr (std::is_same_v<Real, WideReal>) {
    return {value.leading(), value.exponent()};
  } else {
    int exponent = 0;
    const auto leading = static_cast<double>(std::frexp(value, &exponent));
    return {leading, exponent};
  }
}

/// At least share * 2^62, for any share that is at most the real number meant times 1 + 2^-48.
template <class Real>
std::uint64_t units(Real share) {
  return static_cast<std::uint64_t>(static_cast<double>(share * Real{1 + 0x1p-46} * Real{0x1p62})) + 1;
}

/// One choice among children, child i with probability weight(i) / 2^62; what is missing from 2^62 chooses none. With
/// `verify` all weights are added up, which a caller with room for more than 2^62 does not survive.
class UnitDraw {
 public:
  UnitDraw(RandomBits& bits, bool verify) : target_(bits.next64() >> (64 - unit_bits)), verify_(verify) {}

  /// True when this child is chosen; ask for each child once, in any order.
  bool offers(std::uint64_t weight);
  bool done() const { return found_ && !verify_; }
  bool found() const { return found_; }
  std::uint64_t weight() const { return weight_; }

 private:
  std::uint64_t target_;
  bool verify_;
  std::uint64_t sum_ = 0;
  std::uint64_t weight_ = 0;
  bool found_ = false;
};

/// Splits start .. end - 1.
struct SplitPart {
  Split start;
  Split end;
};

/// A proposal, and how it came about.
struct Proposal {
  std::uint64_t total = 0;
  std::uint64_t slice = 1;             ///< of this many equally likely totals
  std::vector<std::uint64_t> below;    ///< of the span
  std::vector<SplitPart> parts;        ///< where each quantile lies; the same or disjoint ones
  std::vector<Split> splits;           ///< in order; empty when they are to be drawn from the parts
  std::vector<std::uint64_t> weights;  ///< of all choices made, in units of 2^-62
};

/// The proposal's probability under the mechanism's law over its probability here, times a constant: at most 1 when the
/// proposer's total, times 2^(scale k) of the total base mass to the k, bounds the mass of all selections.
Enclosure acceptance(const JointProblem& problem, const Proposal& proposal, LeadingDouble total, int scale,
                     std::int64_t precision);

/// Bounds of the same, by floating-point numbers alone: of a relative width of about 2^-35, or wide where the cost is some million bits.
Bounds acceptance_bounds(const JointProblem& problem, const Proposal& proposal, LeadingDouble total, int scale);

/// The splits of a proposal: within a part, as many independent draws as quantiles share it, in order.
std::vector<Split> splits_of(const Proposal& proposal, const JointProblem& problem, RandomBits& bits);

}  // namespace fractile
