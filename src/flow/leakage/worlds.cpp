#include "flow/leakage/worlds.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "exact/checkpoint.hpp"
#include "flow/loss/analyst.hpp"
#include "flow/pipeline/canonical_post.hpp"
#include "flow/pipeline/noise.hpp"
#include "flow/pipeline/rows.hpp"
#include "flow/pipeline/secrets.hpp"
#include "flow/pipeline/size_limit.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

Rational people(std::size_t count) { return count; }

/// The values among which the target's is: the last one, or those of the last group if a row stands for its arrangements.
Tuple of_the_targets_group(const Pipeline& pipeline, const Tuple& secret) {
  return {secret.end() - static_cast<std::ptrdiff_t>(arranged_groups(pipeline).back()), secret.end()};
}

/// For a row of the channel: the probability of each value to be the target's.
std::vector<Rational> shares_of(const Pipeline& pipeline, const Tuple& secret) {
  std::vector<Rational> shares(pipeline.values.size());
  if (pipeline.secret.kind == Secret::Kind::target) {
    shares[secret.front()] = 1;
  } else {
    const bool are_bars = pipeline.secret.kind == Secret::Kind::histogram;
    const Composition bars = are_bars ? secret : composition_of(of_the_targets_group(pipeline, secret), shares.size());
    const std::size_t all = std::accumulate(bars.begin(), bars.end(), std::size_t{0});
    for (std::size_t value = 0; value < shares.size(); ++value) shares[value] = people(bars[value]) / people(all);
  }
  return shares;
}

/// The others of a row if the target has this value, in a canonical form: the tuples are equal if the others are.
Tuple others_of(const Pipeline& pipeline, const Tuple& secret, std::size_t value) {
  if (pipeline.secret.kind == Secret::Kind::target) return {};
  if (pipeline.secret.kind == Secret::Kind::histogram) {
    Tuple bars = secret;
    --bars[value];
    return bars;
  }
  Tuple others = secret;
  const auto group = others.end() - static_cast<std::ptrdiff_t>(arranged_groups(pipeline).back());
  others.erase(std::find(group, others.end(), value));
  return others;
}

/// From the others to the joint probabilities with each of the target's values.
using Joint = std::map<Tuple, std::vector<Rational>>;

Joint joint_of(const Pipeline& pipeline, const Secrets& secrets, const Prior& prior) {
  Joint joint;
  for (std::size_t row = 0; row < prior.size(); ++row) {
    const std::vector<Rational> shares = shares_of(pipeline, secrets.secrets[row]);
    for (std::size_t value = 0; value < shares.size(); ++value) {
      if (shares[value].sign() == 0) continue;
      std::vector<Rational>& here = joint[others_of(pipeline, secrets.secrets[row], value)];
      here.resize(shares.size());
      here[value] += prior[row] * shares[value];
    }
  }
  return joint;
}

Analyst believing(const LeakageQuestion& question) {
  Analyst analyst;
  analyst.prior = question.prior;
  return analyst;
}

// --- Presence ---------------------------------------------------------------------------------------------------------

const Rational even(1, 2);

/// "a/b" as noise_in_odds() reads it; nothing when it would be too long.
std::optional<std::string> entry_of(const Polynomial& numerator, const Polynomial& denominator) {
  constexpr std::size_t longest = 1000;
  constexpr std::int64_t largest_degree = 200;
  if (denominator.degree() > largest_degree) return {};
  const auto text_of = [](const Polynomial& polynomial) {
    char* const text = fmpz_poly_get_str_pretty(polynomial.get(), "odds");
    std::string result(text);
    flint_free(text);
    return result;
  };
  std::string entry = "(" + text_of(numerator) + ")/(" + text_of(denominator) + ")";
  return entry.size() <= longest ? std::optional(entry) : std::nullopt;
}

/// A value that stands for an absent target: at every epsilon, its answer adds nothing.
struct Answering {
  std::vector<std::vector<std::string>> entries;  ///< one row per value; the last one is that of the absent target
  std::vector<Rational> answers;
  PostProcessor post;
};

/// For a count, where only being counted matters.
std::optional<Answering> answering_counted(const Pipeline& pipeline) {
  const PolynomialNoise& noise = noise_of(pipeline.perturber);
  Answering result{{}, {0, 1}, {}};
  result.post.kind = PostProcessor::Kind::count;
  result.post.counted = {1};
  for (const Polynomial& counted : counted_numerators<Polynomial>(pipeline, noise)) {
    const auto out = entry_of(noise.denominator - counted, noise.denominator);
    const auto in = entry_of(counted, noise.denominator);
    if (!out || !in) return {};
    result.entries.push_back({*out, *in});
  }
  result.entries.push_back({"1", "0"});
  return result;
}

