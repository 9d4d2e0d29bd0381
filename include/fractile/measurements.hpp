// Transformations and measurements: functions with a promise about distances, and how they are chained.
// Source: the papers' Hoare triples (quantile-score-candidates 2025, section 3; gumbel-max 2023, section 2).
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "fractile/domains.hpp"
#include "fractile/error.hpp"
#include "fractile/privacy.hpp"
#include "fractile/random.hpp"

namespace fractile {

/// Pure differential privacy: the largest log ratio of probabilities, epsilon.
struct MaxDivergence {
  using Distance = Exponent;
  static std::string to_string() { return "MaxDivergence"; }
  friend bool operator==(const MaxDivergence&, const MaxDivergence&) = default;
};

/// Bounded range: how far the log ratios spread over the outputs, eta. Implies epsilon = eta and rho = eta^2/8.
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

/// Values of one type may still differ: bounds, sizes, monotonicity.
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

}  // namespace fractile
