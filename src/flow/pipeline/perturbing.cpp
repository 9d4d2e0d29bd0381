#include <algorithm>
#include <numeric>

#include "exact/coin.hpp"
#include "exact/laplace.hpp"
#include "exact/own_environment.hpp"
#include "exact/uniform.hpp"
#include "flow/pipeline/answer_draws.hpp"
#include "flow/pipeline/composition.hpp"
#include "flow/pipeline/pipeline_rows.hpp"
#include "flow/pipeline/post_images.hpp"
#include "flow/pipeline/rows.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {
namespace {

[[noreturn]] void refuse_to_draw(const char* what, const char* hint = "") { throw Error(ErrorCode::usage, what, hint); }

// --- A participant's program ------------------------------------------------------------------------------------------

/// Algorithm 1: the truth with probability p, otherwise a uniform answer, where K p / (1 - p) + 1 = odds.
std::size_t responded(std::size_t values, std::size_t value, AnswerDraws& draws) {
  const auto choices = static_cast<std::int64_t>(values);
  const bool is_true =
      draws.coin({Polynomial::power(1) - Polynomial(1), Polynomial::power(1) + Polynomial(choices - 1)});
  return is_true ? value : static_cast<std::size_t>(draws.below(values));
}

/// H[k] + GD(eps) of algorithm 3: the value's place among the answers, moved by noise and truncated.
std::size_t moved(const Perturber& perturber, std::size_t value, AnswerDraws& draws) {
  const auto place = static_cast<std::int64_t>(value + (perturber.answers() - perturber.values()) / 2);
  const auto last = static_cast<std::int64_t>(perturber.answers()) - 1;
  return static_cast<std::size_t>(place + draws.noise(-place, last - place));
}

/// Offers one answer after the other, each with its share of the remaining probability.
std::size_t listed(const std::vector<Polynomial>& row, std::int64_t root_degree, AnswerDraws& draws) {
  Polynomial left = std::accumulate(row.begin(), row.end(), Polynomial());
  std::size_t last = 0;
  for (std::size_t answer = 0; answer < row.size(); ++answer) {
    if (row[answer].is_zero()) continue;
    last = answer;
    if (row[answer] == left) break;
    if (draws.coin({row[answer], left, root_degree})) break;
    left = left - row[answer];
  }
  return last;
}

Enclosure enclosed(const Chance& chance, const Exponent& epsilon, std::int64_t precision) {
  Enclosure odds = odds_at(epsilon, precision);
  if (chance.root_degree > 1) odds = Enclosure::root(odds, chance.root_degree, precision);
  return Enclosure::quotient(chance.numerator.at(odds, precision), chance.denominator.at(odds, precision), precision);
}

}  // namespace

bool RandomAnswers::coin(const Chance& chance) {
  const auto enclose = [&](std::int64_t precision) { return enclosed(chance, epsilon_, precision); };
  const Enclosure first = enclose(Enclosure::default_precision);
  return lazy_coin(bits_, {std::max(0.0, first.lower_double()), first.upper_double()}, enclose);
}

std::uint64_t RandomAnswers::below(std::uint64_t n) { return uniform_below(bits_, n); }

std::int64_t RandomAnswers::noise(std::int64_t low, std::int64_t high) {
  if (epsilon_.is_zero()) return (bits_.next64() & 1) != 0 ? high : low;
  return std::clamp(DiscreteLaplace(epsilon_)(bits_), low, high);
}

std::size_t perturbed(const Perturber& perturber, std::size_t value, AnswerDraws& draws) {
  if (!perturber.is_shared()) refuse_to_draw("participants have different perturbers", "take one of perturber.each()");
  if (value >= perturber.values()) refuse_to_draw("the value is not among the perturber's");
  if (perturber.is_randomized_response()) return responded(perturber.values(), value, draws);
  if (perturber.is_geometric()) return moved(perturber, value, draws);
  const PolynomialNoise& noise = noise_of(perturber);
  return listed(noise.numerators[value], noise.root_degree, draws);
}

// --- The collector's program --------------------------------------------------------------------------------------

std::string collected(const Pipeline& pipeline, const std::vector<std::size_t>& answers) {
  pipeline.validate();
  if (pipeline.perturber.release() != nullptr) refuse_to_draw("a release has no answers to collect");
  const bool are_bars = pipeline.secret.kind == Secret::Kind::histogram;
  const std::size_t most = are_bars ? pipeline.perturber.answers() : pipeline.shown().size();
  const bool are_known = std::ranges::all_of(answers, [&](std::size_t answer) { return answer < most; });
  if (answers.size() != perturbed_answers(pipeline) || !are_known)
    refuse_to_draw("there must be one possible answer for each participant");
  if (!are_bars) return images_of(pipeline, {answers}).names.front();
  if (pipeline.post.kind == PostProcessor::Kind::identity) return tally_name(answers);
  return pipeline.values[mode_of(answers)].to_string();
}

// --- Both together ------------------------------------------------------------------------------------------------

std::string released(const Pipeline& pipeline, const std::vector<std::size_t>& secret, AnswerDraws& draws) {
  pipeline.validate();
  const Perturber& perturber = pipeline.perturber;
  if (perturber.release() != nullptr)
    refuse_to_draw("a release is not made of participants' answers", "see fractile::release()");
  const std::vector<std::size_t> members = members_of(pipeline, secret);
  if (members.size() != perturbed_answers(pipeline)) refuse_to_draw("the secret is not one of the pipeline's");
  std::vector<std::size_t> answers;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Perturber& own = perturber.each().empty() ? perturber : perturber.each()[i];
    answers.push_back(perturbed(own, members[i], draws));
  }
  return collected(pipeline, answers);
}

std::size_t perturbed(const Perturber& perturber, const Exponent& epsilon, std::size_t value, RandomBits& bits) {
  const OwnEnvironment own;
  RandomAnswers draws(looked_at(perturber, epsilon), bits);
  return perturbed(perturber, value, draws);
}

std::string released(const Pipeline& pipeline, const Exponent& epsilon, const std::vector<std::size_t>& secret,
                     RandomBits& bits) {
  const OwnEnvironment own;
  RandomAnswers draws(looked_at(pipeline.perturber, epsilon), bits);
  return released(pipeline, secret, draws);
}

}  // namespace fractile::flow