/// For a sum, where the answer is 0.
std::optional<Answering> answering_nothing(const Pipeline& pipeline) {
  const PolynomialNoise& noise = noise_of(pipeline.perturber);
  Answering result{{}, pipeline.shown(), pipeline.post};
  const auto at = std::ranges::find(result.answers, Rational(0));
  const auto zero = static_cast<std::size_t>(at - result.answers.begin());
  if (at == result.answers.end()) result.answers.emplace_back(0);
  for (const std::vector<Polynomial>& row : noise.numerators) {
    std::vector<std::string> entries;
    for (const Polynomial& numerator : row) {
      const auto entry = entry_of(numerator, noise.denominator);
      if (!entry) return {};
      entries.push_back(*entry);
    }
    entries.resize(result.answers.size(), "0");
    result.entries.push_back(std::move(entries));
  }
  result.entries.emplace_back(result.answers.size(), "0");
  result.entries.back()[zero] = "1";
  return result;
}

/// Absence as one more value of a target among known others, if the release is a count or a sum; otherwise nothing.
std::optional<World> absence_as_value(const Pipeline& pipeline, const Prior& prior) {
  const bool is_count = pipeline.post.kind == PostProcessor::Kind::count;
  if (pipeline.secret.kind != Secret::Kind::target || !pipeline.perturber.is_shared() ||
      (!is_count && pipeline.post.kind != PostProcessor::Kind::sum)) {
    return {};
  }
  if (pipeline.perturber.root_degree() != 1) return {};  // its entries would be polynomials in a root of odds
  std::optional<Answering> answering = is_count ? answering_counted(pipeline) : answering_nothing(pipeline);
  if (!answering) return {};
  const std::size_t values = pipeline.values.size();
  World world{Pipeline{pipeline.participants, pipeline.values, Perturber::in_odds(answering->entries), answering->post,
                       pipeline.secret, answering->answers},
              {},
              Matrix(values + 1, 2)};
  world.pipeline.values.push_back(*std::ranges::max_element(pipeline.values) + 1);
  for (std::size_t value = 0; value < values; ++value) {
    world.prior.push_back(even * prior[value]);
    world.gains(value, 0) = 1;
  }
  world.prior.push_back(even);
  world.gains(values, 1) = 1;
  return world;
}

/// The pipeline of the others alone, all of whose values are unknown.
Pipeline without_target(const Pipeline& pipeline) {
  Pipeline others = pipeline;
  --others.participants;
  if (!pipeline.perturber.each().empty()) {
    std::vector<Perturber> each = pipeline.perturber.each();
    each.pop_back();
    others.perturber = Perturber::by_participant(std::move(each));
  }
  return others;
}

/// The world without the target when the others are known: the last of them takes the target's place, and certainly has their known
/// value.
World world_of_known_others(const Pipeline& pipeline) {
  World world{without_target(pipeline), std::vector<Rational>(pipeline.values.size()),
              Matrix(pipeline.values.size(), 2)};
  Secret& secret = world.pipeline.secret;
  std::size_t last = secret.known.size() - 1;
  while (secret.known[last] == 0) --last;
  if (!secret.order.empty()) {
    last = secret.order.back();
    secret.order.pop_back();
  }
  --secret.known[last];
  world.prior[last] = even;
  for (std::size_t row = 0; row < world.prior.size(); ++row) world.gains(row, 1) = 1;
  return world;
}

/// The world without the target when the others are unknown: everyone's secrets, with the same probabilities as with the target.
World world_of_others(const Pipeline& pipeline, const Joint& joint) {
  World world{without_target(pipeline), {}, {}};
  const Secrets secrets = secrets_of(world.pipeline);
  world.gains = Matrix(secrets.secrets.size(), 2);
  for (std::size_t row = 0; row < secrets.secrets.size(); ++row) {
    checkpoint();
    world.prior.emplace_back();
    world.gains(row, 1) = 1;
    const auto at = joint.find(secrets.secrets[row]);
    if (at == joint.end()) continue;
    for (const Rational& p : at->second) world.prior.back() += even * p;
  }
  return world;
}

std::vector<World> worlds_of_presence(const LeakageQuestion& question) {
  const Pipeline& pipeline = question.pipeline;
  const Secrets secrets = secrets_of(pipeline);
  const Prior prior = prior_of(believing(question), secrets);
  if (std::optional<World> one = absence_as_value(pipeline, prior)) return {*std::move(one)};
  World present{pipeline, {}, Matrix(prior.size(), 2)};
  for (std::size_t row = 0; row < prior.size(); ++row) {
    present.prior.push_back(even * prior[row]);
    present.gains(row, 0) = 1;
  }
  const bool are_known = pipeline.secret.kind == Secret::Kind::target;
  return {std::move(present),
          are_known ? world_of_known_others(pipeline) : world_of_others(pipeline, joint_of(pipeline, secrets, prior))};
}

