// Verdicts about refinement against an independent decider, their certificates, and mutants of both. docs/proofs/refinement.md
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <sstream>

#include "flow/rational_program.hpp"
#include "fractile/error.hpp"
#include "fractile/flow.hpp"
#include "fractile/pipelines.hpp"
#include "support/exact_feasibility.hpp"
#include "support/pipelines.hpp"
#include "support/statistics.hpp"

namespace fractile::flow {
namespace {

using fractile::testing::leads_to;

Channel channel(const std::vector<std::vector<const char*>>& rows) { return Channel(matrix(rows)); }

const Channel g2 = channel({{"2/3", "1/6", "1/6"}, {"1/3", "1/3", "1/3"}, {"1/6", "1/6", "2/3"}});
const Channel g3 = channel({{"3/4", "1/6", "1/12"}, {"1/4", "1/2", "1/4"}, {"1/12", "1/6", "3/4"}});

// Appendix B. The paper prints 7/30, 8/15, 7/30 as the middle row.
TEST(Refinement, GeometricWitnessIsTheProductWithTheInverse) {
  const Refinement refinement = refines(g3, g2);
  ASSERT_TRUE(refinement.refines());
  EXPECT_EQ(std::get<Witness>(refinement.verdict).matrix,
            matrix({{"5/6", "1/12", "1/12"}, {"5/24", "7/12", "5/24"}, {"1/12", "1/12", "5/6"}}));
  EXPECT_TRUE(refines(g2, g3).refuted());
}

TEST(Refinement, AsksForAsManySecrets) { EXPECT_THROW(refines(g3, channel({{"1"}, {"1"}})), Error); }

// --- What can go wrong at the edges -----------------------------------------------------------------------------------

std::string shown(const Matrix& matrix) {
  std::ostringstream text;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (const Rational& entry : matrix.row(i)) text << entry.to_string() << ' ';
    text << '\n';
  }
  return text.str();
}

bool verified(const Channel& from, const Channel& to, const Refinement& refinement) {
  if (refinement.refines()) return verify(from, to, std::get<Witness>(refinement.verdict));
  return refinement.refuted() && verify(from, to, std::get<Counterexample>(refinement.verdict));
}

/// The verdict is what the simplex method in rationals says, and comes with a certificate that holds.
void expect_decided_rightly(const Channel& from, const Channel& to) {
  const Refinement refinement = refines(from, to);
  EXPECT_EQ(refinement.refines(), leads_to(from.matrix(), to.matrix())) << refinement.reason << "\nfrom\n"
                                                                        << shown(from.matrix()) << "to\n"
                                                                        << shown(to.matrix());
  EXPECT_TRUE(verified(from, to, refinement)) << refinement.reason << "\nfrom\n"
                                              << shown(from.matrix()) << "to\n"
                                              << shown(to.matrix());
}

TEST(Refinement, DecidesTheSmallestChannels) {
  const std::vector<Channel> channels = {
      channel({{"1"}, {"1"}}),
      channel({{"0", "1"}, {"0", "1"}}),
      channel({{"1", "0"}, {"0", "1"}}),
      channel({{"0", "1"}, {"1", "0"}}),
      channel({{"1/2", "1/2"}, {"1/2", "1/2"}}),
      channel({{"1/2", "1/2"}, {"0", "1"}}),
      channel({{"1/2", "0", "1/2"}, {"0", "0", "1"}}),
      channel({{"1/4", "1/4", "1/2"}, {"0", "0", "1"}}),
      channel({{"1/2", "1/3", "1/6"}, {"1/6", "1/3", "1/2"}}),
      channel({{"1/3", "1/3", "1/3", "0"}, {"0", "1/3", "1/3", "1/3"}}),
  };
  for (const Channel& from : channels) {
    for (const Channel& to : channels) expect_decided_rightly(from, to);
  }
  const Channel one_secret = channel({{"1/3", "2/3"}});
  expect_decided_rightly(one_secret, channel({{"1"}}));
  expect_decided_rightly(channel({{"1"}}), one_secret);
}

// --- Against the independent decider ----------------------------------------------------------------------------------

/// Draws channels. Entries have small denominators, some are zero.
class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed) {}

  /// 0 .. below - 1.
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  /// Rows that add up to 1; an entry is zero `zeros` times out of 4.
  Matrix stochastic(std::size_t rows, std::size_t columns, std::size_t zeros) {
    Matrix result(rows, columns);
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<std::int64_t> weights(columns);
      for (std::int64_t& weight : weights) weight = below(4) < zeros ? 0 : static_cast<std::int64_t>(1 + below(9));
      weights[below(columns)] += 1;
      const std::int64_t sum = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
      for (std::size_t j = 0; j < columns; ++j) result(i, j) = Rational(weights[j], sum);
    }
    return result;
  }

  /// The same with one more column, which takes `share` from column `from`.
  static Matrix split_off(const Matrix& whole, std::size_t from, const Rational& share) {
    Matrix result(whole.rows(), whole.columns() + 1);
    for (std::size_t i = 0; i < whole.rows(); ++i) {
      for (std::size_t j = 0; j < whole.columns(); ++j) result(i, j) = whole(i, j);
      result(i, whole.columns()) = whole(i, from) * share;
      result(i, from) -= result(i, whole.columns());
    }
    return result;
  }

  /// The same with one more row, equal to another.
  Matrix with_equal_rows(const Matrix& whole) {
    Matrix result(whole.rows() + 1, whole.columns());
    const std::size_t repeated = below(whole.rows());
    for (std::size_t i = 0; i < result.rows(); ++i) {
      for (std::size_t j = 0; j < result.columns(); ++j) {
        result(i, j) = whole(i == whole.rows() ? repeated : i, j);
      }
    }
    return result;
  }

 private:
  std::mt19937_64 random_;
};

