#include "flow/loss/analyst.hpp"

#include <algorithm>
#include <utility>

#include "exact/lists.hpp"
#include "flow/channel/names.hpp"
#include "flow/pipeline/composition.hpp"
#include "flow/pipeline/size_limit.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

bool is_about_one_value(const Pipeline& pipeline) {
  return pipeline.secret.kind == Secret::Kind::target ||
         (pipeline.secret.kind == Secret::Kind::everyone && pipeline.participants == 1);
}

/// The loss of guessing a secret when a row stands for several secrets, which are equally likely within the row.
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

// --- About a count, sum or mode of the true values -------------------------------------------------------------------

/// `values`: how many participants have each.
Rational statistic_of(const PostProcessor& about, const std::vector<Rational>& values,
                      const Composition& participants) {
  if (about.kind == PostProcessor::Kind::mode) return values[mode_of(participants)];
  Rational sum;
  for (std::size_t value = 0; value < values.size(); ++value) {
    const Rational people(participants[value]);
    const bool is_counted = std::ranges::find(about.counted, value) != about.counted.end();
    if (about.kind == PostProcessor::Kind::sum) sum += people * values[value];
    if (about.kind == PostProcessor::Kind::count && is_counted) sum += people;
  }
  return sum;
}

Rational cost_of(Analyst::Goal goal, const Rational& truth, const Rational& guess) {
  const Rational difference = truth - guess;
  if (goal == Analyst::Goal::bayes_risk) return difference.sign() == 0 ? 0 : 1;
  return goal == Analyst::Goal::squared_error ? difference * difference : std::max(difference, guess - truth);
}

void validate_about(const Analyst& analyst, const Pipeline& pipeline) {
  using enum Analyst::Goal;
  if (analyst.goal != bayes_risk && analyst.goal != linear_error && analyst.goal != squared_error) {
    throw Error(ErrorCode::usage, "a count, sum or mode is guessed with Bayes risk, linear or squared error");
  }
  using Kind = PostProcessor::Kind;
  const Kind kind = analyst.about->kind;
  if (kind != Kind::count && kind != Kind::sum && kind != Kind::mode) {
    throw Error(ErrorCode::usage, "what is guessed about the values is a count, sum or mode of them");
  }
  for (const std::size_t value : analyst.about->counted) {
    if (value >= pipeline.values.size()) throw Error(ErrorCode::usage, "what is counted is not among the values");
  }
}

/// The guesses are all possible values of the statistic.
Loss loss_about(const Analyst& analyst, const Pipeline& pipeline, const Secrets& secrets) {
  validate_about(analyst, pipeline);
  const bool are_histograms = pipeline.secret.kind == Secret::Kind::histogram;
  const std::vector<Rational> truths = mapped(secrets.secrets, [&](const Tuple& secret) {
    return statistic_of(*analyst.about, pipeline.values,
                        are_histograms ? Composition(secret) : whole_composition(pipeline, secret));
  });
  std::vector<Rational> guesses = truths;
  std::ranges::sort(guesses);
  guesses.erase(std::unique(guesses.begin(), guesses.end()), guesses.end());
  require_few(Rational(truths.size()) * static_cast<std::int64_t>(guesses.size()));
  Matrix losses(truths.size(), guesses.size());
  for (std::size_t x = 0; x < truths.size(); ++x) {
    for (std::size_t w = 0; w < guesses.size(); ++w) losses(x, w) = cost_of(analyst.goal, truths[x], guesses[w]);
  }
  return {losses, names_of(guesses)};
}

Loss unscaled_loss(const Analyst& analyst, const Pipeline& pipeline, const Secrets& secrets) {
  if (analyst.about) return loss_about(analyst, pipeline, secrets);
  switch (analyst.goal) {
    case Analyst::Goal::bayes_risk:
      return guessing_loss(secrets);
    case Analyst::Goal::linear_error:
    case Analyst::Goal::squared_error:
      if (!is_about_one_value(pipeline)) {
        throw Error(ErrorCode::usage, "linear and squared error are about one participant's value",
                    R"(take secret = "target", about = "sum" (or count, or mode), or a matrix of losses)");
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
                                      " rows, but the number of secrets is " + std::to_string(secrets.secrets.size()));
  }
  return Loss(*analyst.losses);
}

}  // namespace

