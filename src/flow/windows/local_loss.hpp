// Where a loss rises within a cell: the loss is a sum over observations of the least of some smooth functions, each of which is a
// polynomial up to a known error.
// Proof: docs/proofs/windows.md, "Signs"
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "exact/enclosure.hpp"
#include "exact/uncopied.hpp"
#include "flow/algebra/chebyshev.hpp"

namespace fractile::flow {

/// Observations first .. last, and actions that include a best one after each of them.
struct OpenActions {
  std::size_t first;
  std::size_t last;
  std::vector<std::size_t> actions;
};

/// An analyst's expected loss on a cell: the sum over observations of the least over actions of smooth functions, the joint losses.
/// The loss of an analyst who takes the same action after all observations is constant.
class LocalLoss : Uncopied {
 public:
  virtual ~LocalLoss() = default;

  /// All observations. For an entry with first < last: if an action's loss is at most another's after the first and the last
  /// observation, it is so after all observations between.
  virtual std::vector<OpenActions> observations() const = 0;
  /// Where to divide first .. last, first < last, when nothing is decided: the last observation of the left part. Any place is
  /// valid.
  virtual std::size_t parting(std::size_t first, std::size_t last, const Places& places) const = 0;
  /// Whether an action's joint loss after an observation is certainly at most another's, throughout the places.
  virtual bool is_no_worse(std::size_t action, std::size_t other, std::size_t observation, const Places& places) = 0;
  /// An action, if any, whose slopes are 0, without an error.
  virtual std::optional<std::size_t> baseline() const { return {}; }
  /// The derivative by the place of an action's joint losses after first .. last together, up to slope_error().
  virtual const FilteredPolynomial& slope(std::size_t first, std::size_t last, std::size_t action) = 0;
  /// Whether the derivative of the joint losses after first .. last together has at most a modulus of negligible_slope() throughout
  /// the places, whatever the actions are.
  virtual bool is_negligible(std::size_t first, std::size_t last, const Places& places) = 0;
  virtual const Enclosure& negligible_slope() const = 0;
  /// The error of the derivative of all joint losses together, whatever the actions are; zero where slopes include their own
  /// errors.
  virtual Enclosure slope_error() const { return {}; }
  /// Slopes with at most this modulus are not examined.
  virtual double flat_slope() const { return 0; }
};

/// Whether a loss falls or stays (more odds, no more loss) or rises throughout odds from .. to, or neither is known.
struct MonotonePiece {
  enum class Direction { falls, rises, unknown };
  Rational from;
  Rational to;
  Direction direction;
};

/// Appends a piece that begins where the last one ends. Neighbors with the same direction are merged.
void append_piece(std::vector<MonotonePiece>& pieces, MonotonePiece next);

/// The pieces of a whole cell, in order. An unknown piece is narrower than 2^-34 of the cell, or it consists of parts on which the
/// modulus of the loss's derivative by the place is at most flat_slope() or at most eight times the errors above.
std::vector<MonotonePiece> pieces_of(LocalLoss& loss, const Cell& cell);

}  // namespace fractile::flow