enum class Shape { square, tall, wide, dependent, proportional, equal_rows, end };

/// The first channel of a pair.
Matrix drawn(Drawing& drawing, Shape shape) {
  const std::size_t size = 2 + drawing.below(3);
  const std::size_t zeros = drawing.below(3);
  switch (shape) {
    case Shape::square:
      return drawing.stochastic(size, size, zeros);
    case Shape::tall:
      return drawing.stochastic(size + 1 + drawing.below(2), size, zeros);
    case Shape::wide:
      return drawing.stochastic(size, size + 1 + drawing.below(2), zeros);
    case Shape::dependent:  // of a rank below its rows and columns
      return drawing.stochastic(size + 1, size, zeros) * drawing.stochastic(size, size + 1, zeros);
    case Shape::proportional: {
      const Matrix base = drawing.stochastic(size + drawing.below(2), size, zeros);
      const Matrix twice = Drawing::split_off(base, drawing.below(size), Rational(1, 2));
      return Drawing::split_off(twice, drawing.below(size), drawing.below(2) == 0 ? Rational(0) : Rational(2, 7));
    }
    default:
      return drawing.with_equal_rows(drawing.stochastic(size, size + drawing.below(2), zeros));
  }
}

enum class Change { none, sparse, slightly_moved, moved, slightly_negative, negative, unrelated, end };

/// B with some probability moved from one output to another, under one secret.
void move_probability(Drawing& drawing, Matrix& b, const Rational& share) {
  const std::size_t x = drawing.below(b.rows());
  const std::size_t z = drawing.below(b.columns());
  const Rational moved = b(x, z) * share;
  b(x, z) -= moved;
  b(x, (z + 1) % b.columns()) += moved;
}

/// W with a negative entry, as far below zero as A W >= 0 allows, times the share.
Matrix with_negative_entry(Drawing& drawing, const Matrix& a, Matrix w, const Rational& share) {
  const std::size_t y = drawing.below(w.rows());
  const std::size_t z = drawing.below(w.columns());
  w(y, (z + 1) % w.columns()) += w(y, z);
  w(y, z) = 0;
  const Matrix b = a * w;
  std::optional<Rational> most;
  for (std::size_t x = 0; x < a.rows(); ++x) {
    if (a(x, y).sign() == 0) continue;
    const Rational here = b(x, z) / a(x, y);
    if (!most || here < *most) most = here;
  }
  const Rational below_zero = most.value_or(1) * share;
  w(y, z) -= below_zero;
  w(y, (z + 1) % w.columns()) += below_zero;
  return w;
}

