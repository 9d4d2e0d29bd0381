#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "quantiles/release/attacker.hpp"

namespace fractile {
namespace {

using GuessAbout = PersonGuess::About;

RankProfile guessed_table(const Lattice& lattice, const std::vector<std::uint64_t>& counts) {
  std::vector<Position> positions;
  std::vector<std::uint64_t> some;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    positions.push_back(2 * i + 1);
    some.push_back(counts[i]);
  }
  return {lattice, positions, some};
}

std::vector<std::uint64_t> some_guessed_counts(std::size_t values) {
  std::vector<std::uint64_t> counts(values);
  for (std::uint64_t& count : counts) count = static_cast<std::uint64_t>(*rc::gen::inRange(0, 4));
  ++counts[static_cast<std::size_t>(*rc::gen::inRange<std::size_t>(0, values))];
  return counts;
}

/// The exponential mechanism's probabilities, in doubles.
std::vector<double> selection_law(const std::vector<std::uint64_t>& counts, const QuantileFraction& alpha,
                                  double rate) {
  const std::uint64_t n = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  std::vector<double> law;
  std::uint64_t below = 0;
  double sum = 0;
  for (const std::uint64_t count : counts) {
    law.push_back(std::exp(-rate * static_cast<double>(interval_score(alpha, below, count, n))));
    sum += law.back();
    below += count;
  }
  for (double& p : law) p /= sum;
  return law;
}

// docs/proofs/leakage.md, "Releases of quantiles", 1: against the law of every table.
TEST(PersonLeakage, OneQuantileIsThatOfItsLaw) {
  EXPECT_TRUE(rc::check([] {
    const auto values = *rc::gen::inRange<std::size_t>(2, 7);
    const Lattice lattice = Lattice::numbers(values);
    const std::vector<std::uint64_t> reference = some_guessed_counts(values);
    const auto rows = *rc::gen::inRange<std::uint64_t>(2, 12);
    const QuantileFraction alpha = QuantileFraction::of(Rational(*rc::gen::inRange(0, 5), 4));
    const KnownTable known = known_table(guessed_table(lattice, reference), rows);
    const BaseMeasure weights(0, values - 1, 1);
    const OneSelection selection{alpha, Exponent(Rational(*rc::gen::inRange(1, 9), 8)), weights};

    std::vector<std::uint64_t> others(values);
    std::vector<double> prior(values);
    for (std::size_t k = 0; k < known.positions.size(); ++k) {
      others[known.positions[k] / 2] = known.others[k];
      prior[known.positions[k] / 2] = known.priors[k].to_double();
    }
    RC_ASSERT(std::accumulate(others.begin(), others.end(), std::uint64_t{0}) == rows - 1);
    const double rate = selection.rate.to_double();
    std::vector<std::vector<double>> laws;
    for (std::size_t value = 0; value < values; ++value) {
      std::vector<std::uint64_t> table = others;
      ++table[value];
      laws.push_back(selection_law(table, alpha, rate));
    }
    const std::vector<double> absent = selection_law(others, alpha, rate);

    const auto limit = *rc::gen::inRange<std::size_t>(1, values);
    std::vector<bool> above;
    for (const Position position : known.positions) above.push_back(position / 2 >= limit);
    double right_value = 0;
    double right_above = 0;
    double right_presence = 0;
    for (std::size_t y = 0; y < values; ++y) {
      double most = 0;
      double sides[2] = {};
      for (std::size_t value = 0; value < values; ++value) {
        const double joint = prior[value] * laws[value][y];
        most = std::max(most, joint);
        sides[value >= limit ? 0 : 1] += joint;
      }
      right_value += most;
      right_above += std::max(sides[0], sides[1]);
      right_presence += std::max((sides[0] + sides[1]) / 2, absent[y] / 2);
    }
    const auto near = [](const Enclosure& found, double expected) {
      return std::abs(found.to_double() - expected) < 1e-9 && found.upper_double() - found.lower_double() < 1e-12;
    };
    RC_ASSERT(near(Attacker(known, selection, GuessAbout::value, {}).right_about_value(), right_value));
    RC_ASSERT(near(Attacker(known, selection, GuessAbout::above, above).right_about_two(), right_above));
    RC_ASSERT(near(Attacker(known, selection, GuessAbout::presence, {}).right_about_two(), right_presence));
  }));
}

QuantileQuery guessed_query(std::vector<Rational> quantiles, const Budget& budget, Mechanism mechanism) {
  QuantileQuery query{std::move(quantiles), budget};
  query.mechanism = mechanism;
  return query;
}

TEST(PersonLeakage, TheMedianOfAHundred) {
  const Lattice lattice = Lattice::numbers(10);
  const RankProfile reference = guessed_table(lattice, std::vector<std::uint64_t>(10, 10));
  const QuantileQuery query = guessed_query({Rational(1, 2)}, Budget::pure(Rational(1)), Mechanism::exponential);
  const PersonLeakage found = person_leakage(query, lattice, reference, 100, {});
  EXPECT_EQ(found.before, Rational(1, 10));
  EXPECT_NEAR(found.knowing_these_others->to_double(), 0.123, 0.001);
  EXPECT_NEAR(found.allowed.to_double(), 0.45085, 1e-5);
  EXPECT_LE(found.knowing_any_others, found.allowed);
  EXPECT_LE(*found.knowing_these_others, found.knowing_any_others);
  // An observer who knows only that all values are equally likely guesses right at most as often as the most frequent value occurs.
  EXPECT_LT(found.knowing_the_distribution, Rational(1, 5));
}

// The bounds are in order for every query.
TEST(PersonLeakage, LessIsKnownAndLessIsRight) {
  const Lattice lattice = Lattice::regular(0, 1000, 1);
  const RankProfile reference = reference_table(lattice, Shape::normal, 1000);
  const std::vector<Rational> deciles{Rational(1, 10), Rational(1, 5),  Rational(3, 10), Rational(2, 5), Rational(1, 2),
                                      Rational(3, 5),  Rational(7, 10), Rational(4, 5),  Rational(9, 10)};
  for (const Mechanism mechanism : all_mechanisms) {
    for (const Budget& budget : {Budget::pure(Rational(1)), Budget::zcdp(Rational(1, 2))}) {
      for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::change_one}) {
        for (const PersonGuess& guess :
             {PersonGuess{}, PersonGuess{GuessAbout::presence}, PersonGuess{GuessAbout::above, Rational(600)}}) {
          QuantileQuery query = guessed_query(
              mechanism == Mechanism::exponential ? std::vector{Rational(1, 2)} : deciles, budget, mechanism);
          query.neighbors = neighbors;
          const PersonLeakage found = person_leakage(query, lattice, reference, 1000, guess);
          EXPECT_LE(found.before, found.knowing_the_distribution);
          EXPECT_LE(found.knowing_the_distribution, found.knowing_any_others);
          EXPECT_LE(found.knowing_any_others, found.allowed);
          EXPECT_LE(found.allowed, Rational(1));
          EXPECT_EQ(found.knowing_these_others.has_value(),
                    mechanism == Mechanism::exponential &&
                        !(guess.about == GuessAbout::presence && neighbors == Neighbors::change_one));
          EXPECT_LE(found.knowing_these_others.value_or(0), found.knowing_any_others);
          const bool is_bounded = guess.about != GuessAbout::presence || neighbors == Neighbors::add_remove;
          EXPECT_EQ(found.allowed == Rational(1), !is_bounded);
        }
      }
    }
  }
}

