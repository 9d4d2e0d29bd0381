#include <algorithm>
#include <utility>

#include "flow/pipeline_rows.hpp"
#include "flow/rows.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& hint = {}) {
  throw Error(ErrorCode::usage, what, hint);
}

void validate_post(const Pipeline& pipeline) {
  const std::size_t values = pipeline.values.size();
  const PostProcessor& post = pipeline.post;
  for (const std::size_t value : post.counted) {
    if (value >= values) refuse("post: a counted value is not among the values");
  }
  if (post.unit.sign() <= 0) refuse("post: values are rounded to multiples of a positive number");
  if (post.kind != PostProcessor::Kind::table) return;
  const Release* const release = pipeline.perturber.release();
  const std::size_t length = release == nullptr ? pipeline.participants : release->quantiles.size();
  std::size_t tuples = 1;
  for (std::size_t i = 0; i < length && tuples <= post.image.size(); ++i) tuples *= values;
  if (tuples != post.image.size()) refuse("post: the table needs an output for every tuple of values");
  static_cast<void>(deterministic(post.image, *std::ranges::max_element(post.image) + 1));
}

void validate_secret(const Pipeline& pipeline) {
  const Secret& secret = pipeline.secret;
  const bool is_target = secret.kind == Secret::Kind::target;
  if (is_target && secret.known.size() + 1 != pipeline.participants) {
    refuse("secret: a target among " + std::to_string(pipeline.participants) + " participants has " +
           std::to_string(pipeline.participants - 1) + " others, known are " + std::to_string(secret.known.size()));
  }
  if (!is_target && !secret.known.empty()) refuse("secret: only a target's others are known");
  for (const std::size_t value : secret.known) {
    if (value >= pipeline.values.size()) refuse("secret: a known value is not among the values");
  }
  if (secret.kind == Secret::Kind::histogram && pipeline.post.kind != PostProcessor::Kind::mode &&
      pipeline.post.kind != PostProcessor::Kind::identity) {
    refuse("post: of a histogram's perturbed bars, the mode or the identity can be taken");
  }
}

}  // namespace

Secret Secret::target_among(const std::vector<std::uint64_t>& histogram, std::size_t participants) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  if (histogram.empty()) refuse("histogram: of no values");
  std::uint64_t people = 0;
  for (const std::uint64_t count : histogram) {
    people += count;
    if (count > most || people > most) refuse("histogram: of too many people");
  }
  std::vector<std::uint64_t> others = histogram;
  if (participants > 0 && people == participants) {
    --*std::ranges::max_element(others);
  } else if (people + 1 != participants) {
    refuse("the histogram is of " + std::to_string(people) + " people, and there are " + std::to_string(participants) +
               " participants",
           "give the histogram of all of them, or of all but the target");
  }
  Secret secret{Kind::target, {}};
  secret.known.reserve(participants - 1);
  for (std::size_t value = 0; value < others.size(); ++value) {
    secret.known.insert(secret.known.end(), static_cast<std::size_t>(others[value]), value);
  }
  return secret;
}

void Pipeline::validate() const {
  if (participants == 0) refuse("participants: at least one");
  if (values.size() < 2) refuse("values: at least two");
  for (const Rational& value : values) {
    if (std::ranges::count(values, value) > 1) refuse("values: " + value.to_string() + " appears twice");
  }
  if (perturber.release() != nullptr) {
    if (!std::ranges::is_sorted(values)) refuse("values: of a release, they must increase");
    if (secret.kind == Secret::Kind::histogram) refuse("secret: a release has no bars; write everyone or target");
  }
  const std::size_t perturbed = secret.kind == Secret::Kind::histogram ? participants + 1 : values.size();
  if (perturber.values() != perturbed) {
    refuse("perturber: of " + std::to_string(perturber.values()) + " values in place of " + std::to_string(perturbed));
  }
  validate_post(*this);
  validate_secret(*this);
}

PipelineChannel channel_at(const Pipeline& pipeline, const Rational& odds) {
  Frame frame = frame_of(pipeline);
  Matrix matrix = matrix_at(pipeline, frame, odds);
  return {Channel(std::move(frame.secret_names), std::move(frame.observation_names), std::move(matrix)),
          std::move(frame.secrets), std::move(frame.arrangements)};
}