/// The second channel of a pair.
Matrix followed(Drawing& drawing, const Matrix& a, Change change) {
  const Rational tiny = Rational(1, 10).pow(static_cast<std::int64_t>(6 * (1 + drawing.below(5))));
  const std::size_t outputs = 2 + drawing.below(3);
  Matrix w = drawing.stochastic(a.columns(), outputs, change == Change::sparse ? 3 : drawing.below(2));
  Matrix b = a * w;
  switch (change) {
    case Change::slightly_moved:
      move_probability(drawing, b, tiny);
      return b;
    case Change::moved:
      move_probability(drawing, b, Rational(1, 2));
      return b;
    case Change::slightly_negative:
      return a * with_negative_entry(drawing, a, std::move(w), tiny);
    case Change::negative:
      return a * with_negative_entry(drawing, a, std::move(w), 1);
    case Change::unrelated:
      return drawing.stochastic(a.rows(), outputs, drawing.below(3));
    default:
      return b;
  }
}

struct Pair {
  Channel from;
  Channel to;
};

/// All shapes and changes occur in turn.
Pair drawn_pair(std::uint64_t seed) {
  constexpr auto shapes = static_cast<std::uint64_t>(Shape::end);
  constexpr auto changes = static_cast<std::uint64_t>(Change::end);
  Drawing drawing(seed);
  const Matrix a = drawn(drawing, static_cast<Shape>(seed % shapes));
  const Matrix b = followed(drawing, a, static_cast<Change>(seed / shapes % changes));
  return {Channel(a), Channel(b)};
}

TEST(Refinement, AgreesWithTheSimplexMethodInRationals) {
  std::map<std::string, int> reasons;
  for (std::uint64_t seed = 0; seed < fractile::testing::effort(1000); ++seed) {
    SCOPED_TRACE(seed);
    const Pair pair = drawn_pair(seed);
    expect_decided_rightly(pair.from, pair.to);
    ++reasons[refines(pair.from, pair.to).reason];
  }
  // No way to a verdict went untried; when the last two, the simplex method in rationals, are needed is up to roundings.
  EXPECT_GE(reasons.size(), 5U);
}

TEST(RationalProgram, ProvesItsAnswer) {
  int feasible = 0;
  const auto runs = static_cast<int>(fractile::testing::effort(300));
  for (int run = 0; run < runs; ++run) {
    SCOPED_TRACE(run);
    Drawing drawing(static_cast<std::uint64_t>(run));
    const std::size_t variables = 1 + drawing.below(5);
    std::vector<std::vector<Rational>> equations(1 + drawing.below(4), std::vector<Rational>(variables));
    std::vector<Rational> right;
    for (std::vector<Rational>& equation : equations) {
      for (Rational& entry : equation) entry = static_cast<std::int64_t>(drawing.below(7)) - 3;
      right.emplace_back(static_cast<std::int64_t>(drawing.below(3)));
    }
    const auto dot = [](const std::vector<Rational>& a, const std::vector<Rational>& b) {
      Rational sum;
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
      return sum;
    };
    const Feasibility found = solve_program(equations, right);
    EXPECT_EQ(found.is_feasible, fractile::testing::FeasibilityTableau(equations, right).is_feasible());
    if (found.is_feasible) {
      ++feasible;
      for (const Rational& entry : found.solution) EXPECT_GE(entry.sign(), 0);
      for (std::size_t i = 0; i < right.size(); ++i) EXPECT_EQ(dot(equations[i], found.solution), right[i]);
      continue;
    }
    EXPECT_GT(dot(found.prices, right).sign(), 0);
    for (std::size_t j = 0; j < variables; ++j) {
      std::vector<Rational> column;
      for (const std::vector<Rational>& equation : equations) column.push_back(equation[j]);
      EXPECT_LE(dot(found.prices, column).sign(), 0);
    }
  }
  EXPECT_GT(feasible, runs / 10);
  EXPECT_LT(feasible, runs - runs / 10);
}

// --- Near ties --------------------------------------------------------------------------------------------------------

const Rational a_millionth_less(2'999'999, 1'000'000);
const Rational hardly_less = Rational(3) - Rational(1, 10).pow(40);

