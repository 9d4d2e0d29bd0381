// Small matrices and pipelines for tests.
#pragma once

#include <cstddef>
#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// A matrix whose entries are read by Rational::parse.
inline Matrix matrix(const std::vector<std::vector<const char*>>& rows) {
  std::vector<std::vector<Rational>> parsed;
  for (const std::vector<const char*>& row : rows) {
    parsed.emplace_back();
    for (const char* entry : row) parsed.back().push_back(Rational::parse(entry));
  }
  return Matrix::of(parsed);
}

/// The radius of a ball.
inline double radius(const Enclosure& ball) {
  Enclosure result;
  arb_get_rad_arb(result.arb(), ball.arb());
  return result.upper_double();
}

/// The values 0, 1, ..., count - 1.
inline std::vector<Rational> whole_values(std::size_t count) {
  std::vector<Rational> values;
  for (std::size_t i = 0; i < count; ++i) values.emplace_back(static_cast<std::int64_t>(i));
  return values;
}

inline PostProcessor counting(std::vector<std::size_t> values) {
  return {PostProcessor::Kind::count, std::move(values), {}};
}
inline PostProcessor summing() { return {PostProcessor::Kind::sum, {}, {}}; }
inline PostProcessor taking_the_mode() { return {PostProcessor::Kind::mode, {}, {}}; }

/// A pipeline with the values 0, 1, ..., where everyone's values are secret.
inline Pipeline pipeline_of(std::size_t participants, const Perturber& perturber, const PostProcessor& post) {
  return {participants, whole_values(perturber.values()), perturber, post, {}};
}

/// An analyst who guesses the most frequent value, and whose loss is whether the guess is wrong.
inline Analyst mode_guesser() {
  Analyst analyst;
  analyst.goal = Analyst::Goal::argmax_accuracy;
  return analyst;
}

/// Appendix D.1: four people have values 0 .. 6, and three of them are known. Zeros are counted after geometric noise.
inline Pipeline known_others() {
  Pipeline pipeline = pipeline_of(4, Perturber::geometric(7), counting({0}));
  pipeline.secret = Secret::target_knowing({0, 1, 1});
  return pipeline;
}
/// The analyst of appendix D.1: the loss is a thousand times the absolute error, and all values are equally likely.
inline Analyst thousandfold_error() {
  Analyst analyst;
  analyst.goal = Analyst::Goal::linear_error;
  analyst.scale = 1000;
  return analyst;
}

/// Section 8: the bars of a histogram get geometric noise, and the highest bar is published.
inline Pipeline noisy_argmax(std::size_t participants, std::size_t categories) {
  Pipeline pipeline{
      participants, whole_values(categories), Perturber::geometric(participants + 1), taking_the_mode(), {}};
  pipeline.secret.kind = Secret::Kind::histogram;
  return pipeline;
}

}  // namespace fractile::flow
