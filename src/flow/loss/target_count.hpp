// One person's value is unknown, all others' are known, and those with certain answers are counted: the channel has rank 2, so
// that thousands of people are no trouble (kronecker-utility 2023, section 9.2 and appendix D.1).
// Proof: docs/proofs/target_loss.md
#pragma once

#include <cstddef>
#include <vector>

#include "exact/enclosure.hpp"
#include "flow/algebra/ring.hpp"
#include "flow/loss/count_law.hpp"
#include "flow/loss/joint_weights.hpp"
#include "fractile/expected_loss.hpp"

namespace fractile::flow {

/// An action's joint loss after a count of y: absent Q(y) + present Q(y - 1), Q the law of the others' count.
template <class Number>
struct Line {
  Number absent;
  Number present;
  friend bool operator==(const Line&, const Line&) = default;
};

/// The different lines as polynomials in odds, in units of 1 / (common * the noise's denominator).
struct Lines {
  std::vector<Line<Polynomial>> lines;
  Rational common;
};

/// The loss of an analyst who sees the count of one target and of the others; of these, who is certain only moves it, and is
/// left out of all but exact_loss().
class TargetCount {
 public:
  static bool fits(const Pipeline& pipeline);
  TargetCount(const Pipeline& pipeline, const Analyst& analyst);

  /// Time about N^2 log(odds) bit operations, memory N log(odds) bits.
  Rational exact_loss(const Rational& odds) const;
  /// The absolute error is some 2^-140 of the largest loss. Time about the square root of N times its logarithm.
  Enclosure loss(const Enclosure& odds) const;
  bool is_soon_exact(const Rational& odds) const;

  CountLaw law_at(const Enclosure& odds) const;
  /// By value: the probability of being counted.
  std::vector<Enclosure> counted_at(const Enclosure& odds) const;
  std::vector<Line<Enclosure>> lines_at(const Enclosure& odds) const;
  const Lines& lines() const { return lines_; }
  const JointWeights& joint() const { return joint_; }
  /// How many of the others' answers are uncertain.
  std::size_t others() const;
  /// By value: how many of the uncertain others have it, and its probability of being counted times denominator().
  const std::vector<std::size_t>& histogram() const { return histogram_; }
  const std::vector<Polynomial>& counted() const { return counted_; }
  const Polynomial& denominator() const { return denominator_; }

 private:
  Pipeline pipeline_;
  JointWeights joint_;
  std::vector<Polynomial> counted_;
  Polynomial denominator_;
  std::vector<std::size_t> histogram_;
  Lines lines_;
};

}  // namespace fractile::flow