TEST(Refinement, OneAnswerIsWorthMoreAtHigherOdds) {
  for (const Rational& lower : {a_millionth_less, hardly_less}) {
    for (const Perturber& perturber : {Perturber::randomized_response(2), Perturber::randomized_response(5),
                                       Perturber::geometric(2), Perturber::geometric(3), Perturber::geometric(5)}) {
      const Channel more = perturber.at(3);
      const Channel less = perturber.at(lower);
      EXPECT_TRUE(refines(more, less).refines());
      EXPECT_TRUE(refines(less, more).refuted());
      EXPECT_TRUE(verified(more, less, refines(more, less)));
      EXPECT_TRUE(verified(less, more, refines(less, more)));
    }
  }
}

TEST(Refinement, PipelinesAreDecidedAtNearlyEqualOdds) {
  for (const Rational& lower : {a_millionth_less, hardly_less}) {
    for (const Perturber& perturber : {Perturber::randomized_response(3), Perturber::geometric(3)}) {
      for (const PostProcessor& post : {counting({0}), counting({0, 2}), summing(), taking_the_mode()}) {
        const Pipeline pipeline = pipeline_of(2, perturber, post);
        const Channel more = channel_at(pipeline, 3).channel;
        const Channel less = channel_at(pipeline, lower).channel;
        expect_decided_rightly(more, less);
        expect_decided_rightly(less, more);
        EXPECT_EQ(check_refinement(pipeline, 3, lower).refinement.refines(), leads_to(more.matrix(), less.matrix()));
        EXPECT_EQ(check_refinement(pipeline, lower, 3).refinement.refines(), leads_to(less.matrix(), more.matrix()));
      }
    }
    const Pipeline counts = pipeline_of(3, Perturber::randomized_response(3), counting({0}));
    EXPECT_TRUE(check_refinement(counts, 3, lower).refinement.refines());
    EXPECT_TRUE(check_refinement(counts, lower, 3).refinement.refuted());
    const Pipeline sums = pipeline_of(2, Perturber::randomized_response(3), summing());
    EXPECT_TRUE(check_refinement(sums, 3, lower).refinement.refuted());
  }
}

// The same where the columns depend on one another.
TEST(Refinement, MixedAnswersAreDecidedAtNearlyEqualOdds) {
  Drawing drawing(1);
  const Channel mixer(drawing.stochastic(3, 5, 1));
  for (const Rational& lower : {a_millionth_less, hardly_less}) {
    for (const Perturber& perturber : {Perturber::randomized_response(3), Perturber::geometric(3)}) {
      const Channel more = perturber.at(3) * mixer;
      const Channel less = perturber.at(lower) * mixer;
      expect_decided_rightly(more, less);
      expect_decided_rightly(less, more);
      expect_decided_rightly(more, perturber.at(lower));
    }
  }
}

// --- What holds for all channels --------------------------------------------------------------------------------------

Pair any_pair() { return drawn_pair(*rc::gen::arbitrary<std::uint64_t>()); }
Drawing any_drawing() { return Drawing(*rc::gen::arbitrary<std::uint64_t>()); }
Channel any_channel(Drawing& drawing) {
  return Channel(drawn(drawing, static_cast<Shape>(drawing.below(static_cast<std::size_t>(Shape::end)))));
}
/// To come after this one.
Channel any_after(Drawing& drawing, const Channel& first) {
  return Channel(drawing.stochastic(first.observations().size(), 1 + drawing.below(4), drawing.below(4)));
}

TEST(Refinement, EveryChannelRefinesItself) {
  EXPECT_TRUE(rc::check("both of a pair", [] {
    const Pair pair = any_pair();
    RC_ASSERT(refines(pair.from, pair.from).refines());
    RC_ASSERT(refines(pair.to, pair.to).refines());
  }));
}

TEST(Refinement, WhatIsMadeOfAChannelIsNeverWorthMore) {
  EXPECT_TRUE(rc::check("post-processing", [] {
    Drawing drawing = any_drawing();
    const Channel from = any_channel(drawing);
    RC_ASSERT(refines(from, from * any_after(drawing, from)).refines());
  }));
}

TEST(Refinement, WitnessesCompose) {
  EXPECT_TRUE(rc::check("their product", [] {
    Drawing drawing = any_drawing();
    const Channel first = any_channel(drawing);
    const Channel second = first * any_after(drawing, first);
    const Channel third = second * any_after(drawing, second);
    const Refinement one = refines(first, second);
    const Refinement two = refines(second, third);
    RC_ASSERT(one.refines() && two.refines());
    const Matrix product = std::get<Witness>(one.verdict).matrix * std::get<Witness>(two.verdict).matrix;
    RC_ASSERT(verify(first, third, Witness{product}));
    RC_ASSERT(refines(first, third).refines());
  }));
}

