#include "report/flow/theorems.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "report/flow/plain_channel.hpp"

namespace fractile::report_detail {
namespace {

using Kind = flow::PostProcessor::Kind;
using Places = std::vector<std::size_t>;
using Entry = std::function<Rational(std::size_t value, std::size_t answer, const Rational& odds)>;

Rational whole(std::size_t value) { return value; }

// --- Perturbers ------------------------------------------------------------------------------------------------------

/// Entries of a matrix in odds are fractions of degree 200 at most, and so are those of families of few values: fractions that agree
/// at more than 400 odds are the same.
constexpr std::int64_t telling_points = 420;
constexpr std::size_t most_values = 16;

std::vector<flow::Perturber> perturbers_of(const flow::Pipeline& pipeline) {
  const std::vector<flow::Perturber>& each = pipeline.perturber.each();
  return each.empty() ? std::vector{pipeline.perturber} : each;
}

Rational responded(std::size_t values, std::size_t value, std::size_t answer, const Rational& odds) {
  return (value == answer ? odds : Rational(1)) / (odds + whole(values) - 1);
}

/// Definition 3.5, truncated `reach` places beyond the values.
Rational geometric(std::size_t values, std::size_t reach, std::size_t value, std::size_t answer, const Rational& odds) {
  const std::size_t place = value + reach;
  const auto distance = static_cast<std::int64_t>(place > answer ? place - answer : answer - place);
  const Rational ratio = Rational(1) / odds;
  const bool is_last = answer == 0 || answer + 1 == values + 2 * reach;
  return ratio.pow(distance) * (is_last ? Rational(1) : Rational(1) - ratio) / (Rational(1) + ratio);
}

bool has_entries(const flow::Perturber& perturber, const Entry& entry) {
  if (perturber.values() > most_values || perturber.answers() > 4 * most_values) return false;
  if (perturber.root_degree() != 1) return false;
  for (std::int64_t i = 0; i < telling_points; ++i) {
    const Rational odds = Rational(1) + Rational(i, 7);
    const flow::Channel channel = perturber.at(odds);
    for (std::size_t x = 0; x < perturber.values(); ++x) {
      for (std::size_t y = 0; y < perturber.answers(); ++y) {
        if (channel(x, y) != entry(x, y, odds)) return false;
      }
    }
  }
  return true;
}

bool is_response(const flow::Perturber& perturber) {
  if (!perturber.is_shared() || perturber.answers() != perturber.values()) return false;
  const std::size_t values = perturber.values();
  return perturber.is_randomized_response() ||
         has_entries(perturber,
                     [&](std::size_t x, std::size_t y, const Rational& odds) { return responded(values, x, y, odds); });
}

bool is_geometric(const flow::Perturber& perturber) {
  if (perturber.is_geometric()) return true;
  const std::size_t values = perturber.values();
  if (!perturber.is_shared() || perturber.answers() < values || (perturber.answers() - values) % 2 == 1) return false;
  const std::size_t reach = (perturber.answers() - values) / 2;
  return has_entries(perturber, [&](std::size_t x, std::size_t y, const Rational& odds) {
    return geometric(values, reach, x, y, odds);
  });
}

bool is_response_of_all(const flow::Pipeline& pipeline) {
  return pipeline.perturber.release() == nullptr && std::ranges::all_of(perturbers_of(pipeline), is_response);
}

// --- What is told ----------------------------------------------------------------------------------------------------

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

/// Whether different answers are always told apart.
Applies tells_all_apart(const flow::Pipeline& pipeline) {
  if (pipeline.post.kind == Kind::identity) return Applies::yes;
  const bool is_of_bars = pipeline.secret.kind == flow::Secret::Kind::histogram;
  if (pipeline.post.kind == Kind::round && !is_of_bars) {  // each by itself
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

/// The answers whose count tells the same; nothing when there are none, or tuples are too many to say.
std::optional<Places> counted_by(const flow::Pipeline& pipeline) {
  if (pipeline.secret.kind == flow::Secret::Kind::histogram) return {};
  if (pipeline.post.kind == Kind::count) return pipeline.post.counted;
  const std::size_t answers = pipeline.shown().size();
  if (pipeline.post.kind == Kind::sum && answers == 2) return Places{1};
  const auto tuples = tuples_of(pipeline.participants, answers);
  if (!tuples || answers > most_values) return {};
  std::map<std::vector<Rational>, Places> by_output;
  for (std::uint64_t subset = 0; subset < std::uint64_t{1} << (answers - 1); ++subset) {  // the first or the others
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

// --- Polynomials -----------------------------------------------------------------------------------------------------

using Coefficients = std::vector<Rational>;  // of 1, x, x^2, ...

Coefficients times(const Coefficients& a, const Coefficients& b) {
  Coefficients result(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
  }
  return result;
}

Coefficients less(Coefficients a, const Coefficients& b) {
  a.resize(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < b.size(); ++i) a[i] -= b[i];
  return a;
}

Coefficients slope(const Coefficients& a) {
  Coefficients result(std::max<std::size_t>(a.size(), 2) - 1);
  for (std::size_t i = 1; i < a.size(); ++i) result[i - 1] = a[i] * whole(i);
  return result;
}

/// The polynomial of degree below `points` with these values at 1, 2, ... (Newton).
Coefficients through(const std::function<Rational(const Rational&)>& value, std::size_t points) {
  std::vector<Rational> differences;
  for (std::size_t i = 0; i < points; ++i) differences.push_back(value(whole(i + 1)));
  for (std::size_t order = 1; order < points; ++order) {
    for (std::size_t i = points; i-- > order;) differences[i] = (differences[i] - differences[i - 1]) / whole(order);
  }
  Coefficients result{differences.back()};
  for (std::size_t i = points - 1; i-- > 0;) {
    result = times(result, {-whole(i + 1), 1});
    result.front() += differences[i];
  }
  return result;
}

/// By Bernstein's coefficients on from .. to, halved where they do not tell; false where that takes too many halves.
bool is_never_negative(const Coefficients& polynomial, const Rational& from, const Rational& to, int halves = 40) {
  const std::size_t degree = polynomial.size() - 1;
  // In t of x = from + (to - from) t, by Horner's rule.
  Coefficients by_share{0};
  for (std::size_t i = polynomial.size(); i-- > 0;) {
    by_share = times(by_share, {from, to - from});
    by_share.resize(degree + 1);
    by_share.front() += polynomial[i];
  }
  // Bernstein: b_j = sum over i <= j of (j over i) / (degree over i) a_i.
  std::vector<Rational> bernstein(degree + 1);
  for (std::size_t j = 0; j <= degree; ++j) {
    Rational ratio = 1;
    for (std::size_t i = 0; i <= j; ++i) {
      bernstein[j] += ratio * by_share[i];
      if (i < j) ratio *= whole(j - i) / whole(degree - i);
    }
  }
  if (std::ranges::all_of(bernstein, [](const Rational& b) { return b.sign() >= 0; })) return true;
  if (bernstein.front().sign() < 0 || bernstein.back().sign() < 0 || halves == 0) return false;
  const Rational middle = (from + to) / 2;
  return is_never_negative(polynomial, from, middle, halves - 1) &&
         is_never_negative(polynomial, middle, to, halves - 1);
}

// --- The theorems ----------------------------------------------------------------------------------------------------

Applies only_if(bool holds) { return holds ? Applies::yes : Applies::no; }

Applies no_epsilon(const flow::Pipeline& pipeline) {
  if (pipeline.perturber.release() != nullptr) return Applies::no;
  return only_if(std::ranges::all_of(perturbers_of(pipeline), [](const flow::Perturber& one) {
    return !one.depends_on_epsilon() && one.at(2) == one.at(5);
  }));
}

Applies side_by_side(const flow::Pipeline& pipeline) {
  if (pipeline.perturber.release() != nullptr) return Applies::no;
  const bool are_families = std::ranges::all_of(perturbers_of(pipeline), [](const flow::Perturber& one) {
    return !one.depends_on_epsilon() || is_response(one) || is_geometric(one);
  });
  if (!are_families) return Applies::unchecked;  // of the other families nothing is looked up here
  const bool is_shuffled = pipeline.post.kind == Kind::shuffle && pipeline.secret.kind != flow::Secret::Kind::histogram;
  const bool are_one = std::ranges::all_of(perturbers_of(pipeline), [&](const flow::Perturber& one) {
    const flow::Perturber first = perturbers_of(pipeline).front();
    return one.at(2) == first.at(2) && one.at(5) == first.at(5);
  });
  return is_shuffled && are_one ? Applies::yes : tells_all_apart(pipeline);
}

/// The probability that an answer of this value is counted.
Rational counted_at(const flow::Perturber& perturber, const Places& counted, std::size_t value, const Rational& odds) {
  const flow::Channel channel = perturber.at(odds);
  Rational sum;
  for (const std::size_t answer : counted) sum += channel(value, answer);
  return sum;
}

Applies nothing_told(const flow::Pipeline& pipeline) {
  const std::vector<flow::Perturber> each = perturbers_of(pipeline);
  if (pipeline.perturber.release() != nullptr || each.front().values() > most_values) return Applies::unchecked;
  const std::optional<Places> counted = counted_by(pipeline);
  if (!counted) return Applies::unchecked;
  for (const flow::Perturber& one : each) {
    for (std::int64_t i = 0; i < telling_points; ++i) {
      const Rational odds = Rational(1) + Rational(i, 7);
      for (std::size_t value = 1; value < one.values(); ++value) {
        if (counted_at(one, *counted, value, odds) != counted_at(one, *counted, 0, odds)) return Applies::no;
      }
    }
  }
  return Applies::yes;
}

Applies counted_responses(const flow::Pipeline& pipeline) {
  if (!is_response_of_all(pipeline)) return Applies::no;
  return counted_by(pipeline) ? Applies::yes : Applies::unchecked;
}

/// Of geometric noise, whose probabilities are polynomials of degree values + reach over (odds + 1) odds^(values - 1 + reach).
Applies two_kinds(const flow::Pipeline& pipeline, const Rational& from, const Rational& to) {
  if (pipeline.perturber.release() != nullptr) return Applies::no;
  const flow::Perturber perturber = perturbers_of(pipeline).front();
  const bool are_alike = std::ranges::all_of(perturbers_of(pipeline), is_geometric);
  if (!are_alike || perturber.values() > most_values) return Applies::unchecked;
  const std::optional<Places> counted = counted_by(pipeline);
  if (!counted) return Applies::unchecked;
  const std::size_t reach = (perturber.answers() - perturber.values()) / 2;
  const std::size_t longest = perturber.values() - 1 + reach;
  const auto all = [&](const Rational& odds) { return (odds + 1) * odds.pow(static_cast<std::int64_t>(longest)); };
  std::vector<Coefficients> kinds;
  for (std::size_t value = 0; value < perturber.values(); ++value) {
    Coefficients numerator = through(
        [&](const Rational& odds) { return counted_at(perturber, *counted, value, odds) * all(odds); }, longest + 2);
    if (std::ranges::find(kinds, numerator) == kinds.end()) kinds.push_back(std::move(numerator));
  }
  if (kinds.size() != 2) return Applies::no;
  const Coefficients denominator = through(all, longest + 2);
  if (!is_never_negative(less(kinds[1], kinds[0]), from, to)) std::swap(kinds[0], kinds[1]);
  const auto never_falls = [&](const Coefficients& a, const Coefficients& b) {
    return is_never_negative(less(times(slope(a), b), times(a, slope(b))), from, to);
  };
  const bool holds = is_never_negative(less(kinds[1], kinds[0]), from, to) && never_falls(kinds[1], kinds[0]) &&
                     never_falls(less(denominator, kinds[0]), less(denominator, kinds[1]));
  return holds ? Applies::yes : Applies::unchecked;
}

std::optional<flow::Channel> channel_with(flow::Pipeline pipeline, const flow::Matrix& single) {
  pipeline.perturber = flow::Perturber::fixed(flow::Channel(single));
  return plain_channel(pipeline, 1);
}

/// Rows are polynomials of degree N in the probability of keeping a value: N + 1 of these tell.
Applies lumping(const flow::Pipeline& asked) {
  if (!is_response_of_all(asked) || asked.secret.kind == flow::Secret::Kind::histogram) return Applies::no;
  flow::Pipeline pipeline = asked;
  pipeline.secret = {};  // a target's rows are rows of everyone's
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
  return name == "small-steps" ? Applies::unchecked : Applies::no;
}

}  // namespace fractile::report_detail
