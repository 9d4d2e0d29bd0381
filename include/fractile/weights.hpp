// Weights of records, as surveys have them: points of a public grid. A record of weight w counts as w / step records of its value.
// Proof: docs/proofs/weights.md
// Thread-safety: values; threads may share them while none changes one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fractile/exact.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

/// How records are weighted. All of it is public. A record's weight is a function of that record alone: clamped to the bounds, then
/// rounded to the nearest multiple of the step, the upper one when two are equally near.
struct RecordWeights {
  /// The finest grid has this many steps up to the largest weight, so that every total of weights can be counted.
  static constexpr std::uint32_t most_units = 4096;

  std::string column;  ///< which holds the weights
  Rational lower;      ///< a smaller weight counts as this one
  Rational upper;      ///< a larger weight counts as this one
  Rational step;       ///< the distance between weights, and that of which a record of weight `step` is one unit
  /// The owner declares, and Fractile does not check, how many of the records that count differ by one person's presence: each comes, goes or
  /// has another weight, and differs in nothing else. Where weights are calibrated to totals, a joiner moves the weights of others.
  /// The promise is made to persons with this many records. Nothing: neighbors are weighted files, one weighted record more or
  /// less, all weights as they are.
  std::optional<std::uint32_t> stability = {};
  /// About how large the weights are on average, by public knowledge: with it, the expected number of records gives that of units.
  std::optional<Rational> mean = {};

  /// Throws `usage` unless there is a column, 0 <= lower <= upper and 0 < upper, both are multiples of the step, which is above 0, there are
  /// at most `most_units` steps in `upper`, the stability is at least 1, and the mean lies within the bounds and is above 0.
  void validate() const;
  /// lower, lower + step, ..., upper, valid as above: a record's weight is where this lattice has it.
  Lattice grid() const;
  /// How many units a record of the smallest weight is: the units of the grid's first point.
  std::uint32_t least_units_of_record() const;
  /// The same for the largest weight.
  std::uint32_t most_units_of_record() const;

  /// Only what decides how many units a record counts as.
  RecordWeights as_counted() const { return {column, lower, upper, step}; }

  friend bool operator==(const RecordWeights&, const RecordWeights&) = default;
};

}  // namespace fractile