/// An analyst with his true expected losses.
Counterexample analyst_with(Prior prior, Loss loss, const Channel& from, const Channel& to) {
  Counterexample result{std::move(prior), std::move(loss), {}, {}};
  result.utility_from = posterior_uncertainty(result.prior, from, result.loss);
  result.utility_to = posterior_uncertainty(result.prior, to, result.loss);
  return result;
}

Counterexample any_analyst(Drawing& drawing, const Channel& from, const Channel& to) {
  const std::size_t secrets = from.secrets().size();
  const Matrix prior = drawing.stochastic(1, secrets, drawing.below(3));
  const Matrix losses = drawing.stochastic(secrets, 2 + drawing.below(3), drawing.below(4));
  return analyst_with(Prior({prior.row(0).begin(), prior.row(0).end()}), Loss(losses), from, to);
}

// The easy half of Theorem 2.4: an analyst whom verify() accepts excludes every witness.
TEST(Refinement, NoAnalystContradictsAWitness) {
  const std::uint64_t pairs = fractile::testing::effort(1000);
  std::uint64_t contradictions = 0;
  for (std::uint64_t seed = 0; seed < pairs; ++seed) {
    const Pair pair = drawn_pair(seed);
    Drawing drawing(seed + 1);
    const Counterexample analyst = any_analyst(drawing, pair.from, pair.to);
    const bool prefers_the_second = analyst.utility_to < analyst.utility_from;
    EXPECT_EQ(verify(pair.from, pair.to, analyst), prefers_the_second) << seed;
    if (!prefers_the_second) continue;
    ++contradictions;
    EXPECT_FALSE(leads_to(pair.from.matrix(), pair.to.matrix())) << seed;
    EXPECT_TRUE(refines(pair.from, pair.to).refuted()) << seed;
  }
  EXPECT_GT(contradictions, pairs / 50);
}

// --- Tampered certificates --------------------------------------------------------------------------------------------

bool is_ever_made(const Channel& channel, std::size_t observation) {
  for (std::size_t x = 0; x < channel.secrets().size(); ++x) {
    if (channel(x, observation).sign() != 0) return true;
  }
  return false;
}

TEST(VerifyWitness, RejectsAChangedEntry) {
  EXPECT_TRUE(rc::check("by 1 .. 10^-39", [] {
    Drawing drawing = any_drawing();
    const Channel from = any_channel(drawing);
    const Channel to = from * any_after(drawing, from);
    const Matrix honest = std::get<Witness>(refines(from, to).verdict).matrix;
    RC_ASSERT(verify(from, to, Witness{honest}));
    const Rational little = Rational(1, 10).pow(static_cast<std::int64_t>(drawing.below(40)));
    const std::size_t y = drawing.below(honest.rows());
    const std::size_t z = drawing.below(honest.columns());
    for (const Rational& change : {little, -little}) {
      Matrix changed = honest;
      changed(y, z) += change;
      RC_ASSERT(!verify(from, to, Witness{changed}));
      if (honest.columns() == 1 || !is_ever_made(from, y)) continue;
      changed(y, (z + 1) % honest.columns()) -= change;  // the row adds up to 1 again
      RC_ASSERT(!verify(from, to, Witness{changed}));
    }
  }));
}

