// Does a larger epsilon always help? Proofs: docs/proofs/stability.md.
#include <algorithm>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/own_environment.hpp"
#include "flow/algebra/real_roots.hpp"
#include "flow/pipeline/canonical_post.hpp"
#include "flow/pipeline/pipeline_rows.hpp"
#include "flow/pipeline/rows.hpp"
#include "flow/stability/check_refinement.hpp"
#include "flow/stability/infinitesimal_generator.hpp"
#include "flow/stability/pairs.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {
namespace {

Stability stable(Theorem theorem, std::string reason) {
  return {Stability::Verdict::stable, std::move(reason), 0, 0, {}, theorem};
}

/// The different probabilities of being counted.
std::vector<Polynomial> counted_kinds(const Pipeline& pipeline) {
  std::vector<Polynomial> kinds;
  for (Polynomial& numerator : counted_numerators<Polynomial>(pipeline, noise_of(pipeline.perturber))) {
    if (std::ranges::find(kinds, numerator) == kinds.end()) kinds.push_back(std::move(numerator));
  }
  return kinds;
}

/// Whether all `roots` of this polynomial are strictly inside, except roots that are exactly at an end.
bool ends_are_clear(const Polynomial& polynomial, const std::vector<RealBounds>& roots, const Rational& from,
                    const Rational& to) {
  for (const RealBounds& root : roots) {
    for (const Rational* end : {&from, &to}) {
      if (root.lower <= *end && *end <= root.upper && polynomial.at(*end).sign() != 0) return false;
    }
  }
  return true;
}

/// Whether a / b certainly never falls between `from` and `to`, both positive there.
bool never_falls(const Polynomial& a, const Polynomial& b, const Rational& from, const Rational& to) {
  const Polynomial slope = a.derivative() * b - a * b.derivative();
  std::vector<RealBounds> turns = real_roots(slope, from, to);
  if (!ends_are_clear(slope, turns, from, to)) return false;
  Rational begin = from;
  turns.push_back({to, to});
  for (const RealBounds& turn : turns) {
    if (turn.lower > begin && slope.at((begin + turn.lower) / 2).sign() < 0) return false;
    begin = std::max(begin, turn.upper);
  }
  return true;
}

/// Whether the difference certainly keeps its sign between `from` and `to`.
bool never_crosses_zero(const Polynomial& difference, const Rational& from, const Rational& to) {
  const std::vector<RealBounds> roots = real_roots(difference, from, to);
  return ends_are_clear(difference, roots, from, to) &&
         std::ranges::none_of(roots, [&](const RealBounds& root) { return root.lower > from && root.upper < to; });
}

/// For values with one of two probabilities of being counted: a smaller epsilon is a recount if both likelihood ratios never fall
/// with epsilon.
bool two_kinds_move_apart(const Pipeline& pipeline, const std::vector<Polynomial>& kinds, const Rational& low_odds,
                          const Rational& high_odds) {
  const Rational from = base_bounds(pipeline, low_odds).lower;
  const Rational to = base_bounds(pipeline, high_odds).upper;
  const Polynomial& all = noise_of(pipeline.perturber).denominator;
  const Rational between = (from + to) / 2;
  const bool in_order = kinds[0].at(between) < kinds[1].at(between);
  const Polynomial& low = in_order ? kinds[0] : kinds[1];
  const Polynomial& high = in_order ? kinds[1] : kinds[0];
  return never_crosses_zero(high - low, from, to) && never_falls(high, low, from, to) &&
         never_falls(all - low, all - high, from, to);
}

std::optional<Stability> stable_counting(const Pipeline& pipeline, const Rational& from, const Rational& to) {
  const Perturber& perturber = pipeline.perturber;
  if (pipeline.post.kind != PostProcessor::Kind::count || !perturber.is_shared()) return {};
  if (perturber.is_randomized_response()) {
    return stable(Theorem::counted_responses, "counting queries are stable under randomized response (section 6.1)");
  }
  const std::vector<Polynomial> kinds = counted_kinds(pipeline);
  if (kinds.size() == 1) return stable(Theorem::nothing_told, "all values are counted alike: nothing is revealed");
  // With zeros there are no likelihood ratios.
  if (kinds.size() > 2 || !perturber.is_refinement_preserving()) return {};
  if (!two_kinds_move_apart(pipeline, kinds, from, to)) return {};
  return stable(
      Theorem::two_kinds,
      "values are counted with one of two probabilities, whose ratios only grow with epsilon, so counting again at "
      "random lowers epsilon");
}

/// By secret: its output when nothing is perturbed.
std::vector<std::size_t> undisturbed_outputs(const Pipeline& pipeline) {
  Pipeline plain = pipeline;
  plain.perturber = Perturber::fixed(Channel(Matrix::identity(pipeline.values.size())));
  const Channel channel = channel_at(plain, Odds(1)).channel;
  std::vector<std::size_t> outputs;
  for (std::size_t x = 0; x < channel.secrets().size(); ++x) {
    const auto row = channel.matrix().row(x);
    outputs.push_back(static_cast<std::size_t>(std::ranges::find(row, Rational(1)) - row.begin()));
  }
  return outputs;
}

/// Whether secrets with equal outputs have equal rows when each participant keeps their value with probability `kept` and otherwise
/// draws a new one. That is the witness between two randomized responses.
bool is_lumpable(const Pipeline& pipeline, const std::vector<std::size_t>& outputs, const Rational& kept) {
  const std::size_t values = pipeline.values.size();
  Matrix single(values, values);
  for (std::size_t x = 0; x < values; ++x) {
    for (std::size_t y = 0; y < values; ++y) {
      single(x, y) = (Rational(1) - kept) / static_cast<std::int64_t>(values) + (x == y ? kept : Rational(0));
    }
  }
  Pipeline witness = pipeline;
  witness.perturber = Perturber::fixed(Channel(single));
  const Channel channel = channel_at(witness, Odds(1)).channel;
  std::vector<std::optional<std::size_t>> first(channel.observations().size());
  for (std::size_t x = 0; x < outputs.size(); ++x) {
    std::optional<std::size_t>& representative = first[outputs[x]];
    if (!representative) {
      representative = x;
    } else if (!std::ranges::equal(channel.matrix().row(x), channel.matrix().row(*representative))) {
      return false;
    }
  }
  return true;
}

/// The condition of theorem 5.1 for all witnesses at once: both sides are polynomials of degree at most N in `kept`.
std::optional<Stability> stable_by_lumping(const Pipeline& pipeline) {
  constexpr std::int64_t most_members = 100'000;  // over all secrets together, for each of the points below
  const auto participants = static_cast<std::int64_t>(pipeline.participants);
  if (!pipeline.perturber.is_randomized_response() || !is_small(pipeline)) return {};
  if (secret_count(pipeline) * participants > Rational(most_members)) return {};
  const std::vector<std::size_t> outputs = undisturbed_outputs(pipeline);
  const auto points = participants + 1;
  for (std::int64_t i = 1; i <= points; ++i) {
    checkpoint();
    if (!is_lumpable(pipeline, outputs, Rational(i, points + 1))) return {};
  }
  return stable(Theorem::lumping, "every witness between randomized responses meets the condition of theorem 5.1");
}

/// If answers have one independent bit per value: the numerators of the probabilities that the bit of another value, and that of
/// the participant's value, is 1. Otherwise nothing.
std::optional<std::vector<Polynomial>> independent_bits(const Pipeline& pipeline) {
  const std::size_t values = pipeline.values.size();
  constexpr std::size_t most_bits = 8;
  if (values < 2 || values > most_bits || pipeline.shown() != unary_answers(values)) return {};
  const PolynomialNoise& noise = noise_of(pipeline.perturber);
  const auto is_one = [&](std::size_t answer, std::size_t k) { return ((answer >> (values - 1 - k)) & 1) != 0; };
  std::vector<Polynomial> kinds(2);
  for (std::size_t answer = 0; answer < noise.answers(); ++answer) {
    if (is_one(answer, 1)) kinds[0] = kinds[0] + noise.numerators[0][answer];
    if (is_one(answer, 0)) kinds[1] = kinds[1] + noise.numerators[0][answer];
  }
  const Bit other{noise.denominator - kinds[0], kinds[0]};
  const Bit own{noise.denominator - kinds[1], kinds[1]};
  Polynomial others(1);
  for (std::size_t k = 1; k < values; ++k) others = others * noise.denominator;
  for (std::size_t x = 0; x < values; ++x) {
    for (std::size_t answer = 0; answer < noise.answers(); ++answer) {
      const Polynomial expected = chance_of_bits(values, x, answer, own, other);
      if (!(noise.numerators[x][answer] * others == expected)) return {};
    }
  }
  return kinds;
}

/// Proves stability for counts of bits: the bits of each place are counted separately, and each bit is about two secrets, namely
/// whether the place is that of the participant's value.
std::optional<Stability> stable_bits(const Pipeline& pipeline, const Rational& from, const Rational& to) {
  if (pipeline.post.kind != PostProcessor::Kind::bits || !pipeline.perturber.is_shared()) return {};
  const std::optional<std::vector<Polynomial>> kinds = independent_bits(pipeline);
  if (!kinds) return {};
  if (!two_kinds_move_apart(pipeline, *kinds, from, to)) return {};
  return stable(Theorem::counted_bits,
                "bits are drawn independently of each other, so counting each place's bits again at random lowers "
                "epsilon");
}

bool keeps_answers_apart(const Pipeline& pipeline) {
  if (!pipeline.perturber.is_refinement_preserving()) return false;
  using Kind = PostProcessor::Kind;
  const bool of_one = pipeline.participants == 1 && pipeline.secret.kind != Secret::Kind::histogram;
  const bool is_shuffled = pipeline.post.kind == Kind::shuffle && pipeline.perturber.is_shared();
  return pipeline.post.kind == Kind::identity || is_shuffled ||
         (of_one && (pipeline.post.kind == Kind::sum || pipeline.post.kind == Kind::mode));
}

std::optional<Stability> proved_stable(const Pipeline& pipeline, const Rational& from, const Rational& to) {
  if (!pipeline.perturber.depends_on_epsilon())
    return stable(Theorem::no_epsilon, "the perturber does not depend on epsilon");
  if (keeps_answers_apart(pipeline)) {
    return stable(
        Theorem::side_by_side,
        pipeline.post.kind == PostProcessor::Kind::shuffle
            ? "all answers are released without their order, and everyone's perturber is one of a family in which a "
              "smaller epsilon is a refinement"
            : "all answers are released, and the perturbers are a family in which a smaller epsilon is a refinement");
  }
  if (pipeline.secret.kind == Secret::Kind::histogram || pipeline.perturber.release() != nullptr) return {};
  // The channel for an analyst who knows the others' values has some of the rows of everyone's channel.
  Pipeline everyone = pipeline;
  everyone.secret = {};
  if (std::optional<Stability> proved = stable_counting(everyone, from, to)) return proved;
  return stable_by_lumping(everyone);
}

/// `pipeline` is needed as well, since the places of bits are in its answers.
std::optional<Stability> proved_stable(const Pipeline& pipeline, const Pipeline& canonical, const Rational& from,
                                       const Rational& to) {
  if (std::optional<Stability> proved = proved_stable(canonical, from, to)) return proved;
  if (pipeline.secret.kind == Secret::Kind::histogram) return {};
  return stable_bits(pipeline, from, to);
}

/// Pairs around a base, closer and closer together.
Pairs pairs_about(const Rational& base, const Rational& from, const Rational& to) {
  Pairs pairs;
  for (std::int64_t parts = 64; parts <= (std::int64_t{1} << 24); parts *= 8) {
    checkpoint();
    const Rational reach = (to - from) / parts;
    const Rational high = short_rational(std::min(to, base + reach), std::max(from, base), to, reach / 2);
    const Rational low = short_rational(std::max(from, base - reach), from, std::min(to, base), reach / 2);
    if (low < high) pairs.emplace_back(high, low);
  }
  return pairs;
}

std::optional<Stability> refuted(const Pipeline& pipeline, const Pipeline& canonical, const Pairs& pairs) {
  const std::int64_t degree = pipeline.perturber.root_degree();
  for (const auto& [high, low] : pairs) {
    checkpoint();
    const Rational more = high.pow(degree);
    const Rational less = low.pow(degree);
    PipelineRefinement refinement = check_refinement(pipeline, canonical, more, less);
    if (!refinement.refinement.refuted()) continue;
    std::string reason = refinement.refinement.reason;
    return Stability{Stability::Verdict::unstable, std::move(reason), more, less, std::move(refinement)};
  }
  return {};
}

}  // namespace

