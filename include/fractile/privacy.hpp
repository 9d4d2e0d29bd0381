// Privacy: who is a neighbor of whom, what a release may cost, and how costs are converted and added up.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"

namespace fractile {

// --- Neighbors and budgets -------------------------------------------------------------------------------------------
//
// The privacy vocabulary: who is a neighbor of whom, and what a release may cost.

/// When are two tables neighbors? add_remove: one record more or less. change_one: one record replaced (a record that is
/// dropped as null counts as absent, so a replacement may also add or remove one).
enum class Neighbors { add_remove, change_one };

/// The unit in which privacy loss is measured.
enum class Measure { pure, zcdp, approximate };

/// "add-remove", "change-one".
std::string to_string(Neighbors neighbors);
/// "pure", "zcdp", "approximate".
std::string to_string(Measure measure);

/// What a release may cost, exactly: epsilon (pure differential privacy), rho (zero-concentrated), or epsilon and delta
/// (approximate).
/// Thread-safety: a value; threads may share it while none changes it.
class Budget {
 public:
  /// Throws `usage` unless epsilon > 0.
  static Budget pure(Exponent epsilon);
  /// Throws `usage` unless rho > 0.
  static Budget zcdp(Rational rho);

  /// Throws `usage` unless epsilon > 0 and 0 < delta < 1.
  static Budget approximate(Exponent epsilon, Rational delta);

  /// Epsilon, or rho, times a factor > 0; delta as it is.
  Budget scaled(const Rational& factor) const;

  Measure measure() const { return measure_; }
  /// Only for pure and approximate budgets.
  const Exponent& epsilon() const;
  /// Only for zCDP budgets.
  const Rational& rho() const;
  /// Only for approximate budgets.
  const Rational& delta() const;
  /// "epsilon = 1", "rho = 1/2", "epsilon = 1, delta = 1/1000000".
  std::string to_string() const;

 private:
  Budget() = default;
  Measure measure_ = Measure::pure;
  Exponent epsilon_;
  Rational rho_;
  Rational delta_;
};

// --- Accounting ------------------------------------------------------------------------------------------------------
//
// Privacy accounting: conversions between measures, composition, and the largest parameters that a promise allows.
//
// Levels: epsilon (pure DP) and eta (bounded range: the log likelihood ratios of two neighbors lie in an interval of
// length eta) are `Exponent`; rho (zCDP) and delta are `Rational`; all are dimensionless (nats, nats, nats, probability).
// A rational result is exact. Any other result is a certified bound, a dyadic rational on the safe side of the true
// value (costs rounded up, allowances rounded down) with relative slack at most 2^-40. Deltas below 2^-1024 are reported as
// 2^-1024. Inputs too extreme to be enclosed (thousands of digits) throw `usage` instead of looping.

/// An exact sum of epsilons of either kind: q + c1 ln r1 + c2 ln r2 + ... A single Exponent cannot hold 1 + ln 2.
/// Comparisons are exact: a sum is zero only when q = 0 (Lindemann) and r1^c1 r2^c2 ... = 1, which gcds decide.
/// Proof: docs/proofs/composition.md
/// Thread-safety: a value; threads may share it while none changes it.
class EpsilonSum {
 public:
  EpsilonSum() = default;
  EpsilonSum(const Exponent& epsilon);  // NOLINT(google-explicit-constructor): an epsilon is a sum of one

  EpsilonSum& operator+=(const EpsilonSum& other);
  friend EpsilonSum operator+(EpsilonSum a, const EpsilonSum& b) { return a += b; }
  friend bool operator==(const EpsilonSum& a, const EpsilonSum& b) { return std::is_eq(a <=> b); }
  friend std::strong_ordering operator<=>(const EpsilonSum& a, const EpsilonSum& b);

  /// True when the value is rational as written: no logarithms.
  bool is_rational() const { return logarithms_.empty(); }
  /// The value itself when is_rational(), otherwise certified bounds.
  Rational upper() const;
  Rational lower() const;
  /// max(0, budget - this): exact when both are rational, otherwise a certified lower bound.
  Rational left_of(const EpsilonSum& budget) const;
  /// "1/2 + 2 ln 3", in the order in which the terms came.
  std::string to_string() const;
  /// For display.
  double to_double() const;

 private:
  struct Logarithm {
    Rational coefficient;
    Rational argument;
  };
  EpsilonSum& subtract(const EpsilonSum& other);
  void add(const Logarithm& term);
  int sign() const;
  class Enclosing;

