// The statements of kronecker-utility 2023 about all channels, all witnesses or all epsilons, each for many drawn at random.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "flow/channel/papers.hpp"
#include "fractile/pipelines.hpp"
#include "support/pipelines.hpp"

namespace fractile::flow {
namespace {

Rational any_odds() { return {*rc::gen::inRange<std::int64_t>(11, 80), 10}; }

/// Odds above others, both above 1.
struct TwoOdds {
  Rational more;
  Rational less;
};
TwoOdds any_two_odds() {
  const Rational less = any_odds();
  return {less + Rational(*rc::gen::inRange<std::int64_t>(1, 40), 10), less};
}

std::vector<Rational> any_distribution(std::size_t size) {
  std::vector<Rational> result;
  Rational sum;
  for (std::size_t i = 0; i < size; ++i) {
    result.emplace_back(*rc::gen::inRange<std::int64_t>(0, 5));
    sum += result.back();
  }
  if (sum.sign() == 0) sum = result[0] = 1;
  for (Rational& p : result) p /= sum;
  return result;
}

Matrix any_stochastic(std::size_t rows, std::size_t columns) {
  std::vector<std::vector<Rational>> result;
  for (std::size_t i = 0; i < rows; ++i) result.push_back(any_distribution(columns));
  return Matrix::of(result);
}

/// A function from inputs onto 0 .. outputs - 1.
struct Image {
  std::vector<std::size_t> of;
  std::size_t outputs;

