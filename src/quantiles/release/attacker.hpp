// What one selected quantile reveals to an attacker who knows all records but one.
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

/// What the attacker knows before the release: the other records, and the prior of each position for the person's record.
struct KnownTable {
  std::vector<Position> positions;    ///< strictly increasing: where other records are, or the person's may be
  std::vector<std::uint64_t> others;  ///< at each
  std::vector<Rational> priors;       ///< of the person's record, at each position
  std::vector<Enclosure> chances;     ///< the same as enclosures
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

/// The probability that the best guess is right after a selection. The table must outlive this object.
class Attacker {
 public:
  /// `above`: for guesses about a limit, by position, whether a record there is above the limit.
  Attacker(const KnownTable& table, const OneSelection& selection, PersonGuess::About about, std::vector<bool> above);

  /// The probability that a guess of the value itself is right.
  Enclosure right_about_value() const;
  /// The probability that a guess of presence, or about a limit, is right.
  Enclosure right_about_two() const;

 private:
  /// Candidates that no record separates, and whose weight is not negligible.
  struct Cell {
    std::size_t place;  ///< the positions before this one are below the cell
    bool is_at;         ///< whether it is the candidate at that position
    Enclosure below;    ///< the cell's weight if the person's record is below it
    Enclosure at;
    Enclosure above;
    Enclosure absent;
  };
  void add_cells(const KnownTable& table, const OneSelection& selection);
  void add_totals();
  Enclosure right_elsewhere(const Enclosure& most) const;

  const KnownTable& table_;
  std::vector<bool> is_first_;  ///< by position: whether it belongs to the first of two possibilities
  bool is_presence_;
  std::vector<Cell> cells_;
  /// Encloses the weight of all other candidates together, wherever the person's record is, and 0.
  Enclosure rest_;
  std::vector<Enclosure> shares_;  ///< by position: the prior divided by the sum of the row's weights
  Enclosure absent_share_;
};

}  // namespace fractile
