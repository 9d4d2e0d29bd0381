#include "privacy/guessing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "support/distributions.hpp"

namespace fractile {
namespace {

std::vector<Rational> some_priors(std::size_t count) { return some_distribution(count, 6); }

Rational some_odds() { return Rational(1) + Rational(*rc::gen::inRange(0, 40), 7); }

std::int64_t apart(std::size_t i, std::size_t j) { return static_cast<std::int64_t>(i > j ? i - j : j - i); }

/// The probability with which a secret is guessed right from the output of the channel with these rows.
Rational guessed(const std::vector<Rational>& priors, const std::vector<std::vector<Rational>>& rows) {
  Rational sum;
  for (std::size_t y = 0; y < rows.front().size(); ++y) {
    Rational most;
    for (std::size_t x = 0; x < rows.size(); ++x) most = std::max(most, priors[x] * rows[x][y]);
    sum += most;
  }
  return sum;
}

TEST(MostGuessed, OneOfTenWhenARecordIsReplaced) {
  const std::vector<Rational> uniform(10, Rational(1, 10));
  EXPECT_EQ(most_guessed(uniform, Rational(9)), Rational(1, 2));
  const Enclosure odds = Enclosure::of(Exponent(Rational(2)), 320).exp();
  EXPECT_NEAR(most_guessed(uniform, odds).to_double(), 0.45085, 1e-5);
}

// docs/proofs/leakage.md, "What epsilon alone allows", 2: randomized response among the likeliest attains it.
TEST(MostGuessed, IsAttainedAmongTheLikeliest) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Rational> priors = some_priors(*rc::gen::inRange<std::size_t>(1, 6));
    std::ranges::sort(priors, std::greater<>());
    const Rational odds = some_odds();
    const Rational bound = most_guessed(priors, odds);
    Rational best;
    for (std::size_t among = 1; among <= priors.size(); ++among) {
      const auto t = static_cast<std::int64_t>(among);
      std::vector<std::vector<Rational>> rows;
      for (std::size_t x = 0; x < priors.size(); ++x) {
        rows.emplace_back(among, x < among ? Rational(1) / (odds + Rational(t - 1)) : Rational(1, t));
        if (x < among) rows.back()[x] *= odds;
        for (const Rational& p : rows.back()) RC_ASSERT(p <= odds * rows.front()[1 % among] || among == 1);
      }
      best = std::max(best, guessed(priors, rows));
    }
    RC_ASSERT(best == bound);
    RC_ASSERT(most_guessed(priors, Enclosure::of(odds, 320)).contains(bound));
  }));
}

// No channel whose columns have at most that ratio is guessed more often.
TEST(MostGuessed, BoundsEveryChannel) {
  EXPECT_TRUE(rc::check([] {
    const auto count = *rc::gen::inRange<std::size_t>(2, 5);
    const std::vector<Rational> priors = some_priors(count);
    const auto observations = *rc::gen::inRange<std::size_t>(1, 6);
    std::vector<std::vector<Rational>> rows;
    for (std::size_t x = 0; x < count; ++x) {
      rows.emplace_back();
      Rational sum;
      for (std::size_t y = 0; y < observations; ++y) {
        rows.back().emplace_back(*rc::gen::inRange(1, 9));
        sum += rows.back().back();
      }
      for (Rational& p : rows.back()) p /= sum;
    }
    Rational odds = 1;
    Rational a_place = 1;
    for (std::size_t x = 0; x < count; ++x) {
      for (std::size_t other = 0; other < count; ++other) {
        for (std::size_t y = 0; y < observations; ++y) {
          const Rational ratio = rows[x][y] / rows[other][y];
          odds = std::max(odds, ratio);
          while (x != other && a_place.pow(apart(x, other)) < ratio) a_place += Rational(1, 8);
        }
      }
    }
    RC_ASSERT(guessed(priors, rows) <= most_guessed(priors, odds));
    RC_ASSERT(guessed(priors, rows) <= most_guessed_in_line(priors, a_place));
  }));
}

/// Solves by Gauss-Jordan elimination; the matrix is regular.
std::vector<Rational> solved(std::vector<std::vector<Rational>> rows) {
  const std::size_t size = rows.size();
  for (std::size_t i = 0; i < size; ++i) {
    const Rational pivot = rows[i][i];
    for (Rational& entry : rows[i]) entry /= pivot;
    for (std::size_t k = 0; k < size; ++k) {
      if (k == i) continue;
      const Rational factor = rows[k][i];
      for (std::size_t j = 0; j <= size; ++j) rows[k][j] -= factor * rows[i][j];
    }
  }
  std::vector<Rational> solution;
  for (const std::vector<Rational>& row : rows) solution.push_back(row.back());
  return solution;
}

// The same, 3: the recursion finds the best of all sets.
TEST(MostGuessed, InALineIsTheBestOfAllSets) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Rational> priors = some_priors(*rc::gen::inRange<std::size_t>(1, 6));
    const Rational odds = some_odds() + Rational(1, 9);
    Rational best;
    for (std::size_t set = 1; set < std::size_t{1} << priors.size(); ++set) {
      std::vector<std::size_t> chosen;
      for (std::size_t i = 0; i < priors.size(); ++i) {
        if ((set >> i) % 2 == 1) chosen.push_back(i);
      }
      std::vector<std::vector<Rational>> rows;
      for (const std::size_t i : chosen) {
        rows.emplace_back();
        for (const std::size_t j : chosen) rows.back().push_back(odds.pow(-apart(i, j)));
        rows.back().emplace_back(1);
      }
      const std::vector<Rational> weights = solved(std::move(rows));
      Rational value;
      for (std::size_t i = 0; i < chosen.size(); ++i) value += priors[chosen[i]] * weights[i];
      best = std::max(best, value);
    }
    RC_ASSERT(most_guessed_in_line(priors, odds) == best);
    RC_ASSERT(most_guessed_in_line(priors, Enclosure::of(odds, 320)).contains(best));
    RC_ASSERT(most_guessed_in_line(priors, odds) <= most_guessed(priors, odds.pow(5)));
  }));
}

}  // namespace
}  // namespace fractile