  Rational rational_;
  std::vector<Logarithm> logarithms_;  // distinct arguments, coefficients not zero
};

// Conversions.

/// The rho of an epsilon-DP mechanism, epsilon^2/2 (Bun and Steinke 2016, Prop. 1.4; Lemma 3.8 of approximate-quantiles
/// 2021). Exact when epsilon is rational.
/// Proof: docs/proofs/conversions.md
Rational zcdp_of_pure(const Exponent& epsilon);
/// The smallest rho that all epsilon-DP mechanisms have, epsilon tanh(epsilon/2): attained by randomized response, never
/// above epsilon^2/2.
/// Proof: docs/proofs/conversions.md
Rational zcdp_of_pure_tight(const Exponent& epsilon);
/// The epsilon of an eta-bounded-range mechanism: eta (Durfee and Rogers 2019).
/// Proof: docs/proofs/conversions.md
Exponent pure_of_bounded_range(const Exponent& eta);
/// The eta of an epsilon-DP mechanism: 2 epsilon.
/// Proof: docs/proofs/conversions.md
Exponent bounded_range_of_pure(const Exponent& epsilon);
/// The rho of an eta-bounded-range mechanism, eta^2/8 (Cesar and Rogers 2021). Exact when eta is rational.
/// Proof: docs/proofs/conversions.md
Rational zcdp_of_bounded_range(const Exponent& eta);
/// The smallest rho that all eta-bounded-range mechanisms have: x - 1 - ln x with x = eta/(e^eta - 1) (Harrison and
/// Manurangsi 2026). Never above eta^2/8.
/// Proof: docs/proofs/conversions.md
Rational zcdp_of_bounded_range_tight(const Exponent& eta);
/// The delta at `target` of an epsilon-DP mechanism: (e^epsilon - e^target)/(e^epsilon + 1), and 0 when target >= epsilon.
/// No smaller delta holds for all of them (randomized response attains it).
/// Proof: docs/proofs/conversions.md
Rational delta_of_pure(const Exponent& epsilon, const Exponent& target);
/// The delta at epsilon of a rho-zCDP mechanism, at most 1: the least over Renyi orders of Prop. 12 of Canonne, Kamath and
/// Steinke 2020. The order is found numerically; the bound at that order is certified. Throws `usage` when rho < 0.
/// Proof: docs/proofs/conversions.md
Rational delta_of_zcdp(const Rational& rho, const Exponent& epsilon);
/// The epsilon at delta of a rho-zCDP mechanism, as above; never above rho + 2 sqrt(rho ln(1/delta)). Throws `usage`
/// unless rho >= 0 and 0 < delta < 1.
/// Proof: docs/proofs/conversions.md
Rational epsilon_of_zcdp(const Rational& rho, const Rational& delta);
/// The largest probability, at most 1, that an event can have under one of two neighbors when it has `probability` under the
/// other: min(e^epsilon p + delta, 1 - e^-epsilon (1 - p - delta)) of an (epsilon, delta)-DP mechanism. No smaller bound holds
/// for all of them. Exact when e^epsilon is rational. Throws `usage` unless 0 <= probability <= 1 and 0 <= delta <= 1.
/// Proof: docs/proofs/conversions.md
Rational largest_probability(const Exponent& epsilon, const Rational& delta, const Rational& probability);
/// The same for what a budget promises. For a rho it is the least over the pairs (epsilon_of_zcdp(rho, delta), delta) with
/// delta = 10^-1, ..., 10^-12.
/// Proof: docs/proofs/conversions.md
Rational largest_probability(const Budget& budget, const Rational& probability);

// Composition. All sums hold for mechanisms chosen adaptively as long as their costs are fixed beforehand; costs that are
// themselves chosen adaptively need a PrivacyFilter.

/// What an (epsilon, delta)-DP mechanism costs.
struct ApproximateCost {
  EpsilonSum epsilon;
  Rational delta;
};

/// The exact sum of the epsilons. Etas add up, too, but their sum is only an epsilon: bounded range is not closed under
/// composition.
/// Proof: docs/proofs/composition.md
EpsilonSum compose_pure(std::span<const Exponent> epsilons);
/// The sum of the rhos, exactly (Bun and Steinke 2016, Lemma 1.7). Throws `usage` for a negative rho.
/// Proof: docs/proofs/composition.md
Rational compose_zcdp(std::span<const Rational> rhos);
/// The sums of both, delta at most 1 (basic composition). Throws `usage` for a delta outside [0, 1].
/// Proof: docs/proofs/composition.md
ApproximateCost compose_approximate(std::span<const ApproximateCost> costs);

/// The cost of one mechanism per part of a table that is split by a public function of each record. `neighbors` is the relation of
/// the promise and of every part's epsilon. add_remove: the largest epsilon. change_one: a record can move from one part to
/// another, so the sum of the two largest; every part's epsilon must then also hold for one record more or less (see
/// Neighbors::change_one).
/// Proof: docs/proofs/composition.md
EpsilonSum parallel_pure(std::span<const Exponent> epsilons, Neighbors neighbors);
/// The same for zCDP. Throws `usage` for a negative rho.
/// Proof: docs/proofs/composition.md
Rational parallel_zcdp(std::span<const Rational> rhos, Neighbors neighbors);

/// The cost for tables that are `size` neighbors apart: size * epsilon; for bounded range likewise size * eta.
/// Throws `usage` when size < 1.
/// Proof: docs/proofs/composition.md
Exponent group_pure(const Exponent& epsilon, std::int64_t size);
/// size^2 * rho (Bun and Steinke 2016, Prop. 1.9). Throws `usage` when size < 1 or rho < 0.
/// Proof: docs/proofs/composition.md
Rational group_zcdp(const Rational& rho, std::int64_t size);

/// A budget that is spent step by step, where each mechanism *and its cost* may depend on all outputs so far (Rogers et al. 2016;
/// Feldman and Zrnic 2021; Whitehouse et al. 2023). Ask before each mechanism runs. The whole interaction keeps the budget, even if
/// the outputs decide when it stops. A zCDP budget also takes pure costs, at zcdp_of_pure_tight.
/// Thread-safety: not for two threads at once.
/// Proof: docs/proofs/composition.md
class PrivacyFilter {
 public:
  /// Throws `usage` for an approximate budget.
  explicit PrivacyFilter(Budget budget);

