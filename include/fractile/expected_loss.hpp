// What a release is worth to an analyst: their expected loss. Source: kronecker-utility 2023, sections 2 and 9.
// Thread-safety: threads may share pipelines, analysts and results that none changes; functions may run at once.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/real_bounds.hpp"

namespace fractile::flow {

/// Who looks at the release, and what they want.
struct Analyst {
  enum class Goal { bayes_risk, linear_error, squared_error, argmax_accuracy, matrix };
  /// Over the rows of the pipeline's channel; nothing: every secret (every arrangement) is equally likely.
  std::optional<Prior> prior = {};
  Goal goal = Goal::bayes_risk;
  std::optional<Matrix> losses = {};  ///< for Goal::matrix: one row per row of the channel, one column per action
  Rational scale = 1;
  /// The analyst guesses this count, sum or mode of the true values, by Bayes risk or either error; the linear error of a mode is
  /// the distance from it (section 9.1). Nothing: they guess the secret.
  std::optional<PostProcessor> about = {};
};

/// The prior and loss that stand for the analyst. Throws `usage` when they do not fit the pipeline: linear and squared
/// error are about one target or a count, sum or mode; argmax accuracy about histograms.
Prior prior_of(const Analyst& analyst, const Pipeline& pipeline);
Loss loss_of(const Analyst& analyst, const Pipeline& pipeline);

/// The prior when participants' values are independent, each with these probabilities: a multinomial law for histograms, a product
/// for tuples, and for a target the probabilities themselves. Throws `usage` unless there is one for every value.
Prior independent_participants(const Pipeline& pipeline, const Prior& of_one);
/// The prior of a target who is certainly not counted, and has each of the other values with equal probability. With it, the loss
/// of figure 4 falls and rises again. Throws `usage` unless a count of one target leaves some values uncounted.
Prior uniform_over_uncounted(const Pipeline& pipeline);

/// Over the histograms of everyone in which every value occurs: 171 of 20 participants and three values, where figure 3 speaks of 105.
/// Throws `usage` when there are none, or the secret is a target.
Prior uniform_over_full_histograms(const Pipeline& pipeline);

/// The analyst's expected loss, exactly: what the paper calls the posterior uncertainty. Throws `usage` when odds < 1
/// or the loss is not rational or too long to be written down.
Rational expected_loss(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds);

/// The same for any epsilon, enclosed: to some 40 digits.
RealBounds expected_loss_bounds(const Pipeline& pipeline, const Analyst& analyst, const Exponent& epsilon);

/// The expected loss of an analyst who acts on the prior alone (section 2.1.1). For the families that reveal nothing at epsilon = 0
/// (Definitions 3.4 and 3.5, and releases), it is enclosed as the loss there; otherwise it is exact. Throws `usage` as
/// expected_loss() does.
RealBounds loss_without_release(const Pipeline& pipeline, const Analyst& analyst);

/// From one epsilon to a larger one: disjoint enclosures show that a loss rises or falls, equal exact numbers that it is flat;
/// anything else leaves this open.
enum class Change { falls, rises, flat, undecided };
Change change_between(const RealBounds& before, const RealBounds& here);
/// "falls", "rises", "flat" or "undecided".
const char* to_string(Change change);

struct LossPoint {
  Exponent epsilon;
  RealBounds loss;
  Change change;  ///< since the point before; for the first point, since epsilon = 0
};

/// The expected loss at these increasing epsilons, to some 40 digits. The pipeline and the analyst are looked at once;
/// points are shared among `threads`, and progress(points done) is called after each, one call at a time.
std::vector<LossPoint> loss_curve(const Pipeline& pipeline, const Analyst& analyst,
                                  const std::vector<Exponent>& epsilons, std::size_t threads = 1,
                                  const std::function<void(std::size_t done)>& progress = {});

}  // namespace fractile::flow
