#include "report/flow/theorems.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "exact/lists.hpp"
#include "report/flow/plain_channel.hpp"
#include "report/flow/plain_families.hpp"
#include "report/flow/plain_polynomials.hpp"
#include "report/flow/plain_steps.hpp"

namespace fractile::report_detail {
namespace {

using Kind = flow::PostProcessor::Kind;
using Places = std::vector<std::size_t>;

Rational whole(std::size_t value) { return value; }

constexpr std::size_t most_values = 16;

/// Whether all participants have one randomized response. Counts of responses with several epsilons are not stable.
bool are_responses_alike(const flow::Pipeline& pipeline) {
  return pipeline.perturber.release() == nullptr && are_alike(pipeline) && is_response(perturbers_of(pipeline).front());
}

// --- What is revealed ----------------------------------------------------------------------------------------------------

constexpr std::size_t most_tuples = 4096;

/// Every tuple of answers; nothing when they are too many.
std::optional<std::vector<Places>> tuples_of(std::size_t length, std::size_t answers) {
  std::vector<Places> tuples{{}};
  for (std::size_t i = 0; i < length; ++i) {
    if (tuples.size() * answers > most_tuples) return {};
    std::vector<Places> longer;
    for (const Places& tuple : tuples) {
      for (std::size_t answer = 0; answer < answers; ++answer) {
        longer.push_back(tuple);
        longer.back().push_back(answer);
      }
    }
    tuples = std::move(longer);
  }
  return tuples;
}

std::size_t perturbed(const flow::Pipeline& pipeline) {
  return pipeline.secret.kind == flow::Secret::Kind::histogram ? pipeline.values.size() : pipeline.participants;
}

std::size_t answers_of(const flow::Pipeline& pipeline) {
  return pipeline.secret.kind == flow::Secret::Kind::histogram ? pipeline.participants + 1 : pipeline.shown().size();
}

/// Whether different answers always give different outputs.
Applies tells_all_apart(const flow::Pipeline& pipeline) {
  if (pipeline.post.kind == Kind::identity) return Applies::yes;
  const bool is_of_bars = pipeline.secret.kind == flow::Secret::Kind::histogram;
  if (pipeline.post.kind == Kind::round && !is_of_bars) {  // each answer is rounded by itself
    flow::Pipeline one = pipeline;
    one.participants = 1;
    one.secret = {};
    std::map<std::vector<Rational>, std::size_t> shown;
    for (std::size_t answer = 0; answer < one.shown().size(); ++answer) shown[plain_output(one, {answer})] = answer;
    return shown.size() == one.shown().size() ? Applies::yes : Applies::no;
  }
  const auto tuples = tuples_of(perturbed(pipeline), answers_of(pipeline));
  if (!tuples) return Applies::unchecked;
  std::map<std::vector<Rational>, std::size_t> shown;
  for (const Places& tuple : *tuples) ++shown[plain_output(pipeline, tuple)];
  return shown.size() == tuples->size() ? Applies::yes : Applies::no;
}

/// The answers whose count reveals as much as the output. Returns nothing when there are no such answers, or too many tuples to decide.
std::optional<Places> counted_by(const flow::Pipeline& pipeline) {
  if (pipeline.secret.kind == flow::Secret::Kind::histogram) return {};
  if (pipeline.post.kind == Kind::count) return pipeline.post.counted;
  const std::size_t answers = pipeline.shown().size();
  if (pipeline.post.kind == Kind::sum && answers == 2) return Places{1};
  const auto tuples = tuples_of(pipeline.participants, answers);
  if (!tuples || answers > most_values) return {};
  // Counting a set and counting its complement reveal the same, so sets without the first answer suffice.
  for (std::uint64_t subset = 0; subset < std::uint64_t{1} << (answers - 1); ++subset) {
    const auto is_in = [&](std::size_t answer) { return answer > 0 && ((subset >> (answer - 1)) & 1) != 0; };
    std::map<std::vector<Rational>, std::size_t> counts;
    std::map<std::size_t, std::vector<Rational>> outputs;
    const bool is_same = std::ranges::all_of(*tuples, [&](const Places& tuple) {
      const auto count = static_cast<std::size_t>(std::ranges::count_if(tuple, is_in));
      const std::vector<Rational> output = plain_output(pipeline, tuple);
      return counts.emplace(output, count).first->second == count &&
             outputs.emplace(count, output).first->second == output;
    });
    if (!is_same) continue;
    Places counted;
    for (std::size_t answer = 1; answer < answers; ++answer) {
      if (is_in(answer)) counted.push_back(answer);
    }
    return counted;
  }
  return {};
}

// --- The theorems ----------------------------------------------------------------------------------------------------

Applies only_if(bool holds) { return holds ? Applies::yes : Applies::no; }

Applies no_epsilon(const flow::Pipeline& pipeline) {
  if (pipeline.perturber.release() != nullptr) return Applies::no;
  return only_if(std::ranges::all_of(perturbers_of(pipeline), [](const flow::Perturber& one) {
    return !one.depends_on_epsilon() && one.at(flow::Odds(2)) == one.at(flow::Odds(5));
  }));
}

Applies side_by_side(const flow::Pipeline& pipeline) {
  if (pipeline.perturber.release() != nullptr) return Applies::no;
  const bool are_families = std::ranges::all_of(
      perturbers_of(pipeline), [](const flow::Perturber& one) { return !one.depends_on_epsilon() || is_family(one); });
  if (!are_families) return Applies::unchecked;  // other families are not checked here
  const bool is_shuffled = pipeline.post.kind == Kind::shuffle && pipeline.secret.kind != flow::Secret::Kind::histogram;
  return is_shuffled && are_alike(pipeline) ? Applies::yes : tells_all_apart(pipeline);
}

/// Whether the bits of unary encodings are counted, where all encodings are of one kind.
Applies counted_bits(const flow::Pipeline& pipeline) {
  const bool is_of_bits = pipeline.post.kind == Kind::bits && pipeline.secret.kind != flow::Secret::Kind::histogram;
  if (!is_of_bits || pipeline.perturber.release() != nullptr) return Applies::no;
  const std::size_t values = pipeline.values.size();
  if (values > most_values) return Applies::unchecked;
  std::vector<Rational> digits;
  for (std::size_t answer = 0; answer < std::size_t{1} << values; ++answer) {
    Rational shown;
    for (std::size_t k = values; k-- > 0;) shown = shown * Rational(10) + whole((answer >> k) & 1);
    digits.push_back(shown);
  }
  if (pipeline.shown() != digits || !are_alike(pipeline)) return Applies::no;
  return is_unary(perturbers_of(pipeline).front()) ? Applies::yes : Applies::unchecked;
}

/// The probability that an answer of this value is counted.
Rational counted_at(const flow::Perturber& perturber, const Places& counted, std::size_t value, const Rational& odds) {
  const flow::Channel channel = perturber.at(flow::Odds(odds));
  return sum_over<Rational>(counted, [&](std::size_t answer) { return channel(value, answer); });
}

Applies nothing_told(const flow::Pipeline& pipeline) {
  const std::vector<flow::Perturber> each = perturbers_of(pipeline);
  if (pipeline.perturber.release() != nullptr || each.front().values() > most_values) return Applies::unchecked;
  const std::optional<Places> counted = counted_by(pipeline);
  if (!counted) return Applies::unchecked;
  for (const flow::Perturber& one : each) {
    for (std::int64_t i = 0; i < telling_points(1); ++i) {
      const Rational odds = Rational(i + 1).pow(one.root_degree());
      for (std::size_t value = 1; value < one.values(); ++value) {
        if (counted_at(one, *counted, value, odds) != counted_at(one, *counted, 0, odds)) return Applies::no;
      }
    }
  }
  return Applies::yes;
}

Applies counted_responses(const flow::Pipeline& pipeline) {
  if (!are_responses_alike(pipeline)) return Applies::no;
  return counted_by(pipeline) ? Applies::yes : Applies::unchecked;
}

/// The probabilities of being counted are fractions of the base.
Applies two_kinds(const flow::Pipeline& pipeline, const Rational& from, const Rational& to) {
  if (pipeline.perturber.release() != nullptr) return Applies::no;
  const flow::Perturber perturber = perturbers_of(pipeline).front();
  if (!is_family(perturber) || !are_alike(pipeline) || perturber.values() > most_values) return Applies::unchecked;
  const std::optional<Places> counted = counted_by(pipeline);
  if (!counted) return Applies::unchecked;
  const auto fractions = fractions_of(perturber, {*counted});
  if (!fractions) return Applies::unchecked;
  Coefficients all{1};
  for (const std::vector<Fraction>& of_value : *fractions) all = least_multiple(all, of_value.front().second);
  std::vector<Coefficients> kinds;
  for (const std::vector<Fraction>& of_value : *fractions) {
    const auto& [numerator, denominator] = of_value.front();
    Coefficients kind = times(numerator, divided(all, denominator));
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(std::move(kind));
  }
  if (kinds.size() != 2) return Applies::no;
  const auto [low, high] = bases_around(from, to, perturber.root_degree());
  if (!is_positive(all, low, high)) return Applies::unchecked;
  const auto is_never = [low = low, high = high](const Coefficients& polynomial) {
    return is_never_negative(polynomial, low, high);
  };
  if (!is_never(less(kinds[1], kinds[0]))) std::swap(kinds[0], kinds[1]);
  const auto never_falls = [&](const Coefficients& a, const Coefficients& b) {
    return is_never(less(times(slope(a), b), times(a, slope(b))));
  };
  const bool holds = is_never(less(kinds[1], kinds[0])) && never_falls(kinds[1], kinds[0]) &&
                     never_falls(less(all, kinds[0]), less(all, kinds[1]));
  return holds ? Applies::yes : Applies::unchecked;
}

std::optional<flow::Channel> channel_with(flow::Pipeline pipeline, const flow::Matrix& single) {
  pipeline.perturber = flow::Perturber::fixed(flow::Channel(single));
  return plain_channel(pipeline, 1);
}

/// Rows are polynomials of degree N in the probability of keeping a value, where N is the number of participants. So N + 1 such
/// probabilities decide.
Applies lumping(const flow::Pipeline& asked) {
  if (!are_responses_alike(asked) || asked.secret.kind == flow::Secret::Kind::histogram) return Applies::no;
  flow::Pipeline pipeline = asked;
  pipeline.secret = {};  // a target's rows are rows of everyone's channel
  const std::size_t values = pipeline.values.size();
  const std::optional<flow::Channel> plain = channel_with(pipeline, flow::Matrix::identity(values));
  if (!plain) return Applies::unchecked;
  const std::size_t points = pipeline.participants + 1;
  for (std::size_t i = 1; i <= points; ++i) {
    const Rational kept = whole(i) / whole(points + 1);
    flow::Matrix single(values, values);
    for (std::size_t x = 0; x < values; ++x) {
      for (std::size_t y = 0; y < values; ++y) {
        single(x, y) = (Rational(1) - kept) / whole(values) + (x == y ? kept : Rational(0));
      }
    }
    const std::optional<flow::Channel> witness = channel_with(pipeline, single);
    if (!witness) return Applies::unchecked;
    std::map<std::size_t, std::size_t> first;
    for (std::size_t x = 0; x < plain->secrets().size(); ++x) {
      const auto row = plain->matrix().row(x);
      const auto output = static_cast<std::size_t>(std::ranges::find(row, Rational(1)) - row.begin());
      const std::size_t like = first.emplace(output, x).first->second;
      if (!std::ranges::equal(witness->matrix().row(x), witness->matrix().row(like))) return Applies::no;
    }
  }
  return Applies::yes;
}

}  // namespace

Applies theorem_applies(const std::string& name, const flow::Pipeline& pipeline, const Rational& from,
                        const Rational& to) {
  if (name == "no-epsilon") return no_epsilon(pipeline);
  if (name == "side-by-side") return side_by_side(pipeline);
  if (name == "nothing-told") return nothing_told(pipeline);
  if (name == "counted-responses") return counted_responses(pipeline);
  if (name == "two-kinds") return two_kinds(pipeline, from, to);
  if (name == "lumping") return lumping(pipeline);
  if (name == "counted-bits") return counted_bits(pipeline);
  if (name != "small-steps") return Applies::no;
  const std::optional<bool> holds = small_steps(pipeline, from, to);
  return holds ? only_if(*holds) : Applies::unchecked;
}

}  // namespace fractile::report_detail