  const Budget& budget() const { return budget_; }
  /// Throws `usage` for a zCDP cost on a pure budget, since zCDP implies no epsilon, and for an approximate cost.
  bool can_spend(const Budget& cost) const;
  /// Spends the cost. Unless can_spend(cost), it spends nothing and throws `budget_refused`, whose message says what remains.
  void spend(const Budget& cost);
  /// What was spent. Only the function of the budget's measure may be called; the other throws `internal`.
  const EpsilonSum& spent_epsilon() const;
  const Rational& spent_rho() const;
  /// What is left of epsilon or rho: exact when rational, otherwise a certified lower bound.
  Rational remaining() const;

 private:
  Budget budget_;
  EpsilonSum epsilon_;
  Rational rho_;
};

// Non-adaptive composition of `count` mechanisms of bounded range eta (Dong, Durfee and Rogers 2020, Theorem 3). Mechanisms that
// are chosen adaptively can cost more; use zCDP for them. Throws `usage` when count > 100,000. One delta takes 2 ms for 120
// mechanisms, 40 ms for 1,000 and half a minute for 100,000; a solver computes about fifteen.

/// The smallest delta at epsilon that holds for all such compositions.
/// Proof: docs/proofs/bounded_range_composition.md
Rational delta_of_bounded_range(const Exponent& eta, std::uint64_t count, const Exponent& epsilon);
/// The smallest epsilon at delta. Throws `usage` unless 0 <= delta < 1.
/// Proof: docs/proofs/bounded_range_composition.md
Rational epsilon_of_bounded_range(const Exponent& eta, std::uint64_t count, const Rational& delta);

// The largest parameters that keep a promise (rounded down), and the smallest temperature (rounded up).

/// The largest epsilon with epsilon^2/2 <= rho or, tight, with epsilon tanh(epsilon/2) <= rho. Throws `usage` when rho < 0.
/// Proof: docs/proofs/conversions.md
Rational largest_pure(const Rational& rho);
Rational largest_pure_tight(const Rational& rho);
/// The largest eta with eta^2/8 <= rho or, tight, with zcdp_of_bounded_range_tight(eta) <= rho. Throws `usage` when rho < 0.
/// Proof: docs/proofs/conversions.md
Rational largest_bounded_range(const Rational& rho);
Rational largest_bounded_range_tight(const Rational& rho);
/// The largest rho whose delta_of_zcdp at epsilon is at most delta. Throws `usage` unless 0 < delta < 1.
/// Proof: docs/proofs/conversions.md
Rational largest_zcdp(const Exponent& epsilon, const Rational& delta);
/// The largest eta whose non-adaptive composition of `count` mechanisms is (epsilon, delta)-DP. Throws `usage` unless
/// 1 <= count <= 100,000 and 0 <= delta < 1.
/// Proof: docs/proofs/bounded_range_composition.md
Rational largest_bounded_range_composed(std::uint64_t count, const Exponent& epsilon, const Rational& delta);
/// The smallest temperature at which an exponential mechanism, whose scores have range distance `range_distance` between
/// neighbors (in score units), has bounded range epsilon: range_distance/epsilon, in score units. Throws `usage`
/// unless epsilon > 0 and range_distance >= 0.
/// Proof: docs/proofs/conversions.md
Rational smallest_temperature(const Exponent& epsilon, const Rational& range_distance);

}  // namespace fractile
