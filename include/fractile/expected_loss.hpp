// What a release is worth to an analyst: their expected loss. Source: kronecker-utility 2023, sections 2 and 9.
#pragma once

#include <optional>

#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/real_bounds.hpp"

namespace fractile::flow {

/// Who looks at the release, and what they want.
struct Analyst {
  enum class Goal { bayes_risk, linear_error, squared_error, argmax_accuracy, matrix };
  /// Of the rows of the pipeline's channel; nothing: every secret (every arrangement) is equally likely.
  std::optional<Prior> prior = {};
  Goal goal = Goal::bayes_risk;
  std::optional<Matrix> losses = {};  ///< for Goal::matrix: a row a row of the channel, a column an action
  Rational scale = 1;
};

/// The prior and loss that stand for the analyst. Error(usage) when they do not fit the pipeline: linear and squared error
/// are about one target, argmax accuracy about histograms.
Prior prior_of(const Analyst& analyst, const Pipeline& pipeline);
Loss loss_of(const Analyst& analyst, const Pipeline& pipeline);

/// The analyst's expected loss, exactly.
Rational utility(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds);

/// The same for any epsilon, enclosed: to some 40 digits.
RealBounds utility_bounds(const Pipeline& pipeline, const Analyst& analyst, const Exponent& epsilon);

}  // namespace fractile::flow
