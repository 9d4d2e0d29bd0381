// The papers' programming framework: domains and metrics, transformations and measurements, and their constructors.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"
#include "fractile/ranks.hpp"
#include "fractile/release.hpp"

namespace fractile {

// --- Domains and metrics ---------------------------------------------------------------------------------------------
//
// Domains and metrics: what data look like, and how far apart two of them are.
// Sources: quantile-score-candidates 2022 and 2025, gumbel-max 2023; the vocabulary is OpenDP's.

/// Numbers that data and candidates are made of.
template <class T>
concept Number =
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, float> || std::same_as<T, double>;

/// Numbers, and the further types of scores.
template <class T>
concept Atom = Number<T> || std::same_as<T, std::uint64_t> || std::same_as<T, Rational>;

/// "int32", "double", "rational".
template <Atom T>
std::string type_name() {
  if constexpr (std::same_as<T, std::int32_t>) return "int32";
  if constexpr (std::same_as<T, std::int64_t>) return "int64";
  if constexpr (std::same_as<T, std::uint64_t>) return "uint64";
  if constexpr (std::same_as<T, float>) return "float";
  if constexpr (std::same_as<T, double>) return "double";
  if constexpr (std::same_as<T, Rational>) return "rational";
}

/// The exact value; throws `usage` for NaN and infinities.
template <Atom T>
Rational to_rational(const T& value) {
  if constexpr (std::same_as<T, Rational>) {
    return value;
  } else if constexpr (std::same_as<T, std::uint64_t>) {
    return Rational(value >> 1) * Rational(2) + Rational(value & 1);
  } else if constexpr (std::floating_point<T>) {
    return Rational::from_double(static_cast<double>(value));
  } else {
    return Rational(value);
  }
}

/// One value of type T: null (NaN) allowed or not, between bounds or not.
/// Thread-safety: a value; threads may share it while none changes it.
template <Atom T>
class AtomDomain {
 public:
  using Carrier = T;
  /// Every value; for floating-point types also NaN.
  static AtomDomain all() { return {std::floating_point<T>, {}}; }
  /// Every value but NaN.
  static AtomDomain non_null() { return {false, {}}; }
  /// Values from lower to upper; throws `usage` when there are none.
  static AtomDomain bounded(T lower, T upper) {
    if (!(lower <= upper)) throw Error(ErrorCode::usage, "bounds: the lower one is not at most the upper one");
    return {false, std::pair(lower, upper)};
  }

  bool nullable() const { return nullable_; }
  const std::optional<std::pair<T, T>>& bounds() const { return bounds_; }
  bool contains(const T& value) const {
    if constexpr (std::floating_point<T>) {
      if (std::isnan(value)) return nullable_;
    }
    return !bounds_ || (bounds_->first <= value && value <= bounds_->second);
  }
  std::string to_string() const {
    std::string text = type_name<T>();
    if (nullable_) text += " or NaN";
    if (bounds_) text += " in [" + shown(bounds_->first) + ", " + shown(bounds_->second) + "]";
    return text;
  }
  friend bool operator==(const AtomDomain&, const AtomDomain&) = default;

 private:
  AtomDomain(bool nullable, std::optional<std::pair<T, T>> bounds) : nullable_(nullable), bounds_(std::move(bounds)) {}
  static std::string shown(const T& value) {
    if constexpr (std::floating_point<T>) {  // the shortest text that is read back as the value, in every locale
      std::array<char, 32> text{};
      return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
    } else {
      return to_rational(value).to_string();
    }
  }

  bool nullable_;
  std::optional<std::pair<T, T>> bounds_;
};

/// A value or none: how types without NaN have nulls.
template <class Element>
struct OptionDomain {
  using Carrier = std::optional<typename Element::Carrier>;
  Element element;

  bool contains(const Carrier& value) const { return !value || element.contains(*value); }
  std::string to_string() const { return "optional " + element.to_string(); }
  friend bool operator==(const OptionDomain&, const OptionDomain&) = default;
};

/// Any number of elements, or a known number.
template <class Element>
struct VectorDomain {
  using Carrier = std::vector<typename Element::Carrier>;
  Element element;
  std::optional<std::size_t> size = {};

