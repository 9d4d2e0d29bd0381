#include "quantiles/draws/odometer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <tuple>
#include <type_traits>

#include "fractile/error.hpp"
#include "fractile/release.hpp"
#include "quantiles/joint/joint.hpp"
#include "quantiles/release/release.hpp"
#include "quantiles/stages/count_tree.hpp"
#include "support/draws.hpp"
#include "support/releases.hpp"

namespace fractile {
namespace {

Budget pure_budget(const Rational& epsilon) { return Budget::pure(Exponent(epsilon)); }

/// The code of the error that a call throws.
template <class Call>
std::optional<ErrorCode> error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return {};
}

SelectionPrice price(const Rational& rate, std::int64_t added, std::int64_t changed) { return {rate, added, changed}; }

// --- What does not compile ------------------------------------------------------------------------------------------

static_assert(!std::is_copy_constructible_v<Share> && !std::is_copy_assignable_v<Share>);
static_assert(!std::is_constructible_v<Share, Budget>);

template <class Source>
concept DrawsUnpaid = requires(Source& source, const Selection& selection, const PreparedRate& rate) {
  source.select(selection, rate);
};
template <class Source>
concept DrawsNoiseUnpaid = requires(Source& source, const CountTreeNoise& noise, std::span<std::int64_t> counts) {
  source.add_noise(noise, counts);
};
template <class S>
concept DrawnUnpaid = requires(const S& selection, const PreparedRate& rate, RandomBits& bits) {
  selection.draw(rate, bits, Filter{});
};
static_assert(!DrawsUnpaid<DrawSource> && !DrawsUnpaid<RandomSource>);
static_assert(!DrawsNoiseUnpaid<DrawSource> && !DrawsNoiseUnpaid<RandomSource>);
static_assert(!DrawnUnpaid<Selection> && !DrawnUnpaid<ScoredSelection>);
// A rate cannot be given the price of another one.
static_assert(!std::is_constructible_v<PricedRate, Exponent, Quote>);
static_assert(!std::is_default_constructible_v<PricedRate> && !std::is_aggregate_v<PricedRate>);
static_assert(!std::is_constructible_v<PaidPart, DrawSource&, Odometer&, std::size_t>);

// --- Shares ---------------------------------------------------------------------------------------------------------

TEST(Share, PartsNeverAddUpToMoreThanTheWhole) {
  Share whole = Share::whole(Budget::pure(Exponent::parse("2 ln 3")));
  EXPECT_EQ(whole.take(Rational(1, 4)).amount().to_string(), "epsilon = 1/2 ln 3");
  EXPECT_EQ(whole.amount().to_string(), "epsilon = 3/2 ln 3");
  EXPECT_EQ(error_of([&] { whole.take(Rational(7, 8)); }), ErrorCode::internal);
  EXPECT_EQ(error_of([&] { whole.take(Rational(0)); }), ErrorCode::internal);
  EXPECT_EQ(whole.take_rest().amount().to_string(), "epsilon = 3/2 ln 3");
  EXPECT_EQ(error_of([&] { whole.take_rest(); }), ErrorCode::internal);
  EXPECT_EQ(error_of([&] { (void)whole.amount(); }), ErrorCode::internal);
}

TEST(Share, ADeltaStaysWithTheRest) {
  Share whole = Share::whole(Budget::approximate(Rational(1), Rational(1, 1000)));
  EXPECT_EQ(whole.take(Rational(1, 10)).amount().to_string(), "epsilon = 1/10");
  EXPECT_EQ(whole.take_rest().amount().to_string(), "epsilon = 9/10, delta = 1/1000");
}

TEST(Share, GroupsHaveItBesideEachOther) {
  Share whole = Share::whole(pure_budget(1));
  whole.take(Rational(1, 10));
  GroupShares groups = whole.for_groups(3);
  for (int group = 0; group < 3; ++group) EXPECT_EQ(groups.take().amount().to_string(), "epsilon = 9/10");
  EXPECT_EQ(error_of([&] { groups.take(); }), ErrorCode::internal);
  EXPECT_EQ(error_of([&] { whole.take_rest(); }), ErrorCode::internal);
}

// --- The odometer ---------------------------------------------------------------------------------------------------

/// An odometer with one part that has all of the budget.
struct OnePart {
  Odometer odometer;
  std::size_t part;
  OnePart(const Budget& budget, PersonSteps person)
      : odometer(budget, person), part(odometer.begin("all", Share::whole(budget))) {}
  std::string spent() const { return odometer.spent().front().amount.to_string(); }
};

TEST(Odometer, AddsUpDrawsOneAfterTheOther) {
  OnePart one(pure_budget(1), {Neighbors::add_remove, 1});
  const Quote quarter = one.odometer.quote(price({1, 8}, 2, 4));
  for (int i = 0; i < 4; ++i) one.odometer.charge(one.part, quarter);
  EXPECT_EQ(one.spent(), "1");
  const Quote least = one.odometer.quote(price({1, 1'000'000'000'000}, 1, 1));
  EXPECT_EQ(error_of([&] { one.odometer.charge(one.part, least); }), ErrorCode::internal);
}

TEST(Odometer, RefusesMoreThanAPartsShareEvenWithinTheBudget) {
  Odometer odometer(pure_budget(1), {Neighbors::add_remove, 1});
  Share whole = Share::whole(pure_budget(1));
  const std::size_t small = odometer.begin("small", whole.take(Rational(1, 10)));
  const Quote fifth = odometer.quote(price({1, 5}, 1, 1));
  EXPECT_EQ(error_of([&] { odometer.charge(small, fifth); }), ErrorCode::internal);
}

TEST(Odometer, RefusesMoreThanTheBudgetWhateverTheSharesSay) {
  Odometer odometer(pure_budget(1), {Neighbors::add_remove, 1});
  const std::size_t first = odometer.begin("first", Share::whole(pure_budget(1)));
  const std::size_t second = odometer.begin("second", Share::whole(pure_budget(1)));  // a budget twice
  odometer.charge(first, odometer.quote(price({9, 10}, 1, 1)));
  const Quote fifth = odometer.quote(price({1, 5}, 1, 1));
  EXPECT_EQ(error_of([&] { odometer.charge(second, fifth); }), ErrorCode::internal);
}

// A record is in one node of a level; replacing it changes one node, or two nodes by one record each.
TEST(Odometer, NodesOfALevelStandBesideEachOther) {
  const auto spent = [](Neighbors relation, std::initializer_list<SelectionPrice> nodes) {
    OnePart one(pure_budget(100), {relation, 1});
    for (const SelectionPrice& node : nodes) one.odometer.charge_beside(one.part, one.odometer.quote(node));
    return one.spent();
  };
  using enum Neighbors;
  EXPECT_EQ(spent(add_remove, {price(1, 3, 9), price(1, 5, 1), price(2, 2, 3)}), "5");
  EXPECT_EQ(spent(change_one, {price(1, 3, 9), price(1, 5, 1), price(2, 2, 3)}), "9");
  EXPECT_EQ(spent(change_one, {price(1, 3, 6), price(1, 5, 6), price(2, 2, 3)}), "9");
  EXPECT_EQ(spent(change_one, {price(1, 5, 6), price(1, 1, 6), price(2, 2, 3)}), "9");
  EXPECT_EQ(spent(change_one, {price(1, 5, 6)}), "6");  // one node alone
  EXPECT_EQ(spent(change_one, {price(1, 5, 6), price(1, 5, 6)}), "10");
}

TEST(Odometer, EqualNodesAreCountedAsTheyWouldBeOneByOne) {
  EXPECT_TRUE(rc::check("any level", [] {
    const Neighbors relation = *rc::gen::element(Neighbors::add_remove, Neighbors::change_one);
    const bool concentrated = *rc::gen::arbitrary<bool>();
    const Budget budget = concentrated ? Budget::zcdp(Rational(1'000'000)) : pure_budget(1'000'000);
    OnePart few(budget, {relation, 3});
    OnePart each(budget, {relation, 3});
    std::vector<SelectionPrice> prices;
    for (int i = 0; i < 80; ++i) {
      prices.push_back(price({*rc::gen::inRange(1, 9), 7}, *rc::gen::inRange(1, 9), *rc::gen::inRange(1, 18)));
    }
    std::vector<Quote> quotes;
    for (const SelectionPrice& p : prices) quotes.push_back(few.odometer.quote(p));
    for (int i = 0; i < 200; ++i) {
      const auto k = static_cast<std::size_t>(*rc::gen::inRange<std::size_t>(0, prices.size()));
      few.odometer.charge_beside(few.part, quotes[k]);
      each.odometer.charge_beside(each.part, each.odometer.quote(prices[k]));
      RC_ASSERT(few.spent() == each.spent());
    }
  }));
}

TEST(Odometer, UnderZcdpRangesCostTheirSquaresOverEight) {
  for (const auto& [relation, expected] : {std::pair{Neighbors::add_remove, "9/8"}, {Neighbors::change_one, "2"}}) {
    OnePart one(Budget::zcdp(Rational(100)), {relation, 1});
    one.odometer.charge_beside(one.part, one.odometer.quote(price({1, 2}, 6, 7)));  // ranges 3 and 7/2
    one.odometer.charge_beside(one.part, one.odometer.quote(price({1, 2}, 4, 8)));  // 2 and 4
    EXPECT_EQ(one.spent(), expected);  // change-one: 16/8 against (9 + 4)/8
  }
}

TEST(Odometer, PersonsOfManyRecordsCostInProportionOrBySquares) {
  OnePart linear(pure_budget(100), {Neighbors::add_remove, 3});
  linear.odometer.charge(linear.part, linear.odometer.quote(price(1, 2, 4)));
  EXPECT_EQ(linear.spent(), "6");
  OnePart squared(Budget::zcdp(Rational(100)), {Neighbors::change_one, 3});
  squared.odometer.charge(squared.part, squared.odometer.quote(price(1, 2, 4)));
  EXPECT_EQ(squared.spent(), "18");  // (3 * 4)^2 / 8
  OnePart noise(Budget::zcdp(Rational(100)), {Neighbors::change_one, 3});
  noise.odometer.charge_next(noise.part, noise.odometer.quote(NoisePrice{{}, Rational(9)}), 5);
  EXPECT_EQ(noise.spent(), "1");  // two counts move by 3 each: 2 * 9 / (2 * 9)
  OnePart counts(pure_budget(100), {Neighbors::change_one, 3});
  counts.odometer.charge_next(counts.part, counts.odometer.quote(NoisePrice{Rational(1, 2), {}}), 5);
  counts.odometer.charge_next(counts.part, counts.odometer.quote(NoisePrice{Rational(1, 2), {}}), 1);
  EXPECT_EQ(counts.spent(), "9/2");  // 2 * 3/2, and one count alone
}

TEST(Odometer, NoiseOnSumsCostsByHowFarARecordMovesThem) {
  for (const auto& [relation, pure_cost, zcdp_cost] :
       {std::tuple{Neighbors::add_remove, "12", "4"}, std::tuple{Neighbors::change_one, "24", "16"}}) {
    OnePart sum(pure_budget(100), {relation, 3});
    sum.odometer.charge_next(sum.part, sum.odometer.quote(NoisePrice{Rational(1, 2), {}, 8, 16}), 1);
    EXPECT_EQ(sum.spent(), pure_cost);
    OnePart of_rho(Budget::zcdp(Rational(100)), {relation, 3});
    of_rho.odometer.charge_next(of_rho.part, of_rho.odometer.quote(NoisePrice{{}, Rational(72), 8, 16}), 1);
    EXPECT_EQ(of_rho.spent(), zcdp_cost);  // 24^2 / 144, 48^2 / 144
  }
}

TEST(Odometer, CompositionsAreCertifiedBeforeTheFirstDraw) {
  const Budget budget = Budget::approximate(Rational(1), Rational(1, 1000));
  const Exponent range = largest_bounded_range_composed(5, budget.epsilon(), budget.delta());
  const auto run = [&](const Exponent& rate, std::size_t announced, int draws) {
    Odometer odometer(budget, {Neighbors::add_remove, 1});
    const std::size_t part = odometer.begin_composition("quantiles", Share::whole(budget), announced);
    const Quote quote = odometer.quote(SelectionPrice{rate, 1, 2});
    for (int i = 0; i < draws; ++i) odometer.charge(part, quote);
    return odometer.spent().front();
  };
  EXPECT_EQ(run(range, 5, 5).amount.to_string(), "1");
  EXPECT_EQ(run(range, 5, 5).delta, Rational(1, 1000));
  EXPECT_EQ(error_of([&] { run(range * Rational(1001, 1000), 5, 1); }), ErrorCode::internal);
  EXPECT_EQ(error_of([&] { run(range, 6, 1); }), ErrorCode::internal);
  EXPECT_EQ(error_of([&] { run(range, 5, 6); }), ErrorCode::internal);  // one more than was announced
  Odometer odometer(budget, {Neighbors::add_remove, 1});
  const std::size_t part = odometer.begin("levels", Share::whole(budget));
  const Quote quote = odometer.quote(SelectionPrice{range, 1, 2});
  EXPECT_EQ(error_of([&] { odometer.charge(part, quote); }), ErrorCode::internal);
  EXPECT_EQ(error_of([&] { odometer.charge_beside(part, quote); }), ErrorCode::internal);
}

TEST(Odometer, SumsOfLogarithmsAndRationalsAreExact) {
  OnePart one(Budget::pure(Exponent::parse("2 ln 3")), {Neighbors::add_remove, 1});
  one.odometer.charge(one.part, one.odometer.quote(SelectionPrice{Exponent::parse("ln 3"), 1, 1}));
  one.odometer.charge(one.part, one.odometer.quote(price(1, 1, 1)));
  EXPECT_EQ(one.spent(), "1 + ln 3");
  const Quote tenth = one.odometer.quote(price({1, 10}, 1, 1));  // 2 ln 3 is 2.197...
  EXPECT_EQ(error_of([&] { one.odometer.charge(one.part, tenth); }), ErrorCode::internal);
}

TEST(Odometer, LaterDrawsOfACompositionCostNoMoreThanTheFirst) {
  const Budget budget = Budget::approximate(Rational(1), Rational(1, 1000));
  const Exponent range = largest_bounded_range_composed(2, budget.epsilon(), budget.delta());
  Odometer odometer(budget, {Neighbors::add_remove, 1});
  const std::size_t part = odometer.begin_composition("quantiles", Share::whole(budget), 2);
  odometer.charge(part, odometer.quote(SelectionPrice{range / Rational(2), 1, 1}));
  const Quote larger = odometer.quote(SelectionPrice{range, 1, 1});
  EXPECT_EQ(error_of([&] { odometer.charge(part, larger); }), ErrorCode::internal);
}

/// A joint selection of one split, at rate 1.
class HalfOfTen : public JointSplits {
 public:
  const JointProblem& problem() const override { return problem_; }
  std::vector<Split> alike(std::vector<Split> splits) const override { return splits; }