Prior prior_of(const Analyst& analyst, const Secrets& secrets) {
  if (analyst.prior) {
    if (analyst.prior->size() != secrets.secrets.size()) {
      throw Error(ErrorCode::usage, "the prior has " + std::to_string(analyst.prior->size()) +
                                        " probabilities, but the number of secrets is " +
                                        std::to_string(secrets.secrets.size()));
    }
    return *analyst.prior;
  }
  Rational all;
  for (const Rational& here : secrets.arrangements) all += here;
  return Prior(mapped(secrets.arrangements, [&](const Rational& here) { return here / all; }));
}

Loss loss_of(const Analyst& analyst, const Pipeline& pipeline, const Secrets& secrets) {
  return unscaled_loss(analyst, pipeline, secrets).scaled(analyst.scale);
}

Prior independent_participants(const Pipeline& pipeline, const Prior& of_one) {
  if (of_one.size() != pipeline.values.size()) {
    throw Error(ErrorCode::usage, "the prior has " + std::to_string(of_one.size()) +
                                      " probabilities, but the number of values is " +
                                      std::to_string(pipeline.values.size()));
  }
  if (pipeline.secret.kind == Secret::Kind::target) return of_one;
  const Secrets secrets = secrets_of(pipeline);
  const bool are_histograms = pipeline.secret.kind == Secret::Kind::histogram;
  std::vector<Rational> probabilities;
  for (std::size_t row = 0; row < secrets.secrets.size(); ++row) {
    const Tuple& secret = secrets.secrets[row];
    const Composition bars = are_histograms ? secret : composition_of(secret, pipeline.values.size());
    Rational p = are_histograms ? arrangements_of(bars) : secrets.arrangements[row];
    for (std::size_t value = 0; value < bars.size(); ++value) {
      p *= of_one.probabilities()[value].pow(static_cast<std::int64_t>(bars[value]));
    }
    probabilities.push_back(std::move(p));
  }
  return Prior(std::move(probabilities));
}

Prior uniform_over_uncounted(const Pipeline& pipeline) {
  const std::size_t values = pipeline.values.size();
  const std::vector<std::size_t>& counted = pipeline.post.counted;
  const auto is_counted = [&](std::size_t value) { return std::ranges::find(counted, value) != counted.end(); };
  std::int64_t others = 0;
  for (std::size_t value = 0; value < values; ++value) others += is_counted(value) ? 0 : 1;
  const bool are_values_counted = pipeline.post.kind == PostProcessor::Kind::count && pipeline.answers.empty();
  if (!are_values_counted || !is_about_one_value(pipeline) || others == 0) {
    throw Error(
        ErrorCode::usage,
        "a prior over the values that are not counted needs one target, and a count that leaves out some values",
        R"(take secret = "target" and post = { query = "count", of = [0] })");
  }
  std::vector<Rational> probabilities(values);
  for (std::size_t value = 0; value < values; ++value) {
    if (!is_counted(value)) probabilities[value] = Rational(1, others);
  }
  return Prior(std::move(probabilities));
}

Prior uniform_over_full_histograms(const Pipeline& pipeline) {
  const std::size_t values = pipeline.values.size();
  if (pipeline.secret.kind == Secret::Kind::target || pipeline.participants < values) {
    throw Error(ErrorCode::usage,
                "histograms in which every value occurs are of all participants, who are at least as many as the "
                "values",
                R"(take secret = "histogram", or more participants)");
  }
  const Secrets secrets = secrets_of(pipeline);
  const bool are_histograms = pipeline.secret.kind == Secret::Kind::histogram;
  const Rational all = compositions(pipeline.participants - values, values);
  std::vector<Rational> probabilities;
  for (std::size_t row = 0; row < secrets.secrets.size(); ++row) {
    const Tuple& secret = secrets.secrets[row];
    const Composition bars = are_histograms ? secret : composition_of(secret, values);
    const bool is_full = std::ranges::count(bars, std::size_t{0}) == 0;
    const Rational share = are_histograms ? Rational(1) : secrets.arrangements[row] / arrangements_of(bars);
    probabilities.push_back(is_full ? share / all : Rational(0));
  }
  return Prior(std::move(probabilities));
}

Prior prior_of(const Analyst& analyst, const Pipeline& pipeline) { return prior_of(analyst, secrets_of(pipeline)); }

Loss loss_of(const Analyst& analyst, const Pipeline& pipeline) {
  return loss_of(analyst, pipeline, secrets_of(pipeline));
}

}  // namespace fractile::flow
