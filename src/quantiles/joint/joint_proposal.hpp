// How joint selections are drawn: a proposal, made by choices whose probabilities are whole units, and the exact probability with
// which the proposal is kept. Proof: docs/proofs/joint_total.md, sections "Proposal" and "Acceptance".
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

/// leading * 2^exponent, where leading is a double in [1/2, 1).
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

/// At least r * 2^62, for every real number r such that `share` is at most r (1 + 2^-48).
template <class Real>
std::uint64_t units(Real share) {
  return static_cast<std::uint64_t>(static_cast<double>(share * Real{1 + 0x1p-46} * Real{0x1p62})) + 1;
}

/// One choice among children: child i has probability weight(i) / 2^62, and with the remaining probability no child is chosen. With
/// `verify`, all weights are added up, and a sum above 2^62 is an error.
class UnitDraw {
 public:
  UnitDraw(RandomBits& bits, bool verify) : target_(bits.next64() >> (64 - unit_bits)), verify_(verify) {}

  /// Whether this child is chosen. To be called once for each child, in any order.
  bool offers(std::uint64_t weight);
  bool done() const { return found_ && !verify_; }
  /// Whether a child was chosen; then its weight joins the weights of the choices that were made.
  bool found(std::vector<std::uint64_t>& weights) const {
    if (found_) weights.push_back(weight_);
    return found_;
  }

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

/// A proposal, and the choices that led to it.
struct Proposal {
  std::uint64_t total = 0;
  std::uint64_t slice = 1;             ///< the proposal is one of this many equally likely totals
  std::vector<std::uint64_t> below;    ///< of the span
  std::vector<SplitPart> parts;        ///< where each quantile lies; two parts are equal or disjoint
  std::vector<Split> splits;           ///< in order; empty if they must still be drawn from the parts
  std::vector<std::uint64_t> weights;  ///< of all choices that were made, in units of 2^-62
};

/// The proposal's probability under the mechanism's law divided by its probability of being proposed, times a constant. It is at
/// most 1 if the proposer's total bounds the mass of all selections; that mass is in units of (total base mass)^k / 2^(scale k).
Enclosure acceptance(const JointProblem& problem, const Proposal& proposal, LeadingDouble total, int scale,
                     std::int64_t precision);

/// Bounds of the same number from floating-point arithmetic alone. Their relative width is about 2^-35; they are wide where the
/// cost is some million bits.
Bounds acceptance_bounds(const JointProblem& problem, const Proposal& proposal, LeadingDouble total, int scale);

/// The splits of a proposal: within a part, there are as many independent draws as quantiles share the part, in order.
std::vector<Split> splits_of(const Proposal& proposal, const JointProblem& problem, RandomBits& bits);

}  // namespace fractile
