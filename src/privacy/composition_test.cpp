#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <vector>

#include "exact/enclosure.hpp"
#include "fractile/error.hpp"
#include "fractile/privacy.hpp"
#include "support/errors.hpp"

namespace fractile {
namespace {

// A double was once rounded to a whole number: Budget::zcdp(1.5) had rho = 1.
template <class Number>
concept IsARho = requires(Number rho) {
  Budget::zcdp(rho);
};
template <class Number>
concept IsAnEpsilon = requires(Number epsilon) {
  Budget::pure(epsilon);
};
static_assert(IsARho<int> && !IsARho<double> && !IsARho<float>);
static_assert(IsAnEpsilon<Rational> && !IsAnEpsilon<double>);

using Law = std::vector<Rational>;

/// The law of an answer that is true with odds `odds` to 1.
Law randomized_response(const Rational& odds, bool truth) {
  const Rational yes = odds / (odds + Rational(1));
  return truth ? Law{yes, Rational(1) - yes} : Law{Rational(1) - yes, yes};
}

Law independent(const Law& a, const Law& b) {
  Law result;
  for (const Rational& x : a) {
    for (const Rational& y : b) result.push_back(x * y);
  }
  return result;
}

/// The largest P(y)/Q(y), which is e^epsilon.
Rational worst_ratio(const Law& p, const Law& q) {
  Rational worst;
  for (std::size_t y = 0; y < p.size(); ++y) worst = std::max({worst, p[y] / q[y], q[y] / p[y]});
  return worst;
}

Enclosure renyi_of_order_2(const Law& p, const Law& q) {
  Rational moment;
  for (std::size_t y = 0; y < p.size(); ++y) moment += p[y] * p[y] / q[y];
  return Enclosure::of(moment, 300).log();
}

bool is_zcdp_at_2(const Law& p, const Law& q, const Rational& rho) {
  return !certainly_less(Enclosure::of(rho * Rational(2), 300), renyi_of_order_2(p, q));
}

TEST(Composition, AddsCosts) {
  const std::vector<Exponent> epsilons{Rational(1, 2), Exponent::log(3), Rational(1, 4)};
  EXPECT_EQ(compose_pure(epsilons).to_string(), "3/4 + ln 3");
  EXPECT_EQ(compose_zcdp(std::vector<Rational>{{1, 8}, {1, 16}}), Rational(3, 16));
  const std::vector<ApproximateCost> costs{{Exponent(1), {1, 10}}, {Exponent::log(2), {1, 5}}};
  EXPECT_EQ(compose_approximate(costs).epsilon, EpsilonSum(Exponent(1)) + Exponent::log(2));
  EXPECT_EQ(compose_approximate(costs).delta, Rational(3, 10));
  EXPECT_EQ(compose_approximate(std::vector<ApproximateCost>(20, costs[0])).delta, Rational(1));
  EXPECT_EQ(compose_pure({}).upper(), Rational(0));
}

TEST(Composition, RefusesWhatIsNoCost) {
  EXPECT_THROW(compose_zcdp(std::vector<Rational>{1, -1}), Error);
  EXPECT_THROW(compose_approximate(std::vector<ApproximateCost>{{Exponent(1), 2}}), Error);
  EXPECT_THROW(parallel_zcdp(std::vector<Rational>{-1}, Neighbors::add_remove), Error);
  EXPECT_THROW(group_pure(Rational(1), 0), Error);
  EXPECT_THROW(group_zcdp(-1, 2), Error);
}

TEST(Composition, OfRandomizedResponsesIsAttained) {
  EXPECT_TRUE(rc::check("e^(sum of epsilons) is the worst ratio", [] {
    const Rational a = Rational(1) + Rational(*rc::gen::inRange(1, 100), 10);
    const Rational b = Rational(1) + Rational(*rc::gen::inRange(1, 100), 10);
    const Law p = independent(randomized_response(a, true), randomized_response(b, true));
    const Law q = independent(randomized_response(a, false), randomized_response(b, false));
    const std::vector<Exponent> epsilons{Exponent::log(a), Exponent::log(b)};
    RC_ASSERT(compose_pure(epsilons) == EpsilonSum(Exponent::log(worst_ratio(p, q))));
    const std::vector<Rational> rhos{zcdp_of_pure_tight(epsilons[0]), zcdp_of_pure_tight(epsilons[1])};
    RC_ASSERT(is_zcdp_at_2(p, q, compose_zcdp(rhos)));
  }));
}

// Parts: three parts, each asked by randomized response whether the moving record is in it.

struct Parts {
  std::array<Rational, 3> odds;