  Channel channel() const { return deterministic(of, outputs); }
};
Image any_image(std::size_t inputs, std::size_t outputs) {
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < inputs; ++i) of.push_back(i < outputs ? i : *rc::gen::inRange<std::size_t>(0, outputs));
  const std::vector<std::size_t> order =
      *rc::gen::map(rc::gen::container<std::vector<std::uint32_t>>(inputs, rc::gen::arbitrary<std::uint32_t>()),
                    [](const std::vector<std::uint32_t>& keys) {
                      std::vector<std::size_t> at(keys.size());
                      for (std::size_t i = 0; i < at.size(); ++i) at[i] = i;
                      std::ranges::sort(at, {}, [&](std::size_t i) { return keys[i]; });
                      return at;
                    });
  Image image{std::vector<std::size_t>(inputs), outputs};
  for (std::size_t i = 0; i < inputs; ++i) image.of[i] = of[order[i]];
  return image;
}

Image any_image(std::size_t inputs) { return any_image(inputs, *rc::gen::inRange<std::size_t>(1, inputs + 1)); }

/// Neither constant nor one to one.
Image any_proper_image(std::size_t inputs) { return any_image(inputs, *rc::gen::inRange<std::size_t>(2, inputs)); }

/// A matrix whose rows of inputs with the same output give each output the same probability; random matrices seldom have this
/// property.
Matrix any_lumpable(const Image& image) {
  const std::size_t size = image.of.size();
  const Matrix classes = any_stochastic(image.outputs, image.outputs);
  Matrix result(size, size);
  for (std::size_t x = 0; x < size; ++x) {
    for (std::size_t z = 0; z < image.outputs; ++z) {
      std::vector<std::size_t> members;
      for (std::size_t y = 0; y < size; ++y) {
        if (image.of[y] == z) members.push_back(y);
      }
      const std::vector<Rational> shares = any_distribution(members.size());
      for (std::size_t i = 0; i < members.size(); ++i) result(x, members[i]) = classes(image.of[x], z) * shares[i];
    }
  }
  return result;
}

// --- Section 2 -----------------------------------------------------------------------------------------------------------

// Lemma 2.5: post-processing of an epsilon-DP channel is epsilon-DP, under any metric.
TEST(PapersStatements, RefinementPreservesEpsilon) {
  EXPECT_TRUE(rc::check("lemma 2.5", [] {
    const auto secrets = *rc::gen::inRange<std::size_t>(2, 5);
    Matrix distances(secrets, secrets);
    for (std::size_t i = 0; i < secrets; ++i) {
      for (std::size_t j = 0; j < i; ++j) distances(i, j) = distances(j, i) = Rational(*rc::gen::inRange(1, 4));
    }
    const Channel from(any_stochastic(secrets, *rc::gen::inRange<std::size_t>(1, 5)));
    const std::optional<Exponent> epsilon = smallest_epsilon(from, distances);
    RC_PRE(epsilon.has_value());
    const Channel to = from * Channel(any_stochastic(from.observations().size(), *rc::gen::inRange<std::size_t>(1, 5)));
    RC_ASSERT(refines(from, to).refines());
    RC_ASSERT(smallest_epsilon(to, distances).has_value());
    RC_ASSERT(*smallest_epsilon(to, distances) <= *epsilon);
  }));
}

// Definition 2.6 of both families, and section 4.1's remark: the witness between two randomized responses is one.
TEST(PapersStatements, FamiliesPreserveRefinement) {
  EXPECT_TRUE(rc::check("definition 2.6", [] {
    const auto values = *rc::gen::inRange<std::size_t>(2, 6);
    const TwoOdds odds = any_two_odds();
    const Perturber response = Perturber::randomized_response(values);
    const Perturber geometric = Perturber::geometric(values);
    for (const Perturber& family : {response, geometric}) {
      RC_ASSERT(refines(family.at(Odds(odds.more)), family.at(Odds(odds.less))).refines());
      RC_ASSERT(refines(family.at(Odds(odds.less)), family.at(Odds(odds.more))).refuted());
    }
    RC_ASSERT(smallest_epsilon(response.at(Odds(odds.more)), discrete_metric(values)) == Exponent::log(odds.more));
    RC_ASSERT(smallest_epsilon(geometric.at(Odds(odds.less)), line_metric(values)) == Exponent::log(odds.less));
    const Refinement refinement = refines(response.at(Odds(odds.more)), response.at(Odds(odds.less)));
    const Matrix witness = std::get<Witness>(refinement.verdict).matrix;
    RC_ASSERT(witness == response.at(Odds(witness(0, 0) / witness(0, 1))).matrix());
  }));
}

// --- Section 4 -----------------------------------------------------------------------------------------------------------

// Lemma 4.1 and theorem 4.2: randomized response with any deterministic post-processor.
TEST(PapersStatements, OneResponseIsStableWithAnyPostProcessor) {
  EXPECT_TRUE(rc::check("lemma 4.1, theorem 4.2", [] {
    const auto values = *rc::gen::inRange<std::size_t>(2, 6);
    const TwoOdds odds = any_two_odds();
    const Perturber response = Perturber::randomized_response(values);
    const Image image = any_image(values);
    RC_ASSERT(theorem_one_condition(response.at(Odds(odds.more)).matrix(), image.of));
    RC_ASSERT(refines(response.at(Odds(odds.more)) * image.channel(), response.at(Odds(odds.less)) * image.channel())
                  .refines());
  }));
}

// Equations 8 to 10: algorithm 2 for two respondents.
TEST(PapersStatements, TwoRespondentsAreCounted) {
  const Channel response(matrix({{"3/4", "1/4"}, {"1/4", "3/4"}}));  // rows yes, no
  EXPECT_EQ(Perturber::randomized_response(2).at(Odds(3)), response);
  EXPECT_EQ(kronecker_power(response, 2).matrix(), matrix({{"9/16", "3/16", "3/16", "1/16"},
                                                           {"3/16", "9/16", "1/16", "3/16"},
                                                           {"3/16", "1/16", "9/16", "3/16"},
                                                           {"1/16", "3/16", "3/16", "9/16"}}));
  const Channel counting_yes = deterministic({2, 1, 1, 0}, 3);
  EXPECT_EQ(counting_yes.matrix(), matrix({{"0", "0", "1"}, {"0", "1", "0"}, {"0", "1", "0"}, {"1", "0", "0"}}));
  const Channel expected = kronecker_power(response, 2) * counting_yes;
  const PipelineChannel shown = channel_at(pipeline_of(2, Perturber::randomized_response(2), counting({0})), Odds(3));
  ASSERT_EQ(shown.channel.secrets(), (std::vector<std::string>{"(0,0)", "(0,1)", "(1,1)"}));  // 0 is yes
  EXPECT_TRUE(std::ranges::equal(shown.channel.matrix().row(0), expected.matrix().row(0)));
  EXPECT_TRUE(std::ranges::equal(shown.channel.matrix().row(1), expected.matrix().row(1)));
  EXPECT_TRUE(std::ranges::equal(shown.channel.matrix().row(2), expected.matrix().row(3)));
}

Matrix sum_of(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows(), a.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) result(i, j) = a(i, j) + b(i, j);
  }
  return result;
}

