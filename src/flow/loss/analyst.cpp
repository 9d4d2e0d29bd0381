#include <utility>

#include "flow/algebra/real_roots.hpp"
#include "flow/channel/names.hpp"
#include "flow/loss/noisy_argmax.hpp"
#include "flow/loss/target_count.hpp"
#include "flow/loss/target_sum.hpp"
#include "flow/pipeline/pipeline_rows.hpp"
#include "flow/pipeline/rows.hpp"
#include "fractile/error.hpp"
#include "fractile/expected_loss.hpp"

namespace fractile::flow {
namespace {

bool is_about_one_value(const Pipeline& pipeline) {
  return pipeline.secret.kind == Secret::Kind::target ||
         (pipeline.secret.kind == Secret::Kind::everyone && pipeline.participants == 1);
}

/// Guessing a secret, of which a row stands for some: within the row all are equally likely.
Loss guessing_loss(const Secrets& secrets) {
  const std::size_t rows = secrets.secrets.size();
  Matrix losses(rows, rows);
  for (std::size_t x = 0; x < rows; ++x) {
    for (std::size_t w = 0; w < rows; ++w)
      losses(x, w) = x == w ? Rational(1) - Rational(1) / secrets.arrangements[x] : 1;
  }
  return {losses, secrets.secret_names};
}

Loss argmax_accuracy(const Pipeline& pipeline, const Secrets& secrets) {
  Matrix losses(secrets.secrets.size(), pipeline.values.size());
  for (std::size_t x = 0; x < losses.rows(); ++x) {
    const std::size_t mode = mode_of(secrets.secrets[x]);
    for (std::size_t k = 0; k < losses.columns(); ++k) losses(x, k) = mode == k ? 0 : 1;
  }
  return {losses, names_of(pipeline.values)};
}

Loss unscaled_loss(const Analyst& analyst, const Pipeline& pipeline, const Secrets& secrets) {
  switch (analyst.goal) {
    case Analyst::Goal::bayes_risk:
      return guessing_loss(secrets);
    case Analyst::Goal::linear_error:
    case Analyst::Goal::squared_error:
      if (!is_about_one_value(pipeline)) {
        throw Error(ErrorCode::usage, "linear and squared error are about one participant's value",
                    "take secret = \"target\", or a matrix of losses");
      }
      return analyst.goal == Analyst::Goal::linear_error ? linear_error(pipeline.values)
                                                         : squared_error(pipeline.values);
    case Analyst::Goal::argmax_accuracy:
      if (pipeline.secret.kind != Secret::Kind::histogram) {
        throw Error(ErrorCode::usage, "argmax accuracy is about a histogram's highest bar",
                    "take secret = \"histogram\"");
      }
      return argmax_accuracy(pipeline, secrets);
    case Analyst::Goal::matrix:
      break;
  }
  if (!analyst.losses) throw Error(ErrorCode::usage, "the analyst's losses are missing");
  if (analyst.losses->rows() != secrets.secrets.size()) {
    throw Error(ErrorCode::usage, "the losses have " + std::to_string(analyst.losses->rows()) +
                                      " rows, the secrets are " + std::to_string(secrets.secrets.size()));
  }
  return Loss(*analyst.losses);
}

}  // namespace

Prior prior_of(const Analyst& analyst, const Pipeline& pipeline) {
  const Secrets secrets = secrets_of(pipeline);
  if (analyst.prior) {
    if (analyst.prior->size() != secrets.secrets.size()) {
      throw Error(ErrorCode::usage, "the prior has " + std::to_string(analyst.prior->size()) +
                                        " probabilities, the secrets are " + std::to_string(secrets.secrets.size()));
    }
    return *analyst.prior;
  }
  Rational all;
  for (const Rational& here : secrets.arrangements) all += here;
  std::vector<Rational> probabilities;
  for (const Rational& here : secrets.arrangements) probabilities.push_back(here / all);
  return Prior(std::move(probabilities));
}

Loss loss_of(const Analyst& analyst, const Pipeline& pipeline) {
  return unscaled_loss(analyst, pipeline, secrets_of(pipeline)).scaled(analyst.scale);
}

Rational utility(const Pipeline& pipeline, const Analyst& analyst, const Rational& odds) {
  if (counts_with_known_others(pipeline)) return exact_loss_among_known(pipeline, analyst, odds);
  if (adds_known_others(pipeline)) return exact_loss_of_sum_among_known(pipeline, analyst, odds);
  const PipelineChannel channel = channel_at(pipeline, odds);
  return posterior_uncertainty(prior_of(analyst, pipeline), channel.channel, loss_of(analyst, pipeline));
}

namespace {

/// From all rows of the channel.
Enclosure loss_from_rows(const Pipeline& pipeline, const Analyst& analyst, const Enclosure& odds) {
  const Frame frame = frame_of(pipeline);
  const Rows<Enclosure> rows = rows_at(pipeline, frame, odds);
  const Prior prior = prior_of(analyst, pipeline);
  const Loss loss = loss_of(analyst, pipeline);
  Enclosure sum;
  for (std::size_t y = 0; y < frame.observation_names.size(); ++y) {
    Enclosure least;
    for (std::size_t w = 0; w < loss.actions().size(); ++w) {
      Enclosure here;
      for (std::size_t x = 0; x < prior.size(); ++x) {
        add_product(here, rows.numerators[x][y], Enclosure::of(prior[x] * loss.matrix()(x, w), enclosure_bits));
      }
      if (w == 0) {
        least = here;
      } else {
        arb_min(least.arb(), least.arb(), here.arb(), enclosure_bits);
      }
    }
    arb_add(sum.arb(), sum.arb(), least.arb(), enclosure_bits);
  }
  arb_div(sum.arb(), sum.arb(), rows.denominator.arb(), enclosure_bits);
  return sum;
}

}  // namespace

RealBounds utility_bounds(const Pipeline& pipeline, const Analyst& analyst, const Exponent& epsilon) {
  const Enclosure odds = epsilon.has_rational_exponential() ? Enclosure::of(epsilon.exponential(), enclosure_bits)
                                                            : Enclosure::of(epsilon, enclosure_bits).exp();
  const Enclosure loss = counts_with_known_others(pipeline)    ? loss_among_known(pipeline, analyst, odds)
                         : adds_known_others(pipeline)         ? loss_of_sum_among_known(pipeline, analyst, odds)
                         : guesses_the_mode(pipeline, analyst) ? loss_of_guessing_the_mode(pipeline, analyst, odds)
                                                               : loss_from_rows(pipeline, analyst, odds);
  return bounds_of(loss);
}

}  // namespace fractile::flow
