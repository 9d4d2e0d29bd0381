#include <algorithm>
#include <limits>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/own_environment.hpp"
#include "flow/algebra/real_roots.hpp"
#include "flow/pipeline/composition.hpp"
#include "flow/pipeline/pipeline_rows.hpp"
#include "flow/pipeline/rows.hpp"
#include "flow/pipeline/size_limit.hpp"
#include "flow/pipeline/tallies.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {
namespace {

/// `member`: the member of the pipeline that is wrong.
[[noreturn]] void refuse_member(const std::string& member, const std::string& what, const std::string& hint = {}) {
  throw Error(ErrorCode::usage, member + ": " + what, hint, member);
}

void validate_post(const Pipeline& pipeline) {
  const std::size_t values = pipeline.shown().size();
  const PostProcessor& post = pipeline.post;
  for (const std::size_t value : post.counted) {
    if (value >= values) refuse_member("post", "a counted value is not among the answers");
  }
  if (post.unit.sign() <= 0) refuse_member("post", "values are rounded to multiples of a positive number");
  if (post.kind == PostProcessor::Kind::bits) tallied(pipeline);  // it refuses other digits
  if (post.kind != PostProcessor::Kind::table) return;
  const CentralMechanism* const release = pipeline.perturber.release();
  const std::size_t length = release == nullptr ? pipeline.participants : release->quantiles.size();
  std::size_t tuples = 1;
  for (std::size_t i = 0; i < length && tuples <= post.image.size(); ++i) tuples *= values;
  if (tuples != post.image.size()) refuse_member("post", "the table needs an output for every tuple of values");
  static_cast<void>(deterministic(post.image, *std::ranges::max_element(post.image) + 1));
}

void validate_secret(const Pipeline& pipeline) {
  const Secret& secret = pipeline.secret;
  const bool is_target = secret.kind == Secret::Kind::target;
  const std::size_t others = pipeline.participants - 1;
  if (is_target && secret.others() != others) {
    refuse_member("secret", "a target among " + std::to_string(pipeline.participants) + " participants has " +
                                std::to_string(others) + (others == 1 ? " other" : " others") + ", and the values of " +
                                std::to_string(secret.others()) + " are known");
  }
  if (!is_target && secret.others() > 0) refuse_member("secret", "known values need a target");
  for (std::size_t value = pipeline.values.size(); value < secret.known.size(); ++value) {
    if (secret.known[value] > 0) refuse_member("secret", "a known value is not among the values");
  }
  const auto is_known = [&](std::size_t value) { return value < secret.known.size(); };
  if (!std::ranges::all_of(secret.order, is_known) ||
      (!secret.order.empty() && composition_of(secret.order, secret.known.size()) != secret.known)) {
    refuse_member("secret", "the order does not list the known values, each as often as it is known");
  }
  if (secret.kind == Secret::Kind::histogram && pipeline.post.kind != PostProcessor::Kind::mode &&
      pipeline.post.kind != PostProcessor::Kind::identity) {
    refuse_member("post", "only the mode or the identity can be taken of a histogram's perturbed bars");
  }
}

bool is_equally_spaced(const std::vector<Rational>& values) {
  const Rational step = values[1] - values[0];
  for (std::size_t i = 2; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != step) return false;
  }
  return true;
}

/// Throws unless values are equally spaced, as geometric noise needs: it moves from one value to the next, and on to answers beyond
/// them.
void validate_distances(const Pipeline& pipeline) {
  if (!is_equally_spaced(pipeline.values)) {
    refuse_member("values",
                  "geometric noise moves from one value to the next, and these values are not in order at equal "
                  "distances",
                  "write them in order, with all values between, such as [0, 1, 2]; or use another perturber");
  }
  const std::size_t reach = (pipeline.perturber.answers() - pipeline.values.size()) / 2;
  const std::vector<Rational>& shown = pipeline.shown();
  if (!is_equally_spaced(shown) || shown[reach] != pipeline.values[0] || shown[reach + 1] != pipeline.values[1]) {
    refuse_member("answers",
                  "geometric noise moves from one value to the next, and the answers do not continue the values");
  }
}

void validate_distinct(const char* what, const std::vector<Rational>& values) {
  std::vector<Rational> sorted = values;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) refuse_member(what, twice->to_string() + " appears twice");
}

