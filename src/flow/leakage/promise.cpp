#include "flow/leakage/promise.hpp"

#include <vector>

#include "exact/checkpoint.hpp"
#include "flow/leakage/worlds.hpp"
#include "flow/pipeline/noise.hpp"
#include "libraries/fmt.hpp"
#include "privacy/guessing.hpp"

namespace fractile::flow {
namespace {

/// The perturber of the target: the last participant's if they differ.
const Perturber& perturber_of_target(const Pipeline& pipeline) {
  const std::vector<Perturber>& each = pipeline.perturber.each();
  return each.empty() ? pipeline.perturber : each.back();
}

Rational power_of(const Rational& odds, std::int64_t power) { return odds.pow(power); }
Enclosure power_of(const Enclosure& odds, std::int64_t power) {
  return Enclosure::power(odds, static_cast<std::uint64_t>(power), enclosure_bits);
}

Rational times(const Rational& number, std::size_t count) { return number * Rational(count); }
std::vector<std::vector<Rational>> entries_at(const Perturber& perturber, const Rational& odds) {
  const Noise<Integer> noise = noise_at(noise_of(perturber), odds);
  std::vector<std::vector<Rational>> entries(noise.values(), std::vector<Rational>(noise.answers()));
  for (std::size_t x = 0; x < noise.values(); ++x) {
    for (std::size_t y = 0; y < noise.answers(); ++y) {
      entries[x][y] = rational_of(noise.numerators[x][y].get());
    }
  }
  return entries;
}

std::vector<std::vector<Enclosure>> entries_at(const Perturber& perturber, const Enclosure& odds) {
  return noise_at(noise_of(perturber), odds).numerators;
}

bool may_be_zero(const Rational& number) { return number.sign() == 0; }
bool may_be_zero(const Enclosure& number) { return arb_contains_zero(number.arb()) != 0; }
bool is_certainly_zero(const Rational& number) { return number.sign() == 0; }
bool is_certainly_zero(const Enclosure& number) { return is_zero(number); }

Rational one_like(const Rational& /*like*/) { return 1; }
Enclosure one_like(const Enclosure& /*like*/) { return Enclosure::of(Rational(1), enclosure_bits); }

/// The largest ratio within a column between rows that are at most `reach` apart; nothing when there is none.
template <class Number>
std::optional<Number> largest_ratio(const std::vector<std::vector<Number>>& entries, std::size_t reach,
                                    const Number& odds) {
  Number most = one_like(odds);
  for (std::size_t x = 0; x < entries.size(); ++x) {
    checkpoint();
    for (std::size_t other = x >= reach ? x - reach : 0; other < std::min(entries.size(), x + reach + 1); ++other) {
      for (std::size_t y = 0; y < entries[x].size(); ++y) {
        if (x == other || is_certainly_zero(entries[x][y])) continue;
        if (may_be_zero(entries[other][y])) return {};
        raise_to(most, entries[x][y] / entries[other][y]);
      }
    }
  }
  return most;
}

}  // namespace

Promise::Promise(const LeakageQuestion& question)
    : values_(question.pipeline.values.size()),
      is_presence_(question.guess.about == Guess::About::presence),
      is_of_target_(question.pipeline.secret.kind == Secret::Kind::target || question.pipeline.participants == 1),
      noise_(perturber_of_target(question.pipeline)) {
  find_kind(question);
}

void Promise::find_kind(const LeakageQuestion& question) {
  const Pipeline& pipeline = question.pipeline;
  const bool is_value = question.guess.about == Guess::About::value;
  if (const CentralMechanism* const release = pipeline.perturber.release()) {
    const bool is_one = release->neighbors == Neighbors::add_remove;
    if (is_presence_ && !is_one) {
      words_ = "nothing: the promise is about tables with the same number of records";
      return;
    }
    if (!is_presence_ && !is_independent_of_others(question)) {
      words_ = "nothing: under this prior, the others' values say something about the target's";
      return;
    }
    kind_ = Kind::power;
    power_ = is_one && !is_presence_ ? 2 : 1;
    words_ = is_presence_  ? "epsilon for a record more or less"
             : power_ == 2 ? "2 epsilon for a record that is replaced: one less and one more"
                           : "epsilon for a record that is replaced";
    return;
  }
  if (is_presence_) {
    words_ = "nothing: a perturber's epsilon is about the answers of those who participate";
    return;
  }
  if (!is_independent_of_others(question)) {
    words_ = "nothing: under this prior, the others' values say something about the target's";
    return;
  }
  if (pipeline.secret.kind == Secret::Kind::histogram) {
    kind_ = Kind::bars;
    words_ = "what it allows for two bars, since a changed value moves two bars by one each";
  } else if (noise_.is_geometric()) {
    kind_ = Kind::places;
    is_in_line_ = is_value;
    power_ = static_cast<std::int64_t>(values_) - 1;
    words_ = fmt::format("epsilon a place, {} epsilon from one end of the values to the other", power_);
  } else {
    kind_ = Kind::column;
    words_ = noise_.is_randomized_response() ? "epsilon between any two values"
                                             : "the largest ratio in a column of the target's perturber";
  }
}

template <class Number>
std::optional<Number> Promise::ratio(const Number& odds) const {
  switch (kind_) {
    case Kind::nothing:
      return {};
    case Kind::power:
    case Kind::places:
      return power_of(odds, power_);
    case Kind::column:
      return largest_ratio(entries_at(noise_, odds), values_, odds);
    case Kind::bars: {
      std::optional<Number> of_one = largest_ratio(entries_at(noise_, odds), 1, odds);
      if (of_one) of_one = power_of(*of_one, 2);
      return of_one;
    }
  }
  return {};
}

template <class Number>
std::optional<Number> Promise::allowed(const Possibilities& guesses, const Number& odds) const {
  if (is_in_line_) return most_guessed_in_line(guesses.priors, odds);
  const std::optional<Number> largest = ratio(odds);
  if (!largest) return {};
  return most_guessed(guesses.priors, *largest);
}

template <class Number>
std::optional<Number> Promise::capacity(const Number& odds) const {
  if (!is_of_target_) return {};
  const std::size_t secrets = is_presence_ ? values_ + 1 : values_;
  const std::vector<Rational> uniform = Prior::uniform(secrets).probabilities();
  if (kind_ == Kind::places) return times(most_guessed_in_line(uniform, odds), secrets);
  std::optional<Number> largest = ratio(odds);
  if (!largest) return {};
  if (is_presence_) largest = power_of(*largest, 2);  // from one value to another
  return times(most_guessed(uniform, *largest), secrets);
}

template std::optional<Rational> Promise::allowed(const Possibilities&, const Rational&) const;
template std::optional<Enclosure> Promise::allowed(const Possibilities&, const Enclosure&) const;
template std::optional<Rational> Promise::capacity(const Rational&) const;
template std::optional<Enclosure> Promise::capacity(const Enclosure&) const;

std::string promise_of(const LeakageQuestion& question) { return Promise(question).words(); }

}  // namespace fractile::flow
