// Is a pipeline worth at least as much at one epsilon as at another? Closed criteria are tried first, and then refines().
// Proofs: docs/proofs/stability.md, docs/proofs/refinement.md
#include "flow/stability/check_refinement.hpp"

#include <algorithm>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "flow/channel/names.hpp"
#include "flow/channel/papers.hpp"
#include "flow/loss/loss_model.hpp"
#include "flow/pipeline/canonical_post.hpp"
#include "flow/pipeline/rows.hpp"
#include "flow/refinement/single_bet.hpp"
#include "flow/refinement/two_actions.hpp"
#include "flow/stability/rough_totals.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

bool is_probability(const Rational& value) { return value.sign() >= 0 && value <= 1; }

PipelineRefinement compared(const Pipeline& pipeline, const Rational& from, const Rational& to) {
  const PipelineChannel first = channel_at(pipeline, Odds(from));
  const PipelineChannel second = channel_at(pipeline, Odds(to));
  return {refines(first.channel, second.channel), first.channel.secrets(), first.channel.observations(), false,
          pipeline};
}

}  // namespace

std::optional<Recount> recount(const std::vector<Rational>& counted, const std::vector<Rational>& image) {
  if (counted.size() != image.size() || counted.empty()) {
    throw Error(ErrorCode::usage, "a probability of being counted for every value, before and after");
  }
  Recount map{image[0], 0};
  for (std::size_t k = 1; k < counted.size(); ++k) {
    if (counted[k] == counted[0]) continue;
    map.slope = (image[k] - image[0]) / (counted[k] - counted[0]);
    map.offset = image[0] - map.slope * counted[0];
    break;
  }
  for (std::size_t k = 0; k < counted.size(); ++k) {
    if (image[k] != map.offset + map.slope * counted[k]) return {};
  }
  if (!is_probability(map.offset) || !is_probability(map.offset + map.slope)) return {};
  return map;
}

