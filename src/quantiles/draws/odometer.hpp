// What the draws of a release cost, exactly, from the rates that are used: parts one after the other, the nodes of a level beside
// each other. It refuses a draw that the budget does not cover.
// Proof: docs/proofs/odometer.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fractile/privacy.hpp"
#include "fractile/quantiles.hpp"

namespace fractile {

/// A part of a budget. It can be moved and split, never copied, so that what is taken never adds up to more than the whole.
class Share {
 public:
  /// All that a release may spend. The one place where a budget becomes something to spend.
  static Share whole(Budget budget) { return Share(std::move(budget)); }
  Share(Share&&) noexcept = default;
  Share& operator=(Share&&) noexcept = default;
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() = default;

  /// A fraction of what this share was at first. A delta stays with the rest. Throws `internal` unless fraction is
  /// positive and not more than what is left.
  Share take(const Rational& fraction);
  /// All that is left; nothing is left then. Throws `internal` when nothing is.
  Share take_rest();
  /// One for each of this many groups, all of them as large as what is left: what a group costs depends on a person's records in
  /// that group alone (docs/proofs/groups.md). Nothing is left then.
  std::vector<Share> for_groups(std::size_t groups);

  /// What is left, for calibrating. Throws `internal` when nothing is.
  Budget amount() const;

 private:
  explicit Share(Budget budget) : budget_(std::move(budget)) {}

  Budget budget_;
  Rational left_ = 1;  // of budget_
};

/// What a person can do to the table that a release sees: this many steps, one after the other, of this relation.
struct PersonSteps {
  Neighbors relation;
  std::uint64_t steps;

  /// The steps in the table that a query is about.
  static PersonSteps in_table(const QuantileQuery& query) { return {query.neighbors, query.records_per_person}; }
  /// The steps in all groups together that a query is about: a replaced record can leave one and enter another.
  static PersonSteps in_groups(const QuantileQuery& query);
};

/// A selection by scores: its weights are base * exp(-rate * score).
struct SelectionPrice {
  Exponent rate;     ///< that is used
  Rational added;    ///< by how much a record more or less can spread the scores' changes, max - min
  Rational changed;  ///< by how much one replaced can
};

/// Noise on a count that a record moves by at most 1, or on a sum: discrete Laplace under pure privacy, discrete Gaussian under zCDP.
struct NoisePrice {
  Exponent rate;           ///< of the discrete Laplace law
  Rational sigma_squared;  ///< of the discrete Gaussian law
  Rational added = 1;      ///< by how much a record more or less can move it
  Rational changed = 1;    ///< by how much one replaced can
};

/// What a draw costs a person, in the odometer's measure. Under (epsilon, delta): bounded ranges, which compose.
struct Quote {
  Exponent added;      ///< when their steps are records that come or go
  Exponent changed;    ///< when they are records replaced
  std::uint64_t id{};  ///< the odometer's: quotes of one id are equal
};

class Odometer {
 public:
  /// For a release that may spend `budget`. Throws `internal` unless a person takes at least one step.
  Odometer(Budget budget, PersonSteps person);

  Quote quote(const SelectionPrice& price);
  Quote quote(const NoisePrice& price);

  /// Begins a part, to be named by what is returned. Throws `internal` when an (epsilon, delta) share is not for one
  /// composition.
  std::size_t begin(std::string on, Share share);
  /// The same for `selections` selections that are fixed beforehand, which is what an (epsilon, delta) share pays for.
  std::size_t begin_composition(std::string on, Share share, std::size_t selections);

  /// One draw after all others of the part.
  void charge(std::size_t part, const Quote& quote) { charge_next(part, quote, 1); }
  /// This many draws beside each other, after all others of the part: every record is in one of them.
  void charge_next(std::size_t part, const Quote& quote, std::size_t draws);
  /// A draw beside all others of the part.
  void charge_beside(std::size_t part, const Quote& quote);
  // Each throws `internal`, before the draw, when it costs more than the part's share or the whole budget.

  /// Part by part, in order.
  std::vector<PartCost> spent() const;

 private:
  /// Draws beside each other: all that their cost depends on.
  struct Level {
    Exponent added;           ///< the largest
    Exponent second_added;    ///< and the next
    Exponent changed;         ///< the largest
    std::uint64_t once = 0;   ///< bit i: a quote of id i < 64 was charged
    std::uint64_t twice = 0;  ///< and once more: any further one changes nothing
    /// True when the cost may have changed.
    bool add(const Quote& quote);
  };
  struct Part {
    std::string on;
    Budget limit;
    EpsilonSum before = {};  ///< of draws that are over
    Level level = {};        ///< still open
    std::size_t selections_left = 0;
    Exponent range = {};  ///< of compositions: what each selection may have
  };

  EpsilonSum cost(const Level& level) const;
  EpsilonSum cost(const Part& part) const { return part.before + cost(part.level); }
  void require_covered(const Part& part) const;
  void compose(Part& part, const Quote& quote);

  Budget budget_;
  PersonSteps person_;
  std::vector<Part> parts_;
  std::uint64_t quotes_ = 0;
};

}  // namespace fractile