/// The inverse of randomized response, (a 1 + b J)^-1 = (1 - b J) / a.
Matrix inverse_response(std::size_t values, const Rational& odds) {
  Matrix result(values, values);
  for (std::size_t i = 0; i < values; ++i) {
    for (std::size_t j = 0; j < values; ++j) {
      result(i, j) = ((i == j ? odds + Rational(values) - 1 : Rational(0)) - 1) / (odds - 1);
    }
  }
  return result;
}

// Section 4.3: the algebra of definition 4.3.
TEST(PapersStatements, KroneckerProductsHaveTheirAlgebra) {
  EXPECT_TRUE(rc::check("section 4.3", [] {
    const auto size = [] { return *rc::gen::inRange<std::size_t>(1, 4); };
    const std::size_t rows = size();
    const std::size_t columns = size();
    const Matrix a = any_stochastic(size(), size());
    const Matrix b = any_stochastic(rows, columns);
    const Matrix c = any_stochastic(rows, columns);
    const Matrix after_a = any_stochastic(a.columns(), size());
    const Matrix after_b = any_stochastic(columns, size());
    RC_ASSERT(kronecker(kronecker(a, b), c) == kronecker(a, kronecker(b, c)));
    RC_ASSERT(kronecker(a, sum_of(b, c)) == sum_of(kronecker(a, b), kronecker(a, c)));
    RC_ASSERT(kronecker(sum_of(b, c), a) == sum_of(kronecker(b, a), kronecker(c, a)));
    RC_ASSERT(kronecker(a, b) * kronecker(after_a, after_b) == kronecker(a * after_a, b * after_b));
    RC_ASSERT(kronecker_power(Channel(a), 3).matrix() == kronecker(kronecker(a, a), a));
    const Rational odds = any_odds();
    const Matrix two = Perturber::randomized_response(2).at(Odds(odds)).matrix();
    const Matrix three = Perturber::randomized_response(3).at(Odds(odds)).matrix();
    RC_ASSERT(three * inverse_response(3, odds) == Matrix::identity(3));
    RC_ASSERT(kronecker(two, three) * kronecker(inverse_response(2, odds), inverse_response(3, odds)) ==
              Matrix::identity(6));
    RC_ASSERT(!(kronecker(two, three) == kronecker(three, two)));  // the product is not commutative
  }));
}

// Lemma 4.4; with definition 2.6 above, corollaries 4.5 and 4.6.
TEST(PapersStatements, KroneckerProductsPreserveRefinement) {
  EXPECT_TRUE(rc::check("lemma 4.4", [] {
    const auto participants = *rc::gen::inRange<std::size_t>(1, 4);
    const Channel from(any_stochastic(2, *rc::gen::inRange<std::size_t>(2, 4)));
    const Channel witness(any_stochastic(from.observations().size(), 2));
    const Channel to = from * witness;
    const Matrix power = kronecker_power(witness, participants).matrix();
    RC_ASSERT(verify(kronecker_power(from, participants), kronecker_power(to, participants), Witness{power}));
  }));
}

/// The distance between two tuples is the sum of their members' distances.
Matrix of_tuples(const Matrix& distances, std::size_t participants) {
  Matrix result(1, 1);
  for (std::size_t i = 0; i < participants; ++i) {
    Matrix longer(result.rows() * distances.rows(), result.rows() * distances.rows());
    for (std::size_t a = 0; a < longer.rows(); ++a) {
      for (std::size_t b = 0; b < longer.rows(); ++b) {
        longer(a, b) =
            result(a / distances.rows(), b / distances.rows()) + distances(a % distances.rows(), b % distances.rows());
      }
    }
    result = std::move(longer);
  }
  return result;
}

// Corollaries 4.5 and 4.6: if one participant's value changes, the product costs what one channel costs, and so the products are
// refined in the order of their epsilons.
TEST(PapersStatements, ProductsOfFamiliesAreFamilies) {
  EXPECT_TRUE(rc::check("corollaries 4.5, 4.6", [] {
    const auto values = *rc::gen::inRange<std::size_t>(2, 4);
    const std::size_t participants = values == 2 ? *rc::gen::inRange<std::size_t>(1, 4) : 2;
    const TwoOdds odds = any_two_odds();
    const bool is_response = *rc::gen::arbitrary<bool>();
    const Perturber family = is_response ? Perturber::randomized_response(values) : Perturber::geometric(values);
    const Matrix metric = of_tuples(is_response ? discrete_metric(values) : line_metric(values), participants);
    const Channel more = kronecker_power(family.at(Odds(odds.more)), participants);
    const Channel less = kronecker_power(family.at(Odds(odds.less)), participants);
    RC_ASSERT(smallest_epsilon(more, metric) == Exponent::log(odds.more));
    RC_ASSERT(smallest_epsilon(less, metric) == Exponent::log(odds.less));
    RC_ASSERT(refines(more, less).refines());
    RC_ASSERT(refines(less, more).refuted());
  }));
}