// For each check a matrix that only this check rejects.
TEST(VerifyWitness, NeedsAllItsChecks) {
  const Channel from = channel({{"1/2", "1/2", "0"}, {"1/4", "1/4", "1/2"}});
  const Channel to = channel({{"1/2", "1/2"}, {"3/4", "1/4"}});
  const auto holds = [&](const std::vector<std::vector<const char*>>& rows) {
    return verify(from, to, Witness{matrix(rows)});
  };
  EXPECT_TRUE(holds({{"1/2", "1/2"}, {"1/2", "1/2"}, {"1", "0"}}));
  EXPECT_TRUE(holds({{"1", "0"}, {"0", "1"}, {"1", "0"}}));  // another one, since two columns are equal

  const Matrix negative = matrix({{"3/2", "-1/2"}, {"-1/2", "3/2"}, {"1", "0"}});
  EXPECT_EQ(from.matrix() * negative, to.matrix());
  EXPECT_FALSE(verify(from, to, Witness{negative}));

  EXPECT_FALSE(holds({{"1/2", "1/2"}, {"1/2", "1/2"}, {"1/2", "1/2"}}));  // stochastic, but leads elsewhere
  EXPECT_FALSE(holds({{"1/2", "1/2"}, {"1/2", "1/2"}}));
  EXPECT_FALSE(holds({{"1/2", "1/2"}, {"1/2", "1/2"}, {"1", "0"}, {"1", "0"}}));
  EXPECT_FALSE(holds({{"1/2", "1/2", "0"}, {"1/2", "1/2", "0"}, {"1", "0", "0"}}));

  const Channel never_the_second = channel({{"1", "0"}, {"1", "0"}});
  const Channel certain = channel({{"1"}, {"1"}});
  EXPECT_TRUE(verify(never_the_second, certain, Witness{matrix({{"1"}, {"1"}})}));
  const Matrix heavy = matrix({{"1"}, {"2"}});
  EXPECT_EQ(never_the_second.matrix() * heavy, certain.matrix());
  EXPECT_FALSE(verify(never_the_second, certain, Witness{heavy}));
}

TEST(VerifyCounterexample, RejectsWrongUtilities) {
  int tampered = 0;
  EXPECT_TRUE(rc::check("changed and exchanged", [&tampered] {
    const Pair pair = any_pair();
    const Refinement refinement = refines(pair.from, pair.to);
    if (!refinement.refuted()) return;
    ++tampered;
    const Counterexample honest = std::get<Counterexample>(refinement.verdict);
    RC_ASSERT(verify(pair.from, pair.to, honest));
    const Rational gain = honest.utility_from - honest.utility_to;
    for (const Rational& change : {gain / 1000, -gain / 1000, gain, Rational(1)}) {
      Counterexample changed = honest;
      changed.utility_from += change;
      RC_ASSERT(!verify(pair.from, pair.to, changed));
      changed = honest;
      changed.utility_to -= change;
      RC_ASSERT(!verify(pair.from, pair.to, changed));
    }
    Counterexample exchanged = honest;
    std::swap(exchanged.utility_from, exchanged.utility_to);
    RC_ASSERT(!verify(pair.from, pair.to, exchanged));
    RC_ASSERT(!verify(pair.to, pair.from, honest));
    RC_ASSERT(!verify(pair.to, pair.from, exchanged));
  }));
  EXPECT_GT(tampered, 10);
}

// Two losses change places and the utilities are computed anew: accepted exactly where the second channel is still better.
TEST(VerifyCounterexample, RejectsLossesUnderWhichTheSecondIsNotBetter) {
  const Refinement refinement = refines(g2, g3);
  ASSERT_TRUE(refinement.refuted());
  const Counterexample honest = std::get<Counterexample>(refinement.verdict);
  const Matrix& losses = honest.loss.matrix();
  int rejected = 0;
  for (std::size_t first = 0; first < losses.rows() * losses.columns(); ++first) {
    for (std::size_t second = 0; second < first; ++second) {
      Matrix changed = losses;
      std::swap(changed(first / losses.columns(), first % losses.columns()),
                changed(second / losses.columns(), second % losses.columns()));
      const Counterexample tampered = analyst_with(honest.prior, Loss(changed), g2, g3);
      const bool still_better = tampered.utility_to < tampered.utility_from;
      EXPECT_EQ(verify(g2, g3, tampered), still_better);
      if (!still_better) ++rejected;
    }
  }
  EXPECT_GT(rejected, 0);
  // Equal is not better.
  EXPECT_FALSE(verify(g2, g3, analyst_with(honest.prior, Loss(Matrix(3, 2)), g2, g3)));
  EXPECT_FALSE(verify(g2, g2, analyst_with(honest.prior, honest.loss, g2, g2)));
}

// --- Mutants: wrong deciders, whose certificates verify() must refute -------------------------------------------------

/// Two channels, and a matrix with a negative entry that leads from one to the other. No stochastic one does.
struct Trap {
  Channel from;
  Channel to;
  Matrix solution;
};

