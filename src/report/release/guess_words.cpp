#include "report/release/guess_words.hpp"

#include <algorithm>

#include "libraries/fmt.hpp"
#include "report/text/decimals.hpp"

namespace fractile {

std::string report_detail::percent_up(const Rational& probability) {
  return rounded_percent(std::min(probability, Rational(1)) * Rational(100), 2) + " %";
}

std::string report_detail::guess_in_words(const PlannedGuess& guess) {
  switch (guess.guess.about) {
    case PersonGuess::About::presence:
      return "whether a person is among them";
    case PersonGuess::About::above:
      return "whether a person's value is above " + guess.limit;
    case PersonGuess::About::value:
      break;
  }
  return "which of the possible values a person has";
}

std::vector<report_detail::Row> report_detail::guess_rows(const PlannedGuess& guess) {
  const PersonLeakage& leakage = guess.leakage;
  std::vector<Row> rows{{"attacker", "right, in 100 guesses"},
                        {"before the release, knowing how values are spread", percent_up(leakage.before)},
                        {"with it, knowing no more than that, at most", percent_up(leakage.knowing_the_distribution)}};
  if (leakage.knowing_these_others) {
    rows.push_back(
        {"with it, knowing all others' values, spread the same, at most", percent_up(*leakage.knowing_these_others)});
  }
  rows.push_back(
      {"with it, knowing all others' values, whatever they are, at most", percent_up(leakage.knowing_any_others)});
  rows.push_back({"by the budget alone, at most", percent_up(leakage.allowed)});
  return rows;
}

std::string report_detail::guess_meaning(const PlannedGuess& guess) {
  return fmt::format("How often the best guess of {} is right,\namong {} whose values are spread as in {}",
                     guess_in_words(guess), counted(guess.rows, "record"), guess.reference);
}

}  // namespace fractile