// The same, 3: one selection costs less than epsilon alone allows, and several in a row less than their sum.
TEST(PersonLeakage, PartsAllowLessThanTheirSum) {
  const Lattice lattice = Lattice::regular(0, 90, 1);
  const RankProfile reference = reference_table(lattice, Shape::uniform, 1000);
  const PersonGuess guess{PersonGuess::About::above, Rational(45)};
  const Rational half(1, 2);
  const PersonLeakage one = person_leakage(guessed_query({half}, Budget::pure(Rational(1)), Mechanism::exponential),
                                           lattice, reference, 1000, guess);
  EXPECT_NEAR(one.allowed.to_double(), 1 / (1 + std::exp(-2)), 0.01);
  EXPECT_NEAR(one.knowing_any_others.to_double(), 1 / (1 + std::exp(-1)), 0.01);  // of bounded range 2: e^1
  const PersonLeakage levels = person_leakage(
      guessed_query({Rational(1, 4), half, Rational(3, 4)}, Budget::pure(Rational(1)), Mechanism::approximate), lattice,
      reference, 1000, guess);
  EXPECT_LT(levels.knowing_any_others.to_double(), 1 / (1 + std::exp(-1.5)));
  EXPECT_GE(levels.knowing_any_others.to_double(), 1 / (1 + std::exp(-0.5)));
}

