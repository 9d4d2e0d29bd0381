// What one selected quantile says to an attacker who knows all records but one.
// Proof: docs/proofs/leakage.md, "Releases of quantiles", 1
#pragma once

#include <cstdint>
#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/planning.hpp"
#include "fractile/ranks.hpp"
#include "quantiles/joint/base_measure.hpp"

namespace fractile {

/// Numbers about guesses are enclosed this closely.
inline constexpr std::int64_t guess_bits = 192;
inline Enclosure enclosed(const Rational& value) { return Enclosure::of(value, guess_bits); }

/// What is known before: the others, and how likely each position is to be the person's.
struct KnownTable {
  std::vector<Position> positions;    ///< strictly increasing: where others are, or the person may be
  std::vector<std::uint64_t> others;  ///< at each
  std::vector<Rational> priors;       ///< of the person, at each
  std::vector<Enclosure> chances;     ///< the same
  std::uint64_t candidates;
};

/// `reference` spread over rows - 1 records and one person.
KnownTable known_table(const RankProfile& reference, std::uint64_t rows);

/// A selection by interval_score() among all candidates.
struct OneSelection {
  QuantileFraction alpha;
  Exponent rate;
  const BaseMeasure& weights;
};

/// How often the best guess is right after a selection. The table must stay.
class Attacker {
 public:
  /// `above`: of a limit, by position, whether the person would be above it.
  Attacker(const KnownTable& table, const OneSelection& selection, PersonGuess::About about, std::vector<bool> above);

  /// How often a guess of the value itself is right.
  Enclosure right_about_value() const;
  /// How often a guess of presence, or about a limit, is right.
  Enclosure right_about_two() const;

 private:
  /// Candidates that are alike, and that matter.
  struct Cell {
    std::size_t place;  ///< below it are the positions before this one
    bool is_at;         ///< whether it is the candidate at that position
    Enclosure below;    ///< weight, when the person is below
    Enclosure at;
    Enclosure above;
    Enclosure absent;
  };
  void add_cells(const KnownTable& table, const OneSelection& selection);
  void add_totals();
  Enclosure right_elsewhere(const Enclosure& most) const;

  const KnownTable& table_;
  std::vector<bool> is_first_;  ///< by position, of two possibilities
  bool is_presence_;
  std::vector<Cell> cells_;
  Enclosure rest_;                 ///< from 0 to the weight of all other candidates together, wherever the person is
  std::vector<Enclosure> shares_;  ///< by position: prior over the sum of the row's weights
  Enclosure absent_share_;
};

}  // namespace fractile