 private:
  RankProfile profile_ = RankProfile(Lattice::numbers(10), {3, 9}, std::vector<std::uint64_t>{1, 1});
  JointProblem problem_{profile_, whole_span(profile_, 1), 1, BaseMeasure(0, 9, 1), {{1, 1}, 2}, Exponent(1), {}};
};

TEST(Odometer, JointSelectionsAreDrawnAtTheRateThatIsCharged) {
  RandomBits bits = RandomBits::unsafe_seeded(1);
  testing::FreeDraws draws(bits);
  PaidPart part = draws.part();
  EXPECT_EQ(part.select_beside(HalfOfTen(), price(1, 2, 4)).size(), 1U);
  EXPECT_EQ(error_of([&] { part.select_beside(HalfOfTen(), price({1, 2}, 2, 4)); }), ErrorCode::internal);
}

// --- Releases -------------------------------------------------------------------------------------------------------

/// A column of multiples of `stride`.
RankProfile column(const Lattice& lattice, std::int64_t stride) {
  ProfileBuilder builder(lattice);
  for (std::int64_t i = 0; i < 300; ++i) builder.add(i * 7919 % 37 * stride);
  return builder.finish();
}

QuantileQuery evenly(std::int64_t parts, const Budget& budget, Mechanism mechanism) {
  QuantileQuery query{{}, budget};
  for (std::int64_t i = 1; i < parts; ++i) query.quantiles.emplace_back(i, parts);
  query.mechanism = mechanism;
  return query;
}

EpsilonSum sum_of(const std::vector<PartCost>& spent) {
  EpsilonSum sum;
  for (const PartCost& part : spent) sum += part.amount;
  return sum;
}

Exponent whole_of(const Budget& budget) {
  return budget.measure() == Measure::zcdp ? Exponent(budget.rho()) : budget.epsilon();
}

/// Expects that all of the budget is spent, except for rounding: rates under zCDP are rounded down to 48 bits, and so are square
/// roots.
void expect_all_spent(const Release::Group& group, const Budget& budget, const Rational& at_least,
                      const std::string& what) {
  const EpsilonSum spent = sum_of(group.spent);
  EXPECT_LE(spent, EpsilonSum(whole_of(budget))) << what;
  EXPECT_GE(spent, EpsilonSum(whole_of(budget) * at_least)) << what << ' ' << spent.to_string();
}

/// Whether some of a release may be left over under change-one: a level whose only node is calibrated for two that share a change.
bool may_have_lone_nodes(const QuantileQuery& query) {
  return query.neighbors == Neighbors::change_one &&
         (query.mechanism == Mechanism::approximate || query.mechanism == Mechanism::joint_tree);
}

TEST(OdometerOfReleases, AllOfTheBudgetIsSpentAndNoMore) {
  const Lattice fine = Lattice::regular(0, 400, Rational(1, 1000));
  const Lattice coarse = Lattice::regular(0, 400, 1);
  const Lattice tiny = Lattice::regular(0, 40, 1);
  RandomBits bits = RandomBits::unsafe_seeded(7);
  for (const Budget& budget :
       {pure_budget(1), Budget::pure(Exponent::parse("ln 3")), pure_budget(50), Budget::zcdp(Rational(1, 2))}) {
    const Rational rounding = budget.measure() == Measure::zcdp ? Rational(999'999, 1'000'000) : Rational(1);
    for (const Mechanism mechanism : all_mechanisms) {
      for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::change_one}) {
        for (const std::uint32_t persons : {1U, 3U}) {
          for (const Lattice& lattice : {fine, coarse, tiny}) {
            QuantileQuery query = evenly(mechanism == Mechanism::exponential ? 2 : 6, budget, mechanism);
            query.neighbors = neighbors;
            query.records_per_person = persons;
            const Release release = fractile::release(column(lattice, 10), query, bits);
            const Rational least =
                may_have_lone_nodes(query) || mechanism == Mechanism::automatic ? Rational(4, 5) : rounding;
            expect_all_spent(release.only(), budget, least, to_string(mechanism) + " " + budget.to_string());
          }
        }
      }
    }
  }
}

