#include "privacy/guessing.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace fractile {
namespace {

constexpr std::int64_t precision = 320;

Rational number_of(const Rational& value, const Rational& /*like*/) { return value; }
Enclosure number_of(const Rational& value, const Enclosure& /*like*/) { return Enclosure::of(value, precision); }

void raise_to(Rational& most, const Rational& value) { most = std::max(most, value); }
void raise_to(Enclosure& most, const Enclosure& value) { most.raise_to(value); }

}  // namespace

template <class Number>
Number most_guessed(std::vector<Rational> priors, const Number& odds) {
  std::ranges::sort(priors, std::greater<>());
  Number most;
  Rational together;
  for (std::size_t others = 0; others < priors.size(); ++others) {
    together += priors[others];
    const Number among = number_of(Rational(others), odds);
    raise_to(most, odds * number_of(together, odds) / (odds + among));
  }
  return most;
}

template <class Number>
Number most_guessed_in_line(const std::vector<Rational>& priors, const Number& odds) {
  const Number one = number_of(1, odds);
  std::vector<Number> fading{one};  // odds^-i
  for (std::size_t i = 1; i < priors.size(); ++i) fading.push_back(fading.back() / odds);
  std::vector<Number> best;  // the best guess among the possibilities up to each place
  Number most;
  for (std::size_t last = 0; last < priors.size(); ++last) {
    Number here = number_of(priors[last], odds);
    const Number prior = here;
    for (std::size_t before = 0; before < last; ++before) {
      const Number& ratio = fading[last - before];
      raise_to(here, best[before] + (prior - ratio * number_of(priors[before], odds)) / (one + ratio));
    }
    raise_to(most, here);
    best.push_back(std::move(here));
  }
  return most;
}

template Rational most_guessed(std::vector<Rational>, const Rational&);
template Enclosure most_guessed(std::vector<Rational>, const Enclosure&);
template Rational most_guessed_in_line(const std::vector<Rational>&, const Rational&);
template Enclosure most_guessed_in_line(const std::vector<Rational>&, const Enclosure&);

}  // namespace fractile
