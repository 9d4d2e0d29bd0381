// What one selected quantile reveals to an attacker who knows all records but one.
// Proof: docs/proofs/leakage.md, "Releases of quantiles", 1
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
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

  std::uint64_t records() const { return std::accumulate(others.begin(), others.end(), std::uint64_t{0}); }
};

/// Candidates that no other record separates.
struct KnownCell {
  std::size_t place;  ///< the positions before this one are below the cell
  bool is_at;         ///< whether it is the candidate at that position
  std::uint64_t from;
  std::uint64_t to;     ///< candidates from .. to - 1
  std::uint64_t below;  ///< other records
  std::uint64_t equal;
};

/// Visits all cells, in order.
template <class Visit>
void visit_cells(const KnownTable& table, Visit&& visit) {
  KnownCell cell{};
  const auto add = [&](bool is_at, std::uint64_t to, std::uint64_t equal) {
    cell.is_at = is_at;
    cell.to = to;
    cell.equal = equal;
    if (cell.from < to) visit(std::as_const(cell));
    cell.from = to;
  };
  for (std::size_t k = 0; k < table.positions.size(); ++k) {
    const std::uint64_t candidate = table.positions[k] / 2;  // at the position, or the first one after it
    add(false, candidate, 0);
    if (table.positions[k] % 2 == 1) add(true, candidate + 1, table.others[k]);
    cell.below += table.others[k];
    ++cell.place;
  }
  add(false, table.candidates, 0);
}

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