TEST(OdometerOfReleases, SaysWhatWasSpentOnWhat) {
  const Lattice fine = Lattice::regular(0, 400, Rational(1, 1000));
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const auto described = [](const Release& release) {
    std::string text;
    for (const PartCost& part : release.only().spent) text += part.part + " " + part.amount.to_string() + "; ";
    return text;
  };
  const QuantileQuery totals = evenly(6, pure_budget(40), Mechanism::joint_total);
  EXPECT_EQ(described(release(column(fine, 10), totals, bits)), "granularity 1; heaps 1; level 1 38; ");
  // Stages take their parts of what the statistics leave.
  ReleaseOptions halved(totals);
  halved.statistics = StatisticsRequest{{}, false, Rational(1, 2)};
  EXPECT_EQ(described(release(column(fine, 10), halved, bits)), "count 20; granularity 1/2; heaps 1/2; level 1 19; ");
  ProfileBuilder ragged(fine);
  for (std::int64_t i = 0; i < 300; ++i) ragged.add_position(2 * static_cast<Position>(i * 7919 % 399'989) + 1, 1);
  EXPECT_EQ(described(release(ragged.finish(), totals, bits)), "granularity 1; level 1 39; ");
  const Lattice coarse = Lattice::regular(0, 390, 1);
  QuantileQuery few = evenly(21, pure_budget(40), Mechanism::automatic);
  EXPECT_EQ(described(release(column(coarse, 10), few, bits)), "rows 2; heaps 1; counts 37; ");
  few.expected_rows = 1'000'000;
  EXPECT_EQ(described(release(column(coarse, 10), few, bits)), "heaps 1; counts 39; ");
  const QuantileQuery published = evenly(4, pure_budget(3), Mechanism::approximate);
  EXPECT_EQ(described(release(column(coarse, 10), published, bits)), "level 1 3/2; level 2 3/2; ");
  const QuantileQuery one_by_one =
      evenly(6, Budget::approximate(Rational(1), Rational(1, 1000)), Mechanism::independent);
  const Release approximate = release(RankProfile(BoundsSearch{1, 8}.lattice(), {}, {}),
                                      {one_by_one, BoundsToFind{{1, 8}, Rational(1, 10)}}, bits);
  EXPECT_EQ(described(approximate), "bounds 1/10; quantiles 9/10; ");
  EXPECT_EQ(approximate.only().spent.back().delta, Rational(1, 1000));
}

TEST(OdometerOfReleases, UnevenLevelsAddUp) {
  const Lattice lattice = Lattice::regular(0, 100, Rational(1, 10));
  QuantileQuery query = evenly(121, pure_budget(1), Mechanism::joint_tree);
  query.base = Base::uniform;
  query.expected_rows = 1000;
  RandomBits bits = RandomBits::unsafe_seeded(2);
  const Release release = fractile::release(column(lattice, 1), query, bits);
  ASSERT_EQ(release.only().spent.size(), 2U);
  EXPECT_EQ(release.only().spent[0].amount.to_string(), "3/5");
  EXPECT_EQ(release.only().spent[1].amount.to_string(), "2/5");
}

TEST(OdometerOfReleases, EveryGroupIsPaidForAllThatAPersonMayMoveThere) {
  const Lattice lattice = Lattice::regular(0, 400, 1);
  for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::change_one}) {
    for (const Budget& budget : {pure_budget(1), Budget::zcdp(Rational(1, 2))}) {
      QuantileQuery query = evenly(6, budget, Mechanism::joint_total);
      query.neighbors = neighbors;
      query.records_per_person = 2;
      RandomBits bits = RandomBits::unsafe_seeded(3);
      const Release groups = release({"a", "b"}, {column(lattice, 1), column(lattice, 2)}, query, bits);
      for (const Release::Group& group : groups.groups)
        expect_all_spent(group, budget, Rational(999'999, 1'000'000), "groups");
    }
  }
}

// In the shipped program: rates for fewer records than a person has, or for another relation, draw nothing.
TEST(OdometerOfReleases, RatesThatForgetAPersonsRecordsDrawNothing) {
  const Lattice lattice = Lattice::regular(0, 400, 1);
  for (const Mechanism mechanism : all_mechanisms) {
    for (const Budget& budget : {pure_budget(1), Budget::zcdp(Rational(1, 2))}) {
      QuantileQuery query = evenly(mechanism == Mechanism::exponential ? 2 : 6, budget, mechanism);
      query.expected_rows =
          1'000'000;  // counting them is covered: one replaced moves a count as one that comes or goes does
      std::size_t drawn = 0;
      RandomBits counted = RandomBits::from_source([&](std::span<std::byte> bytes) {
        drawn += bytes.size();
        std::ranges::fill(bytes, std::byte{7});
      });
      RandomSource source(counted);
      for (const PersonSteps person : {PersonSteps{Neighbors::add_remove, 2}, PersonSteps{Neighbors::change_one, 1}}) {
        EXPECT_EQ(
            error_of([&] { ReleaseSampler(query, person).sample(column(lattice, 1), Share::whole(budget), source); }),
            ErrorCode::internal)
            << to_string(mechanism);
      }
      // The first of several selections one by one is still covered.
      EXPECT_TRUE(drawn == 0 || mechanism == Mechanism::independent) << to_string(mechanism);
    }
  }
}

}  // namespace
}  // namespace fractile