std::optional<Stability> proved_stability(const Pipeline& pipeline, const OddsRange& range) {
  const OwnEnvironment own;
  pipeline.validate();
  return proved_stable(pipeline, canonical_pipeline(pipeline), range.low, range.high);
}

Stability check_stability(const Pipeline& pipeline, const OddsRange& range) {
  const OwnEnvironment own;
  const auto& [from, to] = range;
  pipeline.validate();
  const Pipeline canonical =
      canonical_pipeline(pipeline);  // verdicts are about channels, and do not depend on the names of outputs
  if (from < 1 || to <= from) throw Error(ErrorCode::usage, "a range of odds begins at 1 or more and increases");
  if (std::optional<Stability> proved = proved_stable(pipeline, canonical, from, to)) return *proved;
  const RealBounds first = base_bounds(canonical, from);
  const RealBounds last = base_bounds(canonical, to);
  const StepsVerdict steps = check_steps(canonical, first.lower, last.upper);
  if (steps.only_add_noise)
    return stable(Theorem::small_steps, "every small step to a smaller epsilon only adds noise");
  Pairs pairs = pairs_within(first.upper, last.lower);
  if (steps.fails_at) {
    const Pairs near = pairs_about(*steps.fails_at, first.upper, last.lower);
    pairs.insert(pairs.end(), near.begin(), near.end());
  }
  if (std::optional<Stability> unstable = refuted(pipeline, canonical, pairs)) return *unstable;
  return {Stability::Verdict::undecided,
          "no proof is known, and none of " + std::to_string(pairs.size()) +
              " pairs within the range is a counter-example; two epsilons that matter may be compared by themselves; a "
              "sweep shows where the loss of a given analyst rises",
          0,
          0,
          {}};
}