// The same, 5: against all tables of a few records.
TEST(PersonLeakage, TheDistributionAloneSaysLittle) {
  for (std::uint64_t rows = 1; rows <= 7; ++rows) {
    for (const Rational& share : {Rational(1, 2), Rational(1, 3), Rational(9, 10), Rational(1)}) {
      double right = 0;
      for (std::uint64_t above = 0; above <= rows; ++above) {
        const double p = std::tgamma(rows + 1) / std::tgamma(above + 1) / std::tgamma(rows - above + 1) *
                         std::pow(share.to_double(), above) * std::pow(1 - share.to_double(), rows - above);
        right += p * static_cast<double>(std::max(above, rows - above)) / static_cast<double>(rows);
      }
      const double found = guesses_by_share(share, rows).to_double();
      EXPECT_GE(found, right - 1e-12);
      EXPECT_LE(found, right + (rows % 2 == 1 ? 1.0 / static_cast<double>(rows) : 1e-12));
    }
  }
  EXPECT_NEAR(guesses_by_share(Rational(61, 100), 50'000).to_double(), 0.61, 1e-6);
  EXPECT_NEAR(guesses_by_share(Rational(1, 2), 50'000).to_double(), 0.50178, 1e-4);
  // For many records the bound is by inequalities: it is not below the bound by fewer terms, and almost equal to it.
  for (const Rational& share : {Rational(1, 2), Rational(499, 1000), Rational(1, 3)}) {
    const double summed = guesses_by_share(share, 10'000'000).to_double();
    const double bounded = guesses_by_share(share, 10'000'001).to_double();
    EXPECT_GE(bounded, summed - 1e-6);
    EXPECT_LE(bounded, summed + 1e-4);
  }
  EXPECT_NEAR(guesses_by_share(Rational(1, 2), (std::uint64_t{1} << 48) - 1).to_double(), 0.5, 1e-6);
}

TEST(PersonLeakage, Refusals) {
  const Lattice lattice = Lattice::numbers(4);
  const RankProfile reference = guessed_table(lattice, {1, 1, 1, 1});
  const QuantileQuery query = guessed_query({Rational(1, 2)}, Budget::pure(Rational(1)), Mechanism::exponential);
  for (const std::int64_t limit : {-1, 3, 9}) {
    const PersonGuess guess{PersonGuess::About::above, Rational(limit)};
    EXPECT_THROW(person_leakage(query, lattice, reference, 10, guess), Error);
  }
  EXPECT_THROW(person_leakage(query, lattice, reference, 0, {}), Error);
  EXPECT_THROW(person_leakage(query, lattice, guessed_table(lattice, {0, 0, 0, 0}), 10, {}), Error);
  const Lattice listed = Lattice::explicit_points({0, 10, 20});
  const RankProfile between(listed, {1, 2, 3}, std::vector<std::uint64_t>{1, 1, 1});
  EXPECT_THROW(person_leakage(query, listed, between, 10, {PersonGuess::About::above, Rational(5)}), Error);
  EXPECT_LT(person_leakage(query, listed, between, 10, {PersonGuess::About::above, Rational(0)}).before, Rational(1));
  EXPECT_THROW(person_leakage(query, lattice, reference, ~std::uint64_t{0}, {}), Error);
}

// Numbers that are no probabilities gave bounds such as 0, which no attacker keeps.
TEST(PersonLeakage, BoundsAreOnlyOfProbabilities) {
  const auto refused = [](auto call) {
    try {
      call();
      return false;
    } catch (const Error& error) {
      return error.code() == ErrorCode::usage && !error.hint().empty();
    }
  };
  const auto allowed = [](const std::vector<Rational>& priors) {
    return allowed_guesses(Budget::pure(Rational(1)), Neighbors::add_remove, GuessAbout::value, priors);
  };
  EXPECT_TRUE(refused([&] { allowed({}); }));
  EXPECT_TRUE(refused([&] { allowed({Rational(1, 4), Rational(1, 4)}); }));
  EXPECT_TRUE(refused([&] { allowed({1, 1}); }));
  EXPECT_TRUE(refused([&] { allowed({2, -1}); }));
  EXPECT_EQ(allowed({0, 1}), 1);
  EXPECT_TRUE(refused([] { guesses_by_share(2, 10); }));
  EXPECT_TRUE(refused([] { guesses_by_share(-1, 10); }));
  EXPECT_TRUE(refused([] { guesses_by_share(Rational(1, 2), 0); }));
  EXPECT_TRUE(refused([] { guesses_by_share(Rational(1, 2), RankProfile::max_records + 1); }));
}

}  // namespace
}  // namespace fractile