// --- Section 5 -----------------------------------------------------------------------------------------------------------

// Equation 12, of theorem 5.1: P is refined by W P if and only if P P^-1 W P = W P, for any P and W.
TEST(PapersStatements, TheoremFiveOneIsAnEquivalence) {
  std::size_t hold = 0;
  std::size_t fail = 0;
  EXPECT_TRUE(rc::check("equation 12", [&] {
    const Image image = any_proper_image(*rc::gen::inRange<std::size_t>(3, 6));
    const std::size_t size = image.of.size();
    const Matrix witness = *rc::gen::arbitrary<bool>() ? any_lumpable(image) : any_stochastic(size, size);
    const bool condition = theorem_one_condition(witness, image.of);
    const Channel post = image.channel();
    // The condition, as printed.
    const Matrix lumped = witness * post.matrix();
    RC_ASSERT(condition == (post.matrix() * left_inverse(post).matrix() * lumped == lumped));
    const Refinement refinement = refines(post, Channel(witness) * post);
    RC_ASSERT(refinement.refines() == condition);
    RC_ASSERT(refinement.refuted() == !condition);
    ++(condition ? hold : fail);
  }));
  EXPECT_GT(hold, 2U);
  EXPECT_GT(fail, 2U);
}

// Appendix D.2 uses the "only if" for pipelines: with an invertible C, C P is refined by C W P if and only if it holds.
TEST(PapersStatements, TheoremFiveOneIsAnEquivalenceForInvertiblePerturbers) {
  std::size_t hold = 0;
  std::size_t fail = 0;
  EXPECT_TRUE(rc::check("equation 12 after a perturber", [&] {
    const Image image = any_proper_image(*rc::gen::inRange<std::size_t>(3, 5));
    const std::size_t size = image.of.size();
    const Channel perturber = *rc::gen::arbitrary<bool>() ? Perturber::geometric(size).at(Odds(any_odds()))
                                                          : Perturber::randomized_response(size).at(Odds(any_odds()));
    const Matrix witness = *rc::gen::arbitrary<bool>() ? any_lumpable(image) : any_stochastic(size, size);
    const bool condition = theorem_one_condition(witness, image.of);
    const Refinement refinement = refines(perturber * image.channel(), perturber * Channel(witness) * image.channel());
    RC_ASSERT(refinement.refines() == condition);
    RC_ASSERT(refinement.refuted() == !condition);
    ++(condition ? hold : fail);
  }));
  EXPECT_GT(hold, 2U);
  EXPECT_GT(fail, 2U);
}

/// The numbers of tuples' members that lie in a set, in the order of Kronecker products.
std::vector<std::size_t> counts_of(const std::vector<bool>& counted, std::size_t participants) {
  std::vector<std::size_t> counts{0};
  for (std::size_t i = 0; i < participants; ++i) {
    std::vector<std::size_t> longer;
    for (const std::size_t count : counts) {
      for (const bool is_counted : counted) longer.push_back(count + (is_counted ? 1 : 0));
    }
    counts = std::move(longer);
  }
  return counts;
}

// Lemma 5.3 (equation 13), and with it theorem 6.1.
TEST(PapersStatements, ResponsesAndCountsMeetTheCondition) {
  EXPECT_TRUE(rc::check("equation 13", [] {
    const auto values = *rc::gen::inRange<std::size_t>(2, 4);
    const auto participants = *rc::gen::inRange<std::size_t>(1, 4);
    std::vector<bool> counted(values);
    counted[*rc::gen::inRange<std::size_t>(0, values - 1)] = true;  // and never the last, so that every count occurs
    for (std::size_t value = 0; value + 1 < values; ++value)
      counted[value] = counted[value] || *rc::gen::arbitrary<bool>();
    const std::vector<std::size_t> image = counts_of(counted, participants);
    const Channel response = Perturber::randomized_response(values).at(Odds(any_odds()));
    RC_ASSERT(theorem_one_condition(kronecker_power(response, participants).matrix(), image));
  }));
}

