// One person's value is unknown, all others' are known, and those with certain answers are counted: the others' law, and what
// the analyst's actions cost him after a count.
// Proof: docs/proofs/known_others.md
#pragma once

#include <cstddef>
#include <vector>

#include "exact/enclosure.hpp"
#include "flow/algebra/ring.hpp"
#include "flow/algebra/truncated_law.hpp"
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

Lines lines_of(const Pipeline& pipeline, const Analyst& analyst);

/// The law of the others' count, and its sums from the left; what the stretch leaves out may be anywhere.
class CountLaw {
 public:
  /// Values with nobody in the histogram may have any probability of being counted.
  CountLaw(const std::vector<Enclosure>& counted, const std::vector<std::size_t>& histogram);

  std::size_t others() const { return others_; }
  /// Outside of first() .. last(), all together is negligible.
  std::size_t first() const { return stretch_.first; }
  std::size_t last() const { return stretch_.first + stretch_.size - 1; }
  Enclosure at(std::size_t y) const;
  /// Q(from) + ... + Q(to - 1).
  Enclosure between(std::size_t from, std::size_t to) const;
  /// From 0 to what all counts outside of first() .. last() have at most, together.
  const Enclosure& rest() const { return stretch_.rest; }

 private:
  Stretch stretch_;
  std::size_t others_ = 0;
  std::vector<Enclosure> sums_;
};

/// The count of one target and those of the others whose answers are uncertain; who is certain only moves it.
class CountAmongKnown {
 public:
  CountAmongKnown(const Pipeline& pipeline, const Analyst& analyst);

  CountLaw law_at(const Enclosure& odds) const;
  /// By value: the probability of being counted.
  std::vector<Enclosure> counted_at(const Enclosure& odds) const;
  std::vector<Line<Enclosure>> lines_at(const Enclosure& odds) const;
  const Lines& lines() const { return lines_; }
  /// How many of the others' answers are uncertain.
  std::size_t others() const;
  /// By value: how many of the uncertain others have it, and its probability of being counted times denominator().
  const std::vector<std::size_t>& histogram() const { return histogram_; }
  const std::vector<Polynomial>& counted() const { return counted_; }
  const Polynomial& denominator() const { return denominator_; }

 private:
  std::vector<Polynomial> counted_;
  Polynomial denominator_;
  std::vector<std::size_t> histogram_;
  Lines lines_;
};

}  // namespace fractile::flow
