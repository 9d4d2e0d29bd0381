// quantile-score-candidates 2025 for a few candidates, with the rate at which selecting by its scores costs a budget.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/majorant.hpp"
#include "fractile/measurements.hpp"

namespace fractile {

/// The scores of the values 0 .. values - 1.
class ScoredCandidates {
 public:
  /// `records`: their known number, for change_one.
  ScoredCandidates(std::uint64_t values, std::uint64_t records, Neighbors neighbors, const Rational& quantile,
                   const Exponent& epsilon);

  /// A table's runs: one run per candidate.
  std::vector<Run> runs(const RankProfile& profile) const;
  /// rate * score differences are what a selection weighs.
  const Exponent& rate() const { return rate_; }

 private:
  Transformation<Rows<std::int64_t>, SymmetricDistance, Scores<std::uint64_t>, LInfDistance> scores_;
  Exponent rate_;
};

}  // namespace fractile