// The remark after lemma 5.3: if a Boolean aggregator meets the condition with a witness, so does its count. And only then: a change of
// one participant's value shows in the count.
TEST(PapersStatements, CountsMeetTheConditionOfTheirAggregators) {
  std::size_t hold = 0;
  std::size_t fail = 0;
  EXPECT_TRUE(rc::check("the remark after equation 14", [&] {
    const Image aggregator = any_image(*rc::gen::inRange<std::size_t>(3, 5), 2);
    const std::size_t values = aggregator.of.size();
    const auto participants = *rc::gen::inRange<std::size_t>(1, 4);
    std::vector<bool> counted(values);
    for (std::size_t value = 0; value < values; ++value) counted[value] = aggregator.of[value] == 1;
    const Matrix witness = *rc::gen::arbitrary<bool>() ? any_lumpable(aggregator) : any_stochastic(values, values);
    const bool condition = theorem_one_condition(witness, aggregator.of);
    const Matrix power = kronecker_power(Channel(witness), participants).matrix();
    RC_ASSERT(theorem_one_condition(power, counts_of(counted, participants)) == condition);
    ++(condition ? hold : fail);
  }));
  EXPECT_GT(hold, 2U);
  EXPECT_GT(fail, 2U);
}

// Lemma 5.4 (equation 15), which appendix A proves: any 2 x 2 channel and a tally.
TEST(PapersStatements, TalliesOfTwoByTwoChannelsMeetTheCondition) {
  EXPECT_TRUE(rc::check("equation 15", [] {
    const auto participants = *rc::gen::inRange<std::size_t>(1, 6);
    const Channel channel(any_stochastic(2, 2));
    const std::vector<std::size_t> image = counts_of({false, true}, participants);
    RC_ASSERT(theorem_one_condition(kronecker_power(channel, participants).matrix(), image));
  }));
}

// --- Section 8 -----------------------------------------------------------------------------------------------------------

std::vector<std::vector<std::size_t>> all_bars(std::size_t bars, std::size_t heights) {
  std::vector<std::vector<std::size_t>> all{{}};
  for (std::size_t bar = 0; bar < bars; ++bar) {
    std::vector<std::vector<std::size_t>> longer;
    for (const std::vector<std::size_t>& some : all) {
      for (std::size_t height = 0; height < heights; ++height) {
        longer.push_back(some);
        longer.back().push_back(height);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// The paper's (GD)^K ArgMax, a row for any heights of the bars.
Channel argmax_of_bars(std::size_t bars, std::size_t heights, const Rational& odds) {
  std::vector<std::size_t> image;
  for (const std::vector<std::size_t>& histogram : all_bars(bars, heights)) {
    image.push_back(static_cast<std::size_t>(std::ranges::max_element(histogram) - histogram.begin()));
  }
  return kronecker_power(Perturber::geometric(heights).at(Odds(odds)), bars) * deterministic(image, bars);
}

struct Bars {
  std::size_t bars = *rc::gen::inRange<std::size_t>(2, 4);
  std::size_t heights = *rc::gen::inRange<std::size_t>(2, 4);
};

// Lemma 8.1: noisy ArgMax is as private as the noise of its bars, under the Manhattan metric.
TEST(PapersStatements, NoisyArgmaxIsAsPrivateAsItsNoise) {
  EXPECT_TRUE(rc::check("lemma 8.1", [] {
    const Bars size;
    const Rational odds = any_odds();
    const auto all = all_bars(size.bars, size.heights);
    Matrix manhattan(all.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < all.size(); ++j) {
        for (std::size_t bar = 0; bar < size.bars; ++bar) {
          manhattan(i, j) += std::abs(static_cast<std::int64_t>(all[i][bar]) - static_cast<std::int64_t>(all[j][bar]));
        }
      }
    }
    const std::optional<Exponent> epsilon = smallest_epsilon(argmax_of_bars(size.bars, size.heights, odds), manhattan);
    RC_ASSERT(epsilon.has_value());
    RC_ASSERT(*epsilon <= Exponent::log(odds));
  }));
}

// Lemma 8.2: for no epsilons above 0 is noisy ArgMax refined by itself at a smaller epsilon.
TEST(PapersStatements, NoisyArgmaxIsNeverStable) {
  EXPECT_TRUE(rc::check("lemma 8.2", [] {
    const Bars size;
    const TwoOdds odds = any_two_odds();
    const Refinement refinement =
        refines(argmax_of_bars(size.bars, size.heights, odds.more), argmax_of_bars(size.bars, size.heights, odds.less));
    RC_ASSERT(refinement.refuted());
  }));
}

}  // namespace
}  // namespace fractile::flow