Trap drawn_trap(std::uint64_t seed) {
  Drawing drawing(seed);
  const Rational share = seed % 2 == 0 ? Rational(1) : Rational(1, 1'000'000);
  while (true) {
    const std::size_t size = 2 + drawing.below(3);
    const Matrix a = drawing.stochastic(size, size, 0);
    const Matrix w = with_negative_entry(drawing, a, drawing.stochastic(size, size, 0), share);
    if (!leads_to(a, a * w)) return {Channel(a), Channel(a * w), w};
  }
}

/// Negative entries become 0, and rows are scaled to add up to 1.
Matrix clamped(Matrix w) {
  for (std::size_t y = 0; y < w.rows(); ++y) {
    Rational sum;
    for (std::size_t z = 0; z < w.columns(); ++z) {
      if (w(y, z).sign() < 0) w(y, z) = 0;
      sum += w(y, z);
    }
    for (std::size_t z = 0; z < w.columns(); ++z) w(y, z) /= sum;
  }
  return w;
}

Matrix in_doubles(Matrix w) {
  for (std::size_t y = 0; y < w.rows(); ++y) {
    for (std::size_t z = 0; z < w.columns(); ++z) w(y, z) = Rational::from_double(w(y, z).to_double());
  }
  return w;
}

Matrix transposed(const Matrix& w) {
  Matrix result(w.columns(), w.rows());
  for (std::size_t y = 0; y < w.rows(); ++y) {
    for (std::size_t z = 0; z < w.columns(); ++z) result(z, y) = w(y, z);
  }
  return result;
}

TEST(RefinementMutant, WitnessesWithoutTheSignCheckAreCaught) {
  const std::map<std::string, std::function<Matrix(const Matrix&)>> mutants = {
      {"keeps the negative entry", [](const Matrix& w) { return w; }},
      {"makes it zero", clamped},
      {"makes it zero and computes in doubles", [](const Matrix& w) { return in_doubles(clamped(w)); }},
      {"exchanges rows and columns", [](const Matrix& w) { return clamped(transposed(w)); }},
  };
  for (std::uint64_t seed = 0; seed < fractile::testing::effort(100); ++seed) {
    const Trap trap = drawn_trap(seed);
    EXPECT_EQ(trap.from.matrix() * trap.solution, trap.to.matrix()) << seed;
    EXPECT_TRUE(refines(trap.from, trap.to).refuted()) << seed;
    for (const auto& [name, mutant] : mutants) {
      EXPECT_FALSE(verify(trap.from, trap.to, Witness{mutant(trap.solution)})) << name << ", seed " << seed;
    }
  }
}

// Doubles are not exact even where there is a witness.
TEST(RefinementMutant, AWitnessInDoublesIsCaught) {
  const Matrix witness = std::get<Witness>(refines(g3, g2).verdict).matrix;
  EXPECT_TRUE(verify(g3, g2, Witness{witness}));
  EXPECT_FALSE(verify(g3, g2, Witness{in_doubles(witness)}));
}

TEST(RefinementMutant, AnswersToTheOppositeQuestionAreCaught) {
  int witnesses = 0;
  int counterexamples = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Pair pair = drawn_pair(seed);
    const bool leads = leads_to(pair.from.matrix(), pair.to.matrix());
    const Refinement opposite = refines(pair.to, pair.from);
    if (opposite.refines() && !leads) {
      EXPECT_FALSE(verify(pair.from, pair.to, std::get<Witness>(opposite.verdict))) << seed;
      ++witnesses;
    }
    if (opposite.refuted() && leads) {
      EXPECT_FALSE(verify(pair.from, pair.to, std::get<Counterexample>(opposite.verdict))) << seed;
      ++counterexamples;
    }
  }
  EXPECT_GT(witnesses, 0);
  EXPECT_GT(counterexamples, 20);
}

// Refutes where doubles find the second channel better, or nearly as good.
TEST(RefinementMutant, ARefutationWithinAToleranceIsCaught) {
  int caught = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Drawing drawing(seed);
    const Channel from = any_channel(drawing);
    const Channel to = from * any_after(drawing, from);
    const Counterexample claimed = any_analyst(drawing, from, to);
    if (claimed.utility_to.to_double() > claimed.utility_from.to_double() + 1e-9) continue;
    EXPECT_FALSE(verify(from, to, claimed)) << seed;
    ++caught;
  }
  EXPECT_GT(caught, 20);
}

}  // namespace
}  // namespace fractile::flow