void validate_perturber(const Pipeline& pipeline) {
  const Perturber& perturber = pipeline.perturber;
  const bool perturbs_bars = pipeline.secret.kind == Secret::Kind::histogram;
  const std::size_t perturbed = perturbs_bars ? pipeline.participants + 1 : pipeline.values.size();
  if (perturber.values() != perturbed) {
    refuse_member("perturber",
                  "of " + std::to_string(perturber.values()) + " values in place of " + std::to_string(perturbed));
  }
  if (perturbs_bars) {
    if (!pipeline.answers.empty())
      refuse_member("answers", "a histogram's bars are perturbed, and not values; leave them out");
    if (!perturber.each().empty()) refuse_member("perturbers", "a histogram's bars are perturbed alike");
    if (perturber.answers() != perturbed && pipeline.post.kind != PostProcessor::Kind::mode) {
      refuse_member("perturber", "bars keep their number of heights, unless only their mode is released");
    }
    return;
  }
  if (perturber.answers() != pipeline.shown().size()) {
    refuse_member("answers", std::to_string(pipeline.shown().size()) + " in place of the perturber's " +
                                 std::to_string(perturber.answers()));
  }
  if (!perturber.each().empty() && perturber.each().size() != pipeline.participants) {
    refuse_member("perturbers",
                  std::to_string(perturber.each().size()) + ", and there " +
                      (pipeline.participants == 1 ? "is 1 participant"
                                                  : "are " + std::to_string(pipeline.participants) + " participants"));
  }
  const auto is_geometric = [](const Perturber& one) { return one.is_geometric(); };
  if (is_geometric(perturber) || std::ranges::any_of(perturber.each(), is_geometric)) validate_distances(pipeline);
}

}  // namespace

Secret Secret::target_among(const std::vector<std::uint64_t>& histogram, std::size_t participants) {
  if (histogram.empty()) refuse_member("histogram", "of no values");
  std::uint64_t people = 0;
  for (const std::uint64_t count : histogram) {
    people += count;
    if (count > most_people || people > most_people) refuse_member("histogram", "of too many people");
  }
  std::vector<std::uint64_t> others = histogram;
  if (participants > 0 && people == participants) {
    --*std::ranges::max_element(others);
  } else if (people + 1 != participants) {
    throw Error(ErrorCode::usage,
                "the histogram is of " + std::to_string(people) + (people == 1 ? " person" : " people") +
                    ", and there " +
                    (participants == 1 ? "is 1 participant" : "are " + std::to_string(participants) + " participants"),
                "give the histogram of all of them, or of all but the target", "histogram");
  }
  return {Kind::target, {others.begin(), others.end()}};
}

Secret Secret::target_knowing(const std::vector<std::size_t>& others) {
  Secret secret{Kind::target, {}, {}};
  for (const std::size_t value : others) {
    if (value >= static_cast<std::size_t>(most_entries)) {
      throw Error(ErrorCode::usage, "a known value is not among the first million", "give the values' indices",
                  "known");
    }
    if (value >= secret.known.size()) secret.known.resize(value + 1);
    ++secret.known[value];
  }
  if (!std::ranges::is_sorted(others)) secret.order = others;
  return secret;
}

std::size_t Secret::others() const {
  std::size_t sum = 0;
  for (const std::size_t people : known) {
    if (people > std::numeric_limits<std::size_t>::max() - sum) return std::numeric_limits<std::size_t>::max();
    sum += people;
  }
  return sum;
}

void Pipeline::validate() const {
  if (participants == 0) refuse_member("participants", "at least one");
  if (participants > most_people) refuse_member("participants", "more than 2^40");
  if (values.size() < 2) refuse_member("values", "at least two");
  validate_distinct("values", values);
  validate_distinct("answers", answers);
  if (perturber.release() != nullptr) {
    if (!std::ranges::is_sorted(values)) refuse_member("values", "of a release, they must increase");
    if (!answers.empty()) refuse_member("answers", "a release has none besides its values");
    if (secret.kind == Secret::Kind::histogram)
      refuse_member("secret", "a release has no bars; write everyone or target");
  }
  validate_perturber(*this);
  validate_post(*this);
  validate_secret(*this);
}

PipelineChannel channel_at(const Pipeline& pipeline, const Odds& odds) {
  const OwnEnvironment own;
  Outline outline = outline_of(pipeline);
  Matrix matrix = matrix_at(pipeline, outline, odds.value());
  return {Channel(std::move(outline.secret_names), std::move(outline.observation_names), std::move(matrix)),
          std::move(outline.secrets), std::move(outline.arrangements)};
}

ChannelBounds channel_bounds(const Pipeline& pipeline, const Exponent& any_epsilon) {
  const OwnEnvironment own;
  const Exponent epsilon = looked_at(pipeline.perturber, any_epsilon);
  Outline outline = outline_of(pipeline);
  ChannelBounds result;
  if (epsilon.has_rational_exponential() && is_exact_at(pipeline, Odds(epsilon.exponential()))) {
    const Matrix exact = matrix_at(pipeline, outline, epsilon.exponential());
    for (std::size_t x = 0; x < exact.rows(); ++x) {
      result.probabilities.emplace_back();
      for (const Rational& p : exact.row(x)) result.probabilities.back().push_back({p, p});
    }
  } else {
    const ScaledRows<Enclosure> rows = rows_at(pipeline, outline, odds_at(epsilon));
    for (const std::vector<Enclosure>& row : rows.numerators) {
      checkpoint();
      result.probabilities.emplace_back();
      for (const Enclosure& numerator : row) {
        const Enclosure p = Enclosure::quotient(numerator, rows.denominator, enclosure_bits);
        result.probabilities.back().push_back(bounds_of(p));
      }
    }
  }
  result.secrets = std::move(outline.secret_names);
  result.observations = std::move(outline.observation_names);
  result.arrangements = std::move(outline.arrangements);
  return result;
}

}  // namespace fractile::flow