  Law answers(std::size_t part_of_the_record) const {
    Law law{1};
    for (std::size_t part = 0; part < odds.size(); ++part) {
      law = independent(law, randomized_response(odds[part], part == part_of_the_record));
    }
    return law;
  }
  std::vector<Exponent> epsilons() const {
    std::vector<Exponent> result;
    for (const Rational& r : odds) result.push_back(Exponent::log(r));
    return result;
  }
};

TEST(Composition, PartsCostTheLargestOrTheTwoLargest) {
  const Parts parts{{Rational(2), Rational(5), Rational(3)}};
  const std::size_t nowhere = 3;
  Rational added(1);
  Rational moved(1);
  for (std::size_t part = 0; part < 3; ++part) {
    added = std::max(added, worst_ratio(parts.answers(part), parts.answers(nowhere)));
    for (std::size_t to = 0; to < 3; ++to) moved = std::max(moved, worst_ratio(parts.answers(part), parts.answers(to)));
  }
  const EpsilonSum add_remove = parallel_pure(parts.epsilons(), Neighbors::add_remove);
  const EpsilonSum change_one = parallel_pure(parts.epsilons(), Neighbors::change_one);
  EXPECT_EQ(add_remove, EpsilonSum(Exponent::log(added)));
  EXPECT_EQ(change_one, EpsilonSum(Exponent::log(moved)));
  EXPECT_LT(add_remove, EpsilonSum(Exponent::log(moved)));  // the mutant: the largest alone under change-one
}

TEST(Composition, PartsUnderZcdp) {
  const std::vector<Rational> rhos{{1, 8}, {1, 2}, {1, 4}};
  EXPECT_EQ(parallel_zcdp(rhos, Neighbors::add_remove), Rational(1, 2));
  EXPECT_EQ(parallel_zcdp(rhos, Neighbors::change_one), Rational(3, 4));
  EXPECT_EQ(parallel_zcdp({}, Neighbors::change_one), Rational(0));
  EXPECT_EQ(parallel_zcdp(std::vector<Rational>{1}, Neighbors::change_one), Rational(1));
  const std::vector<Exponent> kinds{Rational(1), Exponent::log(2), Exponent::log(3)};
  EXPECT_EQ(parallel_pure(kinds, Neighbors::change_one), EpsilonSum(Rational(1)) + Exponent::log(3));
}

// Groups: an exponential mechanism on two outcomes, whose score moves by one step per record.

Law selection(const Rational& odds_per_record, int records) {
  const Rational odds = odds_per_record.pow(records);
  return {odds / (odds + Rational(1)), Rational(1) / (odds + Rational(1))};
}

TEST(Composition, GroupsCostTheirSizeAndItsSquare) {
  const Rational odds(11, 10);
  const Exponent eta = Exponent::log(odds);
  const Rational rho = zcdp_of_bounded_range_tight(eta);
  for (int size = 1; size <= 8; ++size) {
    const Law p = selection(odds, size - size / 2);
    const Law q = selection(odds, -(size / 2));
    EXPECT_LE(EpsilonSum(Exponent::log(worst_ratio(p, q))), EpsilonSum(group_pure(eta, size)));
    EXPECT_TRUE(is_zcdp_at_2(p, q, group_zcdp(rho, size))) << size;
    EXPECT_EQ(is_zcdp_at_2(p, q, rho * Rational(size)), size == 1) << size;  // the mutant: size instead of its square
  }
  EXPECT_EQ(group_zcdp({1, 8}, 3), Rational(9, 8));
  EXPECT_EQ(group_pure(Exponent::log(2), 3), Exponent::log(2, 3));
}

// Filters.

TEST(PrivacyFilter, SpendsExactlyTheBudget) {
  PrivacyFilter filter(Budget::pure(Rational(1)));
  for (int step = 0; step < 10; ++step) filter.spend(Budget::pure(Rational(1, 10)));  // 0.1 ten times is 1, here
  EXPECT_EQ(filter.remaining(), Rational(0));
  EXPECT_FALSE(filter.can_spend(Budget::pure(Rational::dyadic(1, -200))));
}

TEST(PrivacyFilter, KnowsTheRulesOfLogarithms) {
  PrivacyFilter filter(Budget::pure(Exponent::log(12)));
  filter.spend(Budget::pure(Exponent::log(3)));
  filter.spend(Budget::pure(Exponent::log(2)));
  EXPECT_TRUE(filter.can_spend(Budget::pure(Exponent::log(4, {1, 2}))));
  EXPECT_FALSE(filter.can_spend(Budget::pure(Rational::parse("0.693147180559945309417232121459"))));
  filter.spend(Budget::pure(Exponent::log(4, {1, 2})));
  EXPECT_EQ(filter.remaining(), Rational(0));
}

TEST(PrivacyFilter, ARefusalSpendsNothingAndSaysWhatRemains) {
  PrivacyFilter filter(Budget::zcdp({1, 2}));
  filter.spend(Budget::zcdp({3, 8}));
  const Error error = testing::error_of([&] { filter.spend(Budget::zcdp({1, 4})); });
  EXPECT_EQ(error.code(), ErrorCode::budget_refused);
  EXPECT_STREQ(error.what(), "a cost of rho = 1/4 exceeds what remains, 1/8 of a budget of rho = 1/2");
  EXPECT_EQ(filter.spent_rho(), Rational(3, 8));
  filter.spend(Budget::zcdp({1, 8}));
}

TEST(PrivacyFilter, TakesPureCostsInRhoButNotTheOtherWayRound) {
  PrivacyFilter zcdp(Budget::zcdp({1, 2}));
  zcdp.spend(Budget::pure(Rational(1)));
  EXPECT_EQ(zcdp.spent_rho(), zcdp_of_pure_tight(Rational(1)));
  EXPECT_THROW(zcdp.spent_epsilon(), Error);
  PrivacyFilter pure(Budget::pure(Rational(1)));
  EXPECT_THROW(static_cast<void>(pure.can_spend(Budget::zcdp({1, 8}))), Error);
  EXPECT_THROW(pure.spent_rho(), Error);
}

TEST(PrivacyFilter, NeverOverspendsWhateverIsAsked) {
  EXPECT_TRUE(rc::check("random costs of both kinds", [] {
    const Exponent total = Exponent::log(Rational(*rc::gen::inRange(2, 100)));
    PrivacyFilter filter(Budget::pure(total));
    EpsilonSum spent;
    for (int step = 0; step < 20; ++step) {
      const int n = *rc::gen::inRange(1, 8);
      const Exponent cost = *rc::gen::arbitrary<bool>() ? Exponent(Rational(n, 5)) : Exponent::log(n + 1);
      const bool is_affordable = spent + cost <= EpsilonSum(total);
      RC_ASSERT(filter.can_spend(Budget::pure(cost)) == is_affordable);
      if (is_affordable) {
        filter.spend(Budget::pure(cost));
        spent += cost;
      } else {
        RC_ASSERT_THROWS_AS(filter.spend(Budget::pure(cost)), Error);
      }
      RC_ASSERT(filter.spent_epsilon() == spent);
      RC_ASSERT(spent + Exponent(filter.remaining()) <= EpsilonSum(total));
    }
  }));
}

/// The largest e^loss and zCDP moments over transcripts of an analyst who picks each cost by the answers so far: an
/// interaction of `filter` with randomized responses of odds 2 or 5, chosen by the last answer, refused when too dear.
struct Interaction {
  void run(const PrivacyFilter& filter, bool last, const Rational& p, const Rational& q) {
    ASSERT_GT(p, Rational::dyadic(1, -60)) << "the filter never refuses";
    const Rational odds = last ? 5 : 2;
    const Budget cost = Budget::pure(Exponent::log(odds));
    if (!filter.can_spend(cost)) {
      worst = std::max({worst, p / q, q / p});
      moment += p * p / q;
      return;
    }
    PrivacyFilter next = filter;
    next.spend(cost);
    const Law truth = randomized_response(odds, true);
    run(next, true, p * truth[0], q * truth[1]);
    run(next, false, p * truth[1], q * truth[0]);
  }
  Rational worst;
  Rational moment;
};

TEST(PrivacyFilter, KeepsTheBudgetWhenCostsDependOnAnswers) {
  Interaction pure;
  pure.run(PrivacyFilter(Budget::pure(Exponent::log(50))), false, 1, 1);
  EXPECT_EQ(pure.worst, Rational(50));  // 2, 5, 5 in a row: attained, never exceeded
  Interaction zcdp;
  const Rational rho(3, 2);
  zcdp.run(PrivacyFilter(Budget::zcdp(rho)), false, 1, 1);
  EXPECT_TRUE(certainly_less(Enclosure::of(zcdp.moment, 300).log(), Enclosure::of(rho * Rational(2), 300)));
  EXPECT_GT(zcdp.moment, Rational(2));
}

/// What an analyst with an (epsilon, delta) budget sees, who picks each mechanism and its cost by the answers so far: responses
/// that reveal the table outright with probability delta, and otherwise have odds; both are larger after a "yes".
struct ApproximateInteraction {
  void run(Rational odds_left, Rational delta_left, bool last, const Rational& p, const Rational& q) {
    const Rational odds = last ? 3 : 2;
    const Rational delta = last ? Rational(1, 10) : Rational(1, 100);
    if (odds > odds_left || delta > delta_left) {
      excess += std::max(p - odds_of_budget * q, Rational(0));
      return;
    }
    odds_left /= odds;
    delta_left -= delta;
    const Rational more = (Rational(1) - delta) * odds / (odds + Rational(1));
    const Rational less = (Rational(1) - delta) / (odds + Rational(1));
    excess += p * delta;  // revealed: the other table cannot have answered so
    run(odds_left, delta_left, true, p * more, q * less);
    run(odds_left, delta_left, false, p * less, q * more);
  }
  Rational odds_of_budget;
  Rational excess;  ///< the least delta of the whole at the budget's epsilon
};

TEST(Composition, OfApproximateCostsChosenByAnswersKeepsTheBudget) {
  for (const std::int64_t odds : {3, 6, 12, 40}) {
    for (const Rational& delta : {Rational(1, 20), Rational(3, 10), Rational(1, 2)}) {
      ApproximateInteraction interaction{odds, {}};
      interaction.run(odds, delta, true, 1, 1);
      EXPECT_LE(interaction.excess, delta);
      ApproximateInteraction mutant{Rational(odds, 2), {}};  // the first answer is not paid for
      mutant.run(odds, delta, true, 1, 1);
      if (delta == Rational(3, 10) && odds == 12) {
        EXPECT_GT(mutant.excess, delta);
      }
    }
  }
}

}  // namespace
}  // namespace fractile