const char* to_string(Theorem theorem) {
  switch (theorem) {
    case Theorem::none:
      break;
    case Theorem::no_epsilon:
      return "no-epsilon";
    case Theorem::side_by_side:
      return "side-by-side";
    case Theorem::nothing_told:
      return "nothing-told";
    case Theorem::counted_responses:
      return "counted-responses";
    case Theorem::two_kinds:
      return "two-kinds";
    case Theorem::lumping:
      return "lumping";
    case Theorem::counted_bits:
      return "counted-bits";
    case Theorem::small_steps:
      return "small-steps";
  }
  return "none";
}

std::string to_string(Stability::Verdict verdict) {
  switch (verdict) {
    case Stability::Verdict::stable:
      return "stable";
    case Stability::Verdict::unstable:
      return "unstable";
    case Stability::Verdict::undecided:
      break;
  }
  return "undecided";
}

namespace {

void require_increasing(const EpsilonRange& range) {
  if (range.low < range.high) return;
  throw Error(ErrorCode::usage, "a range of epsilons does not begin below its end", "give the smaller epsilon first",
              "epsilon");
}

}  // namespace

OddsRange odds_around(const EpsilonRange& range) {
  const OwnEnvironment own;
  require_increasing(range);
  return OddsRange(std::max(Rational(1), odds_bounds(range.low).lower), odds_bounds(range.high).upper);
}

OddsRange odds_within(const EpsilonRange& range) {
  const OwnEnvironment own;
  require_increasing(range);
  return OddsRange(odds_bounds(range.low).upper, odds_bounds(range.high).lower);
}

Stability check_stability(const Pipeline& pipeline, const EpsilonRange& range) {
  const OwnEnvironment own;
  using enum Stability::Verdict;
  const OddsRange around = odds_around(range);
  Stability answer = check_stability(pipeline, around);
  if (range.is_exact() || answer.verdict != unstable) return answer;
  const OddsRange within = odds_within(range);
  if (within.low < within.high) {
    Stability inner = check_stability(pipeline, within);
    if (inner.verdict == unstable) return inner;
    if (inner.verdict == stable) {
      return {undecided, "stable except at the very ends of the range; try a wider range"};
    }
  }
  return {undecided, "the only counter-example that was found is at the very ends of the range; try a wider range"};
}

}  // namespace fractile::flow
