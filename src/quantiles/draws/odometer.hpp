// The exact cost of a release's draws, from the rates that are used. Parts compose sequentially, and the nodes of a level in
// parallel. A draw that the budget does not cover is refused.
// Proof: docs/proofs/odometer.md
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fractile/privacy.hpp"
#include "fractile/release.hpp"

namespace fractile {

class GroupShares;

/// A part of a budget. It can be moved and split, never copied, so the shares that are taken never add up to more than the whole.
class Share {
 public:
  /// Everything that a release may spend. Only here does a budget become a share.
  static Share whole(Budget budget) { return Share(std::move(budget)); }
  Share(Share&&) noexcept = default;
  Share& operator=(Share&&) noexcept = default;
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() = default;

  /// Takes a fraction of this share's initial amount. A delta stays with the rest. Throws `internal` unless the fraction is
  /// positive and at most what is left.
  Share take(const Rational& fraction);
  /// Takes everything that is left. Throws `internal` when nothing is left.
  Share take_rest();
  /// Takes everything that is left, once for each of this many groups: the cost of a group depends only on a person's records in
  /// that group (docs/proofs/groups.md).
  GroupShares for_groups(std::size_t groups);

  /// What is left, for calibration. Throws `internal` when nothing is left.
  Budget amount() const;

 private:
  friend class GroupShares;
  explicit Share(Budget budget) : budget_(std::move(budget)) {}

  Budget budget_;
  Rational left_ = 1;  // fraction of budget_ that is left
};

/// The shares of groups, each of the whole.
class GroupShares {
 public:
  /// The share of another group; threads may take at once. Throws `internal` when every group has taken its own.
  Share take();

 private:
  friend class Share;
  GroupShares(Budget each, std::size_t groups) : each_(std::move(each)), left_(groups) {}

  Budget each_;
  std::atomic<std::size_t> left_;
};

/// How a person can change the table that a release sees: by this many steps, one after the other, of this relation.
struct PersonSteps {
  Neighbors relation;
  std::uint64_t steps;

  /// The steps in the table that a query is about.
  static PersonSteps in_table(const QuantileQuery& query) { return {query.neighbors, query.records_per_person}; }
  /// The steps in all groups of a query together: a replaced record can leave one group and enter another.
  static PersonSteps in_groups(const QuantileQuery& query);
};

/// A selection by scores: its weights are base * exp(-rate * score).
struct SelectionPrice {
  Exponent rate;     ///< the rate that is used
  Rational added;    ///< the most that adding or removing a record spreads the scores' changes, max - min
  Rational changed;  ///< by how much one replaced can
};

/// Noise on a count that a record moves by at most 1, or on a sum: discrete Laplace under pure privacy, discrete Gaussian under zCDP.
struct NoisePrice {
  Exponent rate;           ///< of the discrete Laplace law
  Rational sigma_squared;  ///< of the discrete Gaussian law
  Rational added = 1;      ///< the most that adding or removing a record moves the number
  Rational changed = 1;    ///< by how much one replaced can
};

/// What a draw costs a person, in the odometer's measure. Under (epsilon, delta), costs are bounded ranges, which are composed.
struct Quote {
  Exponent added;      ///< if the person's steps add or remove records
  Exponent changed;    ///< if the person's steps replace records
  std::uint64_t id{};  ///< assigned by the odometer: quotes with one id are equal
};

class Odometer {
 public:
  /// For a release that may spend `budget`. Throws `internal` unless a person takes at least one step.
  Odometer(Budget budget, PersonSteps person);

  Quote quote(const SelectionPrice& price);
  Quote quote(const NoisePrice& price);

  /// Begins a part and returns its number. Throws `internal` for an (epsilon, delta) share, unless the part is a composition.
  std::size_t begin(std::string on, Share share);
  /// The same for a number of selections that is fixed beforehand; an (epsilon, delta) share pays for nothing else.
  std::size_t begin_composition(std::string on, Share share, std::size_t selections);

  /// Charges one draw that comes after all earlier draws of the part.
  void charge(std::size_t part, const Quote& quote) { charge_next(part, quote, 1); }
  /// Charges this many parallel draws that come after all earlier draws of the part: every record is in one of them.
  void charge_next(std::size_t part, const Quote& quote, std::size_t draws);
  /// Charges a draw in parallel with all other draws of the part.
  void charge_beside(std::size_t part, const Quote& quote);
  // Each of these throws `internal`, before the draw, when the cost would exceed the part's share or the whole budget.

  /// What each part cost, in order.
  std::vector<PartCost> spent() const;

 private:
  /// Parallel draws: everything on which their cost depends.
  struct Level {
    Exponent added;           ///< the largest
    Exponent second_added;    ///< and the next
    Exponent changed;         ///< the largest
    std::uint64_t once = 0;   ///< bit i: a quote with id i < 64 was charged
    std::uint64_t twice = 0;  ///< bit i: it was charged twice; further charges change nothing
    /// True when the cost may have changed.
    bool add(const Quote& quote);
  };
  struct Part {
    std::string on;
    Budget limit;
    EpsilonSum before = {};  ///< cost of the levels that are closed
    Level level = {};        ///< the open level
    std::size_t selections_left = 0;
    Exponent range = {};  ///< of a composition: the range that each selection may have
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