namespace {

/// For more participants than this, channels are compared by their parts, not by their rows.
constexpr std::size_t many_people = 100;

bool counts_everyone(const Pipeline& pipeline) {
  return pipeline.perturber.is_shared() && pipeline.post.kind == PostProcessor::Kind::count &&
         pipeline.secret.kind == Secret::Kind::everyone;
}

/// The probability of being counted, by value.
std::vector<Rational> counted_probabilities(const Pipeline& pipeline, const Rational& odds) {
  const Noise<Integer> noise = noise_at(noise_of(pipeline.perturber), odds);
  return mapped(counted_numerators(pipeline, noise),
                [&](const Integer& numerator) { return fraction_of(numerator, noise.denominator); });
}

/// Every counted participant stays counted with probability offset + slope, and every other one becomes counted with probability
/// offset.
Witness counting_witness(const Recount& map, std::size_t participants) {
  const Pipeline recount{
      participants,
      {0, 1},
      Perturber::fixed(Channel(Matrix::of(
          {{Rational(1) - map.offset, map.offset}, {Rational(1) - map.offset - map.slope, map.offset + map.slope}}))),
      PostProcessor{PostProcessor::Kind::count, {1}, {}}};
  const Channel rows = channel_at(recount, Odds(1)).channel;  // row i: i participants are counted
  return {rows.matrix()};
}

/// Proves refinement of a counting query, if counting again leads from one count to the other. The certificate is about everyone,
/// or about a target among few known others. If there are many people or the channel is too large, it is about one participant, from
/// whose witness everyone's is composed: the witness of 300 people takes seconds and 38 MB, that of 900 minutes and gigabytes.
std::optional<PipelineRefinement> refined_by_recounting(const Pipeline& pipeline, const Rational& from,
                                                        const Rational& to) {
  const std::optional<Recount> map =
      recount(counted_probabilities(pipeline, from), counted_probabilities(pipeline, to));
  if (!map) return {};
  Pipeline shown = pipeline;
  const bool are_many = pipeline.participants > many_people;
  if (are_many) shown.secret = {};  // the rows of a target's channel are rows of everyone's channel
  std::string reason =
      "the second count is the first one counted again at random: its probabilities of being counted are an affine "
      "image of the first ones";
  if (are_many || !is_small(shown)) {
    shown.participants = 1;
    reason += "; the witness is one participant's";
  }
  const PipelineChannel first = channel_at(shown, Odds(from));
  const PipelineChannel second = channel_at(shown, Odds(to));
  const bool is_told = first.channel.observations().size() > 1;
  if (!is_told) reason = "nothing is revealed: the same is observed, whatever the secret";
  const Witness witness = is_told ? counting_witness(*map, shown.participants) : Witness{Matrix::identity(1)};
  if (!verify(first.channel, second.channel, witness)) throw Error(ErrorCode::internal, "a recount does not hold");
  return PipelineRefinement{Refinement{witness, std::move(reason)}, first.channel.secrets(),
                            first.channel.observations(), false, shown};
}

/// The same pipeline with one participant unknown and all others having the first value. Its rows are rows of everyone's channel.
Pipeline with_one_unknown(const Pipeline& pipeline) {
  Pipeline result = pipeline;
  result.secret = {Secret::Kind::target, {pipeline.participants - 1}};
  return result;
}

// --- One unknown among many known ------------------------------------------------------------------------------------

/// Weights of values that add up to 0, such that the weighted probabilities of being counted cancel and their images do not.
/// Nothing when the images are an affine function.
std::optional<std::vector<Rational>> telling_combination(const std::vector<Rational>& counted,
                                                         const std::vector<Rational>& image) {
  const auto other = static_cast<std::size_t>(
      std::ranges::find_if(counted, [&](const Rational& p) { return p != counted[0]; }) - counted.begin());
  const bool differ = other < counted.size();
  for (std::size_t k = 1; k < counted.size(); ++k) {
    const Rational share = differ ? (counted[k] - counted[0]) / (counted[other] - counted[0]) : Rational(0);
    const Rational expected = differ ? image[0] + share * (image[other] - image[0]) : image[0];
    if (image[k] == expected) continue;
    std::vector<Rational> combination(counted.size());
    combination[k] += 1;
    combination[0] -= Rational(1) - share;
    if (differ) combination[other] -= share;
    return combination;
  }
  return {};
}

/// About how many products of machine words an exact loss takes: each count's probability has a word for every 64 bits of all
/// participants' denominators together, and is computed from those of as many counts as there are values.
double words_of_exact_loss(const Pipeline& pipeline, const Rational& odds) {
  constexpr double word = 64;
  const auto people = static_cast<double>(pipeline.participants);
  const auto values = static_cast<double>(pipeline.values.size());
  const auto bits = static_cast<double>(fmpz_bits(noise_at(noise_of(pipeline.perturber), odds).denominator.get()));
  return people * (people * bits / word) * values * (values * bits / word + 1);
}
constexpr double most_words = 2e9;  // some seconds

/// Refutes by this analyst, if the second channel is certainly worth more to them. Nothing when it is not, or enclosed losses do
/// not decide.
std::optional<PipelineRefinement> refuted_by(const Pipeline& pipeline, const Prior& prior, const Matrix& losses,
                                             const Rational& from, const Rational& to, std::string reason) {
  Analyst analyst;
  analyst.prior = prior;
  analyst.goal = Analyst::Goal::matrix;
  analyst.losses = losses;
  const LossModel model(pipeline, analyst);
  Counterexample found{prior, loss_of(analyst, pipeline), 0, 0};
  const auto refutation = [&](bool are_bounds) {
    return PipelineRefinement{Refinement{found, reason}, names_of(pipeline.values), {}, are_bounds, pipeline};
  };
  const RealBounds loss_from = model.loss_bounds(Exponent::log(from));
  const RealBounds loss_to = model.loss_bounds(Exponent::log(to));
  if (loss_to.lower >= loss_from.upper) return {};
  const bool is_possible = model.is_soon_exact(from) && model.is_soon_exact(to);
  const bool is_brief = words_of_exact_loss(pipeline, from) + words_of_exact_loss(pipeline, to) <= most_words;
  if (!is_possible || !is_brief) {
    found.loss_from = loss_from.lower;
    found.loss_to = loss_to.upper;
    if (found.loss_to < found.loss_from) {
      reason += "; the losses are a lower and an upper bound, exact ones would be too long";
      return refutation(true);
    }
  }
  if (!is_possible) return {};
  found.loss_from = model.exact_loss(from);
  found.loss_to = model.exact_loss(to);
  if (found.loss_to >= found.loss_from) return {};
  return refutation(false);
}

constexpr const char* too_many_totals =
    "a sum among so many known people has too many totals for a proof, and no analyst was found to whom the second is "
    "worth more; with fewer people it is decided (under randomized response of three values, up to some 240), and so "
    "is a count; a sweep shows where the loss of a given analyst rises";

PipelineRefinement undecided(const Pipeline& pipeline, std::string reason) {
  return {Refinement{Undecided{std::move(reason)}, "undecided"}, names_of(pipeline.values), {}};
}

/// Refutes by an analyst who only distinguishes two values.
std::optional<PipelineRefinement> refuted_by_telling_apart(const Pipeline& pipeline, std::size_t one, std::size_t other,
                                                           const Rational& from, const Rational& to) {
  const std::size_t values = pipeline.values.size();
  std::vector<Rational> prior(values);
  prior[one] = prior[other] = Rational(1, 2);
  Matrix losses(values, 2);
  losses(one, 1) = losses(other, 0) = 1;
  return refuted_by(pipeline, Prior(std::move(prior)), losses, from, to,
                    "the second tells two values apart better than the first");
}

/// Compares by the probabilities of being counted when every value has one of two: docs/proofs/stability.md, "Known others".
PipelineRefinement compared_among_known(const Pipeline& pipeline, const Rational& from, const Rational& to) {
  const std::vector<Rational> counted = counted_probabilities(pipeline, from);
  const std::vector<Rational> image = counted_probabilities(pipeline, to);
  if (const auto combination = telling_combination(counted, image)) {
    std::optional<PipelineRefinement> found =
        refuted_by(pipeline, Prior::uniform(counted.size()), losses_by(*combination), from, to,
                   "no matrix at all leads from one to the other: the second probabilities of being counted are no "
                   "affine image of the first ones");
    if (found) return *std::move(found);
    return undecided(pipeline,
                     "enclosures cannot separate the two losses of an analyst to whom the second is worth more");
  }
  const auto least = static_cast<std::size_t>(std::ranges::min_element(counted) - counted.begin());
  const auto most = static_cast<std::size_t>(std::ranges::max_element(counted) - counted.begin());
  if (auto found = refuted_by_telling_apart(pipeline, least, most, from, to)) return *std::move(found);
  return undecided(pipeline,
                   "counting again at random does not lead from one to the other, and telling two values apart is no "
                   "counter-example");
}

/// The approximate number of bits of the channel of a sum.
double bits_of_sums(const Pipeline& pipeline, const Rational& odds) {
  const auto bits = static_cast<double>(fmpz_bits(noise_at(noise_of(pipeline.perturber), odds).denominator.get()));
  const auto totals = static_cast<double>(TargetTotal(pipeline, {}).last_total());
  return totals * static_cast<double>(pipeline.values.size()) * bits * static_cast<double>(pipeline.participants);
}

/// Refutes by an analyst who is offered a bet that is worth taking after one total. `before` and `after` are the totals at both
/// odds.
std::optional<PipelineRefinement> refuted_by_single_bet(const Pipeline& pipeline, const Rational& from,
                                                        const Rational& to, const RoughColumns& before,
                                                        const RoughColumns& after) {
  const auto bet = single_bet(before, after);
  if (!bet) return {};
  return refuted_by(
      pipeline, Prior::uniform(bet->costs.size()), bet_losses(bet->costs), from, to,
      "the second shows" + bet->how_seldom() + " a total that no mixture of the first one's totals is like");
}

/// Refutes a sum of many participants by enclosed losses. Proof: docs/proofs/stability.md, "Known others".
std::optional<PipelineRefinement> refuted_sum(const Pipeline& pipeline, const Rational& from, const Rational& to) {
  const std::size_t values = pipeline.values.size();
  for (std::size_t one = 0; one < values; ++one) {
    const std::size_t other = one + 1 < values ? one + 1 : 0;
    auto found = refuted_by_telling_apart(pipeline, std::min(one, other), std::max(one, other), from, to);
    if (found) return found;
  }
  const TargetTotal sum(pipeline, {});
  return refuted_by_single_bet(pipeline, from, to, likely_totals(sum, from), likely_totals(sum, to));
}

/// Compares sums whose channel is too large to be listed; it has `bits` bits.
PipelineRefinement compared_long_sum(const Pipeline& pipeline, const Rational& from, const Rational& to, double bits) {
  constexpr double most_bits = 4e8;  // some seconds for two exact losses
  if (bits > most_bits) return undecided(pipeline, too_many_totals);
  const TargetTotal sum(pipeline, {});
  auto found = refuted_by_single_bet(pipeline, from, to, all_totals(sum, from), all_totals(sum, to));
  return found ? *std::move(found) : undecided(pipeline, too_many_totals);
}

PipelineRefinement compared_target(const Pipeline& pipeline, const Rational& from, const Rational& to) {
  const bool is_total = TargetTotal::fits(pipeline);
  const bool is_count = pipeline.post.kind == PostProcessor::Kind::count;
  if (is_total && is_count) {
    if (std::optional<PipelineRefinement> refined = refined_by_recounting(pipeline, from, to)) return *refined;
  }
  if (is_total && is_count && pipeline.participants > many_people) return compared_among_known(pipeline, from, to);
  if (is_total && !is_count && pipeline.participants > many_people) {
    constexpr double most_bits = 3e7;  // some seconds
    if (auto found = refuted_sum(pipeline, from, to)) return *std::move(found);
    const double bits = bits_of_sums(pipeline, from) + bits_of_sums(pipeline, to);
    if (bits > most_bits) return compared_long_sum(pipeline, from, to, bits);
  }
  PipelineRefinement answer = compared(pipeline, from, to);
  if (!is_total || is_count) return answer;
  if (std::holds_alternative<Undecided>(answer.refinement.verdict)) return undecided(pipeline, too_many_totals);
  // As in all comparisons of many participants' losses, checking this does not need the channels' entries.
  if (answer.refinement.refuted() && pipeline.participants > many_people) answer.observations.clear();
  return answer;
}

std::optional<PipelineRefinement> refuted_by_one_unknown(const Pipeline& pipeline, const Rational& from,
                                                         const Rational& to) {
  PipelineRefinement result = compared_target(with_one_unknown(pipeline), from, to);
  if (!result.refinement.refuted()) return {};
  if (pipeline.participants > 1) {
    result.refinement.reason +=
        "; already when one value is unknown and all others are " + pipeline.values[0].to_string();
  }
  return result;
}

/// If all answers are shown side by side, one of them decides: that of a participant, of the target, or a bar. Proof:
/// docs/proofs/stability.md, "Side by side".
std::optional<PipelineRefinement> compared_by_one_answer(const Pipeline& pipeline, const Rational& from,
                                                         const Rational& to) {
  if (!is_side_by_side(pipeline)) return {};
  if (pipeline.secret.kind == Secret::Kind::histogram) {
    std::vector<Rational> heights;
    for (std::size_t height = 0; height <= pipeline.participants; ++height) {
      checkpoint();
      heights.emplace_back(static_cast<std::int64_t>(height));
    }
    PipelineRefinement bar = compared({1, std::move(heights), pipeline.perturber, pipeline.post}, from, to);
    if (!bar.refinement.refines()) return {};  // bars have a known sum, which a single bar does not show
    bar.refinement.reason += "; the certificate is one bar's, and all bars are released side by side";
    bar.part = "one bar";
    return bar;
  }
  if (pipeline.participants == 1) return {};
  if (pipeline.secret.kind == Secret::Kind::target) {
    PipelineRefinement target = compared(target_alone(pipeline), from, to);
    target.refinement.reason +=
        "; the certificate is of the target's own answer, and the others' do not depend on the secret";
    target.part = "the target alone";
    return target;
  }
  if (!pipeline.perturber.is_shared()) return {};
  PipelineRefinement one = compared(alone(pipeline), from, to);
  one.refinement.reason += "; the certificate is one participant's, and all answers are released side by side";
  return one;
}

/// If the number of each answer is shown: a witness for one answer can be applied to all of them, in any order.
/// Proof: docs/proofs/stability.md, "Shuffled"
std::optional<PipelineRefinement> refined_by_one_answer(const Pipeline& pipeline, const Rational& from,
                                                        const Rational& to) {
  if (pipeline.post.kind != PostProcessor::Kind::shuffle || !pipeline.perturber.is_shared()) return {};
  if (pipeline.participants == 1) return {};
  PipelineRefinement one = compared(alone(pipeline), from, to);
  if (!one.refinement.refines()) return {};
  one.refinement.reason += "; the certificate is one participant's, and all answers are released without their order";
  return one;
}

PipelineRefinement decided(const Pipeline& pipeline, const Rational& from, const Rational& to) {
  if (auto answer = compared_by_one_answer(pipeline, from, to)) return *std::move(answer);
  if (auto answer = refined_by_one_answer(pipeline, from, to)) return *std::move(answer);
  if (counts_everyone(pipeline)) {
    if (std::optional<PipelineRefinement> refined = refined_by_recounting(pipeline, from, to)) return *refined;
    if (std::optional<PipelineRefinement> refuted = refuted_by_one_unknown(pipeline, from, to)) return *refuted;
  }
  return compared_target(pipeline, from, to);
}

/// The example with further secrets, which it does not name and which have prior 0.
Counterexample with_secrets(const Counterexample& example, const std::vector<std::string>& named,
                            const std::vector<std::string>& all) {
  const Matrix& losses = example.loss.matrix();
  std::vector<Rational> prior(all.size());
  Matrix spread(all.size(), losses.columns());
  for (std::size_t x = 0; x < named.size(); ++x) {
    const auto at = static_cast<std::size_t>(std::ranges::find(all, named[x]) - all.begin());
    prior[at] = example.prior[x];
    for (std::size_t w = 0; w < losses.columns(); ++w) spread(at, w) = losses(x, w);
  }
  return {Prior(std::move(prior)), Loss(std::move(spread), example.loss.actions()), example.loss_from, example.loss_to};
}

/// Turns the certificate of an equivalent pipeline into one with the secrets and outputs, and their order, of the pipeline with the
/// post-processor `own`.
PipelineRefinement in_words_of(const PostProcessor& own, bool is_of_all, PipelineRefinement answer) {
  if (!answer.about || answer.about->post.kind == own.kind) return answer;
  // Its table is about all participants' answers.
  if (!is_of_all && own.kind == PostProcessor::Kind::table) return answer;
  Pipeline named = *answer.about;
  named.post = own;
  if (!answer.observations.empty()) {
    Outline outline = outline_of(named);  // with all arrangements, if `own` is not symmetric
    if (auto* const example = std::get_if<Counterexample>(&answer.refinement.verdict)) {
      *example = with_secrets(*example, answer.secrets, outline.secret_names);
    }
    answer.secrets = std::move(outline.secret_names);
    answer.observations = std::move(outline.observation_names);
  }
  auto* const witness = std::get_if<Witness>(&answer.refinement.verdict);
  if (witness != nullptr && witness->matrix.rows() > 0) {
    const std::vector<std::size_t> places = own_places(named, *answer.about);
    Matrix rows(witness->matrix.rows(), witness->matrix.columns());
    for (std::size_t y = 0; y < rows.rows(); ++y) {
      for (std::size_t z = 0; z < rows.columns(); ++z) rows(places[y], places[z]) = witness->matrix(y, z);
    }
    witness->matrix = std::move(rows);
  }
  answer.about = std::move(named);
  return answer;
}

}  // namespace

PipelineRefinement check_refinement(const Pipeline& pipeline, const Pipeline& simple, const Rational& from,
                                    const Rational& to) {
  const OwnEnvironment own;
  PipelineRefinement answer = decided(simple, from, to);
  const bool is_of_all = answer.about && answer.about->participants == pipeline.participants;
  return in_words_of(pipeline.post, is_of_all, std::move(answer));
}

PipelineRefinement check_refinement(const Pipeline& pipeline, const Odds& from, const Odds& to) {
  const OwnEnvironment own;
  pipeline.validate();
  return check_refinement(pipeline, canonical_pipeline(pipeline), from.value(), to.value());
}

}  // namespace fractile::flow