/// The parts of the values; if none are given, each value is a separate part.
std::vector<std::size_t> parts_of(const LeakageQuestion& question) {
  if (question.guess.about == Guess::About::property) return question.guess.parts;
  std::vector<std::size_t> parts(question.pipeline.values.size());
  for (std::size_t value = 0; value < parts.size(); ++value) parts[value] = value;
  return parts;
}

/// The part of the pipeline that decides how much is revealed about the target's value. Proof: docs/proofs/leakage.md, "Side by side"
Pipeline deciding_part(const Pipeline& pipeline) {
  const bool is_own_answer = pipeline.secret.kind == Secret::Kind::target && is_side_by_side(pipeline);
  return is_own_answer ? target_alone(pipeline) : pipeline;
}

World world_of_value(const LeakageQuestion& question) {
  const Pipeline pipeline = deciding_part(question.pipeline);
  const Secrets secrets = secrets_of(pipeline);
  const Prior prior = prior_of(believing(question), secrets);
  const std::vector<std::size_t> parts = parts_of(question);
  World world{pipeline, prior.probabilities(), Matrix(prior.size(), *std::ranges::max_element(parts) + 1)};
  for (std::size_t row = 0; row < prior.size(); ++row) {
    const std::vector<Rational> shares = shares_of(pipeline, secrets.secrets[row]);
    for (std::size_t value = 0; value < shares.size(); ++value) world.gains(row, parts[value]) += shares[value];
  }
  return world;
}

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::usage, what, hint, "guess");
}

void validate_presence(const Pipeline& pipeline) {
  if (pipeline.secret.kind == Secret::Kind::histogram) {
    refuse("presence is not guessed from a histogram's bars, which are perturbed for a known number of participants",
           "guess the value");
  }
  if (pipeline.post.kind == PostProcessor::Kind::table) {
    refuse("presence is not guessed where a table combines everyone's answers: it has no entry for one answer fewer",
           "guess the value");
  }
  if (pipeline.participants < 2)
    refuse("presence can be guessed only of a participant among others", "take at least two participants");
}

void validate_parts(const Guess& guess, std::size_t values) {
  if (guess.parts.size() != values) refuse("a property needs a part for every value", "");
  const std::size_t last = *std::ranges::max_element(guess.parts);
  if (last >= values) refuse("a part of the property has no value", "");
  const std::size_t parts = last + 1;
  for (std::size_t part = 0; part < parts; ++part) {
    if (std::ranges::find(guess.parts, part) == guess.parts.end()) refuse("a part of the property has no value", "");
  }
  if (guess.names.size() != parts) refuse("a property needs one name for each of its parts", "");
}

}  // namespace

void LeakageQuestion::validate() const {
  pipeline.validate();
  if (guess.about == Guess::About::presence) validate_presence(pipeline);
  if (guess.about == Guess::About::property) validate_parts(guess, pipeline.values.size());
}

std::vector<World> worlds_of(const LeakageQuestion& question) {
  question.validate();
  if (question.guess.about == Guess::About::presence) return worlds_of_presence(question);
  return {world_of_value(question)};
}

Possibilities possibilities_of(const LeakageQuestion& question) {
  Possibilities guesses;
  switch (question.guess.about) {
    case Guess::About::value:
      for (const Rational& value : question.pipeline.values) guesses.names.push_back(value.to_string());
      break;
    case Guess::About::presence:
      guesses.names = {"present", "absent"};
      break;
    case Guess::About::property:
      guesses.names = question.guess.names;
      break;
  }
  guesses.priors.resize(guesses.names.size());
  for (const World& world : worlds_of(question)) {
    for (std::size_t row = 0; row < world.prior.size(); ++row) {
      checkpoint();
      for (std::size_t w = 0; w < guesses.priors.size(); ++w) {
        guesses.priors[w] += world.prior[row] * world.gains(row, w);
      }
    }
  }
  return guesses;
}

bool is_independent_of_others(const LeakageQuestion& question) {
  const Pipeline& pipeline = question.pipeline;
  if (pipeline.secret.kind == Secret::Kind::target || pipeline.participants == 1) return true;
  const Secrets secrets = secrets_of(pipeline);
  const Joint joint = joint_of(pipeline, secrets, prior_of(believing(question), secrets));
  std::vector<Rational> of_target(pipeline.values.size());
  for (const auto& [others, probabilities] : joint) {
    for (std::size_t value = 0; value < of_target.size(); ++value) of_target[value] += probabilities[value];
  }
  return std::ranges::all_of(joint, [&](const auto& entry) {
    const std::vector<Rational>& probabilities = entry.second;
    Rational together;
    for (const Rational& p : probabilities) together += p;
    for (std::size_t value = 0; value < of_target.size(); ++value) {
      if (probabilities[value] != together * of_target[value]) return false;
    }
    return true;
  });
}

}  // namespace fractile::flow
