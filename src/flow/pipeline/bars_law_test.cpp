#include "flow/pipeline/bars_law.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "flow/algebra/ring.hpp"
#include "flow/pipeline/composition.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

/// Numerators of the probabilities of one person's answers.
std::vector<Integer> drawn_person(std::size_t answers) {
  std::vector<Integer> person;
  for (std::size_t a = 0; a < answers; ++a) person.emplace_back(*rc::gen::inRange<std::uint64_t>(0, 4));
  return person;
}

// Against all tuples of answers, one by one.
TEST(BarsLaw, IsThatOfAllTuples) {
  EXPECT_TRUE(rc::check([] {
    const auto answers = *rc::gen::inRange<std::size_t>(2, 5);
    const auto people = *rc::gen::inRange<std::size_t>(0, 5);
    std::vector<std::vector<Integer>> persons;
    BarsLaw<Integer> law(people, answers);
    for (std::size_t i = 0; i < people; ++i) {
      persons.push_back(drawn_person(answers));
      law.add(persons.back());
    }
    std::vector<std::vector<Integer>> expected(answers, std::vector<Integer>(answers));
    for_each_tuple(people, answers, [&](const Tuple& tuple) {
      Integer p = whole<Integer>(1);
      for (std::size_t i = 0; i < people; ++i) p = product(p, persons[i][tuple[i]]);
      for (std::size_t answer = 0; answer < answers; ++answer) {
        Composition bars = composition_of(tuple, answers);
        ++bars[answer];
        add_product(expected[answer][mode_of(bars)], p, whole<Integer>(1));
      }
    });
    const std::vector<std::vector<Integer>> found = law.modes_with_one_more();
    for (std::size_t answer = 0; answer < answers; ++answer) {
      for (std::size_t mode = 0; mode < answers; ++mode) {
        RC_ASSERT(fmpz_equal(found[answer][mode].get(), expected[answer][mode].get()) != 0);
      }
    }
  }));
}

/// A probability of each answer.
std::vector<Enclosure> drawn_law(std::size_t answers) {
  std::vector<Rational> parts;
  Rational all = 0;
  for (std::size_t a = 0; a < answers; ++a) {
    parts.emplace_back(*rc::gen::inRange<std::int64_t>(1, 5));
    all += parts.back();
  }
  std::vector<Enclosure> law;
  for (const Rational& part : parts) law.push_back(Enclosure::of(part / all, enclosure_bits));
  return law;
}

// Equal participants together, in fixed point: the law is that of adding them one by one.
TEST(BarsLaw, InFixedPointIsThatOfAllWays) {
  EXPECT_TRUE(rc::check([] {
    const auto answers = *rc::gen::inRange<std::size_t>(2, 5);
    std::vector<AlikePeople> groups;
    std::size_t people = 0;
    for (std::size_t i = 0; i < answers; ++i) {
      groups.push_back({*rc::gen::inRange<std::size_t>(0, 7), drawn_law(answers)});
      people += groups.back().count;
    }
    BarsLaw<Enclosure> law(people, answers);
    for (const AlikePeople& group : groups) {
      for (std::size_t i = 0; i < group.count; ++i) law.add(group.answers);
    }
    const std::vector<std::vector<Enclosure>> expected = law.modes_with_one_more();
    const std::vector<std::vector<Enclosure>> found = fixed_modes(groups, answers);
    for (std::size_t answer = 0; answer < answers; ++answer) {
      for (std::size_t mode = 0; mode < answers; ++mode) {
        RC_ASSERT(arb_overlaps(found[answer][mode].arb(), expected[answer][mode].arb()) != 0);
        RC_ASSERT(mag_cmp_2exp_si(arb_radref(found[answer][mode].arb()), -140) < 0);
      }
    }
  }));
}

// Some 20,000 ways, and not a map of them for every person.
TEST(BarsLaw, HundredsOfPeopleTakeNoLongWhile) {
  Pipeline pipeline = pipeline_of(200, Perturber::randomized_response(3), taking_the_mode());
  pipeline.secret = Secret::target_among({80, 70, 50}, 200);
  const Matrix rows = channel_at(pipeline, Odds(3)).channel.matrix();
  for (std::size_t x = 0; x < rows.rows(); ++x) {
    EXPECT_EQ(rows(x, 0) + rows(x, 1) + rows(x, 2), Rational(1));
    EXPECT_GT(rows(x, x), rows((x + 1) % 3, x));
  }
}

}  // namespace
}  // namespace fractile::flow