namespace {

bool is_probability(const Rational& value) { return value.sign() >= 0 && value <= 1; }

PipelineRefinement compared(const Pipeline& pipeline, const Rational& from, const Rational& to) {
  const PipelineChannel first = channel_at(pipeline, from);
  const PipelineChannel second = channel_at(pipeline, to);
  return {refines(first.channel, second.channel), first.channel.secrets(), first.channel.observations()};
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

bool sum_condition(const Matrix& witness) {
  const std::size_t values = witness.rows();
  if (witness.columns() != values) throw Error(ErrorCode::usage, "a witness is square");
  const auto product = [&](std::size_t a, std::size_t b) {
    std::vector<Rational> result(2 * values - 1);
    for (std::size_t i = 0; i < values; ++i) {
      for (std::size_t j = 0; j < values; ++j) result[i + j] += witness(a, i) * witness(b, j);
    }
    return result;
  };
  for (std::size_t a = 0; a + 2 < values; ++a) {
    if (product(a, a + 2) != product(a + 1, a + 1)) return false;
  }
  return true;
}

namespace {

bool counts_everyone(const Pipeline& pipeline) {
  return pipeline.perturber.release() == nullptr && pipeline.post.kind == PostProcessor::Kind::count && pipeline.secret.kind == Secret::Kind::everyone;
}

/// The probability of being counted, by value.
std::vector<Rational> counted_probabilities(const Pipeline& pipeline, const Rational& odds) {
  const Noise<Integer> noise = noise_at(pipeline.perturber.noise(), odds);
  std::vector<Rational> result;
  for (const Integer& numerator : counted_numerators(pipeline, noise)) {
    result.emplace_back();
    fmpq_set_fmpz_frac(flint_of(result.back()), numerator.get(), noise.denominator.get());
  }
  return result;
}

/// Every counted participant stays counted with probability offset + slope, every other one becomes it with offset.
Witness counting_witness(const Recount& map, std::size_t participants) {
  const Pipeline recount{
      participants,
      {0, 1},
      Perturber::fixed(Channel(Matrix::of(
          {{Rational(1) - map.offset, map.offset}, {Rational(1) - map.offset - map.slope, map.offset + map.slope}}))),
      {PostProcessor::Kind::count, {1}, {}}};
  const Channel rows = channel_at(recount, 1).channel;  // rows by how many are counted: none, one, ...
  return {rows.matrix()};
}

/// A counting query of everyone, when counting again leads from one to the other. The certificate is about everyone, or, when
/// that is too large, about one participant, of whom everyone's is made.
std::optional<PipelineRefinement> refined_by_recounting(const Pipeline& pipeline, const Rational& from,
                                                        const Rational& to) {
  const std::optional<Recount> map =
      recount(counted_probabilities(pipeline, from), counted_probabilities(pipeline, to));
  if (!map) return {};
  Pipeline shown = pipeline;
  std::string reason = "counting again: the probabilities of being counted are an affine image of the first ones";
  if (!is_small(pipeline)) {
    shown.participants = 1;
    reason += "; the witness is one participant's";
  }
  const PipelineChannel first = channel_at(shown, from);
  const PipelineChannel second = channel_at(shown, to);
  const Witness witness = counting_witness(*map, shown.participants);
  if (!verify(first.channel, second.channel, witness)) throw Error(ErrorCode::internal, "a recount does not hold");
  return PipelineRefinement{{witness, std::move(reason)}, first.channel.secrets(), first.channel.observations()};
}

/// The same with one participant unknown, all others having the first value: rows of everyone's channel.
Pipeline with_one_unknown(const Pipeline& pipeline) {
  Pipeline result = pipeline;
  result.secret = {Secret::Kind::target, std::vector<std::size_t>(pipeline.participants - 1, 0)};
  return result;
}

std::optional<PipelineRefinement> refuted_by_one_unknown(const Pipeline& pipeline, const Rational& from,
                                                         const Rational& to) {
  PipelineRefinement result = compared(with_one_unknown(pipeline), from, to);
  if (!result.refinement.refuted()) return {};
  if (pipeline.participants > 1) {
    result.refinement.reason +=
        "; already when one value is unknown and all others are " + pipeline.values[0].to_string();
  }
  return result;
}

}  // namespace

PipelineRefinement check_refinement(const Pipeline& pipeline, const Rational& from, const Rational& to) {
  pipeline.validate();
  const bool is_side_by_side = pipeline.perturber.release() == nullptr &&
                               pipeline.post.kind == PostProcessor::Kind::identity &&
                               pipeline.secret.kind == Secret::Kind::everyone && pipeline.participants > 1;
  if (is_side_by_side) {
    Pipeline single = pipeline;
    single.participants = 1;
    PipelineRefinement result = check_refinement(single, from, to);
    result.refinement.reason += "; the certificate is one participant's, and all answers are released side by side";
    return result;
  }
  if (counts_everyone(pipeline)) {
    if (std::optional<PipelineRefinement> refined = refined_by_recounting(pipeline, from, to)) return *refined;
    if (std::optional<PipelineRefinement> refuted = refuted_by_one_unknown(pipeline, from, to)) return *refuted;
  }
  return compared(pipeline, from, to);
}

}  // namespace fractile::flow
