#include "requests/pipelines/epsilons.hpp"

#include <algorithm>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/privacy.hpp"
#include "libraries/fmt.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

constexpr std::int64_t largest_epsilon = 100;
constexpr std::int64_t most_digits = 10'000;  // the most digits that exp(epsilon) may have

/// The number of characters of a fraction as text, with its sign and its slash.
Rational length(const Rational& value) { return static_cast<std::int64_t>(value.to_string().size()); }

/// The largest power of ten that is at most `most`.
Rational power_of_ten(const Rational& most) {
  Rational power = 1;
  while (power > most) power /= Rational(10);
  while (power * Rational(10) <= most) power *= Rational(10);
  return power;
}

/// `count` numbers from `low` to `high` in nearly equal steps. They have as few decimals as leave the steps equal up to about a thousandth.
std::vector<Rational> spread(const Rational& low, const Rational& high, std::uint64_t count) {
  const Rational step = (high - low) / Rational(count - 1);
  const Rational unit = std::min(Rational(1), power_of_ten(step / Rational(1000)));
  std::vector<Rational> points{(low / unit).ceil() * unit};
  for (std::uint64_t i = 1; i + 1 < count; ++i) {
    const Rational exact = low + step * Rational(i);
    points.push_back((exact / unit + Rational(1, 2)).floor() * unit);
  }
  points.push_back((high / unit).floor() * unit);
  return points;
}

}  // namespace

Exponent epsilon_of(const char* field, const std::string& text) {
  Exponent epsilon = in_field(field, [&] { return Exponent::parse(text); });
  const Words example{"write for example ", Field(field).number("ln 3")};
  if (in_field(field, [&] { return epsilon > Exponent(Rational(largest_epsilon)); })) {
    usage({Field(field), fmt::format(": an epsilon above {} hides nothing", largest_epsilon)}, example);
  }
  if (epsilon.has_rational_exponential() && !epsilon.is_zero() &&
      length(epsilon.argument()) * epsilon.coefficient() > Rational(most_digits)) {
    usage({Field(field), fmt::format(": exp({}) has more than {} digits", text, most_digits)}, example);
  }
  return epsilon;
}

std::string needed(const Typed& typed, const std::string& field, const std::string& example) {
  if (!typed.has(field)) usage({Field(field), " is missing"}, {"write for example ", Field(field).number(example)});
  return typed.one(field);
}

EpsilonRange range_in(const char* field, const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    usage({Field(field), ": '", text, "' is not a range"}, "write two dots between its ends: 0.1..10, \"ln 2..ln 3\"");
  }
  EpsilonRange range{epsilon_of(field, text.substr(0, dots)), epsilon_of(field, text.substr(dots + 2))};
  if (in_field(field, [&] { return range.low >= range.high; })) {
    usage({Field(field), ": the range '", text, "' holds nothing"}, "write the smaller end first");
  }
  return range;
}

EpsilonRange range_of(const Typed& typed) {
  const Field field("epsilon");
  if (!typed.has("epsilon")) usage({field, " is missing"}, {"write for example ", field.range("0.1", "10")});
  return range_in("epsilon", typed.one("epsilon"));
}

Rational exact_odds(const char* field, const Exponent& epsilon, const flow::Pipeline& pipeline) {
  if (!pipeline.perturber.depends_on_epsilon()) return 1;
  if (epsilon.has_rational_exponential()) {
    Rational odds = epsilon.exponential();
    if (flow::is_exact_at(pipeline, flow::Odds(odds))) return odds;
    const std::int64_t degree = pipeline.perturber.root_degree();
    usage({Field(field),
           fmt::format(": this is done exactly, and the probabilities at {} are not rational", epsilon.to_string())},
          {fmt::format("write {} times a logarithm, for example ", degree),
           Field(field).number(fmt::format("{} ln 3", degree))});
  }
  usage({Field(field), fmt::format(": exp({}) is not rational, and this is done exactly", epsilon.to_string())},
        {"write a logarithm, for example ", Field(field).number("ln 3")});
}

std::vector<Exponent> points_of(const EpsilonRange& range, std::uint64_t count) {
  std::vector<Exponent> points;
  if (!range.low.is_log() && !range.high.is_log()) {
    for (Rational& epsilon : spread(range.low.coefficient(), range.high.coefficient(), count)) {
      points.emplace_back(std::move(epsilon));
    }
  } else if (range.is_exact()) {
    for (Rational& odds : spread(range.low.exponential(), range.high.exponential(), count)) {
      points.push_back(Exponent::log(std::move(odds)));
    }
  } else {
    const Field field("epsilon");
    usage({field, ": one end is a number and the other a logarithm, or a fraction of one"},
          {"write both as numbers, ", field.range("0.1", "10"), ", or both as logarithms, ",
           field.range("ln 2", "ln 20")});
  }
  return points;
}

EpsilonRange drawable(const EpsilonRange& range) {
  if (range.is_exact() || (!range.low.is_log() && !range.high.is_log())) return range;
  const Rational low = EpsilonSum(range.low).upper();
  const Rational high = EpsilonSum(range.high).lower();
  const auto within = [&](const Rational& unit) {
    return EpsilonRange{Exponent((low / unit).ceil() * unit), Exponent((high / unit).floor() * unit)};
  };
  for (std::int64_t places : {6, 12, 24}) {
    EpsilonRange result = within(Rational(10).pow(-places));
    if (result.low < result.high) return result;
  }
  return low < high ? EpsilonRange{Exponent(low), Exponent(high)} : range;
}

}  // namespace fractile::requests
