// The scores of quantile-score-candidates 2025 for a few candidates, and the rate at which a selection by them costs a budget.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/majorant.hpp"
#include "fractile/measurements.hpp"

namespace fractile {

/// The scores of the values 0 .. values - 1.
class ScoredCandidates {
 public:
  /// `records`: the known number of records, for change_one.
  ScoredCandidates(std::uint64_t values, std::uint64_t records, Neighbors neighbors, const Rational& quantile,
                   const Exponent& epsilon);

  /// A table's runs: one run per candidate.
  std::vector<Run> runs(const RankProfile& profile) const;
  /// A selection weighs candidates by exp(-rate * score).
  const Exponent& rate() const { return rate_; }

 private:
  Transformation<Rows<std::int64_t>, SymmetricDistance, Scores<std::uint64_t>, LInfDistance> scores_;
  Exponent rate_;
};

}  // namespace fractile