  bool contains(const Carrier& values) const {
    return (!size || values.size() == *size) &&
           std::ranges::all_of(values, [this](const typename Element::Carrier& v) { return element.contains(v); });
  }
  std::string to_string() const {
    return "vector of " + (size ? std::to_string(*size) + " " : std::string()) + element.to_string();
  }
  friend bool operator==(const VectorDomain&, const VectorDomain&) = default;
};

/// How many records must be added or removed, whatever their order.
struct SymmetricDistance {
  using Distance = std::uint64_t;
  static std::string to_string() { return "SymmetricDistance"; }
  friend bool operator==(const SymmetricDistance&, const SymmetricDistance&) = default;
};

/// How many records must be inserted or deleted, order kept.
struct InsertDeleteDistance {
  using Distance = std::uint64_t;
  static std::string to_string() { return "InsertDeleteDistance"; }
  friend bool operator==(const InsertDeleteDistance&, const InsertDeleteDistance&) = default;
};

/// How many records must be replaced, whatever their order; tables of different sizes are infinitely far apart.
struct ChangeOneDistance {
  using Distance = std::uint64_t;
  static std::string to_string() { return "ChangeOneDistance"; }
  friend bool operator==(const ChangeOneDistance&, const ChangeOneDistance&) = default;
};

/// How many places hold different records; tables of different sizes are infinitely far apart.
struct HammingDistance {
  using Distance = std::uint64_t;
  static std::string to_string() { return "HammingDistance"; }
  friend bool operator==(const HammingDistance&, const HammingDistance&) = default;
};

/// max_i |u_i - v_i|. Monotonic: infinite unless all differences have one sign.
struct LInfDistance {
  using Distance = Rational;
  bool monotonic = false;
  std::string to_string() const { return monotonic ? "LInfDistance (monotonic)" : "LInfDistance"; }
  friend bool operator==(const LInfDistance&, const LInfDistance&) = default;
};

/// max_ij |(u_i - v_i) - (u_j - v_j)|: gumbel-max 2023, equation (6); InfDifferenceDistance in quantile-score 2022.
struct RangeDistance {
  using Distance = Rational;
  static std::string to_string() { return "RangeDistance"; }
  friend bool operator==(const RangeDistance&, const RangeDistance&) = default;
};

/// Metrics between tables that count added and removed records (the 2025 paper's ARDatasetMetric).
template <class M>
concept AddRemoveMetric = std::same_as<M, SymmetricDistance> || std::same_as<M, InsertDeleteDistance>;
/// Metrics between tables of one size that count changed records.
template <class M>
concept ChangeMetric = std::same_as<M, ChangeOneDistance> || std::same_as<M, HammingDistance>;
template <class M>
concept DatasetMetric = AddRemoveMetric<M> || ChangeMetric<M>;
/// Metrics between vectors of scores.
template <class M>
concept ScoreMetric = std::same_as<M, LInfDistance> || std::same_as<M, RangeDistance>;

namespace detail {

/// Records of u that v lacks, as multisets.
template <class T>
std::uint64_t missing(const std::vector<T>& u, const std::vector<T>& v) {
  std::map<T, std::int64_t> surplus;
  for (const T& x : u) ++surplus[x];
  for (const T& x : v) --surplus[x];
  std::uint64_t total = 0;
  for (const auto& [x, s] : surplus) total += s > 0 ? static_cast<std::uint64_t>(s) : 0;
  return total;
}

template <class T>
std::uint64_t longest_common_subsequence(const std::vector<T>& u, const std::vector<T>& v) {
  std::vector<std::uint64_t> row(v.size() + 1, 0);
  for (const T& x : u) {
    std::uint64_t diagonal = 0;
    for (std::size_t j = 0; j < v.size(); ++j) {
      const std::uint64_t above = row[j + 1];
      row[j + 1] = x == v[j] ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

/// u_i - v_i, exactly; nothing when the sizes differ.
template <Atom T>
std::optional<std::vector<Rational>> differences(const std::vector<T>& u, const std::vector<T>& v) {
  if (u.size() != v.size()) return std::nullopt;
  std::vector<Rational> result;
  for (std::size_t i = 0; i < u.size(); ++i) result.push_back(to_rational(u[i]) - to_rational(v[i]));
  return result;
}

}  // namespace detail

/// The distance of two members of a domain; nothing when it is infinite. Computed by definition, and slowly: for tests.
template <class T>
std::optional<std::uint64_t> distance(SymmetricDistance, const std::vector<T>& u, const std::vector<T>& v) {
  return detail::missing(u, v) + detail::missing(v, u);
}

template <class T>
std::optional<std::uint64_t> distance(InsertDeleteDistance, const std::vector<T>& u, const std::vector<T>& v) {
  return u.size() + v.size() - 2 * detail::longest_common_subsequence(u, v);
}

template <class T>
std::optional<std::uint64_t> distance(ChangeOneDistance, const std::vector<T>& u, const std::vector<T>& v) {
  if (u.size() != v.size()) return std::nullopt;
  return detail::missing(u, v);
}

template <class T>
std::optional<std::uint64_t> distance(HammingDistance, const std::vector<T>& u, const std::vector<T>& v) {
  if (u.size() != v.size()) return std::nullopt;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < u.size(); ++i) total += u[i] == v[i] ? 0U : 1U;
  return total;
}

template <Atom T>
std::optional<Rational> distance(const LInfDistance& metric, const std::vector<T>& u, const std::vector<T>& v) {
  const auto differences = detail::differences(u, v);
  if (!differences) return std::nullopt;
  Rational largest = 0;
  bool up = false;
  bool down = false;
  for (const Rational& d : *differences) {
    up |= d.sign() > 0;
    down |= d.sign() < 0;
    largest = std::max(largest, d.sign() < 0 ? -d : d);
  }
  if (metric.monotonic && up && down) return std::nullopt;
  return largest;
}

template <Atom T>
std::optional<Rational> distance(RangeDistance, const std::vector<T>& u, const std::vector<T>& v) {
  const auto differences = detail::differences(u, v);
  if (!differences) return std::nullopt;
  if (differences->empty()) return Rational(0);
  const auto [least, most] = std::ranges::minmax_element(*differences);
  return *most - *least;
}

// --- Transformations and measurements --------------------------------------------------------------------------------
//
// Transformations and measurements: functions with a guarantee about distances, and how they are chained.
// Source: the papers' Hoare triples (quantile-score-candidates 2025, section 3; gumbel-max 2023, section 2).

/// Pure differential privacy: the largest log ratio of probabilities, epsilon.
struct MaxDivergence {
  using Distance = Exponent;
  static std::string to_string() { return "MaxDivergence"; }
  friend bool operator==(const MaxDivergence&, const MaxDivergence&) = default;
};

/// Bounded range: the spread of the log ratios over the outputs, eta. Implies epsilon = eta and rho = eta^2/8.
struct BoundedRange {
  using Distance = Exponent;
  static std::string to_string() { return "BoundedRange"; }
  friend bool operator==(const BoundedRange&, const BoundedRange&) = default;
};

/// Zero-concentrated differential privacy: rho.
struct ZeroConcentratedDivergence {
  using Distance = Rational;
  static std::string to_string() { return "ZeroConcentratedDivergence"; }
  friend bool operator==(const ZeroConcentratedDivergence&, const ZeroConcentratedDivergence&) = default;
};

/// epsilon and delta.
struct ApproxDistance {
  Exponent epsilon;
  Rational delta;
};

/// Approximate differential privacy.
struct ApproxDivergence {
  using Distance = ApproxDistance;
  static std::string to_string() { return "ApproxDivergence"; }
  friend bool operator==(const ApproxDivergence&, const ApproxDivergence&) = default;
};

/// Whether a distance is at most another, decided exactly.
inline bool at_most(const ApproxDistance& a, const ApproxDistance& b) {
  return a.epsilon <= b.epsilon && a.delta <= b.delta;
}
template <class Distance>
bool at_most(const Distance& a, const Distance& b) {
  return a <= b;
}

/// A function from members of one domain to members of another, with a stability map: if two inputs are d_in-close under
/// the input metric, their outputs are stability_map(d_in)-close under the output metric.
/// Thread-safety: threads may share it; it holds no state that a call changes.
template <class InputDomain, class InputMetric, class OutputDomain, class OutputMetric>
class Transformation {
 public:
  using Input = typename InputDomain::Carrier;
  using Output = typename OutputDomain::Carrier;
  using DistanceIn = typename InputMetric::Distance;
  using DistanceOut = typename OutputMetric::Distance;

  Transformation(InputDomain input_domain, InputMetric input_metric, OutputDomain output_domain,
                 OutputMetric output_metric, std::function<Output(const Input&)> function,
                 std::function<DistanceOut(const DistanceIn&)> stability_map)
      : input_domain_(std::move(input_domain)),
        input_metric_(std::move(input_metric)),
        output_domain_(std::move(output_domain)),
        output_metric_(std::move(output_metric)),
        function_(std::move(function)),
        stability_map_(std::move(stability_map)) {}

  const InputDomain& input_domain() const { return input_domain_; }
  const InputMetric& input_metric() const { return input_metric_; }
  const OutputDomain& output_domain() const { return output_domain_; }
  const OutputMetric& output_metric() const { return output_metric_; }

  /// The function; `input` must be a member of the input domain.
  Output invoke(const Input& input) const { return function_(input); }
  DistanceOut map(const DistanceIn& d_in) const { return stability_map_(d_in); }
  /// The papers' relation: d_in-close inputs have d_out-close outputs.
  bool check(const DistanceIn& d_in, const DistanceOut& d_out) const { return at_most(map(d_in), d_out); }

 private:
  InputDomain input_domain_;
  InputMetric input_metric_;
  OutputDomain output_domain_;
  OutputMetric output_metric_;
  std::function<Output(const Input&)> function_;
  std::function<DistanceOut(const DistanceIn&)> stability_map_;
};

/// A random function with a privacy map: if two inputs are d_in-close under the input metric, the laws of their outputs
/// are privacy_map(d_in)-close under the output measure.
/// Thread-safety: threads may share it, each with random bits of its own.
template <class InputDomain, class InputMetric, class Released, class OutputMeasure>
class Measurement {
 public:
  using Input = typename InputDomain::Carrier;
  using Output = Released;
  using DistanceIn = typename InputMetric::Distance;
  using DistanceOut = typename OutputMeasure::Distance;

  Measurement(InputDomain input_domain, InputMetric input_metric, OutputMeasure output_measure,
              std::function<Output(const Input&, RandomBits&)> function,
              std::function<DistanceOut(const DistanceIn&)> privacy_map)
      : input_domain_(std::move(input_domain)),
        input_metric_(std::move(input_metric)),
        output_measure_(std::move(output_measure)),
        function_(std::move(function)),
        privacy_map_(std::move(privacy_map)) {}

  const InputDomain& input_domain() const { return input_domain_; }
  const InputMetric& input_metric() const { return input_metric_; }
  const OutputMeasure& output_measure() const { return output_measure_; }

  /// One draw; `input` must be a member of the input domain.
  Output invoke(const Input& input, RandomBits& bits) const { return function_(input, bits); }
  DistanceOut map(const DistanceIn& d_in) const { return privacy_map_(d_in); }
  /// The papers' relation: d_in-close inputs have d_out-close output laws.
  bool check(const DistanceIn& d_in, const DistanceOut& d_out) const { return at_most(map(d_in), d_out); }

 private:
  InputDomain input_domain_;
  InputMetric input_metric_;
  OutputMeasure output_measure_;
  std::function<Output(const Input&, RandomBits&)> function_;
  std::function<DistanceOut(const DistanceIn&)> privacy_map_;
};

namespace detail {

/// Throws `usage` unless both are equal: domains and metrics of one type may still differ in bounds, sizes or monotonicity.
template <class Left, class Right>
void require_same(const char* what, const Left& left, const Right& right) {
  if (left == right) return;
  throw Error(ErrorCode::usage,
              std::string("the chain does not fit: the left side's output ") + what + " is " + left.to_string() +
                  ", the right side's input " + what + " is " + right.to_string(),
              "make the one from the other, or put a transformation between them");
}

}  // namespace detail

/// left, then right. Domains and metrics must be the same: their types are compared at compile time, and different
/// values throw `usage`.
template <class DI, class MI, class DX, class MX, class DO, class MO>
Transformation<DI, MI, DO, MO> operator>>(const Transformation<DI, MI, DX, MX>& left,
                                          const Transformation<DX, MX, DO, MO>& right) {
  detail::require_same("domain", left.output_domain(), right.input_domain());
  detail::require_same("metric", left.output_metric(), right.input_metric());
  return {left.input_domain(),
          left.input_metric(),
          right.output_domain(),
          right.output_metric(),
          [left, right](const typename DI::Carrier& x) { return right.invoke(left.invoke(x)); },
          [left, right](const typename MI::Distance& d) { return right.map(left.map(d)); }};
}

template <class DI, class MI, class DX, class MX, class Output, class Measure>
Measurement<DI, MI, Output, Measure> operator>>(const Transformation<DI, MI, DX, MX>& left,
                                                const Measurement<DX, MX, Output, Measure>& right) {
  detail::require_same("domain", left.output_domain(), right.input_domain());
  detail::require_same("metric", left.output_metric(), right.input_metric());
  return {left.input_domain(), left.input_metric(), right.output_measure(),
          [left, right](const typename DI::Carrier& x, RandomBits& bits) { return right.invoke(left.invoke(x), bits); },
          [left, right](const typename MI::Distance& d) { return right.map(left.map(d)); }};
}

/// Postprocessing: any function of what is released, at no further cost.
template <class DI, class MI, class Output, class Measure, class Function>
requires std::invocable<Function, const Output&>
    Measurement<DI, MI, std::invoke_result_t<Function, const Output&>, Measure>
operator>>(const Measurement<DI, MI, Output, Measure>& left, Function function) {
  return {left.input_domain(), left.input_metric(), left.output_measure(),
          [left, function](const typename DI::Carrier& x, RandomBits& bits) { return function(left.invoke(x, bits)); },
          [left](const typename MI::Distance& d) { return left.map(d); }};
}

// --- Constructors ----------------------------------------------------------------------------------------------------
//
// The papers' constructors, under their names: transformations of rows, scores of candidates, selections, and their chain.
// Sources: quantile-score-candidates 2022 and 2025, gumbel-max 2023. Each checks its preconditions in its paper's order.
// Number types T: int32, int64, float, double.
// Proof: docs/proofs/constructors.md
// Thread-safety: threads may share what is made here, each with random bits of its own.

namespace detail {

/// "5 candidates from 0 to 8".
inline std::string described(const Lattice& lattice) {
  return std::to_string(lattice.size()) + " candidates from " + lattice.text(0) + " to " +
         lattice.text(lattice.size() - 1);
}

}  // namespace detail

/// A position on a lattice, see Position.
struct PositionDomain {
  using Carrier = Position;
  Lattice lattice;

  bool contains(const Position& value) const { return value <= 2 * lattice.size(); }
  std::string to_string() const { return "position on " + detail::described(lattice); }
  friend bool operator==(const PositionDomain&, const PositionDomain&) = default;
};

/// Profiles on a lattice.
struct RankProfileDomain {
  using Carrier = RankProfile;
  Lattice lattice;

  bool contains(const RankProfile& profile) const { return profile.lattice() == lattice; }
  std::string to_string() const { return "rank profile on " + detail::described(lattice); }
  friend bool operator==(const RankProfileDomain&, const RankProfileDomain&) = default;
};

template <Number T>
using Rows = VectorDomain<AtomDomain<T>>;
/// Scores that selections read.
template <Atom S>
using Scores = VectorDomain<AtomDomain<S>>;

/// A transformation from rows to rows under one metric.
template <class DI, class DO, class M>
using RowTransform = Transformation<DI, M, DO, M>;

// --- Rows -----------------------------------------------------------------------------------------------------------

/// Every value moved to the nearest of [lower, upper]. Throws `usage` unless the rows are non-null and lower <= upper.
template <Number T, DatasetMetric M>
RowTransform<Rows<T>, Rows<T>, M> make_clamp(const Rows<T>& input_domain, const M& input_metric, T lower, T upper);

/// NaN records left out. The table's size becomes unknown, so the metric must count added and removed records.
template <std::floating_point T, AddRemoveMetric M>
requires Number<T> RowTransform<Rows<T>, Rows<T>, M> make_drop_null(const Rows<T>& input_domain, const M& input_metric);
/// Missing records left out.
template <Number T, AddRemoveMetric M>
RowTransform<VectorDomain<OptionDomain<AtomDomain<T>>>, Rows<T>, M> make_drop_null(
    const VectorDomain<OptionDomain<AtomDomain<T>>>& input_domain, const M& input_metric);

/// NaN replaced by `constant`; throws `usage` when that is NaN.
template <std::floating_point T, DatasetMetric M>
requires Number<T> RowTransform<Rows<T>, Rows<T>, M> make_impute_constant(const Rows<T>& input_domain,
                                                                          const M& input_metric, T constant);
/// Missing records replaced by `constant`; throws `usage` when that is NaN or outside the element's bounds.
template <Number T, DatasetMetric M>
RowTransform<VectorDomain<OptionDomain<AtomDomain<T>>>, Rows<T>, M> make_impute_constant(
    const VectorDomain<OptionDomain<AtomDomain<T>>>& input_domain, const M& input_metric, T constant);

/// Every value replaced by its position on the lattice. Throws `usage` unless the rows are non-null.
template <Number T, DatasetMetric M>
RowTransform<Rows<T>, VectorDomain<PositionDomain>, M> make_cast_to_lattice(const Rows<T>& input_domain,
                                                                            const M& input_metric,
                                                                            const Lattice& lattice);

/// The records counted by position. Their order is lost, so distances become those of multisets: SymmetricDistance for added and
/// removed records, ChangeOneDistance for changed ones.
template <AddRemoveMetric M>
Transformation<VectorDomain<PositionDomain>, M, RankProfileDomain, SymmetricDistance> make_rank_profile(
    const VectorDomain<PositionDomain>& input_domain, const M& input_metric);
template <ChangeMetric M>
Transformation<VectorDomain<PositionDomain>, M, RankProfileDomain, ChangeOneDistance> make_rank_profile(
    const VectorDomain<PositionDomain>& input_domain, const M& input_metric);

// --- Scores of candidates -------------------------------------------------------------------------------------------

/// quantile-score-candidates 2025: the integer score (7) of every candidate, lower is better, in units of 1/alpha's
/// denominator. Raises, in this order: nullable rows; candidates that do not increase strictly (or are NaN); alpha outside
/// [0, 1]; a known size whose product with the denominator passes 64 bits.
/// Stability: d_in max(num, den - num) for unknown size; (d_in / 2) 2 den for known size, d_in / 2 rounded down. One case differs
/// from the paper: where the paper's size limit could bind for a table that fits in memory (den > 2^17, unknown size), the
/// stability is d_in den, because Lemma 4.1 fails there (docs/proofs/scores.md).
template <Number T, AddRemoveMetric M>
Transformation<Rows<T>, M, Scores<std::uint64_t>, LInfDistance> make_quantile_score_candidates(
    const Rows<T>& input_domain, const M& input_metric, const std::vector<T>& candidates, const Rational& alpha);

/// quantile-score-candidates 2022, section 2: the real score (4) as an exact rational, higher is better.
/// Relation: d_in * 2 max(alpha, 1 - alpha) <= d_out.
template <Number T>
Transformation<Rows<T>, SymmetricDistance, Scores<Rational>, RangeDistance> make_quantile_score_candidates_2022(
    const std::vector<T>& candidates, const Rational& alpha);

/// quantile-score-candidates 2022, section 3: the same for tables of a known size. Relation: d_in * 2 <= d_out.
template <Number T>
Transformation<Rows<T>, SymmetricDistance, Scores<Rational>, RangeDistance> make_sized_quantile_score_candidates(
    std::size_t size, const std::vector<T>& candidates, const Rational& alpha);

// --- Selections -----------------------------------------------------------------------------------------------------

/// Measures that a selection by softmax can be stated in.
template <class Measure>
concept SelectionMeasure = std::same_as<Measure, MaxDivergence> || std::same_as<Measure, BoundedRange> ||
    std::same_as<Measure, ZeroConcentratedDivergence>;

/// gumbel-max 2023: draws the index k with probability proportional to exp(+-score_k / temperature), exactly. Raises, in
/// this order: nullable scores; a temperature that is not positive. Privacy map: 0 for 0; range / temperature, range = d_in
/// (RangeDistance), 2 d_in (LInfDistance) or d_in (LInfDistance, monotonic); its square / 8 as zCDP. Throws `usage` for
/// a negative d_in. The measurement throws `usage` when it is invoked on no scores.
template <Atom S, ScoreMetric M, SelectionMeasure Measure = MaxDivergence>
Measurement<Scores<S>, M, std::size_t, Measure> make_gumbel_max(const Scores<S>& input_domain, const M& input_metric,
                                                                const Rational& temperature, Optimize optimize,
                                                                const Measure& measure = {});

/// Permute-and-flip (McKenna and Sheldon 2020): candidates are tried in random order, each is kept with probability exp(-gap /
/// temperature), and the first kept one is drawn. Never worse than make_gumbel_max at the same pure cost. Preconditions and privacy
/// map are those of make_gumbel_max, in MaxDivergence only.
template <Atom S, ScoreMetric M>
Measurement<Scores<S>, M, std::size_t, MaxDivergence> make_permute_and_flip(const Scores<S>& input_domain,
                                                                            const M& input_metric,
                                                                            const Rational& temperature,
                                                                            Optimize optimize);

/// Postprocessing: the candidate of an index. Throws `usage` where there are fewer candidates, since others were scored.
template <class T>
auto index_into(std::vector<T> candidates) {
  return [candidates = std::move(candidates)](const std::size_t& k) -> T {
    if (k < candidates.size()) return candidates[k];
    throw Error(ErrorCode::usage, "candidates: index_into has fewer candidates than were scored",
                "give index_into the candidates that were scored", "candidates");
  };
}

// --- The chain that a release is ------------------------------------------------------------------------------------

/// Metrics between profiles: SymmetricDistance is the neighbor relation add_remove, ChangeOneDistance is change_one.
template <class M>
concept ProfileMetric = std::same_as<M, SymmetricDistance> || std::same_as<M, ChangeOneDistance>;
/// Measures that budgets are stated in.
template <class Measure>
concept BudgetMeasure = std::same_as<Measure, MaxDivergence> || std::same_as<Measure, ZeroConcentratedDivergence>;

/// The query's quantiles of a profile, as release() draws them: candidates' indices. The query's budget is what
/// records_per_person records cost; d_in records cost d_in / records_per_person times epsilon, or its square times rho.
/// Throws `usage` when the metric is not the query's neighbor relation or the measure not its budget's.
template <ProfileMetric M, BudgetMeasure Measure>
Measurement<RankProfileDomain, M, std::vector<std::uint64_t>, Measure> make_quantiles(
    const RankProfileDomain& input_domain, const M& input_metric, const Measure& measure, const QuantileQuery& query);

/// One quantile of rows, from rows to a value: make_cast_to_lattice >> make_rank_profile >> make_quantiles >> its value.
/// Equal in law to the release verb's `exponential`. epsilon is the cost of one added or removed record.
template <Number T>
Measurement<Rows<T>, SymmetricDistance, Rational, MaxDivergence> make_quantile(const Rows<T>& input_domain,
                                                                               const Lattice& lattice,
                                                                               const Rational& alpha,
                                                                               const Exponent& epsilon);

}  // namespace fractile
